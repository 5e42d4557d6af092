"""`arithmax train`: its options are the fields of tasks and protocol."""

import ast
import dataclasses
import sys
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import tyro

from .._checks import WORD, check_whole, choose
from ..tasks import TASKS, Task
from ..training import MOST_SEEDS, Cell, Protocol, published
from ..units import UNITS, Unit
from ..units import unit as unit_of
from ._show import field_docs, percent, show, table

# Settings that a unit's authors may have chosen.
PUBLISHED = {"steps", "batch", "optimiser", "learning_rate", "penalty", "penalty_start"}
PUBLISHED |= {
    "penalty_end",
    "l1",
    "l1_end",
    "clip_value",
    "clip_norm",
    "epsilon",
    "rule",
}


def metavar(kind: Any) -> str:
    """How the help shows what an option takes."""
    choices = [str(a) for a in get_args(kind) if isinstance(a, str)]
    if choices:
        return "{" + ",".join(choices) + "}"
    if get_origin(kind) is tuple:
        return f"{get_args(kind)[0].__name__.upper()} ..."
    return {bool: "{True,False}"}.get(kind, getattr(kind, "__name__", "VALUE").upper())


def _options(classes: list[type]) -> list[tuple[str, Any, Any]]:
    """Every field of some dataclasses as an option that need not be given."""
    fields: dict[str, tuple[str, Any, Any]] = {}
    for cls in classes:
        hints, docs = get_type_hints(cls), field_docs(cls)
        for field in dataclasses.fields(cls):
            kind = tuple[float, ...] if hints[field.name] is Any else hints[field.name]
            text = docs.get(field.name, "").replace("\n", " ")
            authors = cls is Protocol and field.name in PUBLISHED
            default = "the authors'" if authors else repr(field.default)
            hint = f"(default: {default})"
            argument = tyro.conf.arg(
                help=text, help_behavior_hint=hint, metavar=metavar(kind)
            )
            entry = (field.name, Annotated[kind | None, argument], None)
            fields.setdefault(field.name, entry)
    return list(fields.values())


@dataclasses.dataclass
class Run:
    """What `arithmax train` needs besides the options of task and protocol."""

    unit: str = "nmu"
    """The unit, with its options: `nmu`, `nalu:tied=false`, `my_unit.py:MyUnit`."""
    task: str = "subsets"
    """The task: subsets, single-module, operands or functions."""
    seeds: int = 25
    """How many seeds."""
    first_seed: int = 0
    """The first of them."""
    out: Path | None = None
    """A folder for rows, curves and weights; a second run goes on where one stopped."""
    json: bool = False
    """Print a summary as JSON for scripts."""
    quiet: bool = False
    """Show no progress bar."""


def train_command() -> type:
    """The dataclass from which the options of `arithmax train` are made."""
    own = [
        (
            f.name,
            Annotated[f.type, tyro.conf.arg(help=field_docs(Run)[f.name])],
            f.default,
        )
        for f in dataclasses.fields(Run)
    ]
    rest = _options([*TASKS.values(), Protocol])
    made = dataclasses.make_dataclass("Train", [*own, *rest])
    made.__doc__ = (
        "Train a unit on a task with many seeds, as its authors did if not told else."
    )
    return made


def parse_unit(text: str) -> Unit:
    """`nalu:tied=false` as a unit, or one's own from `FILE.py:NAME`."""
    if ".py:" in text or text.endswith(".py"):
        from ..benchmark import own_unit

        return own_unit(text).unit
    name, colon, rest = text.partition(":")
    choose("unit", name, UNITS)
    options: dict[str, Any] = {}
    for part in rest.split(",") if colon else ():
        option, equals, value = (word.strip() for word in part.partition("="))
        if not option or not equals or not value or option in options:
            raise ValueError(
                f"`unit` (={text!r}) must have its options as name=value, each once, "
                "such as nalu:tied=false,gate_bias=true."
            )
        try:
            options[option] = ast.literal_eval(value.capitalize())
        except (ValueError, SyntaxError):
            options[option] = value
    return unit_of(name, **options)


def train(arguments: Any) -> int:
    """Train, print a summary; 130 after an interrupt."""
    from ..results import to_json
    from ..tasks import task as task_of
    from ..training import train_cells

    given = {k: v for k, v in vars(arguments).items() if v is not None}
    own = {f.name for f in dataclasses.fields(Run)}
    settings = {f.name for f in dataclasses.fields(Protocol)}
    changes = {k: v for k, v in given.items() if k in settings}
    choices = {k: v for k, v in given.items() if k not in own | settings}
    choose("task", arguments.task, TASKS)
    task: Task = task_of(arguments.task, **choices)
    check_whole("seeds", arguments.seeds, 1, MOST_SEEDS)
    check_whole("first_seed", arguments.first_seed, 0, WORD + 1 - arguments.seeds)
    network, protocol = published(parse_unit(arguments.unit), task, **changes)
    seeds = range(arguments.first_seed, arguments.first_seed + arguments.seeds)
    results = train_cells(
        [Cell(network, task, protocol, tuple(seeds))],
        out=arguments.out,
        progress=not arguments.quiet and not arguments.json,
    )
    if arguments.json:
        print(to_json(results.summaries()))
    else:
        show(summary_table(results, f"{network} on {task}"))
    if results.interrupted:
        kept = f" Run the same command again to go on: {arguments.out}." * bool(
            arguments.out
        )
        print(f"Interrupted; {len(results)} runs are finished.{kept}", file=sys.stderr)
        return 130
    return 0


def summary_table(results: Any, title: str) -> Any:
    """Rates, steps and sparsity of each cell."""
    rows = []
    for s in results.summaries():
        rows.append(
            [
                f"{s.solved} of {s.total}",
                percent(s.success),
                f"{s.solved_at_median:.3g}" if s.solved_at_median else "—",
                str(s.solved_at) if s.solved_at else "—",
                str(s.sparsity) if s.sparsity else "—",
            ]
        )
    columns = ["solved", "success", "median step", "mean step", "sparsity error"]
    return table(title, columns, rows)

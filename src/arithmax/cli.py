"""The command line: `arithmax train`, `demo`, `units`, `tasks` and `version`."""

import ast
import dataclasses
import inspect
import json as json_format
import sys
import textwrap
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import tyro

from . import __version__
from .protocol import Protocol, published
from .tasks import TASKS, Task
from .units import OPERATIONS, UNITS, Unit
from .units import unit as unit_of

# What the demonstration trains: every unit on the operations that it can represent.
DEMO = ("nac", "nac-mul", "nalu", "inalu", "nau", "nmu", "real-npu")
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
DEMO_OPERATIONS = ("add", "sub", "mul", "div")


def describe(name: str) -> dict[str, Any]:
    """What `arithmax units` says of one unit."""
    unit = UNITS[name]()
    return {
        "name": name,
        "class": type(unit).__name__,
        "title": unit.title,
        "unit": repr(unit),
        "summary": first_line(type(unit)),
        "parameters": sorted(unit.parameters(2, 1)),
        "operations": {op: domain.text for op, domain in unit.operations.items()},
    }


def first_line(cls: type) -> str:
    """The first sentence of a docstring."""
    return (cls.__doc__ or "").split("\n")[0].strip()


def field_docs(cls: type) -> dict[str, str]:
    """The docstrings below the fields of a dataclass."""
    docs: dict[str, str] = {}
    body = ast.parse(textwrap.dedent(inspect.getsource(cls))).body[0]
    assert isinstance(body, ast.ClassDef)
    for field, doc in zip(body.body, body.body[1:], strict=False):
        if isinstance(field, ast.AnnAssign) and isinstance(doc, ast.Expr):
            assert isinstance(field.target, ast.Name)
            if isinstance(doc.value, ast.Constant):
                docs[field.target.id] = str(doc.value.value)
    return docs


def table(title: str, columns: list[str], rows: list[list[str]]) -> Any:
    """A table for the terminal."""
    from rich import box
    from rich.table import Table

    drawn = Table(title=title, title_justify="left", box=box.SIMPLE)
    for i, name in enumerate(columns):
        drawn.add_column(name, no_wrap=i == 0)
    for row in rows:
        drawn.add_row(*row)
    return drawn


def show(drawn: Any) -> None:
    """Print something of rich's."""
    from rich.console import Console

    Console().print(drawn)


def units(json: bool = False) -> None:
    """List every unit, what it can compute exactly, and on which inputs.

    Args:
        json: print JSON for scripts instead of a table.
    """
    described = [describe(name) for name in UNITS]
    if json:
        print(json_format.dumps(described, indent=2, ensure_ascii=False))
        return
    rows = [
        [
            unit["name"],
            unit["class"],
            "\n".join(
                f"{OPERATIONS[op].symbol}  ({text})"
                for op, text in unit["operations"].items()
            )
            or "—",
            unit["summary"],
        ]
        for unit in described
    ]
    show(table("Arithmetic units", ["name", "class", "exact for", "what it is"], rows))


def tasks(json: bool = False) -> None:
    """List every task and its options.

    Args:
        json: print JSON for scripts instead of a table.
    """
    described = [
        {
            "name": name,
            "class": cls.__name__,
            "summary": first_line(cls),
            "options": {
                f.name: {"default": repr(f.default), "help": field_docs(cls)[f.name]}
                for f in dataclasses.fields(cls)  # type: ignore[arg-type]  # tasks are dataclasses
            },
        }
        for name, cls in TASKS.items()
    ]
    if json:
        print(json_format.dumps(described, indent=2, ensure_ascii=False))
        return
    rows = [
        [
            task["name"],
            task["summary"],
            "\n".join(f"{n} = {o['default']}" for n, o in task["options"].items()),
        ]
        for task in described
    ]
    show(table("Tasks", ["name", "what it is", "options"], rows))


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
    """The unit, with its options: `nmu`, or `nalu:tied=false,gate_bias=true`."""
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
    """`nalu:tied=false` as a unit."""
    name, _, rest = text.partition(":")
    options = {}
    for part in filter(None, rest.split(",")):
        option, _, value = part.partition("=")
        try:
            parsed = ast.literal_eval(value.strip().capitalize())
        except (ValueError, SyntaxError):
            parsed = value.strip()
        options[option.strip()] = parsed
    return unit_of(name, **options)


def train(arguments: Any) -> int:
    """Train, print a summary; 130 after an interrupt."""
    from .fleet import Cell, train_cells
    from .results import to_json
    from .tasks import task as task_of

    given = {k: v for k, v in vars(arguments).items() if v is not None}
    own = {f.name for f in dataclasses.fields(Run)}
    settings = {f.name for f in dataclasses.fields(Protocol)}
    changes = {k: v for k, v in given.items() if k in settings}
    choices = {k: v for k, v in given.items() if k not in own | settings}
    task: Task = task_of(arguments.task, **choices)
    if arguments.seeds < 1:
        raise ValueError(f"`seeds` (={arguments.seeds}) must be at least 1.")
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


def percent(interval: Any) -> str:
    """A rate with its interval."""
    value, low, high = (100 * v for v in (interval.value, interval.low, interval.high))
    return f"{value:.0f}% [{low:.0f},{high:.0f}]"


def demo(seeds: int = 25, steps: int = 50_000, out: Path | None = None) -> None:
    """Train seven units on + − × ÷ with many seeds, and show how often each succeeds.

    Trained on [1, 2], tested on [2, 6]; about a minute on two processor cores.

    Args:
        seeds: how many seeds each.
        steps: how many steps each.
        out: a folder for the results.
    """
    from rich.live import Live

    from .fleet import Cell, train_cells
    from .results import Results
    from .tasks import SingleModule

    cells, wanted = [], {}
    for name in DEMO:
        for operation in DEMO_OPERATIONS:
            unit = UNITS[name]()
            if operation in unit.operations:
                task = SingleModule(operation)
                network, protocol = published(unit, task, steps=steps)
                cells.append(Cell(network, task, protocol, tuple(range(seeds))))
                wanted[repr(network), str(task)] = (name, operation)
    rows: list[dict[str, Any]] = []

    def drawn() -> Any:
        found = {}
        for s in Results(rows).summaries():
            found[wanted[s.cell["network"], s.cell["task"]]] = percent(s.success)
        cells_of = [
            [UNITS[name].title]
            + [
                found.get((name, op), "…" if (name, op) in wanted.values() else "")
                for op in DEMO_OPERATIONS
            ]
            for name in DEMO
        ]
        title = f"Solved, of {seeds} seeds, with 95 % intervals; [1, 2] → [2, 6]"
        symbols = [OPERATIONS[op].symbol for op in DEMO_OPERATIONS]
        return table(title, ["unit", *symbols], cells_of)

    with Live(drawn(), refresh_per_second=4) as live:

        def watch(new: list[dict[str, Any]]) -> None:
            rows.extend(new)
            live.update(drawn())

        train_cells(cells, out=out, watch=watch)
    print(
        "Each unit is trained as its authors did; `arithmax train --help` has the rest."
    )


def version() -> None:
    """Print the version of this package."""
    print(__version__)


def main(arguments: list[str] | None = None) -> None:
    """Run the command line."""
    arguments = sys.argv[1:] if arguments is None else arguments
    commands = {"train": _train_stub, "demo": demo, "units": units, "tasks": tasks}
    try:
        if arguments[:1] == ["train"]:
            made = train_command()
            parsed = tyro.cli(made, prog="arithmax train", args=arguments[1:])
            code = train(parsed)
        else:
            code = 0
            tyro.extras.subcommand_cli_from_dict(
                {**commands, "version": version},
                prog="arithmax",
                description="Neural arithmetic units for PyTorch, JAX and NumPy.",
                args=arguments,
            )
    except (ValueError, TypeError, OSError) as error:
        print(f"arithmax: {error}", file=sys.stderr)
        code = 2
    if code:
        sys.exit(code)


def _train_stub() -> None:
    """Train a unit on a task with many seeds; see `arithmax train --help`."""

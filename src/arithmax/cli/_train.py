"""`arithmax train TASK`: the options of that task, and the settings of a recipe.

The arguments are read twice. What decides the defaults comes first: the unit, the task
and its options, and the kinds of a protocol's parts. Then the protocol that follows
from them has its values as the defaults of all other options.
"""

import dataclasses
import sys
from pathlib import Path
from typing import Annotated, Any

import tyro

from .._checks import WORD, check_whole
from .._network import Network
from ..tasks import Task
from ..training import MOST_SEEDS, Cell, Protocol, published
from ..training.recipes import recipe_for
from ._comparisons import figure_text, median_text
from ._settings import Field, kinds, options_of_protocol, updated, with_kinds
from ._show import field_docs, first_line, percent, show, table
from ._task_options import is_open, made, options_of, task_named, tasks_by_name
from ._units import given_unit

HELP = ("-h", "--help")
EXAMPLE = "arithmax train single-module --unit nmu --operation mul"


@dataclasses.dataclass(frozen=True)
class Run:
    """What `arithmax train` needs besides the options of task and protocol."""

    unit: str = "nmu"
    """The unit, with its options: `nmu`, `nalu:tied=false`, `my_unit.py:MyUnit`."""
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


@dataclasses.dataclass(frozen=True)
class Order:
    """What is to be trained, and on how many seeds."""

    run: Any
    network: Network
    task: Task
    protocol: Protocol


def train(arguments: list[str]) -> int:
    """Train as the arguments after `train` say, print a summary; 130 if interrupted."""
    if not arguments or arguments[0] in HELP:
        print(overview(), file=sys.stdout if arguments else sys.stderr)
        return 0 if arguments else 2
    if arguments[0].startswith("-"):
        raise ValueError(_misplaced(arguments))
    return _trained(order(arguments[0], arguments[1:]))


def overview() -> str:
    """All tasks, each with a sentence."""
    named = tasks_by_name()
    wide = max(map(len, named))
    lines = [f"  {name:{wide}}  {first_line(cls)}" for name, cls in named.items()]
    return "\n".join(
        [
            "usage: arithmax train TASK [OPTIONS]",
            "",
            "Train a unit on a task with many seeds, as its authors did if no other",
            "settings are given. The tasks are",
            "",
            *lines,
            "",
            "`arithmax train TASK --help` shows the options of a task and the settings",
            f"that will be used. An example: `{EXAMPLE}`.",
        ]
    )


def _misplaced(arguments: list[str]) -> str:
    """What to say where the task does not come first."""
    words = [word for argument in arguments for word in argument.split("=", 1)]
    place = words.index("--task") + 1 if "--task" in words else len(words)
    first = f"`task` (={words[place]!r})" if place < len(words) else "`task`"
    names = ", ".join(tasks_by_name())
    return (
        f"{first} must be the first argument, without `--task`, as in `{EXAMPLE}`. It "
        f"is one of {names}."
    )


def order(name: str, arguments: list[str]) -> Order:
    """What the arguments after the name of a task ask for; help is printed here."""
    cls = task_named(name)
    prog, options = f"arithmax train {name}", options_of(cls)
    rest = [a for a in arguments if a not in HELP]
    wants_help = len(rest) < len(arguments)
    first, unknown = tyro.cli(
        _command("", {"task": options, "kinds": kinds()}, []),
        prog=prog,
        args=rest,
        return_unknown_args=True,
    )
    task = None if wants_help and is_open(first.task) else made(cls, first.task)
    has_settings = wants_help or bool(unknown) or any(vars(first.kinds).values())
    network, protocol = start(first.unit, task, has_settings)
    protocol = with_kinds(protocol, first.kinds)
    plain, parts = options_of_protocol(protocol)
    text = _description(name, network, task)
    command = _command(text, {"task": options, "protocol": plain}, parts)
    last = tyro.cli(command, prog=prog, args=arguments)
    assert task is not None  # tyro has ended the process after help
    nested = {field: getattr(last, field) for field, _, _ in parts}
    return Order(last, network, task, updated(protocol, last.protocol, nested))


def _command(text: str, groups: dict[str, type], more: list[Field]) -> type:
    """A dataclass of all options: those of `Run`, of some groups, and more.

    Args:
        text: what its help says first.
        groups: dataclasses whose fields are options without a prefix.
        more: fields whose options have their names as prefixes.
    """
    docs = field_docs(Run)
    fields: list[Field] = [
        (f.name, Annotated[f.type, tyro.conf.arg(help=docs[f.name])], f.default)
        for f in dataclasses.fields(Run)
    ]
    for name, cls in groups.items():
        fields.append((name, tyro.conf.OmitArgPrefixes[cls], cls()))
    made = dataclasses.make_dataclass("Train", [*fields, *more])
    made.__doc__ = text
    return made


def start(unit: str, task: Task | None, has_settings: bool) -> tuple[Network, Protocol]:
    """The network and the protocol that a unit has on a task before any option.

    Args:
        unit: the unit as `--unit` names it.
        task: the task; None where help is asked for and there is none yet.
        has_settings: whether settings are given, so that no recipe is needed.
    """
    network, brought = given_unit(unit)
    changes = brought(task) if task is not None else {}
    if task is not None and recipe_for(network, task) is not None:
        return published(network, task, **changes)
    if not has_settings and not changes:
        raise ValueError(
            f"`task` (={task}) has no published recipe for `unit` (={unit!r}). Give "
            "settings, such as `--steps 10000 --optimiser.learning-rate 1e-2`; `--help`"
            " shows the others with their defaults."
        )
    return network, Protocol().updated(**changes)


def _description(name: str, network: Network, task: Task | None) -> str:
    """What the help of a task says first."""
    has_recipe = task is not None and recipe_for(network, task) is not None
    whose = "those of the published recipe" if has_recipe else "no paper's"
    return (
        f"Train a unit on {name} with many seeds. The network is {network}; the "
        f"defaults of its settings are {whose}."
    )


def _trained(order: Order) -> int:
    from ..results import to_json
    from ..training import train_cells

    run = order.run
    check_whole("seeds", run.seeds, 1, MOST_SEEDS)
    check_whole("first_seed", run.first_seed, 0, WORD + 1 - run.seeds)
    seeds = tuple(range(run.first_seed, run.first_seed + run.seeds))
    cell = Cell(order.network, order.task, order.protocol, seeds)
    results = train_cells([cell], out=run.out, progress=not run.quiet and not run.json)
    if run.json:
        print(to_json(results.summaries()))
    else:
        show(summary_table(results, f"{order.network} on {order.task}"))
    if results.interrupted:
        again = f" Run the same command again to go on: {run.out}." if run.out else ""
        print(f"Interrupted; {len(results)} runs are finished.{again}", file=sys.stderr)
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
                median_text(s),
                figure_text(s.solved_at) if s.solved_at else "—",
                figure_text(s.sparsity) if s.sparsity else "—",
            ]
        )
    columns = ["solved", "success", "median step", "mean step", "sparsity error"]
    return table(title, columns, rows)

"""What `arithmax train` is asked for: a network, a task and a protocol.

The arguments are read twice. What decides the defaults comes first: the unit, the task
and its options, and the kinds of a protocol's parts. Then the protocol that follows
from them has its values as the defaults of all other options.
"""

import dataclasses
import sys
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import tyro

from .._checks import WORD, check_whole
from .._network import Network
from .._own_code import own_file
from ..tasks import Task
from ..training import MOST_SEEDS, Protocol, published
from ..training.recipes import recipe_for
from ._own_parts import given_optimiser, own_network
from ._settings import Field, kinds, options_of_protocol, updated, with_kinds
from ._show import field_docs
from ._task_options import is_open, made, options_of, task_named
from ._units import Settings, given_unit
from ._where import Address, ClusterDevice, Kernel

HELP = ("-h", "--help")
UNIT, ADDING = "nmu", "nau"  # the second where the first cannot do what is asked
Grid = Annotated[
    tuple[tuple[str, ...], ...],
    tyro.conf.UseAppendAction,  # given twice, both count
    tyro.conf.arg(metavar="NAME=VALUE,VALUE ..."),
]
# Values of a task, a network and a protocol that are others than the options say.
Changes: TypeAlias = Mapping[str, Mapping[str, Any]]


@dataclasses.dataclass(frozen=True)
class Run:
    """What `arithmax train` needs besides the options of task and protocol."""

    unit: str | None = None
    """The unit, with its options: `nmu`, `nalu:tied=false`, `my_unit.py:MyUnit`."""
    network: str | None = None
    """A network of your own in place of a unit: `my_network.py:MyNetwork`."""
    sweep: Grid = ()
    """Settings to be tried, each with its values: `learning_rate=1e-3,1e-2`."""
    seeds: int = 25
    """How many seeds."""
    first_seed: int = 0
    """The first of them."""
    out: Path | None = None
    """A folder for rows, curves and weights; a second run goes on where one stopped."""
    cluster: Address = None
    """Train on a cluster of Ray instead of this machine."""
    cluster_device: ClusterDevice | None = None
    """What the cluster trains on; accelerators if it has any, if not given."""
    kernel: Kernel = "on"
    """Whether a GPU trains by a kernel, where the network can be one."""
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


def order(name: str, arguments: list[str]) -> Order:
    """What the arguments after the name of a task ask for; help is printed here."""
    return Arguments(name, arguments).order()


class Arguments:
    """The arguments as they are read first, and what they name in files, loaded once.

    Args:
        name: the task.
        arguments: what stands behind it.
    """

    def __init__(self, name: str, arguments: list[str]) -> None:
        self.name, self.arguments = name, arguments
        self.prog = f"arithmax train {name}"
        self.cls, self.start = task_named(name)
        self.options = options_of(self.cls, self.start)
        rest = [a for a in arguments if a not in HELP]
        self.wants_help = len(rest) < len(arguments)
        self.first, self.unknown = tyro.cli(
            _command("", {"task": self.options, "kinds": kinds()}, []),
            prog=self.prog,
            args=rest,
            return_unknown_args=True,
        )

    def of_unit(self, unit: str) -> "Arguments":
        """The same arguments with another unit."""
        return Arguments(self.name, [*self.arguments, "--unit", unit])

    @cached_property
    def has_settings(self) -> bool:
        """Whether settings are given, so that no recipe is needed."""
        given = self.wants_help or bool(self.unknown) or bool(self.first.sweep)
        return given or any(vars(self.first.kinds).values())

    @cached_property
    def own(self) -> dict[str, Any]:
        """Parts of the protocol that are in files, by the words that name them."""
        word: str = self.first.kinds.optimiser or ""
        return {word: given_optimiser(word)} if own_file(word) else {}

    def trained(self, task: Task | None) -> tuple[Network, Settings]:
        """The network or unit, and the settings that it brings."""
        if self.first.unit is None and self.first.network is None:
            return given_unit(default_unit(task))
        return self._given

    @cached_property
    def _given(self) -> tuple[Network, Settings]:
        unit, network = self.first.unit, self.first.network
        if network is None:
            return given_unit(unit)
        if unit is not None:
            raise ValueError(
                f"`network` (={network!r}) stands in place of `unit` (={unit!r}). Give "
                "one of them."
            )
        return own_network(network), lambda task: {}

    def order(self, changes: Changes | None = None) -> Order:
        """What is to be trained, with some values other than the options say."""
        changes = changes or {}
        is_missing = self.wants_help and is_open(self.first.task)
        task = (
            None
            if is_missing
            else made(self.cls, self.first.task, self.start, **changes.get("task", {}))
        )
        network, protocol = self._start(task)
        protocol = with_kinds(protocol, self.first.kinds, self.own)
        plain, parts = options_of_protocol(protocol, self.own)
        text = _description(self.name, network, task)
        groups = {"task": self.options, "protocol": plain}
        unit = None if self.first.network else default_unit(task)
        command = _command(text, groups, parts, unit)
        last = tyro.cli(command, prog=self.prog, args=self.arguments)
        assert task is not None  # tyro has ended the process after help
        nested = {field: getattr(last, field) for field, _, _ in parts}
        protocol = updated(protocol, last.protocol, nested)
        network = changed(network, changes.get("network", {}))
        return Order(
            last, network, task, protocol.updated(**changes.get("protocol", {}))
        )

    def _start(self, task: Task | None) -> tuple[Network, Protocol]:
        """Network and protocol before any option; no task where help is asked for."""
        network, brought = self.trained(task)
        settings = brought(task) if task is not None else {}
        if task is not None and recipe_for(network, task) is not None:
            return published(network, task, **settings)
        if not self.has_settings and not settings:
            which = "unit" if self.first.network is None else "network"
            name = getattr(self.first, which) or default_unit(task)
            raise ValueError(
                f"`task` (={task}) has no published recipe for `{which}` "
                f"(={name!r}). Give settings, such as `--steps 10000 "
                "--optimiser.learning-rate 1e-2`; `--help` shows the others with "
                "their defaults."
            )
        return network, Protocol().updated(**settings)


def changed(thing: Any, changes: Mapping[str, Any]) -> Any:
    """A network with other values, by paths such as `hidden` or `units__0__eps`."""
    for path, value in changes.items():
        thing = _with(thing, path.split("__"), value)
    return thing


def _with(thing: Any, path: list[str], value: Any) -> Any:
    if not path:
        return value
    first, *rest = path
    if isinstance(thing, tuple):
        place = int(first)
        return (
            *thing[:place],
            _with(thing[place], rest, value),
            *thing[place + 1 :],
        )
    inner = _with(getattr(thing, first), rest, value)
    return dataclasses.replace(thing, **{first: inner})


def default_unit(task: Task | None) -> str:
    """The unit that is trained if none is named: one that can do what is asked."""
    asked = set(task.operations) if task is not None else set()
    able = [n for n in (UNIT, ADDING) if asked <= set(given_unit(n)[0].operations)]
    return able[0] if able else UNIT


def _command(
    text: str, groups: dict[str, type], more: list[Field], unit: str | None = None
) -> type:
    """A dataclass of all options: those of `Run`, of some groups, and more.

    Args:
        text: what its help says first.
        groups: dataclasses whose fields are options without a prefix.
        more: fields whose options have their names as prefixes.
        unit: the default of `--unit`.
    """
    docs, defaults = field_docs(Run), vars(Run(unit))
    fields: list[Field] = [
        (f.name, Annotated[f.type, tyro.conf.arg(help=docs[f.name])], defaults[f.name])
        for f in dataclasses.fields(Run)
    ]
    for name, cls in groups.items():
        fields.append((name, tyro.conf.OmitArgPrefixes[cls], cls()))
    made = dataclasses.make_dataclass("Train", [*fields, *more])
    made.__doc__ = text
    return made


def _description(name: str, network: Network, task: Task | None) -> str:
    """What the help of a task says first."""
    has_recipe = task is not None and recipe_for(network, task) is not None
    whose = "those of its recipe" if has_recipe else "no paper's"
    return (
        f"Train a unit on {name} with many seeds. The network is {network}; the "
        f"defaults of its settings are {whose}. {task.solved_when if task else ''}"
    ).rstrip()


def seeds_of(run: Any) -> tuple[int, ...]:
    """The seeds that are asked for."""
    check_whole("seeds", run.seeds, 1, MOST_SEEDS)
    check_whole("first_seed", run.first_seed, 0, WORD + 1 - run.seeds)
    return tuple(range(run.first_seed, run.first_seed + run.seeds))


def ended(results: Any, run: Any) -> int:
    """The exit status, and what to do after an interrupt."""
    if not results.interrupted:
        return 0
    again = f" Run the same command again to go on: {run.out}." if run.out else ""
    print(f"Interrupted; {len(results)} runs are finished.{again}", file=sys.stderr)
    return 130

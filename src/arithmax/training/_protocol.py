"""A protocol: every setting of one training run, in a few small parts.

This file is read by the command line and loads no array library.
"""

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from .._checks import check_options, check_whole, shown
from ._compositions import Composition, Joint
from ._declared import COUNT, Part, compiled, outside, structure
from ._levenberg_marquardt import LevenbergMarquardt
from ._limits import check_kind, check_precision
from ._losses import Loss, SquaredError
from ._optimiser import Optimiser
from ._optimisers import Adam
from ._parts import Batches, Criterion, Measuring
from ._penalties import Penalty, UnitPenalty
from ._restarts import Restart
from ._schedules import Cosine, Schedule
from ._transforms import ClipNorm, Transform

if TYPE_CHECKING:
    from .._network import Network
    from ..tasks import Task

# What each part must be, and an example for messages.
KINDS: dict[str, tuple[type, str]] = {
    "batches": (Batches, "Batches(64)"),
    "optimiser": (Optimiser, "Adam(1e-3)"),
    "loss": (Loss, "SquaredError()"),
    "composition": (Composition, "Joint()"),
    "measuring": (Measuring, "Measuring(500)"),
    "criterion": (Criterion, "Criterion(1e-4)"),
}
OPTIONAL: dict[str, tuple[type, str]] = {
    "schedule": (Schedule, "Cosine()"),
    "restart": (Restart, "Stalled()"),
}
SEVERAL: dict[str, tuple[type, str]] = {
    "penalties": (Penalty, "(UnitPenalty(0.1),)"),
    "transforms": (Transform, "(ClipNorm(1.0),)"),
}


@dataclass(frozen=True)
class Protocol(Part):
    """How a network is trained and measured.

    Examples:
        >>> from arithmax.training import Adam, Measuring, Protocol
        >>> Protocol(10_000, optimiser=Adam(0.01)).updated(measuring__interval=500)
        Protocol(steps=10000, optimiser=Adam(learning_rate=0.01),
                 measuring=Measuring(interval=500))
    """

    steps: int = outside(50_000, COUNT)
    """How many steps to train."""
    batches: Batches = compiled(Batches())
    """The samples of each step."""
    optimiser: Optimiser = compiled(Adam())
    """How parameters move."""
    loss: Loss = compiled(SquaredError())
    """What is minimised."""
    penalties: tuple[Penalty, ...] = compiled(())
    """What is added to the loss."""
    transforms: tuple[Transform, ...] = compiled(())
    """What is done to a gradient before the optimiser sees it, in this order."""
    composition: Composition = compiled(Joint())
    """How these make one step."""
    project: bool = compiled(True)
    """Whether weights are put back into their bounds after each step."""
    schedule: Schedule | None = compiled(None)
    """How the learning rate falls, if it does."""
    restart: Restart | None = compiled(None)
    """When parameters are drawn afresh, if ever."""
    measuring: Measuring = compiled(Measuring())
    """When and on how many samples a run is measured."""
    criterion: Criterion = compiled(Criterion())
    """When a run counts as solved."""
    precision: Literal["float32", "float64"] = compiled("float32")
    """The floating-point format."""
    generator: Literal["hash", "threefry"] = compiled("hash")
    """The random number generator."""

    @staticmethod
    def recipe(steps: int = 100_000, **others: Any) -> "Protocol":
        """One setting for all operations, ranges and sizes, whatever the unit.

        Adam at 0.01, which falls along a cosine till the last step; gradients clipped
        to a norm of 1; and the unit's penalty, which grows between the middle and three
        quarters of the run. `arithmax.tasks.Starts` gives several starts one problem:
        take the run with the least interpolation error of these. The study `one-recipe`
        measures it with NAU and NMRU, on two and ten inputs.

        Args:
            steps: how long to train.
            others: parts that are to be others, such as `measuring=Measuring(500)`.

        Examples:
            >>> from arithmax import Protocol
            >>> Protocol.recipe(20_000).schedule
            Cosine(end=20000, least=0.0001)
        """
        check_whole("steps", steps, 4)
        parts = {
            "optimiser": Adam(1e-2),
            "penalties": (UnitPenalty(0.1, steps // 2, steps * 3 // 4),),
            "transforms": (ClipNorm(),),
            "schedule": Cosine(0, steps, 1e-4),
        }
        return Protocol(steps, **(parts | others))

    @staticmethod
    def second_order(steps: int = 500, **others: Any) -> "Protocol":
        """One setting for networks of two layers, of up to some hundred inputs.

        Levenberg–Marquardt on 500 samples that are drawn once, in double precision. It
        has no penalty, and rounds nothing: take the run with the least interpolation
        error of several starts. The study `second-order` measures it with a NAU whose
        weights start between ¼ and ¾, followed by a NAU, an NMU or an NRU.

        Args:
            steps: how long to train, a multiple of 100.
            others: parts that are to be others, such as `measuring=Measuring(50)`.

        Examples:
            >>> from arithmax import Protocol
            >>> Protocol.second_order().optimiser
            LevenbergMarquardt()
        """
        parts = {
            "batches": Batches(500, full=True),
            "optimiser": LevenbergMarquardt(),
            "measuring": Measuring(100),
            "precision": "float64",
        }
        return Protocol(steps, **(parts | others))

    def __new__(cls, *args: Any, **options: Any) -> "Protocol":
        _check_settings(options)
        return super().__new__(cls, *args, **options)  # type: ignore[return-value]  # a protocol is a part

    def check(self) -> None:
        for name, (kind, example) in KINDS.items():
            check_kind(name, getattr(self, name), kind, example)
        for name, (kind, example) in SEVERAL.items():
            parts = getattr(self, name)
            listed = isinstance(parts, tuple | list)
            if not listed or not all(isinstance(p, kind) for p in parts):
                raise TypeError(
                    f"`{name}` (={shown(parts)}) must be a tuple of "
                    f"`{kind.__name__}`, such as `{example}`."
                )
            vars(self)[name] = tuple(parts)
        for name, (kind, example) in OPTIONAL.items():
            if getattr(self, name) is not None:
                check_kind(name, getattr(self, name), kind, example)
        Part.check(self)
        check_precision(self, self.precision)
        if self.steps % self.measuring.interval:
            raise ValueError(
                f"`steps` (={self.steps}) must be a multiple of `interval` "
                f"(={self.measuring.interval}): give other steps, or "
                "`measuring=Measuring(interval)` (`arithmax train`: "
                "`--measuring.interval`)."
            )
        for part in self.parts:
            part.check_protocol(self)

    @property
    def parts(self) -> tuple[Part, ...]:
        """All parts, one after the other."""
        values = (getattr(self, f.name) for f in fields(self))
        listed = (v if isinstance(v, tuple) else (v,) for v in values)
        return tuple(p for parts in listed for p in parts if isinstance(p, Part))

    def check_cell(self, network: "Network", task: "Task") -> None:
        """Every part must suit a network and a task."""
        for part in self.parts:
            part.check_cell(network, task)

    @property
    def structure(self) -> tuple:
        """What a compiled program depends on."""
        whole_run = self.restart is not None and self.restart.whole_run
        return structure(self), self.steps if whole_run else 0

    def updated(self, **changes: Any) -> "Protocol":
        """This protocol with other settings.

        Args:
            changes: parts or settings by name; a setting of a part is named by both,
                as in `measuring__interval=500` or `penalties__0__strength=0.1`.
        """
        return _updated(self, changes)


def _check_settings(options: Mapping[str, Any]) -> None:
    """A setting of a part is no option of the protocol: the error says whose it is."""
    defaults = {f.name: f.default for f in fields(Protocol)}
    owners: dict[str, list[str]] = {}
    for name, part in defaults.items():
        for f in fields(part) if isinstance(part, Part) else ():
            owners.setdefault(f.name, []).append(name)
    for option in options.keys() - defaults.keys():
        near = difflib.get_close_matches(option, [*defaults, *owners], n=1)
        setting = near[0] if near else option
        if setting in owners:
            name = owners[setting][0]
            raise TypeError(
                f"`{option}` (={shown(options[option])}) is not an option of Protocol; "
                f"`{setting}` is one of `{'` and of `'.join(owners[setting])}`. Write "
                f"`{name}={type(defaults[name]).__name__}({setting}=…)`, or "
                f"`{name}__{setting}=…` in `updated` and `published`."
            )


def _updated(thing: Any, changes: Mapping[str, Any], path: str = "") -> Any:
    """A part, or a tuple of parts, with some settings changed.

    Args:
        thing: what is changed.
        changes: values by names and paths.
        path: the name of the thing in the protocol, for messages.
    """
    inner: dict[str, dict[str, Any]] = {}
    values: dict[str, Any] = {}
    for name, value in changes.items():
        first, _, rest = name.partition("__")
        if rest:
            inner.setdefault(first, {})[rest] = value
        else:
            values[first] = value
    if isinstance(thing, tuple):
        listed = list(thing)
        for name, value in values.items():
            listed[_place(thing, name, path)] = value
        for name, nested in inner.items():
            at = _place(thing, name, path)
            listed[at] = _updated(listed[at], nested, f"{path}__{name}")
        return tuple(listed)
    if not is_dataclass(thing) or isinstance(thing, type):
        name, value = next(iter(changes.items()))
        raise TypeError(
            f"`{path}__{name}` (={shown(value)}) names a setting of `{path}` "
            f"(={shown(thing)}), which has none. Give `{path}` itself."
        )
    if isinstance(thing, Protocol):
        _check_settings(values)
    check_options(type(thing), [*values, *inner])
    for name, nested in inner.items():
        before = values.get(name, getattr(thing, name))
        values[name] = _updated(before, nested, f"{path}__{name}" if path else name)
    return replace(thing, **values)


def _place(parts: tuple, name: str, path: str) -> int:
    """Which of several parts is meant."""
    if not name.isdecimal() or int(name) >= len(parts):
        raise ValueError(
            f"`{path}__{name}` names one of `{path}` (={shown(parts)}) by its place, "
            f"counted from 0, but there are {len(parts)}. Give `{path}` itself, or "
            "another place."
        )
    return int(name)

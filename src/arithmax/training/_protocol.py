"""A protocol: every setting of one training run, in a few small parts.

This file is read by the command line and loads no array library.
"""

from collections.abc import Mapping
from dataclasses import dataclass, is_dataclass, replace
from typing import Any, Literal

from .._checks import check_options, shown
from ._compositions import Composition, Joint
from ._declared import COUNT, Part, compiled, outside, structure
from ._limits import check_kind, check_precision
from ._losses import Loss, SquaredError
from ._optimisers import Adam, Optimiser
from ._parts import Batches, Criterion, Measuring
from ._penalties import Penalty
from ._restarts import Restart
from ._transforms import Transform

# What each part must be, and an example for messages.
KINDS: dict[str, tuple[type, str]] = {
    "batches": (Batches, "Batches(64)"),
    "optimiser": (Optimiser, "Adam(1e-3)"),
    "loss": (Loss, "SquaredError()"),
    "composition": (Composition, "Joint()"),
    "measuring": (Measuring, "Measuring(500)"),
    "criterion": (Criterion, "Criterion(1e-4)"),
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

    def check(self) -> None:
        for name, (kind, example) in KINDS.items():
            check_kind(name, getattr(self, name), kind, example)
        for name, (kind, example) in SEVERAL.items():
            parts = getattr(self, name)
            listed = isinstance(parts, tuple | list)
            if not listed or not all(isinstance(p, kind) for p in parts):
                raise TypeError(
                    f"`{name}` (={shown(parts)}) must be a tuple of them, such as "
                    f"`{example}`."
                )
            vars(self)[name] = tuple(parts)
        if self.restart is not None:
            check_kind("restart", self.restart, Restart, "Stalled()")
        Part.check(self)
        check_precision(self, self.precision)
        if self.steps % self.measuring.interval:
            raise ValueError(
                f"`steps` (={self.steps}) must be a multiple of `interval` "
                f"(={self.measuring.interval}): give other steps, or "
                "`measuring=Measuring(interval)`."
            )

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


def _updated(thing: Any, changes: Mapping[str, Any]) -> Any:
    """A part, or a tuple of parts, with some settings changed."""
    inner: dict[str, dict[str, Any]] = {}
    values: dict[str, Any] = {}
    for path, value in changes.items():
        name, _, rest = path.partition("__")
        if rest:
            inner.setdefault(name, {})[rest] = value
        else:
            values[name] = value
    if isinstance(thing, tuple):
        return _entries(thing, inner | values)
    if not is_dataclass(thing) or isinstance(thing, type):
        raise TypeError(
            f"`{next(iter(changes))}` names a setting of {shown(thing)}, which has "
            "none. Give the part itself."
        )
    check_options(type(thing), [*values, *inner])
    parts = {n: _updated(values.pop(n, getattr(thing, n)), c) for n, c in inner.items()}
    return replace(thing, **values, **parts)


def _entries(parts: tuple, changes: Mapping[str, Any]) -> tuple:
    listed = list(parts)
    for name, change in changes.items():
        if not name.isdecimal() or int(name) >= len(listed):
            raise ValueError(
                f"`{name}` must be the place of one of {len(listed)} parts, counted "
                f"from 0: {shown(parts)}."
            )
        nested = isinstance(change, dict)
        listed[int(name)] = _updated(listed[int(name)], change) if nested else change
    return tuple(listed)

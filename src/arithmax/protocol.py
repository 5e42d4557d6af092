"""Every setting of one training run, and the authors' own for their units.

This file is read by the command line and loads no array library.
"""

from dataclasses import dataclass, fields
from typing import Any, Literal

from ._limits import check_kind, check_largest, check_precision, checked_seeds
from ._recipes import INALU_OF_THE_BENCHMARK as INALU_OF_THE_BENCHMARK
from ._recipes import INALU_RECIPE as INALU_RECIPE
from ._recipes import inalu_of_the_benchmark as inalu_of_the_benchmark
from ._recipes import network_for as network_for
from ._recipes import recipe
from .networks import Stack
from .tasks import Task
from .tasks._thresholds import EPSILON
from .units import Unit
from .units._checks import WORD, Bounds, check_fields, check_options

Optimiser = Literal["adam", "rmsprop", "tf-rmsprop", "sgd", "momentum"]
Loss = Literal["mse", "smooth-l1", "correlation-mse"]
# Fields that came later. A run is named by its protocol: while these are at their
# defaults they are left out, so that runs from before are still known.
LATER = ("keep", "l1_of", "window", "slots", "penalty_of", "restart_until")
COUNTED = ("steps", "batch", "interval", "validation", "restart_every", "window")
COUNTED_FROM_0 = ("table", "penalty_start", "penalty_end", "loss_switch", "l1_every")
COUNTED_FROM_0 += ("restart_until", "restart_patience")
BOUNDS: dict[str, Bounds] = dict.fromkeys(COUNTED, (1, WORD))
BOUNDS |= dict.fromkeys(COUNTED_FROM_0, (0, WORD))
BOUNDS["epsilon"] = EPSILON


@dataclass(frozen=True)
class Protocol:
    """How a network is trained and measured."""

    steps: int = 50_000
    """How many steps to train."""
    batch: int = 128
    """Samples in each step."""
    table: int = 0
    """Train on a fixed table of so many samples; 0 draws fresh ones each step."""
    optimiser: Optimiser = "adam"
    """The optimiser."""
    learning_rate: float = 1e-3
    """The learning rate."""
    loss: Loss = "mse"
    """What is minimised; correlation-mse is 1 − correlation until `loss_switch`."""
    loss_switch: int = 750_000
    """The step at which correlation-mse turns to the squared error."""
    penalty: float = 0.0
    """The strength of the unit's own penalty."""
    penalty_start: int = 0
    """The step at which the penalty begins to grow."""
    penalty_end: int = 0
    """The step at which it has its full strength."""
    penalty_below: float = 0.0
    """Penalise only where the loss of the batch is below this; 0 always does."""
    penalty_apart: bool = False
    """Whether the penalty is a step of its own after the loss's (iNALU)."""
    l1: float = 0.0
    """The strength of the L1 norm of all parameters at the start."""
    l1_end: float = 0.0
    """Its greatest strength."""
    l1_every: int = 10_000
    """After how many steps it grows tenfold."""
    clip_value: float = 0.0
    """Clip each entry of the gradient to this magnitude; 0 does not."""
    clip_norm: float = 0.0
    """Clip the gradient to this norm; 0 does not."""
    project: bool = True
    """Whether weights are put back into their bounds after each step."""
    alternate: bool = False
    """Update gates in two of ten steps and all else in the others (iNALU)."""
    restart: Literal["none", "stalled", "inalu", "inalu-benchmark"] = "none"
    """Draw parameters afresh: when the loss stalls, or by one of iNALU's rules."""
    restart_every: int = 1_000
    """At which steps to look."""
    restart_patience: int = 10_000
    """For how many steps the loss must not have improved (iNALU: be stored)."""
    restart_above: float = 1.0
    """Only while the loss is above this."""
    interval: int = 1_000
    """Steps between two measurements."""
    validation: int = 10_000
    """Samples of the interpolation and of the extrapolation set."""
    epsilon: float = 1e-5
    """How wrong an ideal solution may be: it decides the threshold."""
    threshold: float = 0.0
    """A flat threshold in place of that rule; 0 follows the rule."""
    rule: Literal["exact", "authors"] = "exact"
    """Whose thresholds: right ones, or the authors' (off by one element)."""
    precision: Literal["float32", "float64"] = "float32"
    """The floating-point format."""
    random: Literal["hash", "threefry"] = "hash"
    """The random number generator."""
    keep: tuple[int, ...] = ()
    """Steps at which the parameters are kept, besides those of the best step."""
    l1_of: str = "all"
    """Which parameters the L1 norm is of: all, or those of a name, such as W_im."""
    window: int = 5_000
    """Of how many last measurements the best is judged; 1 judges the last step."""
    slots: bool = False
    """One optimiser state a parameter in all its steps, as TensorFlow has (iNALU).

    It rests while the parameter does (`alternate`), outlives a restart, and serves the
    penalty's own step, which then moves gates and weights alike (`penalty_apart`).
    """
    penalty_of: Literal["unit", "inalu"] = "unit"
    """Whose penalty: the unit's own, or iNALU's, which all parameters can have."""
    restart_until: int = 0
    """The last step at which to look; 0 looks till the end."""

    def __new__(cls, *args: Any, **options: Any) -> "Protocol":
        check_options(cls, options)
        return super().__new__(cls)

    def __repr__(self) -> str:
        shown = (
            f"{f.name}={getattr(self, f.name)!r}"
            for f in fields(self)
            if f.name not in LATER or getattr(self, f.name) != f.default
        )
        return f"Protocol({', '.join(shown)})"

    def __post_init__(self) -> None:
        check_fields(self, BOUNDS)
        check_precision(self, self.precision)
        if self.steps % self.interval:
            raise ValueError(
                f"`steps` (={self.steps}) must be a multiple of `interval` "
                f"(={self.interval})."
            )
        if self.table % self.batch:
            raise ValueError(
                f"`table` (={self.table}) must be a multiple of `batch` "
                f"(={self.batch})."
            )
        if self.validation > 1000 and self.validation % 1000:
            raise ValueError(
                f"`validation` (={self.validation}) above 1000 must be a multiple of "
                "1000."
            )
        for step in self.keep:
            if step < 0 or step % self.interval:
                raise ValueError(
                    f"`keep` (with {step!r}) must hold multiples of `interval` "
                    f"(={self.interval})."
                )
        if self.penalty_end < self.penalty_start:
            raise ValueError(
                f"`penalty_end` (={self.penalty_end}) must not be before "
                f"`penalty_start` (={self.penalty_start})."
            )
        if self.l1_end < self.l1:
            raise ValueError(
                f"`l1_end` (={self.l1_end}) must be at least `l1` (={self.l1}): it is "
                "the greatest strength."
            )

    @property
    def numbers(self) -> dict[str, float]:
        """What may differ between replicas of one program."""
        return {
            "learning_rate": self.learning_rate,
            "loss_switch": self.loss_switch,
            "penalty": self.penalty,
            "penalty_start": self.penalty_start,
            "penalty_end": max(self.penalty_end, self.penalty_start + 1),
            "penalty_below": self.penalty_below or float("inf"),
            "l1": self.l1,
            "l1_end": self.l1_end,
            "l1_every": max(self.l1_every, 1),
            "clip_value": self.clip_value or float("inf"),
            "clip_norm": self.clip_norm or float("inf"),
            "restart_patience": self.restart_patience,
            "restart_above": self.restart_above,
            "restart_until": self.restart_until or float("inf"),
        }

    @property
    def structure(self) -> tuple:
        """What a compiled program depends on."""
        return (
            self.batch,
            self.table,
            self.optimiser,
            self.loss,
            self.penalty > 0,
            self.penalty_apart,
            self.slots,
            self.penalty_of if self.penalty > 0 else "",
            self.window,
            self.l1_of if self.l1 > 0 else "",
            self.clip_value > 0,
            self.clip_norm > 0,
            self.project,
            self.alternate,
            self.restart,
            self.restart_every if self.restart != "none" else 0,
            self.interval,
            self.validation,
            self.precision,
            self.random,
            # iNALU's rule stores the losses of the whole run.
            self.steps if self.restart.startswith("inalu") else 0,
        )


@dataclass(frozen=True)
class Cell:
    """A network on a task under a protocol, for a number of seeds."""

    network: Unit
    task: Task
    protocol: Protocol
    seeds: tuple[int, ...]

    def __post_init__(self) -> None:
        check_kind("network", self.network, Unit, "NMU()")
        check_kind("task", self.task, Task, "SingleModule()")
        check_kind("protocol", self.protocol, Protocol, "Protocol()")
        vars(self)["seeds"] = checked_seeds(self.seeds)
        precision = self.protocol.precision
        check_precision(self.network, precision)
        for name in ("interpolation", "extrapolation"):
            check_largest(name, self.task, precision)


def published(unit: Unit, task: Task, **changes: Any) -> tuple[Unit, Protocol]:
    """The authors' network and settings for a unit on a task.

    Args:
        unit: the unit, or a network, which is left as it is.
        task: the task.
        changes: settings that are to be others.

    Returns:
        The network and the protocol.

    Examples:
        >>> from arithmax import NMU
        >>> from arithmax.protocol import published
        >>> from arithmax.tasks import Subsets
        >>> network, protocol = published(NMU(), Subsets())
        >>> network
        Stack(units=(NAU(init='uniform', penalty='linear'), NMU(penalty='linear')),
              hidden=(2,))
        >>> protocol.penalty, protocol.penalty_start, protocol.penalty_end
        (10.0, 1000000, 2000000)
    """
    check_kind("unit", unit, Unit, "NMU()")
    check_kind("task", task, Task, "SingleModule()")
    return network_for(unit, task), Protocol(**(recipe(unit, task) | changes))


def represents(unit: Unit, task: Task) -> bool:
    """Whether a network can represent what a task asks, as far as units state it.

    A stack can do what its units can together: each operation is left to a unit that
    has it, and the others pass its result on. Whether there is room for that in the
    hidden sizes is not looked at.
    """
    units = unit.units if isinstance(unit, Stack) else (unit,)
    return set(task.operations) <= {name for u in units for name in u.operations}

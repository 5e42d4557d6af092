"""What is measured of each replica, from its learning curves, as the papers do it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from ..results import IDENTITY
from ._meter import Cost

# The published choice of the best step looks at so many of the last measurements.
WINDOW = 5000
# What a row or a curve has of every run, whatever the task.
TAKEN = {*IDENTITY, *Cost._fields, "run", "unit", "step", "steps", "window", "limits"}
TAKEN |= {"outcome", "sentence", "solved_at", "diverged_at", "best_step", "sparsity"}
TAKEN |= {"interpolation", "extrapolation", "rounded", "threshold", "threshold_rule"}
TAKEN |= {"block", "instructions", "compiler", "compiler_flags"}
TAKEN |= {"finished", "version", "format"}
GROUPS = ("task_", "protocol_", "first_below_")  # how names of other columns begin


class Outcome(StrEnum):
    """How a run ended."""

    SOLVED = "solved"
    NOT_SOLVED = "not solved"
    DIVERGED = "diverged"


@dataclass(frozen=True)
class Measures:
    """One replica's measures.

    `best_step` has the least interpolation error of the last measurements, as many as
    the protocol's `window` says; the run is solved if its extrapolation error there is
    below the threshold. `solved_at` is the first step with an extrapolation error below
    it, of solved runs only; a later relapse is ignored. `diverged_at` is the first
    measured step with a number that is not finite. `first_below` has the first step
    with an extrapolation error below each limit of the task, None where there is none.
    `further` has what the task measures besides, at the best step.
    """

    outcome: Outcome
    best_step: int
    interpolation: float
    extrapolation: float
    sparsity: float
    solved_at: int | None
    diverged_at: int | None
    first_below: dict[str, int | None]
    further: dict[str, float]

    @property
    def sentence(self) -> str:
        """The outcome in words."""
        if self.outcome is Outcome.SOLVED:
            return f"solved at step {self.solved_at}"
        if self.outcome is Outcome.DIVERGED:
            return f"diverged at step {self.diverged_at}"
        return "not solved"


def further_names(names: Iterable[str]) -> list[str]:
    """Of the columns of a row, those that its task measures besides.

    They are in the order of the numbers that they end with: JAX sorts names as texts.

    Examples:
        >>> further_names(["seed", "length_1", "length_10", "length_2", "task_length"])
        ['length_1', 'length_2', 'length_10']
    """
    known = [n for n in names if n not in TAKEN and not n.startswith(GROUPS)]
    return sorted(known, key=_in_order)


def _in_order(name: str) -> tuple[str, int]:
    kind, _, number = name.rpartition("_")
    return (kind, int(number)) if number.isdecimal() else (name, 0)


def check_further(task: object, names: Iterable[str]) -> None:
    """What a task measures besides must not be called as another column of a row."""
    for name in names:
        if not further_names([name]):
            raise ValueError(
                f"`further` of {type(task).__name__} (with {name!r}) must not give a "
                "number that every row has already. Give it another name."
            )


def measure(
    steps: np.ndarray,
    interpolation: np.ndarray,
    extrapolation: np.ndarray,
    sparsity: np.ndarray,
    threshold: float,
    window: int = WINDOW,
    limits: Mapping[str, float] | None = None,
    **further: np.ndarray,
) -> Measures:
    """The measures of one replica, from its curves [T]."""
    eligible = np.where(np.isfinite(interpolation), interpolation, np.inf)
    eligible[: max(0, len(steps) - window)] = np.inf
    best = int(np.argmin(eligible))
    weightless = np.isnan(sparsity).all()  # a network need not have weights
    broken = ~(np.isfinite(interpolation) & (np.isfinite(sparsity) | weightless))
    diverged_at = int(steps[np.argmax(broken)]) if broken.any() else None
    solved = bool(extrapolation[best] < threshold) and np.isfinite(eligible[best])

    def first_below(limit: float) -> int | None:
        below = extrapolation < limit
        return int(steps[np.argmax(below)]) if below.any() else None

    if solved:
        outcome = Outcome.SOLVED
    else:
        outcome = Outcome.NOT_SOLVED if diverged_at is None else Outcome.DIVERGED
    return Measures(
        outcome,
        int(steps[best]),
        float(interpolation[best]),
        float(extrapolation[best]),
        float(sparsity[best]),
        first_below(threshold) if solved else None,
        diverged_at,
        {name: first_below(limit) for name, limit in (limits or {}).items()},
        {name: float(curve[best]) for name, curve in further.items()},
    )

"""What is known of a formula once it was tried on rows that did not fit it."""

from dataclasses import dataclass, field, replace
from enum import Enum

import numpy as np

from ._formula import Formula


class Trust(Enum):
    """How far a formula can be trusted on this data; never more than that."""

    EXACT = "exact on this data"
    WITHIN = "within tolerance"
    NOT_FOUND = "not found"

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True)
class Candidate:
    """A formula that was judged.

    Args:
        formula: the formula, its constants fitted, rounded and named.
        stage: the name of the stage that proposed it.
        score: n log(error) and a price for what it is made of; less is better.
        training_error: root of the mean squared error over the spread of the target,
            on the rows that were fitted.
        held_out_error: the same on rows that were not.
        verdict: how far it can be trusted.
        seconds: the CPU time after which it was there.
        extrapolation_error: the same on rows outside, if any were given; it decides
            nothing.
    """

    formula: Formula
    stage: str
    score: float
    training_error: float
    held_out_error: float
    verdict: Trust
    seconds: float
    extrapolation_error: float | None = None

    @property
    def complexity(self) -> int:
        return self.formula.complexity

    @property
    def verified(self) -> bool:
        return self.verdict is not Trust.NOT_FOUND

    def updated(self, **changes) -> "Candidate":
        """The same with other fields."""
        return replace(self, **changes)


@dataclass(frozen=True)
class Attempt:
    """What one stage did: how many candidates it proposed, in how many CPU seconds."""

    stage: str
    candidates: int
    seconds: float


@dataclass(frozen=True)
class Discovery:
    """What a search found.

    Args:
        best: the candidate with the best score.
        candidates: the front: the best of each complexity, simplest first.
        tried: the stages that ran.
        stopped: why the search ended, in words.
        weight: what each row counted where noise grows with the target, times the
            weights that were given; None if all counted as they were given.
    """

    best: Candidate
    candidates: tuple[Candidate, ...]
    tried: tuple[Attempt, ...]
    stopped: str
    weight: np.ndarray | None = field(default=None, compare=False, repr=False)

    @property
    def verdict(self) -> Trust:
        return self.best.verdict

    @property
    def formula(self) -> Formula:
        return self.best.formula

"""What the runs of an arm learned: their weights, and what they compute."""

from collections.abc import Iterator
from typing import Any, Literal, cast

import numpy as np

from ..tasks import FormulaTask
from ._evaluate import ArmRuns, Trained

Split = Literal["interpolation", "extrapolation"]


def solved(runs: ArmRuns) -> np.ndarray:
    """Whether each run of an arm was solved [seed]."""
    return np.array([row["outcome"] == "solved" for row in runs.rows], dtype=bool)


def ends_of_range(runs: ArmRuns, split: Split) -> tuple[float, float]:
    """The least and the greatest input of one of the ranges of an arm's task."""
    low, high = getattr(cast(FormulaTask, runs.arm.cell.task), split)
    return low, high


def predictions(runs: ArmRuns, trained: Trained, x: Any) -> np.ndarray:
    """What the runs of an arm compute of inputs [in, sample], as [seed, out, sample].

    Each run is taken at its best step; a run that overflows gives ∞ or NaN.
    """
    network = runs.arm.cell.network
    with np.errstate(all="ignore"):
        answers = [network.compute(trained.weights(row), x) for row in runs.rows]
        return np.stack(answers)


def matrices(
    runs: ArmRuns, trained: Trained, *, only_solved: bool = False
) -> Iterator[dict[str, np.ndarray]]:
    """The effective weights of each run of an arm at its best step, by name."""
    for row in runs.rows:
        if not only_solved or row["outcome"] == "solved":
            yield runs.arm.cell.network.weights(trained.weights(row))

"""What the runs of an arm learned: their weights, and what they compute."""

from collections.abc import Iterator
from typing import Any, Literal, cast

import numpy as np

from ..tasks import FormulaTask
from ._evaluate import Found, Trained

Split = Literal["interpolation", "extrapolation"]


def solved(found: Found) -> np.ndarray:
    """Whether each run of an arm was solved [seed]."""
    return np.array([row["outcome"] == "solved" for row in found.rows], dtype=bool)


def ends_of_range(found: Found, split: Split) -> tuple[float, float]:
    """The least and the greatest input of one of the ranges of an arm's task."""
    low, high = getattr(cast(FormulaTask, found.arm.cell.task), split)
    return low, high


def predictions(found: Found, trained: Trained, x: Any) -> np.ndarray:
    """What the runs of an arm compute of inputs [in, sample], as [seed, out, sample].

    Each run is taken at its best step; a run that overflows gives ∞ or NaN.
    """
    network = found.arm.cell.network
    with np.errstate(all="ignore"):
        answers = [network.compute(trained.weights(row), x) for row in found.rows]
        return np.stack(answers)


def matrices(
    found: Found, trained: Trained, *, only_solved: bool = False
) -> Iterator[dict[str, np.ndarray]]:
    """The effective weights of each run of an arm at its best step, by name."""
    for row in found.rows:
        if not only_solved or row["outcome"] == "solved":
            yield found.arm.cell.network.weights(trained.weights(row))

"""What a network that answers 0 to everything has for an error.

Of long products a few rows make nearly all of the mean squared error. Where reading is
poor or rows are few, exact arithmetic on wrong readings is then no better than 0, and
a threshold above that error is passed by networks that have learned nothing.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...tasks import Digits
from .._evaluate import Trained
from .._study import Computed, columns
from ._runs import REFERENCE
from ._threshold import Threshold
from ._weights import readers


def zero_error(task: Digits, digits: np.ndarray, length: int) -> float:
    """The mean squared target of test images, cut into rows of a length.

    Args:
        task: what is asked for.
        digits: those of the test images, in the task's order.
        length: how many images a row has.
    """
    count = len(digits) // length
    rows = digits[: count * length].reshape(count, length).T.astype(np.float64)
    return float(np.mean(task.target(rows, np) ** 2))


def guesses(
    trained: Trained, limits: Mapping[str, Mapping[int, Threshold]]
) -> Computed:
    """Each threshold beside that error; left out where weights or images are not."""
    rows = []
    for images, by_length in limits.items():
        runs = trained.arm(images=images, model=REFERENCE)
        task: Any = runs.arm.cell.task
        # Without weights nothing was trained here, and images would have to be fetched.
        if not by_length or next(readers(runs, trained), None) is None:
            continue
        try:
            digits = task.shared()["extrapolation_t"]
        except (ImportError, OSError, ValueError):
            continue
        for length, known in by_length.items():
            zero = zero_error(task, digits, length)
            share = known.limit / zero
            rows.append((images, length, known.limit, zero, share, share < 1))
    names = ("images", "length", "threshold", "error of 0", "threshold / error of 0")
    table = columns((*names, "tells apart"), rows)
    return Computed({"guesses": table} if rows else {})

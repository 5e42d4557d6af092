"""Below which error a run is solved: what exact arithmetic has on the same images.

Nobody reads every digit right, so no run has an error of zero. The paper trains the
same reader below an accumulator that multiplies or adds exactly, and takes the upper
end of an interval for the mean error of these runs, at each length.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.special import stdtrit

from .._evaluate import ArmRuns, Trained
from .._study import Table, columns
from ._runs import REFERENCE

LEVEL, FREEDOM = 0.99, 8  # as the authors' script has them, however many runs there are
FACTOR = 2  # times the median error of the references is too much
LENGTH = re.compile(r"length_(\d+)")


class Threshold(NamedTuple):
    """The errors of the references at one length, and the limit that follows."""

    errors: np.ndarray
    left_out: int
    limit: float


def limit(errors: Sequence[float] | np.ndarray) -> float:
    """The upper end of the one-sided 99 % interval of the mean, as published.

    Args:
        errors: those of the references at one length, two or more.

    Examples:
        >>> from arithmax.studies.digits import limit
        >>> round(limit([1.0, 2.0, 3.0]), 3)
        3.672
    """
    errors = np.asarray(errors, dtype=np.float64)
    half = stdtrit(FREEDOM, LEVEL) * errors.std(ddof=1) / np.sqrt(errors.size)
    return float(errors.mean() + half)


def readable(rows: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Those runs with exact arithmetic that learned to read.

    The paper drops three references "that did not solve it" by hand. Here one is left
    out if its error on held-out images is more than twice the median of them all.
    """
    known = [e for row in rows if np.isfinite(e := row["interpolation"])]
    bound = FACTOR * np.median(known) if known else 0.0
    return [row for row in rows if row["interpolation"] <= bound]


def lengths_of(rows: Iterable[Mapping[str, Any]]) -> list[int]:
    """The lengths at which runs were tested, in order."""
    names = {name for row in rows for name in row}
    return sorted(int(m[1]) for name in names if (m := LENGTH.fullmatch(name)))


def error(row: Mapping[str, Any], length: int) -> float:
    """The error of a run on rows of a length, at its best step; ∞ if it has none."""
    value = float(row.get(f"length_{length}", np.inf))
    known = np.isfinite(value) and np.isfinite(row["interpolation"])
    return value if known else float("inf")


def thresholds(trained: Trained, images: str) -> dict[int, Threshold]:
    """The threshold of each length, where two references or more can read."""
    runs = trained.arm(images=images, model=REFERENCE)
    kept = readable(runs.rows)
    left_out, found = len(runs.rows) - len(kept), {}
    for length in lengths_of(kept):
        errors = np.array([error(row, length) for row in kept])
        if errors.size > 1 and np.isfinite(errors).all():
            found[length] = Threshold(errors, left_out, limit(errors))
    return found


def left_out_of(runs: ArmRuns, reference: ArmRuns | None = None) -> str:
    """What of the published runs is missing from an arm, or from its references."""
    texts = [runs.reduced]
    if reference is not None and reference.reduced:
        texts.append(f"references: {reference.reduced}")
    return ", ".join(text for text in texts if text)


def thresholds_table(found: Mapping[str, Mapping[int, Threshold]]) -> Table:
    """Thresholds by images and length, with what they are made of."""
    rows = [
        (
            images,
            length,
            known.errors.size,
            known.left_out,
            float(known.errors.mean()),
            float(known.errors.std(ddof=1)),
            known.limit,
            int((known.errors < known.limit).sum()),
        )
        for images, by_length in found.items()
        for length, known in by_length.items()
    ]
    names = ("images", "length", "references", "left out", "mean", "sd", "threshold")
    return columns((*names, "references below"), rows)

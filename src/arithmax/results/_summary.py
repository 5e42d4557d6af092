"""The replicas of one cell together: rates, steps and sparsity with their intervals."""

import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import Any

from .._json import dumps
from ..statistics import Interval, Range, median, sparsity, steps, success_rate


@dataclasses.dataclass(frozen=True)
class Summary:
    """The replicas of one cell together.

    `rounded` is the share of runs that are exact once their weights are rounded; None
    if that is not known of each, as of runs that older versions have trained, or if
    no run has weights that can be rounded, as in a network without discrete ones.
    """

    cell: dict[str, Any]
    total: int
    solved: int
    diverged: int
    success: Interval
    solved_at_median: float | None
    solved_at: Interval | Range | None
    sparsity: Interval | Range | None
    rounded: Interval | None = None


def summarise(cell: dict[str, Any], rows: list[dict[str, Any]]) -> Summary:
    """One cell's summary."""
    solved = [row for row in rows if row["outcome"] == "solved"]
    at = [max(row["solved_at"], 1) for row in solved]
    # A network without weights, such as an LSTM, has none.
    errors = [min(e, 0.5) for row in solved if not math.isnan(e := row["sparsity"])]
    return Summary(
        cell,
        len(rows),
        len(solved),
        sum(row["outcome"] == "diverged" for row in rows),
        success_rate(len(solved), len(rows)),
        median(at) if at else None,
        steps(at) if at else None,
        sparsity(errors) if errors else None,
        _rounded(rows),
    )


def _rounded(rows: list[dict[str, Any]]) -> Interval | None:
    if any("rounded" not in row for row in rows):
        return None
    if all(math.isnan(row["rounded"]) for row in rows):
        return None
    return success_rate(sum(map(exact_after_rounding, rows)), len(rows))


def exact_after_rounding(row: Mapping[str, Any]) -> bool:
    """Whether the discrete weights next to a run's are below its threshold.

    Examples:
        >>> from arithmax.results import exact_after_rounding
        >>> exact_after_rounding({"rounded": 0.0, "threshold": 1e-5})
        True
    """
    return row["rounded"] < row["threshold"]


def to_json(summaries: Sequence[Summary]) -> str:
    """Summaries for scripts."""
    return dumps([dataclasses.asdict(s) for s in summaries], indent=2)

"""The replicas of one cell together: rates, steps and sparsity with their intervals."""

import dataclasses
import math
from collections.abc import Sequence
from typing import Any

from .._json import dumps
from ..statistics import Interval, Range, median, sparsity, steps, success_rate


@dataclasses.dataclass(frozen=True)
class Summary:
    """The replicas of one cell together."""

    cell: dict[str, Any]
    total: int
    solved: int
    diverged: int
    success: Interval
    solved_at_median: float | None
    solved_at: Interval | Range | None
    sparsity: Interval | Range | None


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
    )


def to_json(summaries: Sequence[Summary]) -> str:
    """Summaries for scripts."""
    return dumps([dataclasses.asdict(s) for s in summaries], indent=2)

"""Which runs the iNALU paper counts as solved, and its published counts."""

from collections.abc import Iterable
from typing import Any

from ...statistics import Interval, success_rate
from .._criteria import below
from .._evaluate import ArmRuns, Trained
from .._published import figures_file
from .._study import Published
from ._runs import SOLVED

OUTSIDE, WITHIN = "extrapolation", "interpolation"
USUAL = "ε = 1e-4"


def published_rows(name: str) -> list[dict[str, Any]]:
    """The published counts of an experiment."""
    return figures_file("inalu", name)["rows"]


def rate(
    solved: int, runs: int, note: str = "", reason: str = "", tried: str = ""
) -> Published:
    """A published count with its interval."""
    interval = success_rate(solved, runs)
    text = f"of {runs} runs"  # the rate says how many of them
    note = f"{text}; {note}" if note else text
    return Published(interval.value, interval.low, interval.high, note, reason, tried)


def solved(runs: ArmRuns, measure: str) -> int:
    """How many runs of an arm ended with an error below the paper's."""
    return count(runs.rows, measure)


def count(rows: Iterable[dict[str, Any]], measure: str) -> int:
    """How many of these runs ended with an error below the paper's."""
    return sum(_ended(row) and row[measure] < SOLVED for row in rows)


def usual(runs: ArmRuns) -> int | None:
    """How many are below a threshold that knows the range; none for quotients."""
    task = runs.arm.cell.task
    if task.operations == ("div",):
        return None  # where x may be anything, the mean of 1/x² is not to be had
    limit = task.threshold(1e-4, "exact")
    return sum(_ended(row) and below(row, limit) for row in runs.rows)


def _ended(row: dict[str, Any]) -> bool:
    """Whether there is an error after the last step."""
    return row["best_step"] == row["protocol_steps"]


def total(arm_runs: Iterable[ArmRuns], measure: str) -> Interval | None:
    """The rate over some arms, if all their runs are there, none reduced."""
    arms = list(arm_runs)
    if not arms or not all(f.rows and not f.reduced for f in arms):
        return None
    runs = sum(len(f.rows) for f in arms)
    return success_rate(sum(solved(f, measure) for f in arms), runs)


def having(trained: Trained, **labels: Any) -> list[ArmRuns]:
    """All arms with these labels, whether they have runs or not."""
    return [f for f in trained.arm_runs if labels.items() <= dict(f.arm.labels).items()]

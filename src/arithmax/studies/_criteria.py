"""Criteria of success, computed from the same runs.

A run is solved if its extrapolation error, at the step of its least interpolation
error, is below a threshold. Papers differ in the threshold; the errors are the same.
One criterion more asks whether a run has found the answer: whether the discrete weights
next to its own are exact.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..results import exact_after_rounding
from ..statistics import Interval, Range, steps
from ..tasks import Task
from . import _outcomes
from ._evaluate import ArmRuns
from ._study import Table, columns

# The criteria, and what they are called among the limits that tasks state.
CRITERIA = {"ε = 1e-4": "eps_1e4", "ε = 1e-5": "eps_1e5", "flat 1e-5": "flat_1e5"}
ROUNDED = "rounded"


def threshold(task: Task, criterion: str) -> float:
    """The extrapolation error below which a criterion counts a task as solved."""
    if (limit := task.limits().get(CRITERIA[criterion])) is None:
        raise ValueError(
            f"`criterion` (={criterion!r}) has no error for {task}: a quotient near "
            "zero has no mean. Choose another criterion, or another range."
        )
    return limit


def criteria_of(arm_runs: Iterable[ArmRuns]) -> tuple[str, ...]:
    """The criteria that runs can be judged by; those of older versions lack one."""
    known = all("rounded" in row for arm in arm_runs for row in arm.rows)
    return (*CRITERIA, ROUNDED) if known else tuple(CRITERIA)


def is_solved(row: Mapping[str, Any], task: Task, criterion: str) -> bool:
    """Whether a criterion counts a run as solved."""
    if criterion == ROUNDED:
        return exact_after_rounding(row)
    return below(row, threshold(task, criterion))


def below(row: Mapping[str, Any], limit: float) -> bool:
    """Whether a run is solved if its error has to be below a limit."""
    return bool(np.isfinite(row["interpolation"]) and row["extrapolation"] < limit)


def first_below(row: Mapping[str, Any], task: Task, criterion: str) -> int | None:
    """The first measured step of a solved run with an error that a criterion allows.

    Runs of older versions have it for their own threshold alone, since their curves
    may be thinned: it is then not known. Nor is it known when rounding became right.
    """
    if criterion == ROUNDED:
        return None
    name = f"first_below_{CRITERIA[criterion]}"
    same = threshold(task, criterion) == row["threshold"]
    known = row["solved_at"] if same else None
    return row.get(name, known)


@dataclass
class Judgement:
    """The runs of one arm or more under one criterion, with outcomes of each arm."""

    seeds: int = 0
    outcomes: list[str] = field(default_factory=list)
    steps: list[int | None] = field(default_factory=list)
    errors: list[float] = field(default_factory=list)

    @staticmethod
    def of(arm_runs: Iterable[ArmRuns], criterion: str) -> "Judgement":
        """The solved runs of some arms."""
        judged = Judgement()
        for arm in arm_runs:
            task = arm.arm.cell.task
            done = {r["seed"]: is_solved(r, task, criterion) for r in arm.rows}
            solved = [row for row in arm.rows if done[row["seed"]]]
            judged.seeds += len(arm.rows)
            judged.outcomes.append(_outcomes.written(done))
            judged.steps += [first_below(row, task, criterion) for row in solved]
            judged.errors += [min(row["sparsity"], 0.5) for row in solved]
        return judged

    @property
    def success(self) -> Interval:
        """The share of solved runs; those of a seed may fail together."""
        return _outcomes.rate(self.outcomes)

    @property
    def step(self) -> Interval | Range | None:
        """The mean step at which they were solved, where it is known of each."""
        known = [max(step, 1) for step in self.steps if step is not None]
        return steps(known) if known and len(known) == len(self.steps) else None

    @property
    def sparsity(self) -> float | None:
        """The mean sparsity error of the solved runs."""
        return float(np.mean(self.errors)) if self.errors else None


def criteria_table(arm_runs: Sequence[ArmRuns]) -> Table:
    """Every arm under every criterion."""
    rows = []
    criteria = criteria_of(arm_runs)
    for arm in arm_runs:
        for criterion in criteria:
            judged = Judgement.of([arm], criterion)
            rate, step = judged.success, judged.step
            counts = (judged.seeds, len(judged.errors), rate.low, rate.high)
            means = (step.value if step else None, judged.sparsity, *judged.outcomes)
            rows.append((*arm.arm.labels.values(), criterion, *counts, *means))
    names = ("criterion", "seeds", "solved", "low", "high", "step", "sparsity")
    names += ("outcomes",)
    return columns((*(arm_runs[0].arm.labels if arm_runs else ()), *names), rows)


def totals_table(arm_runs: Sequence[ArmRuns], over: str = "range") -> Table:
    """Success rates over all values of one label, under each criterion."""
    groups: dict[tuple, list[ArmRuns]] = {}
    for arm in arm_runs:
        key = tuple(v for name, v in arm.arm.labels.items() if name != over)
        groups.setdefault(key, []).append(arm)
    rows = []
    criteria = criteria_of(arm_runs)
    for key, arms in groups.items():
        judged = {name: Judgement.of(arms, name) for name in criteria}
        seeds = next(iter(judged.values())).seeds
        rows.append((*key, seeds, *(percent_text(j.success) for j in judged.values())))
    labels = (
        tuple(name for name in arm_runs[0].arm.labels if name != over)
        if arm_runs
        else ()
    )
    return columns((*labels, "runs", *criteria), rows)


def percent_text(rate: Interval) -> str:
    """A rate with its interval, as a table prints it."""
    return f"{100 * rate.value:.0f} % [{100 * rate.low:.0f}, {100 * rate.high:.0f}]"

"""Ours beside theirs: which runs belong to which arm, and what they say."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import isinf
from typing import Any

from .._identity import code_of, describe
from ..results import Results, Summary, one_each, summarise
from ..statistics import Interval, Range, overlap
from ..training import Cell
from ._study import Arm, Computed, Study
from ._tables import ranked
from ._verdict import Comparison, Verdict, compare

# Of the published steps. The published penalties set in after a tenth of them (iNALU)
# or later (NAU and NMU: a fifth), so that shorter runs are trained by another rule.
LEAST_SHARE = 0.1


@dataclass(frozen=True)
class ArmRuns:
    """The runs of one arm, and what they say together: nothing if too short."""

    arm: Arm
    rows: list[dict[str, Any]]
    reduced: str
    summary: Summary | None

    @property
    def comparisons(self) -> list[Comparison]:
        """Every published figure of the arm beside ours."""
        labels, left_out, missing = self.arm.labels, self.reduced, self._missing
        return [
            compare(labels, name, self.ours(name), figure, left_out, missing)
            for name, figure in self.arm.published.items()
        ]

    @property
    def too_short(self) -> bool:
        """Whether there are runs, but of too few steps for a rate."""
        return bool(self.rows) and self.summary is None

    @property
    def _missing(self) -> Verdict:
        """What it means that there is no figure of ours.

        Runs of which none is solved have no step and no sparsity error. That is a
        difference where it is one of success rates.
        """
        if self.summary is None:
            return Verdict.TOO_SHORT if self.too_short else Verdict.NOT_RUN
        rate = self.arm.published.get("success")
        theirs = rate.interval if rate else None
        if theirs is not None and overlap(self.summary.success, theirs):
            return Verdict.OURS_WITHOUT_INTERVAL
        return Verdict.DIFFERS

    def ours(self, measure: str) -> Interval | Range | None:
        """Our figure of a measure, if runs solved the task."""
        if self.summary is None:
            return None
        if measure == "median":
            return self._median()
        return getattr(self.summary, measure)

    def _median(self) -> Interval | Range | None:
        """The median step of solved runs, with an interval by their ranks."""
        solved = [row for row in self.rows if row["outcome"] == "solved"]
        at = [max(row["solved_at"], 1) for row in solved]
        if not at:
            return None
        found = ranked(at)
        few = isinf(found.high)
        return Range(found.value, min(at), max(at)) if few else found


@dataclass(frozen=True)
class Trained:
    """All that was trained for a study; what `compute` gets.

    Args:
        study: the study.
        arm_runs: the runs of each arm.
        results: all runs, and the folder they are in.
        seeds: how many seeds were asked for instead of the study's own number.
        progress: whether a long computation shows how far it is.
    """

    study: Study
    arm_runs: list[ArmRuns]
    results: Results
    seeds: int | None = None
    progress: bool = False

    def weights(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """The parameters of a run at its best step."""
        return self.results.weights(row["run"])

    def arm(self, **labels: str | int | float) -> ArmRuns:
        """The arm with these labels."""
        return next(
            f
            for f in self.arm_runs
            if all(f.arm.labels[name] == value for name, value in labels.items())
        )

    def arms(self, **labels: str | int | float) -> list[ArmRuns]:
        """The arms that have runs, and these labels."""
        return [
            f
            for f in self.arm_runs
            if f.rows and all(f.arm.labels[name] == v for name, v in labels.items())
        ]


@dataclass(frozen=True)
class Evaluation:
    """A study with everything that is known of it."""

    study: Study
    arm_runs: list[ArmRuns]
    computed: Computed | None
    results: Results
    history: list[dict[str, Any]] = field(default_factory=list)
    remark: str = ""  # what has to be known of the study as a folder has it

    @cached_property
    def comparisons(self) -> list[Comparison]:
        """Every published figure, of arms and of claims, beside ours."""
        computed = self.computed or Computed()
        everything = [c for runs in self.arm_runs for c in runs.comparisons]
        for name, published in self.study.claims.items():
            ours, left_out = computed.figures.get(name), computed.reduced.get(name, "")
            everything.append(compare({}, name, ours, published, left_out))
        return everything

    @property
    def verdicts(self) -> dict[Verdict, int]:
        """How many comparisons have which verdict, those of reduced runs left out."""
        full = [c.verdict for c in self.comparisons if not c.is_reduced]
        return {v: full.count(v) for v in Verdict}

    @property
    def reduced(self) -> int:
        """How many comparisons are of reduced runs."""
        return sum(c.is_reduced for c in self.comparisons)

    @property
    def tally(self) -> dict[str, int]:
        """How many comparisons have which verdict, and how many are of reduced runs."""
        counts = {verdict.value: n for verdict, n in self.verdicts.items()}
        return counts | {"reduced": self.reduced}


def evaluate(
    study: Study,
    results: Results,
    computed: Computed | None = None,
    history: Iterable[dict[str, Any]] = (),
) -> Evaluation:
    """A study's arms with the runs that belong to them."""
    return Evaluation(study, find(study, results), computed, results, list(history))


def find(study: Study, results: Results) -> list[ArmRuns]:
    """The runs of each arm: of those with most steps, one per seed."""
    runs = results.by_cell if study.arms else {}
    return [_runs_of(arm, _longest(arm.cell, runs)) for arm in study.arms]


def _longest(cell: Cell, runs: Mapping[tuple, Mapping[int, list]]) -> list[dict]:
    """The rows of a cell with most steps, at most as many as it has."""
    things = cell.network, cell.task, cell.protocol
    key = describe(cell.network), describe(cell.task), code_of(*things)
    lengths = runs.get(key, {})
    for steps in sorted(lengths, reverse=True):
        if steps > cell.protocol.steps or steps % cell.protocol.measuring.interval:
            continue
        protocol = describe(cell.protocol.updated(steps=steps))
        if rows := [row for row in lengths[steps] if row["protocol"] == protocol]:
            return rows
    return []


def _runs_of(arm: Arm, rows: list[dict[str, Any]]) -> ArmRuns:
    """An arm with its runs, all of one platform: the one that has most of them."""
    cell = arm.cell
    if not rows:
        return ArmRuns(arm, [], "", None)
    platforms = [row["platform"] for row in rows]
    most = max(set(platforms), key=lambda name: (platforms.count(name), name))
    chosen = sorted(one_each([r for r in rows if r["platform"] == most]), key=_seed)
    steps, missing = chosen[0]["protocol_steps"], set(cell.seeds)
    missing -= {row["seed"] for row in chosen}
    left_out = []
    if missing:
        left_out.append(f"{len(cell.seeds) - len(missing)} of {len(cell.seeds)} seeds")
    if steps < cell.protocol.steps:
        left_out.append(f"{steps:,} of {cell.protocol.steps:,} steps")
    long_enough = steps >= LEAST_SHARE * cell.protocol.steps
    summary = summarise(dict(arm.labels), chosen) if long_enough else None
    return ArmRuns(arm, chosen, ", ".join(left_out), summary)


def _seed(row: dict[str, Any]) -> int:
    return row["seed"]

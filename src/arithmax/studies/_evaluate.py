"""Ours beside theirs: which runs belong to which arm, and what they say."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from typing import Any

from .._identity import code_of, describe
from ..results import Results, Summary, one_each, summarise
from ..statistics import Interval, Range, overlap
from ..training import Cell
from ._study import Arm, Computed, Labels, Published, Study


class Verdict(StrEnum):
    """What a comparison says."""

    OVERLAPS = "overlaps"
    DIFFERS = "differs"
    NO_INTERVAL = "no interval published"
    OURS_WITHOUT_INTERVAL = "no interval of ours"
    NOT_RUN = "not run"


@dataclass(frozen=True)
class Comparison:
    """One figure of ours beside the published one.

    `measure` is one of `MEASURES`, or the name of a claim; `reduced` says what of the
    published run was left out, and is empty if nothing was.
    """

    labels: Labels
    measure: str
    ours: Interval | Range | None
    published: Published
    verdict: Verdict
    reduced: str = ""

    @property
    def sentence(self) -> str:
        """The verdict in words."""
        text = str(self.verdict)
        if self.verdict is Verdict.DIFFERS and self.ours is None:
            text += " (no run of ours solved it)"
        elif self.verdict is Verdict.DIFFERS and self.published.reason:
            text += f": {self.published.reason}"
        if self.reduced and self.verdict is not Verdict.NOT_RUN:
            text += f" (reduced: {self.reduced})"
        return text


@dataclass(frozen=True)
class ArmRuns:
    """The runs of one arm, and what they say together."""

    arm: Arm
    rows: list[dict[str, Any]]
    reduced: str
    summary: Summary | None

    @property
    def comparisons(self) -> list[Comparison]:
        """Every published figure of the arm beside ours."""
        return [
            compare(self.arm.labels, name, self.ours(name), figure, self)
            for name, figure in self.arm.published.items()
        ]

    def ours(self, measure: str) -> Interval | Range | None:
        """Our figure of a measure, if runs solved the task."""
        if self.summary is None:
            return None
        if measure == "median":
            middle = self.summary.solved_at_median
            return None if middle is None else Interval(middle, middle, middle)
        return getattr(self.summary, measure)


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
            compared = compare({}, name, ours, published, None)
            everything.append(replace(compared, reduced=left_out))
        return everything

    @property
    def verdicts(self) -> dict[Verdict, int]:
        """How many comparisons have which verdict, those of reduced runs left out."""
        full = [c.verdict for c in self.comparisons if not c.reduced]
        return {v: full.count(v) for v in Verdict}

    @property
    def reduced(self) -> int:
        """How many comparisons are of reduced runs."""
        return sum(bool(c.reduced) for c in self.comparisons)

    @property
    def tally(self) -> dict[str, int]:
        """How many comparisons have which verdict, and how many are of reduced runs."""
        counts = {verdict.value: n for verdict, n in self.verdicts.items()}
        return counts | {"reduced": self.reduced}


def compare(
    labels: Labels,
    measure: str,
    ours: Interval | Range | None,
    published: Published,
    runs: ArmRuns | None,
) -> Comparison:
    """One figure of ours beside a published one."""
    reduced = runs.reduced if runs else ""
    theirs = published.interval
    if ours is None:
        run = runs is not None and runs.summary is not None
        verdict = Verdict.DIFFERS if run else Verdict.NOT_RUN
    elif theirs is None:
        verdict = Verdict.NO_INTERVAL
    elif isinstance(ours, Range):  # of runs that are too few, or all equal
        verdict = Verdict.OURS_WITHOUT_INTERVAL
    else:
        verdict = Verdict.OVERLAPS if overlap(ours, theirs) else Verdict.DIFFERS
    return Comparison(labels, measure, ours, published, verdict, reduced)


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
    return ArmRuns(
        arm, chosen, ", ".join(left_out), summarise(dict(arm.labels), chosen)
    )


def _seed(row: dict[str, Any]) -> int:
    return row["seed"]

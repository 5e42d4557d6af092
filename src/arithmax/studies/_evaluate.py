"""Ours beside theirs: which runs belong to which arm, and what they say."""

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Any

from .._identity import code_of
from ..protocol import Cell, Protocol
from ..results import Results, Summary, plain, settings, summarise
from ..statistics import Interval, Range, overlap
from ..tasks import TASKS
from ._study import Arm, Computed, Labels, Published, Study


class Verdict(StrEnum):
    """What a comparison says."""

    MATCHES = "matches"
    DIFFERS = "differs"
    NO_INTERVAL = "no interval published"
    NO_OWN_INTERVAL = "no interval of ours"
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
        said = str(self.verdict)
        if self.verdict is Verdict.DIFFERS and self.ours is None:
            said += " (no run of ours solved it)"
        elif self.verdict is Verdict.DIFFERS and self.published.reason:
            said += f": {self.published.reason}"
        if self.reduced and self.verdict is not Verdict.NOT_RUN:
            said += f" (reduced: {self.reduced})"
        return said


@dataclass(frozen=True)
class Found:
    """What was found of one arm."""

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
    """All that was trained for a study; what `compute` gets."""

    study: Study
    found: list[Found]
    results: Results

    def weights(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """The parameters of a run at its best step."""
        return self.results.weights(row["run"])

    def arm(self, **labels: str | int | float) -> Found:
        """The arm with these labels."""
        return next(
            f
            for f in self.found
            if all(f.arm.labels[name] == value for name, value in labels.items())
        )

    def arms(self, **labels: str | int | float) -> list[Found]:
        """The arms that have runs, and these labels."""
        return [
            f
            for f in self.found
            if f.rows and all(f.arm.labels[name] == v for name, v in labels.items())
        ]


@dataclass(frozen=True)
class Evaluation:
    """A study with everything that is known of it."""

    study: Study
    found: list[Found]
    computed: Computed | None
    results: Results
    history: list[dict[str, Any]] = field(default_factory=list)
    remark: str = ""  # what has to be known of the study as a folder has it

    @cached_property
    def comparisons(self) -> list[Comparison]:
        """Every published figure, of arms and of claims, beside ours."""
        figures = self.computed.figures if self.computed else {}
        everything = [c for found in self.found for c in found.comparisons]
        return everything + [
            compare({}, name, figures.get(name), published, None)
            for name, published in self.study.claims.items()
        ]

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
    found: Found | None,
) -> Comparison:
    """One figure of ours beside a published one."""
    reduced = found.reduced if found else ""
    theirs = published.interval
    if ours is None:
        run = found is not None and found.summary is not None
        verdict = Verdict.DIFFERS if run else Verdict.NOT_RUN
    elif theirs is None:
        verdict = Verdict.NO_INTERVAL
    elif isinstance(ours, Range):  # of runs that are too few, or all equal
        verdict = Verdict.NO_OWN_INTERVAL
    else:
        verdict = Verdict.MATCHES if overlap(ours, theirs) else Verdict.DIFFERS
    return Comparison(labels, measure, ours, published, verdict, reduced)


def evaluate(
    study: Study,
    results: Results,
    computed: Computed | None = None,
    history: Iterable[dict[str, Any]] = (),
) -> Evaluation:
    """A study's arms with the runs that belong to them."""
    return Evaluation(study, find(study, results), computed, results, list(history))


def find(study: Study, results: Results) -> list[Found]:
    """The runs of each arm: of those with most steps, one a seed."""
    runs: dict[tuple, list[dict[str, Any]]] = {}
    for row in results.rows:
        runs.setdefault(configuration(row), []).append(row)
    return [_found(arm, runs.get(_wanted(arm.cell), [])) for arm in study.arms]


def _found(arm: Arm, rows: list[dict[str, Any]]) -> Found:
    cell = arm.cell
    rows = [row for row in rows if row["protocol_steps"] <= cell.protocol.steps]
    if not rows:
        return Found(arm, [], "", None)
    steps = max(row["protocol_steps"] for row in rows)
    longest = [row for row in rows if row["protocol_steps"] == steps]
    platforms = [row["platform"] for row in longest]
    # Of several runs of a seed, those on the device that has run most.
    longest.sort(
        key=lambda r: (platforms.count(r["platform"]), r["platform"], r["run"])
    )
    chosen = sorted({row["seed"]: row for row in longest}.values(), key=_seed)
    missing = set(cell.seeds) - {row["seed"] for row in chosen}
    said = []
    if missing:
        said.append(f"{len(cell.seeds) - len(missing)} of {len(cell.seeds)} seeds")
    if steps < cell.protocol.steps:
        said.append(f"{steps:,} of {cell.protocol.steps:,} steps")
    return Found(arm, chosen, ", ".join(said), summarise(dict(arm.labels), chosen))


def _seed(row: dict[str, Any]) -> int:
    return row["seed"]


def _wanted(cell: Cell) -> tuple:
    """What a row must have to belong to a cell, but for steps and seed."""
    task = dict(settings("task", cell.task))
    protocol = dict(settings("protocol", cell.protocol))
    code = code_of(cell.network, cell.task)
    return _key(repr(cell.network), type(cell.task).__name__, code, task, protocol)


def configuration(row: dict[str, Any]) -> tuple:
    """The same, of a row; settings that it does not have were the defaults."""
    name = str(row["task"]).partition("(")[0]
    classes = {cls.__name__: cls for cls in TASKS.values()}
    task = _defaults("task", classes[name]) if name in classes else {}
    task |= {k: v for k, v in row.items() if k.startswith("task_")}
    protocol = _defaults("protocol", Protocol)
    protocol |= {k: v for k, v in row.items() if k.startswith("protocol_")}
    return _key(row["network"], name, row.get("code", ""), task, protocol)


def _key(network: str, name: str, code: str, task: dict, protocol: dict) -> tuple:
    chosen = {k: v for k, v in (task | protocol).items() if k != "protocol_steps"}
    return network, name, code, tuple(sorted(chosen.items()))


def _defaults(prefix: str, cls: type) -> dict[str, Any]:
    return {f"{prefix}_{f.name}": plain(f.default) for f in dataclasses.fields(cls)}

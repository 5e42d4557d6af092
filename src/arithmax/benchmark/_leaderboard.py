"""The leaderboard: how often each unit finds each operation, from stored runs.

A study that has the tables `criteria` (seeds, solved, mean step, sparsity error and
outcomes by unit, operation, range and criterion) and `failures` becomes a `Board`. A
summary of all boards comes with the package as `leaderboard.json`, which `arithmax
leaderboard RUNS --summary FILE` writes.
"""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib import resources
from pathlib import Path
from typing import Any

from ..statistics import Interval, success_rate
from ..studies import Table, stored_tables
from ..studies._outcomes import rate

FORMAT = 2  # of the summary; a reader refuses others
LABELS = ("unit", "operation", "range")
TITLES = {
    "single-module": "Two inputs",
    "single-module-1000": "Two inputs, a thousand seeds on one H200",
    "redundancy": "Among inputs to be ignored",
}


@dataclass(frozen=True)
class Score:
    """Some runs under one criterion; means are over those that were solved.

    A seed starts alike on every range, and its runs tend to fail together. `outcomes`
    says for each range that is pooled which seeds were solved (see `_outcomes`); where
    a table counts them only, it is empty, and intervals are as wide as if each seed
    were one run. `starts` is how many seeds the runs of several ranges are of, 0 if as
    many as there are runs.
    """

    seeds: int
    solved: int
    step: float | None = None
    sparsity: float | None = None
    starts: int = 0
    outcomes: tuple[str, ...] = ()

    @property
    def counts(self) -> tuple[int, int]:
        """How many were solved of how many, each start counted once."""
        total = self.starts or self.seeds
        return math.floor(self.solved / self.seeds * total + 0.5), total

    @property
    def success(self) -> Interval:
        """The share of solved runs, with an interval that allows for clusters."""
        if self.outcomes:
            return rate(self.outcomes)
        share, around = self.solved / self.seeds, success_rate(*self.counts)
        return Interval(share, min(share, around.low), max(share, around.high))


def pooled(scores: Iterable[Score]) -> Score | None:
    """Several scores as one, each run counting once; of none, None."""
    listed = list(scores)
    if not listed:
        return None

    def mean(name: str) -> float | None:
        pairs = [(s.solved, getattr(s, name)) for s in listed if s.solved]
        if not pairs or any(value is None for _, value in pairs):
            return None  # a mean over some of the solved runs is not theirs
        return sum(n * value for n, value in pairs) / sum(n for n, _ in pairs)

    seeds, solved = (sum(getattr(s, n) for s in listed) for n in ("seeds", "solved"))
    starts = max(s.starts or s.seeds for s in listed)
    means = mean("step"), mean("sparsity")
    outcomes = [s.outcomes for s in listed]
    known = sum(outcomes, ()) if all(outcomes) else ()
    return Score(seeds, solved, *means, starts if starts < seeds else 0, known)


@dataclass(frozen=True)
class Board:
    """Every unit on every operation and range, by criterion.

    Args:
        name: the study, and what else tells the board from others.
        title: its heading.
        scores: by unit, operation, range and criterion.
        failures: how many seeds have which failure, by unit, operation and range.
    """

    name: str
    title: str
    scores: Mapping[tuple[str, str, str, str], Score]
    failures: Mapping[tuple[str, str, str], Mapping[str, int]] = field(
        default_factory=dict
    )

    @cached_property
    def _axes(self) -> list[list[str]]:
        return [list(dict.fromkeys(key[k] for key in self.scores)) for k in range(4)]

    @property
    def units(self) -> list[str]:
        """The names of the units, in the order of their arms."""
        return self._axes[0]

    @property
    def operations(self) -> list[str]:
        """The signs of the operations."""
        return self._axes[1]

    @property
    def ranges(self) -> list[str]:
        """The names of the ranges."""
        return self._axes[2]

    @property
    def criteria(self) -> list[str]:
        """The names of the criteria, the one by which failures are counted first."""
        return self._axes[3]

    @cached_property
    def seeds_known(self) -> bool:
        """Whether it says which seeds were solved, and not only how many."""
        return all(score.outcomes for score in self.scores.values())

    def score(
        self, unit: str, operation: str, criterion: str, where: str = ""
    ) -> Score | None:
        """A unit's score on an operation, on one range or on all together."""
        names = [where] if where else self.ranges
        keys = [(unit, operation, name, criterion) for name in names]
        return pooled(self.scores[key] for key in keys if key in self.scores)

    def able(self, unit: str) -> tuple[str, ...]:
        """The operations that a unit has scores of."""
        known = {key[1] for key in self.scores if key[0] == unit}
        return tuple(name for name in self.operations if name in known)

    def total(self, unit: str, criterion: str, where: str = "") -> Score | None:
        """A unit's score on all operations that it can represent."""
        scores = (self.score(unit, op, criterion, where) for op in self.operations)
        return pooled(score for score in scores if score is not None)

    def standing(
        self, criterion: str, operation: str = "", where: str = ""
    ) -> list[tuple[str, Score]]:
        """Units and scores, the best first.

        Of all operations if none is named, and of all ranges if none is. Means over
        different operations are not compared: those of all operations come in groups of
        units that can do the same, those that can do most first.
        """
        scores = {
            unit: self.score(unit, operation, criterion, where)
            if operation
            else self.total(unit, criterion, where)
            for unit in self.units
        }
        known = [(unit, score) for unit, score in scores.items() if score is not None]
        if operation:
            return sorted(known, key=lambda item: rank(item[1]))
        group = {unit: self._group(unit) for unit, _ in known}
        return sorted(known, key=lambda item: (group[item[0]], rank(item[1])))

    def _group(self, unit: str) -> tuple[int, tuple[int, ...]]:
        """Where the units that can do the same operations stand."""
        able = self.able(unit)
        return -len(able), tuple(self.operations.index(name) for name in able)

    def counts(self, unit: str) -> dict[str, int]:
        """All failures of a unit, the commonest first."""
        total: dict[str, int] = {}
        for (name, *_), counted in self.failures.items():
            for failure, n in counted.items() if name == unit else ():
                total[failure] = total.get(failure, 0) + n
        return dict(sorted(total.items(), key=lambda item: -item[1]))


def rank(score: Score) -> tuple[float, float]:
    """The place of a score: more solved comes first, then fewer steps."""
    return -score.solved / score.seeds, math.inf if score.step is None else score.step


def boards(folder: Path) -> list[Board]:
    """The boards of all studies in a folder that have the tables of one."""
    names = [
        path.name.split(".")[0] for path in folder.glob("*.criteria.table.parquet")
    ]
    known = [name for name in TITLES if name in names]
    others = sorted(name for name in names if name not in TITLES)
    return [
        board
        for name in known + others
        for board in from_tables(name, stored_tables(name, folder))
    ]


def from_tables(study: str, tables: Mapping[str, Table]) -> list[Board]:
    """The boards of a study's tables, one for each value of its further labels."""
    criteria, failures = tables["criteria"], tables.get("failures", {})
    if not {*LABELS, "criterion"} <= set(criteria):
        return []
    known = {*LABELS, "criterion", "seeds", "solved", "low", "high", "step", "sparsity"}
    further = [name for name in criteria if name not in known | {"outcomes"}]
    scores: dict[tuple, dict[tuple, Score]] = {}
    for row in _rows(criteria):
        key = (*(str(row[name]) for name in LABELS), str(row["criterion"]))
        scores.setdefault(_values(row, further), {})[key] = _score(row)
    counted: dict[tuple, dict[tuple, dict[str, int]]] = {}
    for row in _rows(failures):
        key = tuple(str(row[name]) for name in LABELS)
        entry = counted.setdefault(_values(row, further), {}).setdefault(key, {})
        entry[str(row["failure"])] = int(row["seeds"])
    return [
        Board(*_named(study, further, values), of_board, counted.get(values, {}))
        for values, of_board in scores.items()
    ]


def _rows(table: Table) -> Iterable[dict[str, Any]]:
    names = list(table)
    return (
        dict(zip(names, row, strict=True)) for row in zip(*table.values(), strict=True)
    )


def _values(row: Mapping[str, Any], names: Sequence[str]) -> tuple[str, ...]:
    return tuple(str(row[name]) for name in names)


def _score(row: Mapping[str, Any]) -> Score:
    step, sparsity = (_number(row[name]) for name in ("step", "sparsity"))
    outcomes = (row["outcomes"],) if row.get("outcomes") else ()
    counts = int(row["seeds"]), int(row["solved"])
    return Score(*counts, step, sparsity, outcomes=outcomes)


def _number(value: float | None) -> float | None:
    """Four digits, so that a summary is short; None for what is missing."""
    if value is None or math.isnan(value):
        return None
    return float(f"{value:.4g}")


def _named(study: str, labels: Sequence[str], values: Sequence[str]) -> tuple[str, str]:
    text = ", ".join(f"{v} {n}" for n, v in zip(labels, values, strict=True))
    title = TITLES.get(study, study)
    return " ".join([study, *values]), f"{title}: {text}" if text else title


def summary(boards: Sequence[Board]) -> str:
    """Boards as JSON, which `summarised` reads."""
    listed = []
    for board in boards:
        scores: dict[str, Any] = {}
        for (unit, operation, name, criterion), s in board.scores.items():
            of_operation = scores.setdefault(unit, {}).setdefault(operation, {})
            entry = [s.seeds, s.solved, s.step, s.sparsity, *s.outcomes]
            of_operation.setdefault(name, {})[criterion] = entry
        failures: dict[str, Any] = {}
        for (unit, operation, name), counts in board.failures.items():
            of_operation = failures.setdefault(unit, {}).setdefault(operation, {})
            of_operation[name] = dict(counts)
        parts = {"scores": scores, "failures": failures}
        listed.append({"name": board.name, "title": board.title, **parts})
    text = json.dumps({"format": FORMAT, "boards": listed}, ensure_ascii=False)
    # A line for each operation of a unit, so that changes can be read.
    return text.replace('}}, "', '}},\n"').replace('}}}, "', '}}},\n"') + "\n"


def summarised(text: str) -> list[Board]:
    """The boards of a summary."""
    given = json.loads(text)
    if given.get("format") != FORMAT:
        raise ValueError(
            f"the summary has the format {given.get('format')!r}, not {FORMAT}. Write "
            "it again with `arithmax leaderboard RUNS --summary FILE`."
        )
    return [
        Board(
            board["name"],
            board["title"],
            {
                (unit, operation, name, criterion): _entry(*entry)
                for unit, of_unit in board["scores"].items()
                for operation, of_operation in of_unit.items()
                for name, of_range in of_operation.items()
                for criterion, entry in of_range.items()
            },
            {
                (unit, operation, name): counts
                for unit, of_unit in board["failures"].items()
                for operation, of_operation in of_unit.items()
                for name, counts in of_operation.items()
            },
        )
        for board in given["boards"]
    ]


def _entry(
    seeds: int,
    solved: int,
    step: float | None,
    sparsity: float | None,
    *outcomes: str,
) -> Score:
    return Score(seeds, solved, step, sparsity, outcomes=outcomes)


def shipped() -> list[Board]:
    """The boards that come with the package."""
    file = resources.files("arithmax.benchmark") / "leaderboard.json"
    return summarised(file.read_text(encoding="utf-8"))

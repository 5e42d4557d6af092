"""From a table to a formula: stages one after the other, cheapest first."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic, thread_time
from typing import Any, TypeAlias

import numpy as np

from ._judge import Judge, OutOfTime
from ._ladder import LADDER
from ._stage import Stage
from ._table import Table
from ._verdict import Attempt, Candidate, Discovery, Verdict
from ._verify import verdict

Progress: TypeAlias = Callable[[str, int, int, int, Candidate | None], None]


@dataclass(frozen=True)
class Search:
    """How a search is done.

    Args:
        stages: what proposes formulas, in this order.
        candidates: how many proposals are judged at most.
        max_seconds: when to stop even so; None for never.
        tolerance: the root of the mean squared error, over the spread of the target,
            up to which a formula may count as found.
        patience: how many more stages are tried after a formula that is within
            tolerance; after an exact one the search ends.
    """

    stages: tuple[Stage, ...] = LADDER
    candidates: int = 2000
    max_seconds: float | None = None
    tolerance: float = 0.125
    patience: int = 4


def discover(
    x: Any,
    y: Any,
    *,
    names: Any = None,
    sample_weight: Any = None,
    outside: tuple[Any, Any] | None = None,
    seed: int = 0,
    search: Search | None = None,
    progress: Progress | None = None,
) -> Discovery:
    """The formula behind a table of numbers, or the word that none was found.

    Args:
        x: the inputs [row, column].
        y: the targets [row].
        names: the names of the columns; x1, x2, … if None.
        sample_weight: what each row counts.
        outside: inputs and targets outside the range of the others. Their error is
            measured, and decides nothing.
        seed: what random numbers are made of.
        search: stages, budget and tolerance.
        progress: called now and then with the name of the stage, its position, the
            number of stages, the number of candidates, and the best one.

    Examples:
        >>> import numpy as np
        >>> from arithmax.discover import discover
        >>> x = np.random.default_rng(0).uniform(1, 5, (100, 2))
        >>> found = discover(x, x[:, 0] * x[:, 1] ** 2 / 2, names=("m", "v"))
        >>> print(found.formula, "|", found.verdict)
        m*v**2/2 | exact on this data
    """
    search = Search() if search is None else search
    x, y = np.asarray(x, np.float64), np.asarray(y, np.float64)
    names = tuple(names or (f"x{i + 1}" for i in range(x.shape[1])))
    weight = None if sample_weight is None else np.asarray(sample_weight, np.float64)
    table = Table.split(x, y, names, weight, seed)
    limit = math.inf if search.max_seconds is None else search.max_seconds
    judge = Judge(table, search.tolerance, monotonic() + limit)
    tried, stopped = _climb(search, table, judge, seed, progress)
    return _report(judge, tried, stopped, outside)


def _climb(
    search: Search, table: Table, judge: Judge, seed: int, progress: Progress | None
) -> tuple[list[Attempt], str]:
    """The stages, until one gives a formula that is verified."""
    tried: list[Attempt] = []
    count, patience = 0, search.patience
    for position, stage in enumerate(search.stages):
        begun, before = thread_time(), count
        rng = np.random.default_rng([seed, position])
        try:
            for node in stage.propose(table, rng):
                judge.consider(node, stage.name)
                count += 1
                if progress is not None:
                    at = stage.name, position, len(search.stages), count, judge.best
                    progress(*at)
                if _verdict(judge) is Verdict.EXACT:
                    return tried, f"an exact formula came from {stage.name!r}"
                if count >= search.candidates:
                    return tried, f"all {count} candidates of the budget were judged"
                if monotonic() > judge.deadline:
                    raise OutOfTime
        except OutOfTime:
            return tried, f"`max_seconds` (={search.max_seconds}) were over"
        finally:
            spent = thread_time() - begun
            tried.append(Attempt(stage.name, count - before, spent))
        if _verdict(judge) is Verdict.WITHIN:
            patience -= 1
            if patience < 0:
                return tried, "a formula leaves nothing to explain but noise"
    return tried, "all stages were tried"


def _verdict(judge: Judge) -> Verdict | None:
    return None if judge.best is None else judge.best.verdict


def _report(judge: Judge, tried, stopped: str, outside) -> Discovery:
    """The front of what was judged, each with its verdict."""
    assert judge.best is not None
    front: list[Candidate] = []
    for complexity in sorted(judge.front):
        candidate = judge.front[complexity]
        if not front or candidate.training_error < 0.99 * front[-1].training_error:
            front.append(_completed(candidate, judge, outside))
        if candidate is judge.best:
            break
    best = _completed(judge.best, judge, outside)
    return Discovery(best, tuple(front), tuple(tried), stopped)


def _completed(candidate: Candidate, judge: Judge, outside) -> Candidate:
    table, root = judge.table, candidate.formula.root
    error = candidate.training_error**2 * table.variation
    told = verdict(root, error, candidate.score, table, judge.tolerance)
    if outside is None:
        return candidate.updated(verdict=told)
    x, y = (np.asarray(part, np.float64) for part in outside)
    difference = candidate.formula.evaluate(x) - y
    off = float(np.sqrt(np.mean(difference**2)) / np.std(table.y))
    return candidate.updated(verdict=told, extrapolation_error=off)

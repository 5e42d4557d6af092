"""From a table to a formula: stages one after the other, cheapest first."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from time import monotonic, thread_time
from typing import Any, TypeAlias

import numpy as np

from .._checks import check_number, check_whole, shown
from ._dimensions import dimension
from ._flat import flat
from ._formula import Formula
from ._given import GivenRows, check_rows, given_outside, given_rows
from ._judge import Judge, OutOfTime
from ._ladder import ladder
from ._nodes import UNIT, Sum
from ._numbers import Number
from ._refit import predicted, refitted
from ._score import price
from ._stage import Stage
from ._table import Sample
from ._threads import one_thread
from ._uneven import log_loss, relative_weight, sizes
from ._verdict import Attempt, Candidate, Discovery, Trust
from ._verify import verdict

Progress: TypeAlias = Callable[[str, int, int, int, Candidate | None], None]


@dataclass(frozen=True)
class Search:
    """How a search is done.

    Args:
        stages: what proposes formulas, in this order; `LADDER` if None, and dimension
            analysis where units are known.
        candidates: how many proposals are judged at most.
        max_seconds: when to stop even so; None for never.
        tolerance: the root of the mean squared error, over the spread of the target,
            up to which a formula may count as found.
        patience: how many more candidates are judged after one that leaves nothing
            but noise, beside as many as it took to find it; an exact one ends the
            search.
        units: the units of each column and then of the target, such as "kg*m/s^2".
    """

    stages: tuple[Stage, ...] | None = None
    candidates: int = 2000
    max_seconds: float | None = None
    tolerance: float = 0.125
    patience: int = 60
    units: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        check_whole("candidates", self.candidates, 1)
        check_whole("patience", self.patience, 0)
        check_number("tolerance", self.tolerance, 0, 1)
        if self.max_seconds is not None:
            check_number("max_seconds", self.max_seconds, 0)
        stages = () if self.stages is None else self.stages
        if not isinstance(stages, tuple) or not all(
            isinstance(stage, Stage) for stage in stages
        ):
            raise TypeError(
                f"`stages` (={shown(stages)}) must be a tuple of stages, such as "
                "`LADDER`, or None."
            )
        for unit in self.units or ():
            dimension(unit)

    def check_width(self, width: int) -> None:
        """Units must be there for each of the columns, and for the target."""
        if self.units is not None and len(self.units) != width + 1:
            raise ValueError(
                f"`units` (={shown(self.units)}) must hold {width + 1} units: one for "
                "each column, then that of the target."
            )

    def ladder(self) -> tuple[Stage, ...]:
        """The stages that are tried."""
        return ladder(self.units) if self.stages is None else self.stages


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

    Noise is held to be of one size. If what the best formula leaves over is clearly
    likelier to be noise in proportion to the target, the search is done once more with
    rows that count accordingly.

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
    rows = given_rows(x, y, names, sample_weight, seed)
    outside = given_outside(outside, rows.x.shape[1])
    search.check_width(rows.x.shape[1])
    table = Sample.split(*rows, seed)
    if (constant := flat(table, outside)) is not None:
        return constant
    check_rows(len(rows.y))
    limit = math.inf if search.max_seconds is None else search.max_seconds
    deadline = monotonic() + limit
    options = search, deadline, seed, progress, outside
    found = _searched(table, *options)
    if found.verdict is Trust.EXACT or monotonic() > deadline:
        return found
    weight = relative_weight(found.formula, rows.x, rows.y, rows.weight)
    if weight is None:
        return found
    again = _searched(Sample.split(*rows[:3], weight, seed), *options)
    return _likelier(found, _with_errors(again, table), rows, weight)


def _searched(
    table: Sample,
    search: Search,
    deadline: float,
    seed: int,
    progress: Progress | None,
    outside: tuple[Any, Any] | None,
) -> Discovery:
    """What one climb through the stages finds."""
    judge = Judge(table, search.tolerance, deadline)
    with one_thread(), np.errstate(all="ignore"):
        tried, stopped = _climb(search, table, judge, seed, progress)
    if judge.best is None:  # no stage proposed anything, or there was no time to judge
        judge.deadline = math.inf
        judge.consider(Sum((Number(float(np.mean(table.y))),), (UNIT,)), "constant")
    return _report(judge, tried, stopped, outside)


def _with_errors(found: Discovery, table: Sample) -> Discovery:
    """With the errors of rows that count as they were given."""

    def error(candidate: Candidate) -> float:
        residual = predicted(candidate.formula.root, table.columns) - table.y
        return math.sqrt(float(table.weight**2 @ residual**2) / table.variation)

    front = [c.updated(training_error=error(c)) for c in found.candidates]
    # Those of the best are of before all rows refined it, as it stands on the front.
    same = [c.training_error for c in front if c.score == found.best.score]
    best = found.best.updated(training_error=[*same, found.best.training_error][0])
    return replace(found, best=best, candidates=tuple(front))


def _likelier(
    even: Discovery, relative: Discovery, rows: GivenRows, weight: np.ndarray
) -> Discovery:
    """Of two discoveries the one that explains rows better under relative noise."""
    table = Sample.split(*rows[:3], weight)
    counts = np.ones(len(rows.y)) if rows.weight is None else rows.weight
    size = sizes(even.formula, rows.x)
    assert size is not None  # or there were no weights

    def worse(found: Discovery) -> float:
        loss = log_loss(found.formula, rows.x, rows.y, counts / counts.mean(), size)
        return loss + price(found.formula.root, table)

    if not worse(relative) < worse(even):
        return even
    return replace(
        relative,
        tried=even.tried + relative.tried,
        stopped=f"{relative.stopped}, once rows counted less where the target is "
        "large, since noise grows with it",
        weight=weight,
    )


def _climb(
    search: Search,
    table: Sample,
    judge: Judge,
    seed: int,
    progress: Progress | None,
) -> tuple[list[Attempt], str]:
    """The stages, until one gives a formula that is verified."""
    tried: list[Attempt] = []
    count, improved, best = 0, 0, None
    stages = search.ladder()
    for position, stage in enumerate(stages):
        begun, before = thread_time(), count
        rng = np.random.default_rng([seed, position])
        try:
            for node in stage.propose(table, rng):
                judge.consider(node, stage.name)
                count += 1
                if progress is not None:
                    progress(stage.name, position, len(stages), count, judge.best)
                if _verdict(judge) is Trust.EXACT:
                    return tried, f"an exact formula came from {stage.name!r}"
                if judge.best is not best:
                    best, improved = judge.best, count
                waited = count > 2 * improved + search.patience
                if waited and _is_settled(judge.best):
                    return tried, "a formula leaves nothing to explain but noise"
                if count >= search.candidates:
                    return tried, f"all {count} candidates of the budget were judged"
                if monotonic() > judge.deadline:
                    raise OutOfTime
        except OutOfTime:
            return tried, f"`max_seconds` (={search.max_seconds}) were over"
        finally:
            spent = thread_time() - begun
            tried.append(Attempt(stage.name, count - before, spent))
    return tried, "all stages were tried"


def _is_settled(best: Candidate | None) -> bool:
    """Whether a formula leaves only noise, and has no exponents that look fitted."""
    if best is None or best.verdict is not Trust.WITHIN:
        return False
    exact = [number.exact for number in best.formula.exponents]
    return all(e is not None and e[0].denominator <= 2 for e in exact)


def _verdict(judge: Judge) -> Trust | None:
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
    best = _completed(judge.best, judge, None)
    best = best.updated(formula=_on_all_rows(best.formula, judge.table))
    best = _measured(best, judge.table, outside)
    return Discovery(best, tuple(front), tuple(tried), stopped)


def _on_all_rows(formula: Formula, table: Sample) -> Formula:
    """The constants once more, now also from the rows that were held out."""
    columns = np.concatenate([table.columns, table.held_columns], axis=1)
    y = np.concatenate([table.y, table.held_y])
    weight = np.concatenate([table.weight, table.held_weight])
    node, error = refitted(formula.root, columns, y, weight)
    return Formula(node, formula.names) if math.isfinite(error) else formula


def _completed(candidate: Candidate, judge: Judge, outside) -> Candidate:
    table, root = judge.table, candidate.formula.root
    error = candidate.training_error**2 * table.variation
    told = verdict(root, error, candidate.score, table, judge.tolerance)
    return _measured(candidate.updated(verdict=told), table, outside)


def _measured(candidate: Candidate, table: Sample, outside) -> Candidate:
    """With the error of the formula, as it is now, on the rows outside."""
    if outside is None:
        return candidate
    x, y = (np.asarray(part, np.float64) for part in outside)
    difference = candidate.formula.evaluate(x) - y
    off = float(np.sqrt(np.mean(difference**2)) / np.std(table.y))
    return candidate.updated(extrapolation_error=off)

"""One search for one target: what runs in a process of its own."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.parallel import Parallel, delayed
from threadpoolctl import threadpool_limits

from ..bayes import Uncertainty, uncertainty_of
from ..discover import (
    Discovery,
    DomainCase,
    Sample,
    Search,
    discover,
    domain_cases,
    domain_values,
)
from ._frames import front
from ._given import Given
from ._plot import Points
from ._progress import ProgressLines
from ._rows import UNUSED, Rows, merged


class Searched(NamedTuple):
    """What a search found, and what its formula does on the rows it was given."""

    discovery: Discovery
    points: Points
    cases: tuple[DomainCase, ...]
    sure: Uncertainty | None = None


def all_searched(
    model: Any,
    rows: Sequence[Given],
    names: tuple[str, ...],
    searches: Sequence[Search],
    seed: int,
) -> list[Searched]:
    """One search for each target, each in a process of its own if asked for."""
    lines = [
        ProgressLines(name, int(model.verbose)) if model.verbose else None
        for name in model.outputs_
    ]
    sure = bool(model.uncertainty)
    found: Any = Parallel(n_jobs=model.n_jobs)(
        delayed(searched)(given, names, search, seed, model.domain, line, sure)
        for given, search, line in zip(rows, searches, lines, strict=True)
    )
    return found


def searched(
    given: Given,
    names: tuple[str, ...],
    search: Search,
    seed: int,
    domain: str,
    progress: ProgressLines | None,
    uncertainty: bool = False,
) -> Searched:
    """The formula of one target, with linear algebra on one thread.

    Sums over several threads are rounded differently on each number of cores, and a
    search that compares scores may then end with another formula.
    """
    rows = merged(given.x, given.y, given.weight)
    with threadpool_limits(limits=1):
        found = discover(
            rows.x,
            rows.y,
            names=names,
            sample_weight=rows.weight,
            outside=given.outside,
            seed=seed,
            search=search,
            progress=progress,
        )
        sure = _sure(found, rows) if uncertainty else None
    points = _points(given, rows, found, seed, domain)
    cases = domain_cases(found.formula, given.x, domain)
    return Searched(found, points, cases, sure)


def _sure(found: Discovery, rows: Rows) -> Uncertainty:
    rivals = [candidate.formula for candidate in front(found)]
    relative = found.weight is not None
    weight = found.weight * rows.weight.mean() if relative else rows.weight
    options = {"sample_weight": weight, "relative": relative}
    return uncertainty_of(found.formula, rivals, rows.x, rows.y, **options)


def _points(
    given: Given, rows: Rows, found: Discovery, seed: int, domain: str
) -> Points:
    shown = "abs" if domain == "abs" else "nan"
    kind = np.where(rows.places == UNUSED, -1, held_out(rows, seed)[rows.places])
    x, y = given.x, given.y
    if given.outside is not None:
        x, y = np.vstack((x, given.outside[0])), np.append(y, given.outside[1])
        kind = np.append(kind, np.full(len(given.outside[1]), 2))
    return Points(y, domain_values(found.formula, x, shown), kind)


def held_out(rows: Rows, seed: int) -> np.ndarray:
    """1 for each row that `discover` holds out, 0 for those that it fits."""
    positions = np.arange(len(rows.y), dtype=np.float64)
    table = Sample.split(positions[:, None], positions, ("row",), rows.weight, seed)
    held = np.zeros(len(rows.y), dtype=int)
    held[table.held_y.astype(int)] = 1
    return held

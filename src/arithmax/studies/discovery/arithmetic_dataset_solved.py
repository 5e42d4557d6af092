"""The arithmetic dataset, solved: discovery on every published cell."""

from collections.abc import Iterator, Sequence
from time import process_time
from typing import Any

import numpy as np

from ...discover import Search, discover
from ...statistics import success_rate
from ...tasks import NumpyKey
from .._evaluate import Trained
from .._kept import Kept, counted
from .._sheet import sheet
from .._study import Computed, Study, Table, columns
from .._tables import ends
from ._cells import LABELS, DatasetCell, best_published, cells

SHEET = sheet("discovery", "arithmetic-dataset-solved")
SEEDS, ROWS, TESTED = 100, 1000, 1000
PATIENCE = 120.0  # seconds after which a table counts as not solved
SAME = 1e-9  # relative: the largest error of a formula that is the target's
SEED_NAMES = (*LABELS, "seed", "solved", "error", "seconds", "stage", "verdict")
TOTAL_NAMES = ("tables", "solved", "rate", "low", "high", "median seconds")
CELL_NAMES = (*LABELS, "seeds", "solved", "rate", "low", "high", "median seconds")
CELL_NAMES += ("95 % below", "best unit published", "its rate", "its runs", "why not")


def table(cell: DatasetCell, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows [row, input] of the training range, and their targets."""
    task = cell.task
    x, t = task.draw("training", task.replica(seed), NumpyKey(seed), ROWS)
    return np.asarray(x).T, np.asarray(t)[0]


def measured(cell: DatasetCell, seed: int) -> tuple[Any, ...]:
    """One seed: whether the formula of its table is the target, and the CPU seconds.

    The rows outside the training range are drawn after the formula was chosen.
    """
    if cell.undetermined:
        return (*cell.labels, seed, False, None, None, "", "")
    x, y = table(cell, seed)
    began = process_time()
    found = discover(x, y, seed=seed, search=Search(max_seconds=PATIENCE))
    seconds = process_time() - began
    error = outside(cell, seed, found.formula)
    told = (found.best.stage, str(found.verdict))
    return (*cell.labels, seed, error < SAME, error, round(seconds, 3), *told)


def outside(cell: DatasetCell, seed: int, formula: Any) -> float:
    """The largest relative error on the extrapolation range.

    A formula of the published criterion (mean squared error below that of weights that
    are off by 10⁻⁵) may still be another function; one that is right to 10⁻⁹ is not.
    """
    task = cell.task
    key = NumpyKey(2**31 + seed)
    x, t = task.draw("extrapolation", task.replica(seed), key, TESTED)
    y = np.asarray(t)[0]
    off, size = np.abs(formula.evaluate(np.asarray(x).T) - y), np.abs(y)
    relative = off / (size + np.median(size))  # differences may be near zero
    return float(np.nan_to_num(relative.max(), nan=np.inf))


def missing(kept: Kept, seeds: int) -> Iterator[tuple[DatasetCell, int]]:
    """What is not there yet: ten seeds of every cell, then ten more."""
    for first in range(0, seeds, 10):
        for cell in cells():
            for seed in range(first, min(first + 10, seeds)):
                if (*cell.labels, seed) not in kept.rows:
                    yield cell, seed


def compute(trained: Trained) -> Computed:
    """All cells; those that the folder has already are not computed again."""
    seeds = trained.seeds or SEEDS
    folder = trained.results.folder
    kept = Kept(folder, SHEET.name, "seeds", SEED_NAMES, len(LABELS) + 1)
    left = list(missing(kept, seeds))
    try:
        with counted("tables", len(left), trained.progress) as count:
            for cell, seed in left:
                kept.add(measured(cell, seed))
                count(", ".join(map(str, cell.labels)))
    finally:
        kept.write()
    chosen = [cell for cell in cells() for _ in range(seeds)]
    at = [seed for _ in cells() for seed in range(seeds)]
    keys = [(*cell.labels, seed) for cell, seed in zip(chosen, at, strict=True)]
    rows = [kept.rows[key] for key in keys]
    tables = {
        "seeds": kept.table(kept.rows.values()),  # of longer commands too
        "total": total(rows),
        "cells": cell_table(rows),
        "ranges": ranges(rows),
        "sizes": sizes(rows),
    }
    return Computed(tables)


def of(rows: Sequence[tuple], cell: DatasetCell) -> list[dict[str, Any]]:
    """The seeds of a cell."""
    count = len(LABELS)
    return [
        dict(zip(SEED_NAMES, row, strict=True))
        for row in rows
        if row[:count] == cell.labels
    ]


def cell_table(rows: Sequence[tuple]) -> Table:
    """One row per cell, the best published unit beside it."""
    made = []
    for cell in cells():
        seeds = of(rows, cell)
        solved = sum(row["solved"] for row in seeds)
        rate = ends(success_rate(solved, len(seeds)))
        if cell.undetermined:
            rate = (None, None, None)
        spent = [row["seconds"] for row in seeds if row["seconds"] is not None]
        times = (
            np.quantile(spent, [0.5, 0.95]).round(3).tolist() if spent else [None] * 2
        )
        best = best_published(cell)
        share = best and best["solved"] / best["runs"]
        theirs = (best and best["model"], share, best and best["runs"])
        counts = (len(seeds), solved, *rate, *times)
        made.append((*cell.labels, *counts, *theirs, cell.undetermined or None))
    return columns(CELL_NAMES, made)


def ranges(rows: Sequence[tuple]) -> Table:
    """The cells with a hundred inputs: success and seconds by operation and range."""
    made = []
    for cell in cells():
        if cell == DatasetCell(cell.operation, cell.range) and not cell.undetermined:
            seeds = of(rows, cell)
            share = 100 * sum(row["solved"] for row in seeds) / len(seeds)
            middle = float(np.median([row["seconds"] for row in seeds]))
            made.append((*cell.labels[:2], share, middle))
    return columns((*LABELS[:2], "solved, %", "CPU seconds"), made)


def sizes(rows: Sequence[tuple]) -> Table:
    """Products by the number of inputs: success and seconds, ours and published."""
    made = []
    for cell in cells():
        if cell == DatasetCell("mul", inputs=cell.inputs):
            seeds = of(rows, cell)
            best = best_published(cell)
            rate = sum(row["solved"] for row in seeds) / len(seeds)
            middle = float(np.median([row["seconds"] for row in seeds]))
            theirs = best["solved"] / best["runs"] if best else None
            made.append((cell.inputs, rate, theirs, middle))
    made.sort()
    return columns(("inputs", "rate", "published", "seconds"), made)


def total(rows: Sequence[tuple]) -> Table:
    """How many tables there are that determine their formula, and are solved."""
    known = [c for c in cells() if not c.undetermined]
    seeds = [row for cell in known for row in of(rows, cell)]
    solved = sum(row["solved"] for row in seeds)
    middle = float(np.median([row["seconds"] for row in seeds]))
    made = (len(seeds), solved, *ends(success_rate(solved, len(seeds))), middle)
    return columns(TOTAL_NAMES, [made])


def study() -> Study:
    """Discovery in place of training."""
    return SHEET.study((), compute)

"""One recipe for all operations, ranges and sizes: how often it is right."""

import warnings
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from ...results import exact_after_rounding
from ...statistics import Interval, success_rate
from ...tasks import Starts
from ...training import Cell, Criterion, Protocol, train_cells
from ...units import NAU, NMRU, Unit
from .._criteria import percent_text
from .._evaluate import Trained
from .._grid import SYMBOLS
from .._kept import Kept
from .._run import stored_tables
from .._sheet import sheet
from .._study import Computed, Study, Table, columns
from ._runs import RANGES, task

SHEET = sheet("primer", "one-recipe")
FAMILY: dict[str, Unit] = {"NAU": NAU(), "NMRU": NMRU()}
OPERATIONS = ("add", "sub", "mul", "div")
SIZES = {2: "single-module", 10: "redundancy"}  # inputs, and the study that has them
STARTS = 8
COUNTS = (1, 2, 4, 8)  # starts of which the best is taken
PROBLEMS = 100
STEPS = 100_000
KEYS = ("inputs", "operation", "range", "network", "problem")
# Of each start whether it is solved and exact after rounding, as signs, and its error.
NAMES = (*KEYS, "solved", "rounded", "errors")


class Group(NamedTuple):
    """Runs that one program trains: a network of the family on inputs of one size."""

    inputs: int
    network: str

    def cells(self, problems: int, steps: int = STEPS) -> dict[tuple[str, str], Cell]:
        """The cells by operation and range."""
        protocol = Protocol.recipe(steps).updated(
            criterion=Criterion(epsilon=1e-4, rule="authors")  # as the Primer has it
        )
        seeds = tuple(range(problems * STARTS))
        return {
            (operation, where): Cell(
                FAMILY[self.network],
                Starts(task(operation, where, self.inputs), STARTS),
                protocol,
                seeds,
            )
            for operation in OPERATIONS
            for where in RANGES
        }


def rows_of(
    group: Group, operation: str, where: str, cell: Cell, progress: bool
) -> list[tuple]:
    """One row of the table for each problem of a cell, trained."""
    with warnings.catch_warnings():  # the recipe does not know the operation
        warnings.filterwarnings("ignore", message=".*cannot represent.*")
        trained = train_cells([cell], progress=progress)
    if trained.interrupted:
        raise KeyboardInterrupt  # what was finished before is kept
    labels = (group.inputs, SYMBOLS[operation], where, group.network)
    return [
        (*labels, first // STARTS, *summary(trained.rows[first : first + STARTS]))
        for first in range(0, len(trained.rows), STARTS)
    ]


def summary(runs: Sequence[Mapping[str, Any]]) -> tuple[str, str, str]:
    """The starts of one problem: solved, exact after rounding, interpolation errors."""
    return (
        "".join("1" if run["outcome"] == "solved" else "0" for run in runs),
        "".join("1" if exact_after_rounding(run) else "0" for run in runs),
        " ".join(f"{run['interpolation']:.4g}" for run in runs),
    )


class Runs(NamedTuple):
    """The runs of one cell [network, problem, start]."""

    solved: np.ndarray
    rounded: np.ndarray
    errors: np.ndarray

    def taken(self, starts: int) -> tuple[np.ndarray, np.ndarray]:
        """Whether what is taken of each problem is solved, and exact after rounding.

        Of the first starts of all networks the run with the least error is taken; a
        run that diverged has none.
        """
        errors = np.where(np.isfinite(self.errors), self.errors, np.inf)
        flat = [np.moveaxis(a[:, :, :starts], 0, 1) for a in (errors, *self[:2])]
        error, solved, rounded = (a.reshape(a.shape[0], -1) for a in flat)
        best = error.argmin(axis=1)[:, None]
        return tuple(np.take_along_axis(a, best, 1)[:, 0] for a in (solved, rounded))  # type: ignore[return-value]  # two of them


def by_cell(rows: Sequence[tuple], problems: int) -> dict[tuple, Runs]:
    """The runs of each cell, by inputs, operation and range, of the first problems."""
    cells: dict[tuple, dict[str, dict[int, tuple]]] = {}
    for *key, network, problem, solved, rounded, errors in rows:
        if problem < problems:
            of_cell = cells.setdefault(tuple(key), {}).setdefault(network, {})
            signs = ([c == "1" for c in text] for text in (solved, rounded))
            of_cell[problem] = (*signs, [float(e) for e in errors.split()])
    return {
        key: Runs(
            *(
                np.array(
                    [[found[p][k] for p in sorted(found)] for found in of.values()]
                )
                for k in range(3)
            )
        )
        for key, of in cells.items()
    }


def share(found: np.ndarray) -> Interval:
    """How often, with its interval."""
    return success_rate(int(found.sum()), found.size)


def best_published(trained: Trained) -> dict[tuple, tuple[str, float]]:
    """The best unit of each cell by its authors' recipe, if the folder has the runs."""
    found: dict[tuple, tuple[str, float]] = {}
    folder = trained.results.folder
    for inputs, name in SIZES.items() if folder else ():
        assert folder is not None
        table = stored_tables(name, folder).get("criteria", {})
        names = ("inputs",) * ("inputs" in table) + ("operation", "range", "unit")
        names += ("criterion", "solved", "seeds")
        for row in zip(*(table[n] for n in names), strict=True) if table else ():
            *size, operation, where, unit, criterion, solved, seeds = row
            rate, key = solved / seeds, (inputs, operation, where)
            if criterion != "ε = 1e-4" or (size and size[0] != inputs):
                continue
            if key not in found or rate > found[key][1]:
                found[key] = (unit, rate)
    return found


def cells_table(cells: Mapping[tuple, Runs], trained: Trained) -> Table:
    """Every cell with what the recipe takes, beside the best published unit."""
    best, rows = best_published(trained), []
    for key, runs in cells.items():
        solved, rounded = runs.taken(STARTS)
        rate = share(solved)
        unit, published = best.get(key, ("", float("nan")))
        cost = 2 * STARTS * STEPS / max(rate.value, 1e-9) / 1e6
        percents = (percent_text(rate), percent_text(share(rounded)))
        shown = f"{100 * published:.0f} % ({unit})" if unit else "not run"
        rows.append((*key, solved.size, *percents, shown, cost))
    names = ("problems", "solved", "rounded", "best published", "million steps")
    return columns(("inputs", "operation", "range", *names), rows)


def starts_table(cells: Mapping[tuple, Runs]) -> Table:
    """What fewer starts give: all cells of a size together, and the worst of them."""
    rows = []
    for inputs in dict.fromkeys(key[0] for key in cells):
        of_size = [runs for key, runs in cells.items() if key[0] == inputs]
        for starts in COUNTS:
            solved, rounded = zip(
                *(runs.taken(starts) for runs in of_size), strict=True
            )
            rates = [100 * s.mean() for s in solved]
            both = [100 * np.concatenate(s).mean() for s in (solved, rounded)]
            label = f"{inputs} inputs"
            rows.append(
                (label, starts, *both, min(rates), 100 * min(map(np.mean, rounded)))
            )
    names = ("solved, %", "rounded, %", "worst cell, %", "worst cell rounded, %")
    return columns(("inputs", "starts", *names), rows)


def compute(trained: Trained) -> Computed:
    """All tables; what the folder has already is not trained again."""
    problems = trained.seeds or PROBLEMS
    kept = Kept(trained.results.folder, SHEET.name, "runs", NAMES, len(KEYS))
    try:
        for inputs, network in product(SIZES, FAMILY):
            group = Group(inputs, network)
            for (operation, where), cell in group.cells(problems, STEPS).items():
                labels = (inputs, SYMBOLS[operation], where, network)
                if any((*labels, p) not in kept.rows for p in range(problems)):
                    for row in rows_of(group, operation, where, cell, trained.progress):
                        kept.add(row)
    finally:
        kept.write()
    cells = by_cell(list(kept.rows.values()), problems)
    return Computed(
        {
            "runs": kept.table(kept.rows.values()),
            "cells": cells_table(cells, trained),
            "starts": starts_table(cells),
        }
    )


def study() -> Study:
    """One setting for all cells of two and ten inputs."""
    return SHEET.study((), compute)

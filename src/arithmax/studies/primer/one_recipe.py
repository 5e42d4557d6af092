"""One recipe for all operations, ranges and sizes: how often it is right."""

from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Any

from ...tasks import Starts
from ...training import Adam, Cell, Criterion, Protocol
from ...units import NAU, NMRU, Unit
from .._criteria import percent_text
from .._evaluate import Trained
from .._grid import SYMBOLS
from .._kept import Kept
from .._sheet import sheet
from .._study import Computed, Study, Table, columns
from ._runs import OPERATIONS, RANGES, task
from ._taken import (
    KEYS,
    NAMES,
    STARTS_NAMES,
    Labels,
    Runs,
    best_published,
    by_cell,
    keep_trained,
    kept_rows,
    share,
    starts_table,
)

SHEET = sheet("primer", "one-recipe")
FAMILY: dict[str, Unit] = {"NAU": NAU(), "NMRU": NMRU()}
SIZES = (2, 10)
STARTS = 8
COUNTS = (1, 2, 4, 8)  # starts of which the best is taken
PROBLEMS = 100
STEPS = 100_000
# What the recipe is without one of its parts, with ten inputs and one start.
WITHOUT: dict[str, dict[str, Any]] = {
    "as it is": {},
    "no falling rate": {"schedule": None},
    "no clipping": {"transforms": ()},
    "no penalty": {"penalties": ()},
    "a tenth of the rate": {"optimiser": Adam(1e-3)},
}
AMONG = 10


def cells(
    sizes: tuple[int, ...], problems: int, starts: int, **changes: Any
) -> Iterator[tuple[Labels, int, Cell]]:
    """Every cell with each network of the family."""
    protocol = Protocol.recipe(STEPS).updated(
        criterion=Criterion(epsilon=1e-4, rule="authors"),  # as the Primer has it
        **changes,
    )
    seeds = tuple(range(problems * starts))
    for inputs, network in product(sizes, FAMILY):
        for operation, where in product(OPERATIONS, RANGES):
            several = Starts(task(operation, where, inputs), starts)
            labels = (inputs, SYMBOLS[operation], where, network)
            yield labels, starts, Cell(FAMILY[network], several, protocol, seeds)


def cells_table(found: Mapping[tuple, Runs], trained: Trained) -> Table:
    """Every cell with what the recipe takes, beside the best published unit."""
    best, rows = best_published(trained.results.folder), []
    for key, runs in found.items():
        solved, rounded = runs.taken(STARTS)
        unit, published = best.get(key, ("", float("nan")))
        percents = (percent_text(share(solved)), percent_text(share(rounded)))
        shown = f"{100 * published:.0f} % ({unit})" if unit else "not run"
        rows.append((*key, solved.size, *percents, shown, runs.cost(STEPS) / 1e6))
    names = ("problems", "solved", "rounded", "best published", "million steps")
    return columns(("inputs", "operation", "range", *names), rows)


def without_table(found: Mapping[str, Mapping[tuple, Runs]]) -> Table:
    """The recipe without each of its parts: all cells of ten inputs, and the worst."""
    rows = []
    rates = STARTS_NAMES[2:]
    for name, by_key in found.items():
        table = starts_table(by_key, (1,))
        rows.append((name, *(table[rate][0] for rate in rates)))
    return columns(("the recipe, one start", *rates), rows)


def kept_runs(folder: Path | None) -> Kept:
    """The runs that a folder has of all cells."""
    return Kept(folder, SHEET.name, "runs", NAMES, len(KEYS))


def stored_runs(folder: Path | None, problems: int) -> dict[tuple, Runs]:
    """The runs that a folder has of each cell, without training."""
    listed = cells(SIZES, problems, STARTS)
    return by_cell(kept_rows(kept_runs(folder), listed, problems))


def compute(trained: Trained) -> Computed:
    """All tables; what the folder has already is not trained again."""
    problems = trained.seeds or PROBLEMS
    kept = kept_runs(trained.results.folder)
    listed = cells(SIZES, problems, STARTS)
    found = by_cell(keep_trained(kept, listed, problems, trained.progress))
    tables = {
        "runs": kept.table(kept.rows.values()),
        "cells": cells_table(found, trained),
        "starts": starts_table(found, COUNTS),
    }
    without = {}
    for name, changes in WITHOUT.items():
        table = "runs-" + name.replace(" ", "-")
        fewer = Kept(trained.results.folder, SHEET.name, table, NAMES, len(KEYS))
        listed = cells((AMONG,), problems, 1, **changes)
        rows = keep_trained(fewer, listed, problems, trained.progress)
        without[name] = by_cell(rows)
        tables[table] = fewer.table(fewer.rows.values())
    return Computed(tables | {"without": without_table(without)})


def study() -> Study:
    """One setting for all cells of two and ten inputs."""
    return SHEET.study((), compute)

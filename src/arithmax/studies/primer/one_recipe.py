"""One recipe for all operations, ranges and sizes: how often it is right."""

from collections.abc import Mapping
from typing import Any

from ...training import Adam
from .._criteria import percent_text
from .._evaluate import Trained
from .._kept import Kept
from .._sheet import sheet
from .._study import Computed, Study, Table, columns
from ._recipe import PROBLEMS, SIZES, STARTS, STEPS, STUDY, cells, kept_runs
from ._taken import (
    KEYS,
    NAMES,
    STARTS_NAMES,
    Runs,
    best_published,
    by_cell,
    keep_trained,
    share,
    starts_table,
)

SHEET = sheet("primer", STUDY)
COUNTS = (1, 2, 4, 8)  # starts of which the best is taken
# What the recipe is without one of its parts, with ten inputs and one start.
WITHOUT: dict[str, dict[str, Any]] = {
    "as it is": {},
    "no falling rate": {"schedule": None},
    "no clipping": {"transforms": ()},
    "no penalty": {"penalties": ()},
    "a tenth of the rate": {"optimiser": Adam(1e-3)},
}
AMONG = 10


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

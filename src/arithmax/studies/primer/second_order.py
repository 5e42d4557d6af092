"""Two layers, steps of second order: one setting for up to a hundred inputs."""

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

from ...networks import Stack
from ...tasks import Starts, Subsets, Task
from ...training import Cell, Criterion, Protocol
from ...units import NAU, NMU, NRU, Uniform
from .._criteria import percent_text
from .._evaluate import Trained
from .._grid import SYMBOLS
from .._kept import Kept
from .._run import stored_tables
from .._sheet import sheet
from .._study import Computed, Study, Table, columns
from ._runs import OPERATIONS, RANGES, task
from ._tables import published_rows
from ._taken import (
    KEYS,
    NAMES,
    Labels,
    Runs,
    best_published,
    by_cell,
    keep_trained,
    share,
    starts_table,
)

SHEET = sheet("primer", "second-order")
START = Uniform(0.25, 0.75)  # of the first layer: sums of all signs are far from zero
UNITS = {"NAU→NAU": NAU(), "NAU→NMU": NMU(), "NAU→NRU": NRU()}
HUNDRED = 100  # two sums of 25 of so many inputs: the arithmetic dataset
STARTS = {2: 8, 10: 8, HUNDRED: 4}  # by the number of inputs
COUNTS = (1, 2, 4, 8)
PROBLEMS = 100
STEPS = 500


def network(name: str) -> Stack:
    """Two layers with two values between them."""
    return Stack((NAU(), UNITS[name]), hidden=(2,), starts=(("0.W", START),))


def problem(operation: str, where: str, inputs: int) -> Task | None:
    """The task of a cell; none where a divisor crosses zero and has no mean square."""
    if inputs < HUNDRED:
        return task(operation, where, inputs)
    (low, *_, high), outer = RANGES[where]
    if operation == "div" and low < 0 < high:
        return None
    return Subsets(operation, interpolation=(low, high), extrapolation=outer)  # type: ignore[arg-type]  # a literal


def cells(problems: int) -> Iterator[tuple[Labels, int, Cell]]:
    """Every cell with each network."""
    for (inputs, starts), name in product(STARTS.items(), UNITS):
        # As the papers of both tasks have it.
        criterion = Criterion(1e-5 if inputs == HUNDRED else 1e-4, rule="authors")
        protocol = Protocol.second_order(STEPS, criterion=criterion)
        seeds = tuple(range(problems * starts))
        for operation, where in product(OPERATIONS, RANGES):
            if (asked := problem(operation, where, inputs)) is not None:
                labels = (inputs, SYMBOLS[operation], where, name)
                several = Starts(asked, starts)
                yield labels, starts, Cell(network(name), several, protocol, seeds)


def printed() -> dict[tuple, tuple[str, float]]:
    """The best published unit of a hundred inputs, where a rate is published."""
    found: dict[tuple, tuple[str, float]] = {}
    for row, _ in published_rows("arithmetic-dataset-ranges"):
        key, rate = (HUNDRED, "×", row["range"]), row["solved"] / row["runs"]
        if key not in found or rate > found[key][1]:
            found[key] = (row["model"], rate)
    return found


def first_order(folder: Any, problems: int) -> dict[tuple, Runs]:
    """The runs of the recipe of first order, if the folder has them."""
    table = stored_tables("one-recipe", folder).get("runs", {}) if folder else {}
    rows = zip(*(table[name] for name in NAMES), strict=True) if table else ()
    return by_cell(rows, problems)


def cells_table(found: Mapping[tuple, Runs], trained: Trained, problems: int) -> Table:
    """Every cell: by this recipe, by the other, and by both."""
    folder = trained.results.folder
    published, rows = best_published(folder) | printed(), []
    other = first_order(folder, problems)
    for key, runs in found.items():
        solved, rounded = runs.taken(runs.starts)
        percents = [percent_text(share(part)) for part in (solved, rounded)]
        adam = both = "not run"
        if key in other and other[key].solved.shape[1] == solved.size:
            adam = percent_text(share(other[key].taken(runs.starts)[0]))
            both = percent_text(share(runs.beside(other[key]).taken(runs.starts)[0]))
        unit, rate = published.get(key, ("", 0.0))
        best = f"{100 * rate:.0f} % ({unit})" if unit else "none"
        rows.append((*key, solved.size, runs.starts, *percents, adam, both, best))
    names = ("problems", "starts", "solved", "rounded", "first order", "both", "best")
    return columns(("inputs", "operation", "range", *names), rows)


def networks_table(rows: Any, problems: int) -> Table:
    """What one start of each network does, in %: by inputs, operation and network."""
    listed = list(rows)
    made: list[tuple] = []
    for name in UNITS:
        found = by_cell((row for row in listed if row[3] == name), problems)
        for inputs, operation in dict.fromkeys(key[:2] for key in found):
            some = [r for key, r in found.items() if key[:2] == (inputs, operation)]
            rates = [100 * runs.solved.mean() for runs in some]
            mean = sum(rates) / len(rates)
            made.append((inputs, operation, name, mean, min(rates), max(rates)))
    names = ("inputs", "operation", "network", "solved, %", "worst range, %")
    return columns((*names, "best range, %"), sorted(made, key=lambda row: row[0]))


def compute(trained: Trained) -> Computed:
    """All tables; what the folder has already is not trained again."""
    problems = trained.seeds or PROBLEMS
    kept = Kept(trained.results.folder, SHEET.name, "runs", NAMES, len(KEYS))
    keep_trained(kept, cells(problems), problems, trained.progress)
    found = by_cell(kept.rows.values(), problems)
    return Computed(
        {
            "runs": kept.table(kept.rows.values()),
            "cells": cells_table(found, trained, problems),
            "networks": networks_table(kept.rows.values(), problems),
            "starts": starts_table(found, COUNTS),
        }
    )


def study() -> Study:
    """One setting for two, ten and a hundred inputs."""
    return SHEET.study((), compute)

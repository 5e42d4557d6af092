"""Two layers, steps of second order: one setting for up to a hundred inputs."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np

from ...networks import Stack
from ...tasks import NumpyKey, Starts, Subsets, Task
from ...training import Adam, Cell, Criterion, Measuring, Protocol
from ...units import NAU, NMU, NRU, Distribution, RealNaiveNPU, Uniform
from .._criteria import percent_text
from .._evaluate import Trained
from .._grid import NAMED, SYMBOLS
from .._kept import Kept, name_of_setting
from .._published import figures_file
from .._sheet import sheet
from .._study import Computed, Study, Table, columns
from ._recipe import stored_runs
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
    train,
)

SHEET = sheet("primer", "second-order")
START = Uniform(0.25, 0.75)  # of the first layer: sums of all signs are far from zero
NamedStarts = tuple[tuple[str, Distribution], ...]
STARTS_OF_SUMS: NamedStarts = (("0.W", START),)
ROOTS = "NAU→RealNaiveNPU"  # a power that is learned: the one network that has √
UNITS = {"NAU→NAU": NAU(), "NAU→NMU": NMU(), "NAU→NRU": NRU(), ROOTS: RealNaiveNPU()}
HUNDRED = 100  # two sums of 25 of so many inputs: the arithmetic dataset
DATASET_RANGE = "[1, 2)"
# The dataset's other operations, on its own range, and by which networks.
OF_ONE_SUM = {
    "sqrt": ("NAU→NAU", "NAU→NMU", ROOTS),
    "square": ("NAU→NAU", "NAU→NMU"),
}
STARTS = {2: 8, 10: 8, HUNDRED: 4}  # by the number of inputs
COUNTS = (1, 2, 4, 8)
PROBLEMS = 100
STEPS = 500
NINE_RANGES = "arithmetic-dataset-ranges"
ON_ONE_RANGE = ("arithmetic-dataset", "learning-rate")
RESISTS = 0.99  # below it a cell is listed
SAMPLES = 10_000  # of which the variance of targets is taken
FIRST_SEEDS, FIRST_STEPS = 16, 100_000  # of the recipe of first order, for comparison
FIRST_STARTS = {"as the NAU starts": (), "between ¼ and ¾": STARTS_OF_SUMS}
FIRST_KEYS = ("start", "operation", "seed", "setting")
FIRST_NAMES = (*FIRST_KEYS, "solved", "interpolation")
# What the setting is with one of its parts changed: single starts, of the network that
# has the operation, with a hundred inputs on one range.
CHANGED: dict[str, dict[str, Any]] = {
    "as it is": {},
    "the NAU's own start": {"starts": ()},
    "250 samples": {"batches__size": 250},
    "1,000 samples": {"batches__size": 1000},
    "100 steps": {"steps": 100},
    "single precision": {"precision": "float32"},
    "20,000 steps of Adam": {
        "steps": 20_000,
        "optimiser": Adam(1e-2),
        "measuring": Measuring(1000),
    },
}
CHANGED_SEEDS = 32
HAS = {"add": "NAU→NAU", "sub": "NAU→NAU", "mul": "NAU→NMU", "div": "NAU→NRU"}


def network(name: str, starts: NamedStarts = STARTS_OF_SUMS) -> Stack:
    """Two layers with two values between them."""
    return Stack((NAU(), UNITS[name]), hidden=(2,), starts=starts)


def problem(operation: str, where: str, inputs: int) -> Task | None:
    """The task of a cell; none where a divisor crosses zero and has no mean square."""
    if inputs < HUNDRED:
        return task(operation, where, inputs)
    (low, *_, high), outer = RANGES[where]
    if operation == "div" and low < 0 < high:
        return None
    return Subsets(operation, interpolation=(low, high), extrapolation=outer)  # type: ignore[arg-type]  # a literal


def setting(inputs: int, **changes: Any) -> Protocol:
    """The setting, judged as the paper of the task does, with other parts."""
    criterion = Criterion(1e-5 if inputs == HUNDRED else 1e-4, rule="authors")
    return Protocol.second_order(STEPS, criterion=criterion).updated(**changes)


def asked_of(inputs: int, name: str) -> list[tuple[str, str]]:
    """Operations and ranges that a network is trained on.

    The network of roots, which takes hours with a hundred inputs, has the root alone
    there.
    """
    nine = [(operation, where) for operation in OPERATIONS for where in RANGES]
    if inputs < HUNDRED:
        return nine
    others = [(o, DATASET_RANGE) for o, names in OF_ONE_SUM.items() if name in names]
    return others if name == ROOTS else [*nine, *others]


def cells(problems: int) -> Iterator[tuple[Labels, int, Cell]]:
    """Every cell with each network."""
    for (inputs, starts), name in product(STARTS.items(), UNITS):
        protocol = setting(inputs)
        seeds = tuple(range(problems * starts))
        for operation, where in asked_of(inputs, name):
            if (asked := problem(operation, where, inputs)) is not None:
                labels = (inputs, SYMBOLS[operation], where, name)
                several = Starts(asked, starts)
                yield labels, starts, Cell(network(name), several, protocol, seeds)


def cell_key(operation: str) -> tuple[int, str, str]:
    """The labels of the cell of an operation whose setting is changed."""
    return HUNDRED, SYMBOLS[operation], DATASET_RANGE


def changed(name: str, seeds: int) -> Iterator[tuple[Labels, int, Cell]]:
    """Each operation of a hundred inputs on one range, with a part changed."""
    settings = dict(CHANGED[name])
    starts = settings.pop("starts", STARTS_OF_SUMS)
    for operation, pair in HAS.items():
        asked = problem(operation, DATASET_RANGE, HUNDRED)
        assert asked is not None
        stack, protocol = network(pair, starts), setting(HUNDRED, **settings)
        cell = Cell(stack, asked, protocol, tuple(range(seeds)))
        yield (name, *cell_key(operation), pair), 1, cell


def printed() -> dict[tuple, tuple[str, float]]:
    """The best published unit of a hundred inputs, where a rate is published."""
    found: dict[tuple, tuple[str, float]] = {}
    rows = [(row, "×", row["range"]) for row, _ in published_rows(NINE_RANGES)]
    for name in ON_ONE_RANGE:
        for row in figures_file("slides", name)["rows"]:
            rows.append((row, SYMBOLS[row["operation"]], DATASET_RANGE))
    for row, symbol, where in rows:
        key, rate = (HUNDRED, symbol, where), row["solved"] / row["runs"]
        if key not in found or rate > found[key][1]:
            found[key] = (row["model"], rate)
    return found


def cells_table(found: Mapping[tuple, Runs], trained: Trained, problems: int) -> Table:
    """Every cell: by this recipe, by the other, and by both."""
    folder = trained.results.folder
    published, rows = best_published(folder) | printed(), []
    other = stored_runs(folder, problems)
    for key, runs in found.items():
        solved, rounded = runs.taken(runs.starts)
        percents = [percent_text(share(part)) for part in (solved, rounded)]
        adam = both = "not run"
        if key in other and other[key].solved.shape[1] == solved.size:
            adam = percent_text(share(other[key].taken(runs.starts)[0]))
            both = percent_text(share(runs.beside(other[key]).taken(runs.starts)[0]))
        unit, rate = published.get(key, ("", 0.0))
        best = f"{100 * rate:.0f} %" + f" ({unit})" * bool(rate) if unit else "none"
        shown = (*percents, adam, both, best, runs.cost(STEPS) / 1e3)
        rows.append((*key, solved.size, len(runs.solved) * runs.starts, *shown))
    names = ("problems", "runs", "solved", "rounded", "first order", "both", "best")
    names += ("thousand steps",)
    return columns(("inputs", "operation", "range", *names), rows)


def networks_table(rows: Sequence[tuple]) -> Table:
    """What one start of each network does, in %: by inputs, operation and network."""
    made: list[tuple] = []
    for name in UNITS:
        found = by_cell(row for row in rows if row[3] == name)
        for inputs, operation in dict.fromkeys(key[:2] for key in found):
            some = [r for key, r in found.items() if key[:2] == (inputs, operation)]
            rates = [100 * runs.solved.mean() for runs in some]
            mean = sum(rates) / len(rates)
            made.append((inputs, operation, name, mean, min(rates), max(rates)))
    names = ("inputs", "operation", "network", "solved, %", "worst range, %")
    return columns((*names, "best range, %"), sorted(made, key=lambda row: row[0]))


def resisting(found: Mapping[tuple, Runs]) -> Table:
    """The cells that are solved less often, and what is left where they are not."""
    rows = []
    for (inputs, symbol, where), runs in found.items():
        solved, _ = runs.taken(runs.starts)
        if solved.mean() >= RESISTS:
            continue
        every = np.moveaxis(runs.errors, 0, 1).reshape(solved.size, -1)
        left = np.median(np.nanmin(every[~solved], axis=1))
        asked = problem(NAMED[symbol], where, inputs)
        assert asked is not None
        _, t = asked.draw("training", asked.replica(0), NumpyKey(0), SAMPLES)
        started = 100 * runs.solved.mean(axis=(1, 2)).max()
        numbers = (100 * solved.mean(), started, float(left), float(np.var(t)))
        rows.append((inputs, symbol, where, *numbers))
    names = ("solved, %", "starts of the best network, %", "error left", "variance")
    return columns(("inputs", "operation", "range", *names), rows)


def by_first_order(trained: Trained) -> Table:
    """The same task by the recipe of first order: it ends at a saddle.

    Where both sums are learned as their mean, ¼ (a − b)² is left.
    """
    kept = Kept(
        trained.results.folder,
        SHEET.name,
        "first-order",
        FIRST_NAMES,
        len(FIRST_KEYS),
    )
    task, protocol = Subsets("mul"), Protocol.recipe(FIRST_STEPS)
    seeds = tuple(range(min(trained.seeds or FIRST_SEEDS, FIRST_SEEDS)))
    keys = {}
    try:
        for start, made in FIRST_STARTS.items():
            stack = Stack((NAU(), NMU()), hidden=(2,), starts=made)
            cell = Cell(stack, task, protocol, seeds)
            setting = name_of_setting(cell)
            keys[start] = {seed: (start, "×", seed, setting) for seed in seeds}
            lacking = [s for s, key in keys[start].items() if key not in kept.rows]
            if lacking:
                keep_runs(
                    kept,
                    keys[start],
                    replace(cell, seeds=tuple(lacking)),
                    trained.progress,
                )
    finally:
        kept.write()
    rows, saddle = [], sum(saddle_error(task, seed) for seed in seeds) / len(seeds)
    for start in FIRST_STARTS:
        ended = [kept.rows[key] for key in keys[start].values()]
        *_, done, errors = zip(*ended, strict=True)
        quantiles = np.nanquantile(errors, (0, 0.5, 1)).tolist()
        count = sum(done)
        rows.append((start, len(ended), count, *quantiles, saddle))
    names = ("start", "runs", "solved", "least error", "median error", "largest error")
    return columns((*names, "error of the saddle"), rows)


def keep_runs(
    kept: Kept, keys: Mapping[int, tuple], cell: Cell, progress: bool
) -> None:
    """Train runs of a cell, and keep of each whether it is solved, and its error."""
    results = train(cell, progress)
    for row in results.rows:
        done = row["outcome"] == "solved"
        kept.add((*keys[row["seed"]], done, row["interpolation"]))
    if results.interrupted:
        raise KeyboardInterrupt


def saddle_error(task: Subsets, seed: int) -> float:
    """What is left of a product of sums a and b that are both learned as their mean."""
    x, _ = task.draw("training", task.replica(seed), NumpyKey(0), SAMPLES)
    a, b = (np.asarray(x)[places].sum(axis=0) for places in task.places(seed))
    return float(np.var((a - b) ** 2 / 4))


def by_parts(trained: Trained) -> tuple[Table, Table]:
    """Runs with each part changed, and how many of each operation are solved."""
    names = ("changed", *NAMES)
    kept = Kept(
        trained.results.folder, SHEET.name, "runs-changed", names, 1 + len(KEYS)
    )
    seeds = min(trained.seeds or CHANGED_SEEDS, CHANGED_SEEDS)
    listed = (cell for name in CHANGED for cell in changed(name, seeds))
    found = by_cell(keep_trained(kept, listed, seeds, trained.progress))
    cells = {name: [(name, *cell_key(op)) for op in HAS] for name in CHANGED}
    rows = [
        (name, *(percent_text(share(found[key].solved)) for key in keys))
        for name, keys in cells.items()
    ]
    titles = ("setting, one start", *(SYMBOLS[operation] for operation in HAS))
    return kept.table(kept.rows.values()), columns(titles, rows)


def compute(trained: Trained) -> Computed:
    """All tables; what the folder has already is not trained again."""
    problems = trained.seeds or PROBLEMS
    kept = Kept(trained.results.folder, SHEET.name, "runs", NAMES, len(KEYS))
    rows = keep_trained(kept, cells(problems), problems, trained.progress)
    found = by_cell(rows)
    hundred = [row for row in rows if row[0] == HUNDRED]
    runs_changed, parts = by_parts(trained)
    return Computed(
        {
            "runs": kept.table(kept.rows.values()),
            "cells": cells_table(found, trained, problems),
            "networks": networks_table(rows),
            "hundred": networks_table(hundred),
            "starts": starts_table(found, COUNTS),
            "resisting": resisting(found),
            "runs-changed": runs_changed,
            "parts": parts,
            "saddle": by_first_order(trained),
        }
    )


def study() -> Study:
    """One setting for two, ten and a hundred inputs."""
    return SHEET.study((), compute)

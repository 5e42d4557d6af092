"""The recipe of first order: its cells, and the runs that a folder has of them."""

from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

from ...tasks import Starts
from ...training import Cell, Criterion, Protocol
from ...units import NAU, NMRU, Unit
from .._grid import SYMBOLS
from .._kept import Kept
from ._runs import OPERATIONS, RANGES, task
from ._taken import KEYS, NAMES, Labels, Runs, by_cell, kept_rows

STUDY = "one-recipe"
FAMILY: dict[str, Unit] = {"NAU": NAU(), "NMRU": NMRU()}
SIZES = (2, 10)
STARTS = 8
PROBLEMS = 100
STEPS = 100_000


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


def kept_runs(folder: Path | None) -> Kept:
    """The runs that a folder has of all cells."""
    return Kept(folder, STUDY, "runs", NAMES, len(KEYS))


def stored_runs(folder: Path | None, problems: int) -> dict[tuple, Runs]:
    """The runs that a folder has of each cell, without training."""
    listed = cells(SIZES, problems, STARTS)
    return by_cell(kept_rows(kept_runs(folder), listed, problems))

"""Which starts are tried, and how each of them ended.

The outcomes of a cell are a text with a sign for each seed, seed 0 first: `1` where the
run succeeded, `0` where it did not. Starts are not stored: a seed and its cell say what
they are.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ...training import Cell
from .._registry import studies

CRITERION = "ε = 1e-4"  # the one by which the runs of the single module task are solved
KEYS = ("unit", "operation", "range")
NAMES = (*KEYS, "solved", "rounded")
LEAST = 0.01  # the share of runs that must be solved, and not solved

Key = tuple[str, str, str]


def chosen(criteria: Mapping[str, Sequence[Any]]) -> Iterator[Key]:
    """Of each unit and operation the range whose success rate is nearest to ½.

    Where all ranges are always solved or never there is none.

    Args:
        criteria: the table of that name of the single module task.
    """
    rates: dict[tuple[str, str], dict[str, float]] = {}
    names = (*KEYS, "criterion", "seeds", "solved")
    for row in zip(*(criteria[name] for name in names), strict=True):
        unit, operation, span, criterion, seeds, solved = row
        if criterion == CRITERION and LEAST <= solved / seeds <= 1 - LEAST:
            rates.setdefault((unit, operation), {})[span] = solved / seeds
    for (unit, operation), found in rates.items():
        nearest = min(found, key=lambda span: abs(found[span] - 0.5))
        yield unit, operation, nearest


def basin(key: Key, seeds: Sequence[int]) -> Cell:
    """A cell of the single module task with other seeds."""
    only: dict[str, str] = dict(zip(KEYS, key, strict=True))
    (arm,) = studies()["single-module"].only(only).arms
    return replace(arm.cell, seeds=tuple(seeds))


def in_order(keys: Iterable[Any]) -> list[Key]:
    """Cells in the order of the single module task."""
    arms = studies()["single-module"].arms
    places = {tuple(arm.labels[n] for n in KEYS): i for i, arm in enumerate(arms)}
    return sorted(keys, key=lambda key: places[key])

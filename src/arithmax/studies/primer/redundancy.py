"""The single module task among inputs that are to be ignored."""

from typing import Any

from ...statistics import Interval
from .._criteria import Judgement
from .._evaluate import Trained
from .._grid import SYMBOLS
from .._sheet import sheet
from .._study import Arm, Computed, Study
from ._runs import OPERATIONS, RANGES, UNITS, able, cell, task
from ._tables import published_rows, tables

SHEET = sheet("primer", "redundancy")
SIZES = (10, 100)


def claim(row: dict[str, Any]) -> str:
    """The name of a mean over the nine ranges."""
    return SHEET.claim("solved", symbol=SYMBOLS[row["operation"]], **row)


def compute(trained: Trained) -> Computed:
    """The tables, and our means where all nine ranges were run in full."""
    figures: dict[str, Interval] = {}
    for row, _ in published_rows("redundancy"):
        which = {"unit": row["unit"], "inputs": row["inputs"]}
        arms = trained.arms(operation=SYMBOLS[row["operation"]], **which)
        if len(arms) == len(RANGES) and not any(f.reduced for f in arms):
            figures[claim(row)] = Judgement.of(arms, row["criterion"]).success
    return Computed(tables(trained), figures)


def arms_of(unit: str, operation: str, size: int) -> list[Arm]:
    """A unit's arms on the nine ranges."""
    symbol = SYMBOLS[operation]
    return [
        Arm(
            {"unit": unit, "operation": symbol, "inputs": size, "range": name},
            cell(unit, task(operation, name, size)),
        )
        for name in RANGES
    ]


def study() -> Study:
    """The Primer's and the division paper's runs with redundant inputs."""
    arms = [
        arm
        for unit in UNITS
        for operation in OPERATIONS
        for size in (SIZES if unit == "NAU" else SIZES[:1])
        if unit in able(operation, size)
        for arm in arms_of(unit, operation, size)
    ]
    rows = published_rows("redundancy")
    claims = {claim(row): figures["success"] for row, figures in rows}
    return SHEET.study(arms, compute, claims)

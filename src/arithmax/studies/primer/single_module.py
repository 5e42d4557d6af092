"""The Primer's single module task: every unit, four operations, nine ranges."""

from typing import Any

from ...statistics import Interval, Range
from .._criteria import Judgement
from .._evaluate import Trained
from .._grid import SYMBOLS
from .._sheet import sheet
from .._study import Arm, Computed, Published, Study
from .._tables import exact
from ._runs import OPERATIONS, RANGES, UNITS, able, cell, labels, task
from ._tables import published_rows, tables

SHEET = sheet("primer", "single-module")
COUNTED = "ε = 1e-4"  # the criterion by which runs count as solved
CLAIMS = {"success": "solved", "solved_at": "step", "sparsity": "sparsity"}


def labels_of(row: dict[str, Any]) -> dict[str, str | int]:
    """The labels of the arm that a published row is about."""
    return labels(row["unit"], row["operation"], row["range"])


def claim(row: dict[str, Any], measure: str) -> str:
    """The name of a published figure that was made with another criterion."""
    symbol = SYMBOLS[row["operation"]]
    return SHEET.claim(CLAIMS[measure], symbol=symbol, **row)


def compute(trained: Trained) -> Computed:
    """The tables, and our figures beside those of other criteria."""
    figures: dict[str, Interval | Range] = {}
    for row, published in published_rows("single-module"):
        arms = [f for f in trained.arms(**labels_of(row)) if not f.reduced]
        if row["criterion"] == COUNTED or not arms:
            continue
        judged = Judgement.of(arms, row["criterion"])
        sparsity = None if judged.sparsity is None else exact(judged.sparsity)
        ours = {
            "success": judged.success,
            "solved_at": judged.step,
            "sparsity": sparsity,
        }
        for measure in published:
            if (figure := ours[measure]) is not None:
                figures[claim(row, measure)] = figure
    return Computed(tables(trained), figures)


def study() -> Study:
    """Section 6.5 of the Primer, with the units that came later."""
    known: dict[tuple, dict[str, Published]] = {}
    claims: dict[str, Published] = {}
    for row, published in published_rows("single-module"):
        if row["criterion"] == COUNTED:
            known[tuple(labels_of(row).values())] = published
        else:
            claims |= {claim(row, m): figure for m, figure in published.items()}
    arms = []
    for unit in UNITS:
        for operation in OPERATIONS:
            for name in RANGES if unit in able(operation) else ():
                names = labels(unit, operation, name)
                run = cell(unit, task(operation, name))
                arms.append(Arm(names, run, known.get(tuple(names.values()), {})))
    return SHEET.study(arms, compute, claims)

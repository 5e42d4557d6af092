"""Rows of table 2, with the reason for the means that were read out of order."""

from .._sheet import sheet
from .._study import Published
from ._figures import figures
from ._row_order import figure, simulated_cell

# Cells whose mean the order of the rows has moved so far that ours differs.
MOVED = (("add", "NAU"), ("sub", "NAU"), ("add", "NAC+"), ("square", "NAC•,NMU"))


def table_2(operation: str, model: str) -> dict[str, Published]:
    """The published figures of a model at an operation."""
    reasons = {}
    if (operation, model) in MOVED:
        reasons["solved_at"] = _moved(operation, model)
    return figures(
        "arithmetic-dataset", reasons=reasons, model=model, operation=operation
    )


def _moved(operation: str, model: str) -> str:
    """Why a mean of the authors' rows is too large."""
    row = simulated_cell("table", model=model, operation=operation)
    text = sheet("slides", "arithmetic-dataset").texts["moved"]
    others = figure(row["others"])
    return text.format(moved=len(row["moved"]), solved=row["solved"], others=others)

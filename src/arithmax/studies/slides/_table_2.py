"""Rows of table 2, with the reason for the means that were read out of order."""

from typing import Any

from ...statistics import Interval, overlap
from .._published import row_with
from .._sheet import sheet
from .._study import Published
from ._figures import figures
from ._row_order import figure, in_steps, simulated


def table_2(operation: str, model: str) -> dict[str, Published]:
    """The published figures of a model at an operation."""
    remarks = {}
    row = row_with(simulated("table"), model=model, operation=operation)
    if row is not None and _is_moved(row):
        remarks["solved_at"] = {"reason": _moved(row)}
    return figures(
        "arithmetic-dataset", remarks=remarks, model=model, operation=operation
    )


def _is_moved(row: dict[str, Any]) -> bool:
    """Whether the steps that were moved change the mean by more than chance."""
    others, held = figure(row["others"]), figure(row["held"])
    if not isinstance(others, Interval) or not isinstance(held, Interval):
        return False
    return not overlap(others, held)


def _moved(row: dict[str, Any]) -> str:
    """Why a mean of the authors' rows is too large."""
    text = sheet("slides", "arithmetic-dataset").texts["moved"]
    others = in_steps(*row["others"])
    return text.format(moved=len(row["moved"]), solved=row["solved"], others=others)

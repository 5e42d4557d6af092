"""Published rows of the Primer's documents, and the tables that its studies share."""

from typing import Any

from .._criteria import criteria_table, totals_table
from .._evaluate import Trained
from .._failures import failure_table
from .._published import figures_file
from .._sheet import figure_of
from .._study import Published, Table


def published_rows(name: str) -> list[tuple[dict[str, Any], dict[str, Published]]]:
    """The rows of a file, each with its figures by measure."""
    file = figures_file("primer", name)
    return [(row, _figures(row, file["source"])) for row in file["rows"]]


def _figures(row: dict[str, Any], sources: dict[str, str]) -> dict[str, Published]:
    """A row's figures; its count has Wilson's interval, the others have none."""
    note = sources[row["source"]]
    given = {"success": {"solved": row["solved"], "runs": row["runs"]}}
    given |= {n: {"value": row[n]} for n in ("solved_at", "sparsity") if n in row}
    return {name: figure_of(entry | {"note": note}) for name, entry in given.items()}


def tables(trained: Trained) -> dict[str, Table]:
    """All criteria from the same runs, and what unsolved runs are stuck in."""
    arm_runs = trained.arms()
    return {
        "criteria": criteria_table(arm_runs),
        "totals": totals_table(arm_runs),
        "failures": failure_table(trained),
    }

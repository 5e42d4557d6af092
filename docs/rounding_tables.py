"""Cells that hardly any seed solves, though rounding finds the answer in many.

`study_pages.py` puts them where a page asks for them.
"""

from collections.abc import Callable, Sequence
from statistics import median
from typing import Any

from arithmax.report._markdown import folded_table, markdown_table
from arithmax.report._text import number_text
from arithmax.studies import ArmRuns, Evaluation
from arithmax.studies._rounding import by_gain, gain, rounded_arms
from arithmax.training import Cell, first_parameters
from arithmax.training._rounded import rounded_errors

STUDIES = ("single-module", "redundancy")
RARE, MANY = 0.1, 0.5  # a share of solved seeds, and a share that rounding adds
DRAWS = 100  # of initial weights
STARTS: dict[tuple, dict[str, Any]] = {}  # by network and number of inputs


def with_lifted(markdown: str, evaluations: Callable[[], list[Evaluation]]) -> str:
    """A page with the cells that rounding lifts where it asks for them.

    Args:
        markdown: the page, with markers `<!-- lifted: … -->`.
        evaluations: gives the studies that have runs.
    """
    if "<!-- lifted: " not in markdown:
        return markdown
    arms = [a for e in evaluations() if e.study.name in STUDIES for a in e.arm_runs]
    rare = [a for a in rounded_arms(arms) if a.summary and _share(a) < RARE]
    lifted = [a for a in by_gain(rare) if gain(a) >= MANY * len(a.rows)]
    made = {"counts": counts(rare, lifted), "table": table(lifted)}
    for name, shown in made.items():
        markdown = markdown.replace(f"<!-- lifted: {name} -->", shown)
    return markdown


def counts(rare: Sequence[ArmRuns], lifted: Sequence[ArmRuns]) -> str:
    """How many cells there are of each kind, in a sentence."""
    rarely, many = f"{len(rare):,}", f"{len(lifted):,}"
    return (
        f"{rarely} cells (a unit, an operation, a range, and two inputs or more) are "
        f"solved by fewer than {100 * RARE:.0f} % of their seeds; in {many} of these, "
        f"at least {100 * MANY:.0f} % of all seeds were not solved and are "
        "exact after rounding."
    )


def _share(arm: ArmRuns) -> float:
    return sum(row["outcome"] == "solved" for row in arm.rows) / len(arm.rows)


def table(arms: Sequence[ArmRuns]) -> str:
    """A line for each cell, the largest gain first."""
    names = ["unit", "operation", "range", "inputs", "solved", "exact after rounding"]
    names += ["exact before training", "sparsity error, median"]
    return folded_table(markdown_table(names, list(map(_line, arms))), len(arms))


def _line(arm: ArmRuns) -> list[str]:
    labels, total, cell = arm.arm.labels, len(arm.rows), arm.arm.cell
    solved = round(_share(arm) * total)
    which = [
        str(labels[name]).replace(", ", ",\N{NO-BREAK SPACE}")
        for name in ("unit", "operation", "range")
    ]
    return [
        *which,
        str(cell.task.in_features),
        f"{solved} of {total}",
        f"{solved + gain(arm)} of {total}",
        f"{100 * at_the_start(cell, arm.rows[0]['threshold']):.0f} %",
        number_text(median(row["sparsity"] for row in arm.rows)),
    ]


def at_the_start(cell: Cell, limit: float) -> float:
    """The share of initial weights that are exact after rounding: what luck gives."""
    drawn = starts(cell)
    errors = rounded_errors(
        (
            cell.network,
            cell.task,
            {name: values[k] for name, values in drawn.items()},
            k,
        )
        for k in range(DRAWS)
    )
    return sum(error < limit for error in errors) / DRAWS


def starts(cell: Cell) -> dict[str, Any]:
    """Initial weights of a network, drawn often; they are alike on every range."""
    key = cell.network, cell.task.in_features
    if key not in STARTS:
        STARTS[key] = first_parameters(cell, range(DRAWS))
    return STARTS[key]

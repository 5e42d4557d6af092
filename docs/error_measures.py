"""Figures of the page on errors: the measures of the NAU/NMU paper.

Published figures come from the studies' files and `data/errors.json`, each with its
source; ours from `results/` and the boards of the package.
"""

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from row_order_tables import entry_is_printed
from run_panels import evaluation, table
from scipy.stats import binom, binomtest

from arithmax.benchmark import shipped
from arithmax.studies._criteria import below
from arithmax.studies._grid import SYMBOLS
from arithmax.studies._published import figures_file
from arithmax.studies.slides import entry, published_rows, simulated, simulated_cell
from arithmax.tasks import Subsets

DATA = Path(__file__).parent / "data" / "errors.json"


def stored(name: str) -> dict[str, Any]:
    """A part of `data/errors.json`."""
    return json.loads(DATA.read_text(encoding="utf-8"))[name]


def markdown(names: Sequence[str], rows: Sequence[tuple], words: int = 1) -> str:
    """A table whose first columns are words and whose others are numbers."""
    ends = ["---" if k < words else "---:" for k in range(len(names))]
    cells = [[str(c).replace("|", "&#124;") for c in r] for r in (names, ends, *rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in cells)


def percent(share: float) -> str:
    """A share as a text."""
    return f"{100 * share:.0f} %"


# The NAU/NMU paper's statistics


def printed_rows() -> list[dict[str, Any]]:
    """The rows of table 2 that print a mean, with that of the published runs."""
    return [
        row
        for row in published_rows("arithmetic-dataset")
        if row["operation"] in ("add", "sub", "mul") and entry_is_printed(row)
    ]


def sparsity_ratios() -> dict[str, float]:
    """What is printed over the mean of the runs, where the beta fit was used."""
    return {
        f"{row['model']} {SYMBOLS[row['operation']]}": printed / row["sparsity"][0]
        for row in printed_rows()
        if (printed := row["printed"]["sparsity"][0]) < 0.9 * row["sparsity"][0]
    }


def beta_effect() -> str:
    ratios = sparsity_ratios()
    least, most = min(ratios.values()), max(ratios.values())
    return (
        f"{len(ratios)} of {len(printed_rows())} mean sparsity errors are printed at "
        f"{percent(least)} to {percent(most)} of their size"
    )


def merge_effect() -> str:
    cells = simulated("table")
    solved, moved = sum(c["solved"] for c in cells), sum(len(c["moved"]) for c in cells)
    nau = simulated_cell("table", model="NAU", operation="add")
    return (
        f"{moved} of {solved:,} steps are those of other rows; without them the NAU "
        f"learns + in {nau['others'][0]:,.0f} steps on average"
    )


def variance_effect() -> str:
    row: Any = entry("arithmetic-dataset", model="NAU", operation="add")
    printed, mean = row["printed"]["solved_at"][0], row["solved_at"][0]
    return (
        f"NAU, +: printed {printed:,.0f} steps, while the rows, moved ones and all, "
        f"have a mean of {mean:,.0f}"
    )


SIZES: dict[str, dict[str, Any]] = {
    "× of 100 inputs (as in table 2)": {},
    "+ of 100 inputs": {"operation": "add"},
    "×, subsets of 5 in 100": {"subset_ratio": 0.05},
    "×, subsets of 50 in 100": {"subset_ratio": 0.5},
    "× of 10 inputs": {"input_size": 10},
    "× of 4 inputs": {"input_size": 4},
}


@cache
def thresholds(name: str) -> tuple[float, float]:
    """What the script computes, and what the data set's subsets give."""
    settings: dict[str, Any] = {"operation": "mul"} | SIZES[name]
    task = Subsets(**settings)
    return task.threshold(rule="authors"), task.threshold(rule="exact")


def threshold_table() -> str:
    rows = []
    for name in SIZES:
        used, right = thresholds(name)
        rows.append((name, f"{used:.3g}", f"{right:.3g}", f"{used / right:.2f}"))
    return markdown(("task", "used", "of the task", "ratio"), rows)


def four_inputs() -> dict[str, tuple[int, int, int]]:
    """Of our runs with four inputs: solved by either threshold, and all."""
    limits, found = thresholds("× of 4 inputs"), {}
    for runs in evaluation("input-size").arm_runs:
        if runs.arm.labels["inputs"] == 4:
            counts = [sum(below(row, limit) for row in runs.rows) for limit in limits]
            found[str(runs.arm.labels["model"])] = (*counts, len(runs.rows))
    return found


def four_inputs_table() -> str:
    names = ("× of 4 inputs", "solved, threshold used", "solved, threshold of the task")
    rows = [
        (model, f"{used} of {runs}", f"{right} of {runs}")
        for model, (used, right, runs) in four_inputs().items()
    ]
    return markdown(names, rows)


def threshold_effect() -> str:
    used, right = thresholds("× of 4 inputs")
    few, many, runs = four_inputs()["NALU"]
    return (
        f"with 4 inputs {right / used:.1f} times too strict: NALU solves {few} of "
        f"{runs} of our runs in place of {many}; next to nothing changes in table 2"
    )


def lucky() -> dict[str, float]:
    """The printed count of NAC•, our rate, and the chance of so few."""
    row: Any = entry("simple-mul", model="NAC•")
    starts = table("simple-mul", "starts")
    ours, of = sum(starts["solved"]), sum(starts["seeds"])
    chance = float(binom.cdf(row["solved"], row["runs"], ours / of))
    return {
        "printed": row["solved"],
        "runs": row["runs"],
        "ours": ours,
        "of": of,
        "chance": chance,
    }


def luck_effect() -> str:
    found = lucky()
    return (
        f"NAC• is printed with {found['printed']} of {found['runs']}; "
        f"{found['ours']:,} of {found['of']:,} seeds of ours solve the task. So few "
        f"are found in one of {1 / found['chance']:.0f} draws of a hundred seeds"
    )


def other_rates() -> list[float]:
    """The chance of each published rate of the Primer's task under our thousand.

    Rates of ours that are 0 or 1 say nothing, and are left out.
    """
    board = next(b for b in shipped() if b.name == "single-module-1000")
    chances = []
    for row in figures_file("primer", "single-module")["rows"]:
        sign = SYMBOLS[row["operation"]]
        ours = board.scores[row["unit"], sign, row["range"], row["criterion"]]
        if 0 < ours.solved < ours.seeds:
            share = ours.solved / ours.seeds
            chances.append(float(binomtest(row["solved"], row["runs"], share).pvalue))
    return chances


def luck_table() -> str:
    found = table("simple-mul", "starts")
    names = ("Ŵ of layer 2 at the start", "seeds", "solved")
    return markdown(names, list(zip(*(found[name] for name in names), strict=True)))


def luck_elsewhere() -> str:
    chances, copied = other_rates(), stored("copied-seeds")
    return (
        f"A copy of the authors' loop with their seeds 0 to 99 gives their "
        f"{copied['seeds 0 to 99']}, the next hundred {copied['seeds 100 to 199']}. "
        "(The chance is that of a rate which was looked at because it stood out.) It "
        f"is the exception: of {len(chances)} published rates of 25 seeds on the "
        "Primer's single module task, where our thousand seeds solve some and not "
        "all, the one farthest from ours has a two-sided p of "
        f"{min(chances):.2f}."
    )

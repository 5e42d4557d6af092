"""The arithmetic dataset's product over the nine ranges of the Primer."""

from typing import Any

from ...networks import Network, Stack
from ...statistics import success_rate
from ...tasks import Subsets
from ...training import Cell, CorrelationThenSquaredError
from ...units import NAU, NMU, StochasticNMU
from .._evaluate import Trained
from .._grid import combinations
from .._learned import solved
from .._sheet import sheet
from .._study import Arm, Computed, Study
from .._tables import columns, ends
from ._runs import RANGES, run
from ._tables import published_rows

NAME = "arithmetic-dataset-ranges"
SHORT = {"steps": 2_000_000}
PCC = {"loss": CorrelationThenSquaredError(750_000)}
BETA = Stack((NAU(init="beta"), StochasticNMU()), (2,))
MODELS: dict[str, tuple[Network, dict[str, Any]]] = {
    "NMU": (NMU(), {}),
    "sNMU": (StochasticNMU(), SHORT),
    "sNMU, PCC-MSE": (StochasticNMU(), SHORT | PCC),
    "sNMU, PCC-MSE, beta-NAU": (BETA, SHORT | PCC),
}


def task(name: str) -> Subsets:
    """The product of two sums on one of the ranges."""
    inner, outer = RANGES[name]
    # A zero harms no product; plain ends share the runs of `input-range`.
    return Subsets("mul", interpolation=(inner[0], inner[-1]), extrapolation=outer)


def cell(model: str, range: str) -> Cell:
    """The authors' run of a model on a range."""
    unit, changes = MODELS[model]
    return run(unit, task(range), 20, **changes)


def compute(trained: Trained) -> Computed:
    """Success over all nine ranges, ours and published."""
    rows = []
    for model in MODELS:
        right = [done for f in trained.arms(model=model) for done in solved(f)]
        theirs = [row for row, _ in published_rows(NAME) if row["model"] == model]
        share = sum(r["solved"] for r in theirs) / sum(r["runs"] for r in theirs)
        if right:
            count = (len(right), int(sum(right)))
            rows.append((model, *count, *ends(success_rate(*count[::-1])), share))
    names = ("model", "runs", "solved", "rate", "low", "high", "published rate")
    return Computed({"means": columns(names, rows)})


def study() -> Study:
    """Slides 12 and 14 of 2021."""
    known = {
        (row["model"], row["range"]): labels for row, labels in published_rows(NAME)
    }
    grid = combinations(model=MODELS, range=RANGES)
    arms = [
        Arm(labels, cell(**labels), known[tuple(labels.values())]) for labels in grid
    ]
    return sheet("primer", NAME).study(arms, compute)

"""The slides on weight issues: where learned weights lie."""

import numpy as np

from ...statistics import success_rate
from ...tasks import Subsets
from .._evaluate import ArmRuns, Trained
from .._grid import SYMBOLS
from .._learned import matrices
from .._sheet import sheet
from .._study import Arm, Computed, Study, columns
from .._tables import ends, histogram
from ._runs import MODELS, run
from ._table_2 import table_2

EDGES = np.linspace(-1.025, 1.025, 42)  # whole numbers are middles of bars
NEAR = 0.01


def learned(arm_runs: ArmRuns, trained: Trained) -> np.ndarray:
    """Every weight of the solved runs of an arm."""
    runs = matrices(arm_runs, trained, only_solved=True)
    flat = [np.ravel(matrix) for run in runs for matrix in run.values()]
    return np.concatenate(flat) if flat else np.zeros(0)


def weight_histograms(trained: Trained) -> Computed:
    """A histogram of the weights of each arm, and how many are whole numbers."""
    drawn, shares = [], []
    for runs in trained.arms():
        weights = learned(runs, trained)
        if not weights.size:
            continue
        drawn += [
            (name, round(middle, 6), count / weights.size)
            for name, middle, count in histogram(runs.arm.name, weights, EDGES)
        ]
        near = int((np.abs(weights - np.round(weights)) < NEAR).sum())
        rate = ends(success_rate(near, weights.size))
        shares.append((*runs.arm.labels.values(), weights.size, near, *rate))
    names = ("operation", "model", "weights", "near", "share", "low", "high")
    return Computed(
        {
            "weights": columns(("arm", "weight", "share"), drawn),
            "shares": columns(names, shares),
        }
    )


def study() -> Study:
    """The slides' second weight issue."""
    arms = [
        Arm(
            {"operation": SYMBOLS[operation], "model": model},
            run(MODELS[model], Subsets(operation), 100),
            table_2(operation, model),
        )
        for operation in ("add", "sub")
        for model in ("NAC+", "NAU")
    ]
    return sheet("slides", "weight-bias").study(arms, weight_histograms)

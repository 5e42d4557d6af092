"""The slides on weight issues: where learned weights lie."""

from typing import Any

import numpy as np

from ..statistics import success_rate
from ._arithmetic_dataset import REASONS
from ._evaluate import Found, Trained
from ._madsen_johansen import MODELS, PAPER, SYMBOLS, arithmetic, cell, entry, figures
from ._plots import Bars, Weights
from ._study import Arm, Computed, Study

EDGES = np.linspace(-1.025, 1.025, 42)  # whole numbers are middles of bars
NEAR = 0.01


def learned(found: Found, trained: Trained) -> np.ndarray:
    """Every weight of the solved runs of an arm."""
    network = found.arm.cell.network
    matrices = [
        np.ravel(matrix)
        for row in found.rows
        if row["outcome"] == "solved"
        for matrix in network.weights(trained.weights(row)).values()
    ]
    return np.concatenate(matrices) if matrices else np.zeros(0)


def weight_histograms(trained: Trained) -> Computed:
    """A histogram of the weights of each arm, and how many are whole numbers."""
    bars: dict[str, list[Any]] = {"arm": [], "weight": [], "share": []}
    names = ("operation", "model", "weights", "near", "share", "low", "high")
    shares: dict[str, list[Any]] = {name: [] for name in names}
    for found in trained.found:
        weights = learned(found, trained)
        if not weights.size:
            continue
        counts, _ = np.histogram(weights, EDGES)
        bars["arm"] += [found.arm.name] * len(counts)
        bars["weight"] += [round(v, 6) for v in (EDGES[1:] + EDGES[:-1]) / 2]
        bars["share"] += list(counts / weights.size)
        near = int((np.abs(weights - np.round(weights)) < NEAR).sum())
        rate = success_rate(near, weights.size)
        values = (*found.arm.labels.values(), weights.size, near)
        for name, value in zip(
            names, (*values, rate.value, rate.low, rate.high), strict=True
        ):
            shares[name].append(value)
    return Computed({"weights": bars, "shares": shares})


def weight_bias() -> Study:
    """The slides' second weight issue."""
    arms = [
        Arm(
            {"operation": SYMBOLS[operation], "model": model},
            cell(MODELS[model], arithmetic(operation), 100),
            figures(
                entry("arithmetic-dataset", model=model, operation=operation),
                reasons=REASONS.get((operation, model)),
            ),
        )
        for operation in ("add", "sub")
        for model in ("NAC+", "NAU")
    ]
    return Study(
        "weight-bias",
        "Do learned weights lie at −1, 0 and 1?",
        f"{PAPER}, slides on weight issues and table 2",
        "tanh(Ŵ) σ(M̂) was meant to pull weights to −1, 0 and 1. The slides say that "
        "this bias does not exist. The histograms hold every weight of both layers of"
        " all solved runs. Those of the NAC lie anywhere, except where the task "
        "leaves no choice: an input that is in both subsets counts twice, which takes"
        " a weight of ±1 in both hidden units. Those of the NAU, which is penalised "
        "for all others, are whole numbers at +; at − other weights are as exact, and"
        " the weak penalty of that task does not always drive them out.",
        tuple(arms),
        compute=weight_histograms,
        shown={"shares": "How many of the weights lie within 0.01 of −1, 0 or 1."},
        plots=(
            Bars(
                "Learned weights of solved runs.", "weights", "weight", "share", "arm"
            ),
            Weights("+ by the NAC.", {"operation": "+", "model": "NAC+"}),
            Weights("+ by the NAU.", {"operation": "+", "model": "NAU"}),
        ),
    )

"""The “10 parameter” functions of the NPU draft: products of powers of two sums."""

import numpy as np

from ...networks import Stack
from ...tasks import Subsets
from ...training import Batches, Cell, Criterion, RMSProp
from .._evaluate import Trained
from .._grid import combinations
from .._sheet import sheet
from .._study import Arm, Computed, Study
from .._tables import columns
from ._readings import chosen, formula
from ._runs import SUMS, UNITS, scripted

PRODUCT, POWERS = "(x₁ + x₂)(x₁ + … + x₄)", "(x₁ + x₂)² √(x₁ + … + x₄)"
# The first sum is of all four inputs, the second of two.
TASKS = {
    PRODUCT: Subsets(
        simple=True,
        powers=(1.0, 1.0),
        interpolation=(-2.0, 2.0),
        extrapolation=(-6.0, -2.0, 2.0, 6.0),
    ),
    POWERS: Subsets(
        simple=True,
        powers=(0.5, 2.0),
        interpolation=(0.0, 2.0),
        extrapolation=(2.0, 6.0),
    ),
}
MODELS = ("RealNaiveNPU", "NaiveNPU", "RealNPU", "NPU", "NMU")
SMALL, LARGE = "4-2-1", "4-4-1"  # 10 parameters, and the 20 of the authors' script
HIDDEN = {SMALL: 2, LARGE: 4}


def cell(function: str, network: str, model: str) -> Cell:
    """Sums of four inputs, and a product of their powers, as the scripts train it."""
    return scripted(
        Stack((SUMS, UNITS[model]), (HIDDEN[network],)),
        TASKS[function],
        seeds=60,
        steps=50_000,
        batches=Batches(50),
        optimiser=RMSProp(4e-3),
        # A step so long settles no nearer than this to exact weights.
        criterion=Criterion(1e-2),
        project=False,
    )


def compute(trained: Trained) -> Computed:
    """Typical errors, and the formula of the seed that validation chooses."""
    errors, formulae = [], []
    for runs in trained.arms():
        function, size, model = runs.arm.labels.values()
        pairs = np.array([[r["interpolation"], r["extrapolation"]] for r in runs.rows])
        row = chosen(runs)
        right = row["outcome"] == "solved"
        middle = map(float, np.median(pairs, axis=0))
        last = (row["interpolation"], row["extrapolation"], right)
        errors.append((function, size, model, *middle, *last))
        if size == SMALL:
            params, positive = trained.weights(row), function == POWERS
            network = runs.arm.cell.network
            text = formula(network, params, "x₁ x₂ x₃ x₄", positive=positive)
            text = text or "none: a gate is half open"
            formulae.append((function, model, row["seed"], right, text))
    names = ("function", "network", "model", "within", "beyond")
    names += ("chosen: within", "chosen: beyond", "chosen: solved")
    titles = ("function", "model", "seed", "solved", "formula")
    tables = {"errors": columns(names, errors), "formulae": columns(titles, formulae)}
    return Computed(tables)


def study() -> Study:
    """Section 4.1 of the draft, which is a heading alone."""
    grid = combinations(function=TASKS, network=HIDDEN, model=MODELS)
    arms = [Arm(labels, cell(**labels)) for labels in grid]
    return sheet("npu", "npu-products").study(arms, compute)

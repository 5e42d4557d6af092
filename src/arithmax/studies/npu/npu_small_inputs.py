"""Figures 3 to 5 of the NPU draft: walls, flat regions, and inputs near zero."""

import numpy as np

from ...statistics import Interval
from ...units import NMU, NPU, NaiveNPU, RealNaiveNPU, RealNPU, Unit
from .._evaluate import Trained
from .._sheet import figure_of, sheet
from .._study import Arm, Computed, Published, Study, Table
from .._tables import columns, ends, exact, mean
from ._readings import gates
from ._runs import BATCH, beside, run
from ._surfaces import (
    HALF,
    NAIVE,
    OPEN,
    PLANE,
    PRODUCT,
    REAL,
    W1,
    W2,
    Drawn,
    gradient_norms,
    identity,
    product_losses,
    samples,
)

SHEET = sheet("npu", "npu-small-inputs")
DRAWS = 100
LEAST = 1e-16  # zero has no logarithm
HIGH = 15.1  # a wall: ten times E[t²] = 16/15 + 4/9, the loss of answering zero
SMALL = (0.5, 0.05, 0.005)
# The first of the 15 levels in which the authors draw the gradient, and the last.
FLAT, STEEP = 2.5 / 14, 2.5
UNITS: dict[str, Unit] = {
    "NaiveNPU": NaiveNPU(),
    "RealNaiveNPU": RealNaiveNPU(),
    "NPU": NPU(),
    "RealNPU": RealNPU(),
    "NMU": NMU(),
}


def plane(drawn: Drawn) -> np.ndarray:
    """The w₂ that are drawn: the NMU has no negative weights."""
    return PLANE >= 0 if drawn is PRODUCT else PLANE >= -1


def walls() -> tuple[dict[str, Table], dict[str, Interval]]:
    """Figures 3 and 4, and how much of the plane is wall with how many samples."""
    maps, shares, counted = [], [], {}
    for size, text in ((1, "one sample"), (BATCH, f"{BATCH} samples")):
        for drawn in (NAIVE, HALF, PRODUCT):
            here = plane(drawn)
            losses = [product_losses(drawn, samples(size, k)) for k in range(DRAWS)]
            for w2, row in zip(PLANE[here], losses[0][here], strict=True):
                points = zip(PLANE, np.maximum(row, LEAST), strict=True)
                maps += [(f"{drawn.name}, {text}", w1, w2, v) for w1, v in points]
            high = np.array([(own[here] > HIGH).mean() for own in losses])
            shares.append((drawn.name, text, *ends(mean(high))))
            counted[drawn.name, size] = high
    fewer = mean(counted[NAIVE.name, 1] - counted[NAIVE.name, BATCH])
    names = ("unit", "inputs", "share of the plane", "low", "high")
    return {
        "walls": columns(("map", "w₁", "w₂", "loss"), maps),
        "wall-shares": columns(names, shares),
    }, {SHEET.claim("fewer"): fewer}


def slopes() -> tuple[dict[str, Table], dict[str, Interval]]:
    """Figure 5: where the gradient is flat."""
    maps, flat, figures = [], [], {}
    for drawn in (REAL, NAIVE, HALF, OPEN, PRODUCT):
        norms = gradient_norms(drawn, identity(BATCH))
        for w2, row in zip(W2, norms, strict=True):
            maps += [(drawn.name, w1, w2, v) for w1, v in zip(W1, row, strict=True)]
        middle = float(np.median(norms[W2 > 0.75]))
        figures[SHEET.claim("slope", unit=drawn.name)] = exact(middle)
        flat.append((drawn.name, float((norms < FLAT).mean()), middle))
    names = ("unit", "share of weights with |∇L| < 0.18", "median of |∇L|, w₂ > 0.75")
    return {
        "slopes": columns(("map", "w₁", "w₂", "|∇L|"), maps),
        "flat": columns(names, flat),
    }, figures


def claims() -> dict[str, Published]:
    """What is read into “practically zero”, and into “informative”."""
    flat = Published(0.0, 0.0, FLAT, SHEET.texts["flat"])
    rich = figure_of({"between": [FLAT, STEEP], "note": SHEET.texts["rich"]})
    read = {REAL.name: flat, HALF.name: rich}
    return {SHEET.claim("slope", unit=name): figure for name, figure in read.items()}


def compute(trained: Trained) -> Computed:
    """The surfaces, and what became of the gates."""
    (tables, figures), (others, medians) = walls(), slopes()
    names = ("|x₂| below", "model", "gate of x₁", "seeds", "solved")
    closed = {"gates": columns(names, gates(trained, [0]))}
    return Computed(tables | others | closed, figures | medians)


def study() -> Study:
    """Figures 3, 4 and 5 of the draft."""
    arms = [
        Arm(
            {"|x₂| below": small, "model": model},
            run(model, unit, beside(small), batches__size=BATCH, seeds=100),
        )
        for model, unit in UNITS.items()
        for small in SMALL
    ]
    return SHEET.study(arms, compute, claims())

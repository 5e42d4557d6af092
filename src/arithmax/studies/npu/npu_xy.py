"""Figure 1 of the NPU draft: products and quotients of numbers of any sign."""

from collections.abc import Iterator

import numpy as np

from ...tasks import Functions
from .._evaluate import Trained
from .._learned import predictions
from .._sheet import sheet
from .._study import Arm, Computed, Study
from .._tables import columns, mean
from ._readings import gates
from ._runs import MODELS, UNITS, network, run

SHEET = sheet("npu", "npu-xy")
ONE, TWO = "2 × 2", "2-6-2"  # one layer, as in the captions, or two
TRAINED = (0.1, 2.0)
TASK = Functions(("mul", "div"), TRAINED, (0.1, 4.0))
OPERATIONS = ("×", "÷")
GRID = np.arange(-39, 40, 2) / 10  # ±0.1 … ±3.9, as near to zero as the training range
POINTS = np.stack(np.meshgrid(GRID, GRID)).reshape(2, -1)
TARGETS = np.stack([POINTS[0] * POINTS[1], POINTS[0] / POINTS[1]])
SMALL = 0.01  # the error that the caption speaks of
RIGHT = 0.95  # of the points: such a run has learned the operation
LEAST = 1e-16  # zero has no logarithm


def regions() -> dict[str, np.ndarray]:
    """Which of the points belong to which part of the plane."""
    x, y = POINTS
    trained = np.all((POINTS >= TRAINED[0]) & (POINTS <= TRAINED[1]), axis=0)
    return {
        "trained on": trained,
        "positive, beyond": (x > 0) & (y > 0) & ~trained,
        "one negative": x * y < 0,
        "both negative": (x < 0) & (y < 0),
        "everywhere": np.ones_like(trained),
    }


WHERE = regions()


def squared_errors(trained: Trained) -> Iterator[tuple[str, str, str, np.ndarray]]:
    """Network, model, operation and squared error [seed, point]."""
    runs = [(f, predictions(f, trained, POINTS)) for f in trained.arms()]
    for k, operation in enumerate(OPERATIONS):
        for arm_runs, answers in runs:
            size, model = map(str, arm_runs.arm.labels.values())
            with np.errstate(over="ignore", invalid="ignore"):
                yield size, model, operation, (answers[:, k] - TARGETS[k]) ** 2


def compute(trained: Trained) -> Computed:
    """The error over the plane, where it is small, and whether gates have closed."""
    drawn, shares, figures = {ONE: [], TWO: []}, [], {}
    for size, model, operation, squared in squared_errors(trained):
        middle = np.maximum(np.median(squared, axis=0), LEAST)
        points = zip(*POINTS, middle, strict=True)
        curves = drawn[TWO if size == TWO else ONE]
        curves += [(f"{model}, {operation}", *point) for point in points]
        small = {
            n: (squared[:, here] < SMALL).mean(axis=1) for n, here in WHERE.items()
        }
        means = {region: mean(values) for region, values in small.items()}
        right = int((small["everywhere"] >= RIGHT).sum())
        shares.append(
            (size, model, operation, *(m.value for m in means.values()), right)
        )
        if size != TWO:
            which = {"model": model, "operation": operation}
            for region, share in means.items():
                figures[SHEET.claim("share", region=region, **which)] = share
    names, point = ("network", "model"), ("map", "x", "y", "error")
    tables = {
        "maps": columns(point, drawn[ONE]),
        "maps-two-layers": columns(point, drawn[TWO]),
        "shares": columns((*names, "operation", *WHERE, "seeds right"), shares),
        "gates": columns((*names, "gates", "seeds", "solved"), gates(trained)),
    }
    return Computed(tables, figures)


def study() -> Study:
    """Figure 1 of the draft."""
    networks = [("2-10-10-2", "Dense", network("Dense"))]
    networks += [(ONE, model, UNITS[model]) for model in MODELS]
    networks += [(TWO, model, network(model)) for model in MODELS]
    arms = [
        Arm({"network": size, "model": model}, run(model, made, TASK))
        for size, model, made in networks
    ]
    return SHEET.study(arms, compute)

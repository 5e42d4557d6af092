"""One weight matrix for both paths of a NALU, or one for each."""

import math
from typing import Any

import numpy as np

from ...tasks import SingleModule
from ...units import NALU
from .._evaluate import Trained
from .._grid import combinations
from .._sheet import sheet
from .._study import Arm, Computed, Study, Table, columns
from ._accuracy import accuracy_table, measured
from ._runs import USUAL, VARIANCE, run, starts
from ._sides import mean_gates, sides

SHEET = sheet("extrapolation", "independent-weights")
BELOW, FAR_BELOW = (-2.0, -1.0), (-6.0, -2.0)
ABOVE, FAR_ABOVE = (1.0, 2.0), (2.0, 6.0)
TASKS = {
    "a · b, a, b < −1": SingleModule("mul", 2, BELOW, FAR_BELOW),
    "a + b, c ignored": SingleModule("add", 3, (0.0, 1.0), (1.0, 5.0)),
    "a + b": SingleModule("add", 2, ABOVE, FAR_ABOVE),
    "a − b": SingleModule("sub", 2, ABOVE, FAR_ABOVE),
    "a · b": SingleModule("mul", 2, ABOVE, FAR_ABOVE),
    "a / b": SingleModule("div", 2, ABOVE, FAR_ABOVE),
}
UNITS = {"tied": NALU(), "untied": NALU(tied=False)}
EPS = 1e-7


def pull(low: float, high: float) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """The squared error of each path alone, over a weight w that both inputs have.

    The target is a · b, of inputs spread evenly over a range.
    """
    grid = low + (high - low) * (np.arange(60) + 0.5) / 60
    a, b = (v.ravel() for v in np.meshgrid(grid, grid))
    w = np.linspace(-1.0, 1.0, 41)
    added = w[:, None] * (a + b)
    multiplied = (np.abs(a) + EPS) ** w[:, None] * (np.abs(b) + EPS) ** w[:, None]
    return w, {
        "sum": ((added - a * b) ** 2).mean(axis=1),
        "product": ((multiplied - a * b) ** 2).mean(axis=1),
    }


def paths_apart() -> dict[str, Table]:
    """The first example: where each path would have the weights."""
    curves, best = [], []
    for low, high in (BELOW, FAR_BELOW, ABOVE):
        w, losses = pull(low, high)
        text = f"({low:g}, {high:g})".replace("-", "−")
        best.append((text, *(float(w[loss.argmin()]) for loss in losses.values())))
        if (low, high) == BELOW:
            for path, loss in losses.items():
                pairs = zip(w.tolist(), loss.tolist(), strict=True)
                curves += [(path, *pair) for pair in pairs]
    names = ("inputs", "W of the sum's least error", "W of the product's")
    return {
        "apart": columns(("path", "W", "squared error"), curves),
        "best": columns(names, best),
    }


def leak(a: float, b: float, c: float, w_c: float, logit: float) -> tuple[float, float]:
    """The second example: what W_c does to the product, and what of it leaks.

    Args:
        a: an input with weight 1.
        b: another.
        c: the input to be ignored.
        w_c: its weight.
        logit: what enters the gate.

    Returns:
        The product relative to a · b, and what of it leaks relative to a + b.
    """
    closed = 1 / (1 + math.exp(logit))  # 1 − g
    product = (a + EPS) * (b + EPS) * (c + EPS) ** w_c
    return product / (a * b), closed * product / (a + b)


def leaks() -> dict[str, Table]:
    """Errors over W_c and c, and over the size of a and b."""
    rows, few, sizes = [], [], []
    for c in (1.0, 1e-3, 0.0):
        for k, power in enumerate(np.linspace(-5.0, 0.0, 21)):
            size = float(10**power)
            rows.append((f"c = {c:g}", size, *leak(1.0, 1.0, c, -size, 10.0)))
            few += rows[-1:] if k % 4 == 0 else []  # whole powers of ten
    for logit in (5.0, 10.0, 20.0):
        for size in (1.0, 10.0, 100.0, 1000.0, 10_000.0):
            tied = leak(size, size, 1.0, 0.0, logit)[1]
            untied = leak(1 / size, 1 / size, 1.0, 0.0, logit)[1] / size**2
            sizes.append((f"{logit:g}", size, tied, untied))
    names = ("input to be ignored", "−W_c", "product over a · b", "leak over a + b")
    others = ("Gx", "a = b", "leak, tied", "leak, untied with W = −1")
    return {
        "leak": columns(names, rows),
        "leak-few": columns(names, few),
        "leak-sizes": columns(others, sizes),
    }


def examples(trained: Trained) -> Computed:
    """Both examples, and what training makes of them."""
    arms = measured(trained)
    opened = [mean_gates(arm.runs, trained) for arm in arms.values()]
    learned: dict[str, list[Any]] = {
        "mean gate": [float(gate.mean()) for gate in opened],
        "half open": [float(sides(gate)["between"].mean()) for gate in opened],
    }
    table = accuracy_table(arms, **learned)
    return Computed({**paths_apart(), **leaks(), "accuracy": table})


def study() -> Study:
    """Section 7.1."""
    arms = []
    for labels in combinations(task=TASKS, start=(USUAL, VARIANCE), weights=UNITS):
        task, unit = TASKS[labels["task"]], UNITS[labels["weights"]]
        network = starts(unit, task.in_features)[labels["start"]]
        arms.append(Arm(labels, run(network, task, criterion__epsilon=1e-4)))
    return SHEET.study(arms, examples)

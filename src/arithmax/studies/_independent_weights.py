"""One weight matrix for both paths of a NALU, or one for each."""

import math

import numpy as np

from ..networks import Stack
from ..protocol import Cell
from ..tasks import SingleModule
from ..units import NALU
from ._evaluate import Trained
from ._extrapolation import (
    REPORT,
    SEEDS,
    accuracy_table,
    measured_arms,
    protocol,
    torch_start,
)
from ._nac_operands import USUAL, VARIANCE
from ._nalu_operands import gates
from ._plots import Lines, Measured
from ._study import Arm, Computed, Study, Table, columns

APART, LEAK = "a · b, a, b < −1", "a + b, c ignored"
BELOW, ABOVE, UNIT = (-2.0, -1.0), (1.0, 2.0), (0.0, 1.0)
TASKS = {
    APART: SingleModule("mul", 2, BELOW, (-6.0, -2.0)),
    LEAK: SingleModule("add", 3, UNIT, (1.0, 5.0)),
    "a + b": SingleModule("add", 2, ABOVE, (2.0, 6.0)),
    "a − b": SingleModule("sub", 2, ABOVE, (2.0, 6.0)),
    "a · b": SingleModule("mul", 2, ABOVE, (2.0, 6.0)),
    "a / b": SingleModule("div", 2, ABOVE, (2.0, 6.0)),
}
TIED, UNTIED = "tied", "untied"
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


def apart() -> tuple[Table, Table]:
    """The first example: where each path would have the weights."""
    curves, best = [], []
    for low, high in (BELOW, (-6.0, -2.0), ABOVE):
        w, losses = pull(low, high)
        text = f"({low:g}, {high:g})".replace("-", "−")
        least = [float(w[loss.argmin()]) for loss in losses.values()]
        best.append((text, *least))
        if (low, high) == BELOW:
            for path, loss in losses.items():
                curves += [
                    (path, float(x), float(y)) for x, y in zip(w, loss, strict=True)
                ]
    names = ("inputs", "W of the sum's least error", "W of the product's")
    return columns(("path", "W", "squared error"), curves), columns(names, best)


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


def leaks() -> tuple[Table, Table]:
    """Errors over W_c and c, and over the size of a and b."""
    rows, sizes = [], []
    for c in (1.0, 1e-3, 0.0):
        for power in np.linspace(-5.0, 0.0, 21):
            size = float(10**power)
            rows.append((f"c = {c:g}", size, *leak(1.0, 1.0, c, -size, 10.0)))
    for logit in (5.0, 10.0, 20.0):
        for size in (1.0, 10.0, 100.0, 1000.0, 10_000.0):
            tied = leak(size, size, 1.0, 0.0, logit)[1]
            untied = leak(1 / size, 1 / size, 1.0, 0.0, logit)[1] / size**2
            sizes.append((f"{logit:g}", size, tied, untied))
    names = ("input to be ignored", "−W_c", "product over a · b", "leak over a + b")
    others = ("Gx", "a = b", "leak, tied", "leak, untied with W = −1")
    return columns(names, rows), columns(others, sizes)


def examples(trained: Trained) -> Computed:
    """Both examples, and what training makes of them."""
    curves, best = apart()
    divided, sizes = leaks()
    measured = measured_arms(trained)
    table = dict(accuracy_table(measured))
    opened = [gates(found, trained) for found, _ in measured.values()]
    half = [float(((g > 0.1) & (g < 0.9)).mean()) for g in opened]
    table |= {"mean gate": [float(g.mean()) for g in opened], "half open": half}
    chosen = [k for k, size in enumerate(divided["−W_c"]) if _printed(size)]
    few = {name: [values[k] for k in chosen] for name, values in divided.items()}
    tables = {"apart": curves, "best": best, "leak": divided, "leak-few": few}
    return Computed({**tables, "leak-sizes": sizes, "accuracy": table})


def _printed(size: float) -> bool:
    return math.isclose(math.log10(size), round(math.log10(size)), abs_tol=1e-9)


ABOUT = """
The report would give the two paths of a NALU weights of their own, for two reasons with
an example each. (Its text has lost the signs of both; they are put back here as in the
iNALU paper, its reference 8.)

**Paths that pull apart.** For a · b with a, b < −1 the product path wants W = 1. The
sum path can reach the positive target only with negative weights, and while the gate is
open it pulls W there. The first plot has the error of each path over W, the first table
where it is least: they disagree for negative inputs only. Trained from ±1/√n, tied
weights lose about half of the runs; untied ones lose none.

**A leaky gate.** For a + b with c to be ignored, W_c = −10⁻⁵ is said to make the
product path divide by nearly 0 and leak large numbers through a gate that is almost
closed. The table shows that it does not: c^(−10⁻⁵) is at most 1.0002, even at c = 0,
where ε stands in. It takes W_c of −0.1 and more, and tiny c. What does leak is a · b
itself, once inputs are large, since tied weights that add also multiply. Still the
advice is right: trained with a, b, c in (0, 1) from ±1/√n, tied weights hardly ever
learn a + b. They end with W near 0 and a gate on the side of the product, which answers
1, the mean of a + b; untied ones always learn it.

**What it costs.** Untied weights are worse at a − b: two free paths and a half-open
gate imitate it to 10⁻⁴ on (1, 2), and the run stays there. All with the report's loss
and optimiser, 20,000 steps, 100 seeds, from two starts.
"""


def _networks(inputs: int) -> dict[tuple[str, str], Stack]:
    units = {TIED: NALU(), UNTIED: NALU(tied=False)}
    return {
        **{(USUAL, n): torch_start((u,), (inputs,)) for n, u in units.items()},
        **{(VARIANCE, n): Stack((u,)) for n, u in units.items()},
    }


def independent_weights() -> Study:
    """Section 7.1."""
    own = protocol(epsilon=1e-4)
    arms = [
        Arm(
            {"task": name, "start": start, "weights": weights},
            Cell(network, task, own, tuple(range(SEEDS))),
        )
        for name, task in TASKS.items()
        for (start, weights), network in _networks(task.in_features).items()
    ]
    return Study(
        "independent-weights",
        "One weight matrix for both paths, or one for each",
        f"{REPORT}, section 7.1",
        ABOUT.strip(),
        tuple(arms),
        compute=examples,
        shown={
            "accuracy": "Accuracy beyond the range to train on: means over seeds at "
            "three tolerances; at 0.01 also the median seed and the ends of 95 of 100; "
            "the mean gate on the range to train on, and the share of half-open ones.",
            "best": "The weight of both inputs at which each path alone is nearest to "
            "a · b.",
            "leak-few": "a = b = 1, a gate of σ(10): the product path relative to a · "
            "b, and what of it leaks relative to a + b.",
            "leak-sizes": "W_c = 0: what leaks relative to a + b as inputs and gate "
            "grow, where the product path has the sum's W = 1, and where its own is "
            "−1.",
        },
        plots=(
            Lines(
                "a · b on (−2, −1): the error of each path alone.",
                *("apart", "W", "squared error", "path"),
            ),
            Lines(
                "The leaky gate: what leaks relative to a + b, over −W_c.",
                *("leak", "−W_c", "leak over a + b", "input to be ignored"),
                log_x=True,
                log_y=True,
            ),
            Measured("Runs that solve the task.", x="task", by="weights"),
        ),
    )

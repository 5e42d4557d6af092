"""Figure 1 of the NPU draft: products and quotients of numbers of any sign."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..tasks import Functions
from ._evaluate import Found, Trained
from ._npu import DRAFT, UNITS, gates, mean, network, run
from ._plots import Heat
from ._study import Arm, Computed, Published, Study, Table, columns

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


def errors(found: Found, trained: Trained) -> np.ndarray:
    """The squared error [operation, seed, point] at each run's best step."""
    own = found.arm.cell.network
    with np.errstate(over="ignore", invalid="ignore"):
        answers = [own.compute(trained.weights(row), POINTS) for row in found.rows]
        return ((np.stack(answers) - TARGETS) ** 2).swapaxes(0, 1)


def claim(model: str, operation: str, region: str) -> str:
    """The name of a figure, of the networks of the caption."""
    return f"{model}, {operation}, {region}: share of points with an error below 0.01"


def squared_errors(trained: Trained) -> Iterator[tuple[str, str, str, np.ndarray]]:
    """Network, model, operation and squared error [seed, point]."""
    runs = [(f, errors(f, trained)) for f in trained.found if f.rows]
    for k, operation in enumerate(OPERATIONS):
        for found, squared in runs:
            size, model = map(str, found.arm.labels.values())
            yield size, model, operation, squared[k]


def maps(trained: Trained) -> Computed:
    """The error over the plane, where it is small, and whether gates have closed."""
    drawn: dict[str, list[tuple[Any, ...]]] = {ONE: [], TWO: []}
    shares, figures = [], {}
    for size, model, operation, squared in squared_errors(trained):
        middle = np.maximum(np.median(squared, axis=0), LEAST)
        points = zip(*POINTS, middle, strict=True)
        own = drawn[TWO if size == TWO else ONE]
        own += [(f"{model}, {operation}", *point) for point in points]
        small = {
            n: (squared[:, here] < SMALL).mean(axis=1) for n, here in WHERE.items()
        }
        means = {region: mean(values) for region, values in small.items()}
        right = int((small["everywhere"] >= RIGHT).sum())
        values = (share.value for share in means.values())
        shares.append((size, model, operation, *values, right))
        if size != TWO:
            figures |= {claim(model, operation, r): m for r, m in means.items()}
    return Computed(_tables(drawn, shares, trained), figures)


def _tables(drawn: dict[str, list], shares: list, trained: Trained) -> dict[str, Table]:
    closed = [row for found in trained.found for row in gates(found, trained)]
    names = ("network", "model")
    return {
        "maps": columns(("map", "x", "y", "error"), drawn[ONE]),
        "maps-two-layers": columns(("map", "x", "y", "error"), drawn[TWO]),
        "shares": columns((*names, "operation", *WHERE, "seeds right"), shares),
        "gates": columns((*names, "gates", "seeds", "solved"), closed),
    }


def _claims() -> dict[str, Published]:
    """The caption's words as shares: “most places” is more than half."""
    learns = "“learns both multiplication and division”, read as: at most points"
    fails = "“fails to extrapolate”, read as: wrong at most points"
    perfectly = "“learns both tasks perfectly”, read as: at 95 % of the points at least"
    completely = "“completely fails if one of the inputs is negative”, read as: right "
    completely += "at 5 % of the points at most (those where the answer is near zero)"
    most = "“an error that is less than 0.01 in most places”"
    one = "the figure shows one run of each model, ours is the mean of 20 seeds, of "
    one += "which some fail already on the training range; the median of the seeds, "
    one += "which is drawn, is right at every positive point"
    said = {
        ("Dense", "trained on"): (0.5, 1.0, learns),
        ("Dense", "positive, beyond"): (0.0, 0.5, fails),
        ("NALU", "positive, beyond"): (0.95, 1.0, perfectly, one),
        ("NALU", "one negative"): (0.0, 0.05, completely),
        ("NPU", "everywhere"): (0.5, 1.0, most),
    }
    both = {
        claim(model, operation, region): Published((low + high) / 2, low, high, *notes)
        for (model, region), (low, high, *notes) in said.items()
        for operation in OPERATIONS
    }
    learnt, not_learnt = "“successfully learns multiplication”", "“but not division”"
    return both | {
        claim("NMU", "×", "everywhere"): Published(0.75, 0.5, 1.0, learnt),
        claim("NMU", "÷", "everywhere"): Published(0.25, 0.0, 0.5, not_learnt),
    }


ABOUT = """
All networks see positive pairs only, x and y uniform on [0.1, 2]; the maps show what
they make of the whole plane. The caption of the draft says that the dense network
learns both operations but does not extrapolate, that the NALU is perfect until an input
is negative, that the NMU multiplies but cannot divide, and that only the NPU does both,
with an error below 0.01 in most places.

**What is run.** 20 seeds, 20,000 steps, batch 100 and the optimisers of the authors'
code (Adam at 0.005; RMSProp for the NALU). The captions speak of 2 × 2 layers; the
pictures in the draft were, by its repository, drawn from networks with two layers that
learn four functions at once. The caption's words are compared with 2 × 2 layers, and
both sizes are drawn. The error is squared, as text and caption have it (the script
draws |t̂ − t|). Each run is taken at its best step by the error in the training range,
and each point of a map is the median of all seeds: the authors drew single runs, later
those with the least test error.

**What to look for.** The maps are as the caption says. But half of the NPU's seeds
fail: in each of these a gate has stepped below 0, where min(max(g, 0), 1) has no slope,
and the input that it closes is lost for good (later versions of the authors' package
let the gradient through). The maps of NPU and RealNPU are equal to the last digit: on
positive inputs imaginary weights never move (`npu-imaginary`). Two layers hardly ever
lose an input, and fit the training range in nearly every seed, but with sums of six
powers that need not be right elsewhere.
"""


def npu_xy() -> Study:
    """Figure 1 of the draft."""
    networks = [("2-10-10-2", "Dense", network("Dense"))]
    networks += [(ONE, model, unit) for model, unit in UNITS.items()]
    networks += [(TWO, model, network(model)) for model in UNITS]
    arms = [
        Arm({"network": size, "model": model}, run(model, own, TASK))
        for size, model, own in networks
    ]
    common: dict[str, Any] = {"z": "error", "choice": "map", "log": True}
    common["limits"] = (1e-6, 1e4)
    return Study(
        "npu-xy",
        "(x, y) → (xy, x/y), for numbers of any sign",
        f"{DRAFT}, section 2 and figure 1",
        ABOUT.strip(),
        tuple(arms),
        compute=maps,
        claims=_claims(),
        shown={
            "shares": "The share of points with a squared error below 0.01, by where "
            "they are (mean of the seeds), and how many seeds are right at 95 % of all "
            "points.",
            "gates": "Runs of the gated units by what became of their gates.",
        },
        plots=(
            Heat(
                "Squared error of 2 × 2 layers, and of a dense network, over the plane:"
                " at each point the median of 20 seeds. Trained on [0.1, 2]².",
                "maps",
                across=5,
                **common,
            ),
            Heat("The same of two layers.", "maps-two-layers", across=4, **common),
        ),
    )

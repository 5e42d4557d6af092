"""The “10 parameter” functions of the NPU draft: products of powers of two sums."""

import numpy as np

from ..networks import Stack
from ..protocol import Cell, Protocol
from ..tasks import Subsets
from ..units import NMU, NPU, NaiveNPU, RealNaiveNPU, RealNPU, Unit
from ._evaluate import Trained
from ._npu import DRAFT, SUMS, chosen, formula
from ._plots import Measured, Weights
from ._study import Arm, Computed, Study, columns

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
UNITS: dict[str, Unit] = {
    "RealNaiveNPU": RealNaiveNPU(),
    "NaiveNPU": NaiveNPU(),
    "RealNPU": RealNPU(),
    "NPU": NPU(),
    "NMU": NMU(),
}
HIDDEN = (2, 4)  # 10 parameters, and the 20 of the authors' script
SMALL = "4-2-1"
SEEDS = 60
# Of the scripts; a step so long settles no nearer than this to the exact weights.
PROTOCOL = Protocol(
    steps=50_000,
    batch=50,
    optimiser="rmsprop",
    learning_rate=4e-3,
    epsilon=1e-2,
    project=False,
)


def cell(function: str, hidden: int, unit: Unit) -> Cell:
    """Sums of four inputs, and a product of their powers."""
    network = Stack((SUMS, unit), (hidden,))
    return Cell(network, TASKS[function], PROTOCOL, tuple(range(SEEDS)))


def found_formulae(trained: Trained) -> Computed:
    """Typical errors, and the formula of the seed that validation chooses."""
    errors, formulae = [], []
    for found in trained.found:
        if not found.rows:
            continue
        function, size, model = found.arm.labels.values()
        own = np.array([[r["interpolation"], r["extrapolation"]] for r in found.rows])
        row = chosen(found)
        right = row["outcome"] == "solved"
        middle = map(float, np.median(own, axis=0))
        last = (row["interpolation"], row["extrapolation"], right)
        errors.append((function, size, model, *middle, *last))
        if size == SMALL:
            params, positive = trained.weights(row), function == POWERS
            network = found.arm.cell.network
            text = formula(network, params, "x₁ x₂ x₃ x₄", positive=positive)
            text = text or "none: a gate is half open"
            formulae.append((function, model, row["seed"], right, text))
    names = ("function", "network", "model", "within", "beyond")
    more = ("chosen: within", "chosen: beyond", "chosen: solved")
    return Computed(
        {
            "errors": columns((*names, *more), errors),
            "formulae": columns(
                ("function", "model", "seed", "solved", "formula"), formulae
            ),
        }
    )


ABOUT = """
Section 4.1 of the draft, “10 param func”, is a heading alone. Its repository has the
scripts: (x₁ + x₂)(x₁ + x₂ + x₃ + x₄) on U(−2, 2) and (x₁ + x₂)² √(x₁ + x₂ + x₃ + x₄) on
U(0, 2), learned by a layer of four sums and one product of powers. With two sums such a
network has ten parameters, hence the name. Here are both sizes, with the scripts' batch
of 50 and RMSProp at 0.004, but without their variational Bayes, 60 seeds, and 50,000
steps for both (theirs: 30,000 and 100,000). The unit of the scripts is the
RealNaiveNPU. Nothing was published to compare with. A run is solved here if it is as
right on [2, 6] (and [−6, −2]) as a network whose weights are off by 0.01: with steps of
that length none comes much nearer.

**What to look for.** The unit of the scripts finds the product in one seed of four and
the powers in half of them or more. Of both units without a gate the seed with the least
training error is right, and its formula can be read off: restarts and validation are
what makes these units usable. Gates, which help against small inputs, do harm here:
they sit behind a layer of sums, which can always make up for a half-open one within the
training range. The NMU, which needs no logarithm, is the better unit where the function
is a product, and cannot represent the other.
"""


def npu_products() -> Study:
    """Section 4.1 of the draft, which is a heading alone."""
    arms = [
        Arm(
            {"function": function, "network": f"4-{hidden}-1", "model": model},
            cell(function, hidden, unit),
        )
        for function in TASKS
        for hidden in HIDDEN
        for model, unit in UNITS.items()
    ]
    return Study(
        "npu-products",
        "The “10 parameter” functions: powers of two sums",
        f"{DRAFT}, section 4.1; task-nmu-paper.jl and task-sqrt-power.jl of its "
        "repository",
        ABOUT.strip(),
        tuple(arms),
        compute=found_formulae,
        shown={
            "errors": "Squared error within the training range and beyond it: median "
            "of the seeds, and the seed with the least error within.",
            "formulae": "What that seed of the networks with 10 parameters computes.",
        },
        plots=(
            Measured(
                "Success rate: as right as with weights that are off by 0.01.",
                x="model",
                by="function",
            ),
            Weights(
                f"RealNaiveNPU, {POWERS}.",
                {"function": POWERS, "network": SMALL, "model": "RealNaiveNPU"},
            ),
        ),
    )

"""Figures 3 to 5 of the NPU draft: walls, flat regions, and inputs near zero."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..statistics import Interval
from ..tasks import Functions
from ..units import NMU, NPU, NaiveNPU, Params, RealNaiveNPU, RealNPU, Unit
from ._evaluate import Trained
from ._npu import DRAFT, gates, mean, run
from ._plots import Grid, Heat, Seeds
from ._study import Arm, Computed, Published, Study, Table, columns

# Figures 3 and 4: W₁ = w₁ · PATTERN sums two inputs and all four; w₂ are the powers.
PATTERN = np.array([[1.0, 1.0, 0.0, 0.0], [1.0, 1.0, 1.0, 1.0]])
PLANE = np.arange(-20, 21) / 20
BATCH, DRAWS = 32, 100
LEAST = 1e-16  # zero has no logarithm
HIGH = 15.1  # a wall: ten times E[t²] = 16/15 + 4/9, the loss of answering zero
# Figure 5: the identity of x₁, beside an x₂ that is to be ignored.
W1, W2 = np.arange(-10, 26) / 10, np.arange(-5, 26) / 25
SMALL = (0.5, 0.05, 0.005)
FLAT = 2.5 / 14  # the first of the 15 levels in which the authors draw the gradient


@dataclass(frozen=True)
class Drawn:
    """A unit with the parameters that a figure keeps fixed."""

    name: str
    unit: Unit
    fixed: Params

    def params(self, w: Any) -> Params:
        """All parameters, for weights [1, 2]."""
        real = "W_re" if "W_im" in self.fixed else "W"
        return {real: w, **self.fixed}


ZERO = {"W_im": np.zeros((1, 2))}
REAL = Drawn("NaiveNPU without W_im", RealNaiveNPU(), {})
NAIVE = Drawn("NaiveNPU", NaiveNPU(), ZERO)
HALF = Drawn("NPU, g = ½", NPU(), {**ZERO, "g": np.full(2, 0.5)})
OPEN = Drawn("NPU, g = (1, 0)", NPU(), {**ZERO, "g": np.array([1.0, 0.0])})
PRODUCT = Drawn("NMU", NMU(), {})


def product_losses(drawn: Drawn, x: np.ndarray) -> np.ndarray:
    """The loss [w₂, w₁] of (x₁ + x₂)(x₁ + … + x₄) over inputs [4, batch]."""
    target = (x[0] + x[1]) * x.sum(axis=0)
    sums = PLANE[:, None, None] * (PATTERN @ x)  # [w₁, 2, batch]
    rows = []
    for w2 in PLANE:
        w = drawn.params(np.full((1, 2), w2))
        with np.errstate(over="ignore"):
            out = drawn.unit.compute(w, sums.swapaxes(0, 1))[0]
            rows.append(((out - target) ** 2).mean(axis=1))
    return np.stack(rows)


def samples(size: int, draw: int) -> np.ndarray:
    """Inputs [4, size] uniform on [−1, 1], as the authors' notebook draws them."""
    return np.random.default_rng([2020, size, draw]).uniform(-1.0, 1.0, (4, size))


def plane(drawn: Drawn) -> np.ndarray:
    """The w₂ that are drawn: the NMU has no negative weights."""
    return PLANE >= 0 if isinstance(drawn.unit, NMU) else PLANE >= -1


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
            share = mean(high)
            shares.append((drawn.name, text, share.value, share.low, share.high))
            counted[drawn.name, size] = high
    fewer = mean(counted[NAIVE.name, 1] - counted[NAIVE.name, BATCH])
    names = ("unit", "inputs", "share of the plane", "low", "high")
    return {
        "walls": columns(("map", "w₁", "w₂", "loss"), maps),
        "wall-shares": columns(names, shares),
    }, {FEWER: fewer}


FEWER = "NaiveNPU: how much less of the plane is wall with 32 samples than with one"
SLOPE = "{}, w₂ > 0.75: median of |∇L|"


def gradient_norms(drawn: Drawn, x: np.ndarray) -> np.ndarray:
    """|∇L| [w₂, w₁] of the identity of x₁, over all weights of a unit."""
    import jax
    import jax.numpy as jnp

    def loss(weights):
        params = {**drawn.fixed, **weights}
        return jnp.mean((drawn.unit.compute(params, jnp.asarray(x))[0] - x[0]) ** 2)

    def norm(w1, w2):
        params = drawn.params(jnp.stack([w1, w2])[None])
        weights = {n: jnp.asarray(v) for n, v in params.items() if n != "g"}
        return jnp.sqrt(sum(jnp.sum(g**2) for g in jax.grad(loss)(weights).values()))

    with jax.enable_x64(True), jax.numpy_dtype_promotion("standard"):
        over = jax.vmap(jax.vmap(norm, (0, None)), (None, 0))
        return np.asarray(jax.jit(over)(jnp.asarray(W1), jnp.asarray(W2)))


def identity(size: int = BATCH) -> np.ndarray:
    """x₁ uniform on [0, 2] and x₂ on [−0.05, 0.05]."""
    rng = np.random.default_rng(2)
    return np.stack([rng.uniform(0, 2, size), rng.uniform(-0.05, 0.05, size)])


def slopes() -> tuple[dict[str, Table], dict[str, Interval]]:
    """Figure 5: where the gradient is flat."""
    maps, flat, figures = [], [], {}
    for drawn in (REAL, NAIVE, HALF, OPEN, PRODUCT):
        norms = gradient_norms(drawn, identity())
        for w2, row in zip(W2, norms, strict=True):
            maps += [(drawn.name, w1, w2, v) for w1, v in zip(W1, row, strict=True)]
        middle = float(np.median(norms[W2 > 0.75]))
        figures[SLOPE.format(drawn.name)] = Interval(middle, middle, middle)
        flat.append((drawn.name, float((norms < FLAT).mean()), middle))
    names = ("unit", "share of weights with |∇L| < 0.18", "median of |∇L|, w₂ > 0.75")
    return {
        "slopes": columns(("map", "w₁", "w₂", "|∇L|"), maps),
        "flat": columns(names, flat),
    }, figures


def small_inputs(trained: Trained) -> Computed:
    """The surfaces, and what became of the gates."""
    tables, figures = walls()
    more, slopes_figures = slopes()
    closed = [row for found in trained.found for row in gates(found, trained, [0])]
    names = ("|x₂| below", "model", "gate of x₁", "seeds", "solved")
    tables |= more | {"gates": columns(names, closed)}
    return Computed(tables, figures | slopes_figures)


def _claims() -> dict[str, Published]:
    averaged = "“batches of data … average out these cases”, read as: fewer walls"
    scale = "an NPU's sums all shrink with w₁: near w₁ = 0 and for w₂ < 0 every sample "
    scale += "of a batch divides by a number near zero, and each adds walls of its own "
    scale += "where one of its sums is near zero. What removes them is the gate"
    flat = "“the gradient becomes practically zero”, read as: below the first of the 15"
    flat += " levels in which the authors' script draws it up to 2.5"
    rich = (
        "“much more informative” (NeurIPS paper, figure 3), read as: above that level"
    )
    return {
        FEWER: Published(0.5, 0.0, 1.0, averaged, scale),
        SLOPE.format(REAL.name): Published(0.0, 0.0, FLAT, flat),
        SLOPE.format(HALF.name): Published((FLAT + 2.5) / 2, FLAT, 2.5, rich),
    }


ABOUT = """
Why does the NPU need a gate? The draft gives two reasons. The loss of a product of sums
is huge where sums near zero are raised to negative powers (figure 3), though batches
“average out these cases” (figure 4, 32 samples); and where an input is near zero, the
gradient of all weights vanishes, so that it is hard to learn to ignore it (figure 5).
Its figures have no legends; what they show is taken from the authors' scripts.

**Walls.** The loss of (x₁ + x₂)(x₁ + … + x₄) with one shared weight w₁ in the sums and
one power w₂, inputs uniform on [−1, 1]. A batch does not average the walls out: more of
the plane is wall with 32 samples than with one, since every sample brings its own. The
half-open gate of a fresh NPU, r = (|x| + 1)/2, keeps away from zero and has none; but
it has no solution either, until the gates open.

**Flat regions.** The norm of the gradient for the identity of x₁, with x₁ uniform on
[0, 2] and x₂ on [−0.05, 0.05], batch of 32, as in figure 3 of the NeurIPS paper.
Imaginary weights count, except in the first map: there the flat region of the draft is,
and W_im makes the gradient four times as large. (In eq. 12 of the draft k is π where x
> 0; it is π where x < 0.)

**Training.** The same identity, learned by single units with three sizes of x₂, 100
seeds, 20,000 steps of Adam at 0.005, tested on x₁ from 2 to 4. The NaiveNPU fails the
more often the smaller x₂ is, the gated units do not care how small it is: they fail
where the gate of x₁, the input they need, has stepped below 0, and hardly ever
elsewhere. The NMU has neither trouble.
"""
UNITS: dict[str, Unit] = {
    "NaiveNPU": NaiveNPU(),
    "RealNaiveNPU": RealNaiveNPU(),
    "NPU": NPU(),
    "RealNPU": RealNPU(),
    "NMU": NMU(),
}


def beside(small: float) -> Functions:
    """x₁, beside an irrelevant x₂ that is below `small`."""
    x2 = (-small, small)
    return Functions(("identity",), ((0.0, 2.0), x2), ((2.0, 4.0), x2), inputs=2)


def npu_small_inputs() -> Study:
    """Figures 3, 4 and 5 of the draft."""
    arms = [
        Arm(
            {"|x₂| below": small, "model": model},
            run(model, unit, beside(small), batch=BATCH, seeds=100),
        )
        for model, unit in UNITS.items()
        for small in SMALL
    ]
    common: dict[str, Any] = {"x": "w₁", "y": "w₂", "choice": "map"}
    return Study(
        "npu-small-inputs",
        "Walls, flat regions, and an input near zero",
        f"{DRAFT}, section 3.2 and figures 3 to 5",
        ABOUT.strip(),
        tuple(arms),
        compute=small_inputs,
        claims=_claims(),
        shown={
            "wall-shares": "Figures 3 and 4: the share of weights at which the loss "
            f"exceeds {HIGH}, mean of {DRAWS} draws of the inputs.",
            "flat": "Figure 5: where the gradient says little.",
            "gates": "Training: runs of the gated units by what became of their gates.",
        },
        plots=(
            Heat(
                "Figures 3 and 4: loss of (x₁ + x₂)(x₁ + … + x₄) over the shared weight"
                " w₁ of the sums and w₂ of the product; the solution is (1, 1).",
                "walls",
                z="loss",
                log=True,
                across=3,
                limits=(1e-2, 1e4),
                **common,
            ),
            Heat(
                "Figure 5: norm of the gradient for the identity of x₁, |x₂| < 0.05, "
                f"batch of {BATCH}; the solution is (1, 0).",
                "slopes",
                z="|∇L|",
                across=3,
                limits=(0.0, 2.5),
                **common,
            ),
            Grid("Success rate of training.", x="|x₂| below", y="model"),
            Seeds("Every seed, |x₂| < 0.05.", only={"|x₂| below": 0.05}),
        ),
    )

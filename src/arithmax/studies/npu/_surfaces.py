"""Losses and gradients over two weights: figures 3 to 5 of the NPU draft."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...statistics import Interval
from ...units import NMU, NPU, NaiveNPU, Params, RealNaiveNPU, Unit
from .._study import Table
from .._tables import columns, ends, mean
from ._runs import BATCH

# Figures 3 and 4: W₁ = w₁ · PATTERN sums two inputs and all four; w₂ are the powers.
PATTERN = np.array([[1.0, 1.0, 0.0, 0.0], [1.0, 1.0, 1.0, 1.0]])
PLANE = np.arange(-20, 21) / 20
DRAWS = 100
LEAST = 1e-16  # zero has no logarithm
HIGH = 15.1  # a wall: ten times E[t²] = 16/15 + 4/9, the loss of answering zero
# Figure 5: the identity of x₁, beside an x₂ that is to be ignored.
W1, W2 = np.arange(-10, 26) / 10, np.arange(-5, 26) / 25
# The first of the 15 levels in which the authors draw the gradient, and the last.
FLAT, STEEP = 2.5 / 14, 2.5


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


def plane(drawn: Drawn) -> np.ndarray:
    """Which w₂ are drawn: the NMU has no negative weights."""
    return PLANE >= (0 if drawn is PRODUCT else -1)


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


def walls() -> tuple[dict[str, Table], Interval]:
    """Figures 3 and 4, and how much less of the plane is wall with more samples."""
    maps, shares, counted = [], [], {}
    for size, text in ((1, "one sample"), (BATCH, f"{BATCH} samples")):
        for drawn in (NAIVE, HALF, PRODUCT):
            here = plane(drawn)
            losses = [product_losses(drawn, samples(size, k)) for k in range(DRAWS)]
            for w2, row in zip(PLANE[here], losses[0][here], strict=True):
                points = zip(PLANE, np.maximum(row, LEAST), strict=True)
                maps += [(f"{drawn.name}, {text}", w1, w2, v) for w1, v in points]
            high = np.array([(loss[here] > HIGH).mean() for loss in losses])
            shares.append((drawn.name, text, *ends(mean(high))))
            counted[drawn.name, size] = high
    names = ("unit", "inputs", "share of the plane", "low", "high")
    tables = {
        "walls": columns(("map", "w₁", "w₂", "loss"), maps),
        "wall-shares": columns(names, shares),
    }
    return tables, mean(counted[NAIVE.name, 1] - counted[NAIVE.name, BATCH])


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


def identity(size: int) -> np.ndarray:
    """x₁ uniform on [0, 2] and x₂ on [−0.05, 0.05]."""
    rng = np.random.default_rng(2)
    return np.stack([rng.uniform(0, 2, size), rng.uniform(-0.05, 0.05, size)])


def slopes() -> tuple[dict[str, Table], dict[str, float]]:
    """Figure 5, and the median slope of each unit where w₂ > 0.75."""
    maps, flat, medians = [], [], {}
    for drawn in (REAL, NAIVE, HALF, OPEN, PRODUCT):
        norms = gradient_norms(drawn, identity(BATCH))
        for w2, row in zip(W2, norms, strict=True):
            maps += [(drawn.name, w1, w2, v) for w1, v in zip(W1, row, strict=True)]
        medians[drawn.name] = float(np.median(norms[W2 > 0.75]))
        flat.append((drawn.name, float((norms < FLAT).mean()), medians[drawn.name]))
    names = ("unit", "share of weights with |∇L| < 0.18", "median of |∇L|, w₂ > 0.75")
    tables = {
        "slopes": columns(("map", "w₁", "w₂", "|∇L|"), maps),
        "flat": columns(names, flat),
    }
    return tables, medians

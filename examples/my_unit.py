"""A unit of one's own: does an NMU learn faster if its weights are a sine?

Run it with `arithmax benchmark examples/my_unit.py:SineNMU`; `--quick` is a first look.
"""

from dataclasses import dataclass
from math import pi
from typing import Any, ClassVar

import numpy as np

from arithmax.tasks import SingleModule
from arithmax.training import UnitPenalty
from arithmax.units import (
    BINARY,
    REALS,
    Exactness,
    Uniform,
    Unit,
    matrix,
    namespace,
    product,
    rows,
    spread,
)


@dataclass(frozen=True)
class SineNMU(Unit):
    r"""Products, $y = \prod_i (W_i x_i + 1 - W_i)$ with $W = \sin^2(\pi V / 2)$.

    The NMU clips its weights to [0, 1] and draws them to 0 and 1 by a penalty. Here
    they are within these bounds for every V, and flat at both ends, so that there is
    nothing to clip; the penalty is the mean of $W (1 - W)$.
    """

    title: ClassVar[str] = "SineNMU"
    exact: ClassVar[dict] = {"product": Exactness(BINARY, REALS)}

    def parameters(self, in_features, out_features):
        """V, which starts where W is between ¼ and ¾, as the NMU's."""
        return {"V": matrix(in_features, out_features, Uniform(1 / 3, 2 / 3))}

    def weights(self, params):
        """W, between 0 and 1."""
        v = params["V"]
        return {"W": namespace(v).sin(pi / 2 * v) ** 2}

    def compute(self, params, x, *, training=False, noise=None, xp=None):
        """The product of x or 1, or of what is between them; features come first."""
        xp = xp or namespace(x)
        w = spread(self.weights(params)["W"], x, xp)
        return product(w * x[None] + (1 - w), xp)

    def penalty(self, params):
        """Zero exactly where all weights are 0 or 1."""
        w = self.weights(params)["W"]
        return namespace(w).mean(w * (1 - w))

    def encode(self, w, path="product"):
        """V is W itself at 0 and 1."""
        return {"V": w}

    def expression(self, params, symbols):
        """The formula."""
        import sympy

        return [
            sympy.Mul(*(w * s + 1 - w for w, s in zip(row, symbols, strict=True)))
            for row in rows(self.weights(params)["W"])
        ]

    def recipe(self, task: SingleModule) -> dict[str, Any]:
        """How it is trained: as the NMU, whose penalty begins late."""
        start, end = (50_000, 75_000) if task.input_size > 2 else (20_000, 35_000)
        return {"penalties": (UnitPenalty(10.0, start, end),)}


if __name__ == "__main__":
    x = np.array([[-300.0, 20.0]])
    print(SineNMU().apply(SineNMU().solution("mul"), x))

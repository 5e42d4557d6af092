"""A unit that imports a module beside it: an NMU whose weights are a smooth step.

Run it with `arithmax benchmark examples/smooth_unit.py:SmoothNMU --quick`.
"""

from dataclasses import dataclass
from typing import ClassVar

from weight_maps import smooth_step

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
class SmoothNMU(Unit):
    r"""Products, $y = \prod_i (W_i x_i + 1 - W_i)$ with $W = 3 V^2 - 2 V^3$."""

    title: ClassVar[str] = "SmoothNMU"
    exact: ClassVar[dict] = {"product": Exactness(BINARY, REALS)}
    recipe: ClassVar[dict] = {"optimiser__learning_rate": 0.01}

    def parameters(self, in_features, out_features):
        """V, which starts in the middle."""
        return {"V": matrix(in_features, out_features, Uniform(1 / 3, 2 / 3))}

    def weights(self, params):
        """W, between 0 and 1."""
        return {"W": smooth_step(params["V"])}

    def compute(self, params, x, *, training=False, noise=None, xp=None):
        """The product of x or 1, or of what is between them; features come first."""
        xp = xp or namespace(x)
        w = spread(self.weights(params)["W"], x, xp)
        return product(w * x[None] + (1 - w), xp)

    def project(self, params):
        """V stays between 0 and 1."""
        xp = namespace(params["V"])
        return {"V": xp.clip(params["V"], 0.0, 1.0)}

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

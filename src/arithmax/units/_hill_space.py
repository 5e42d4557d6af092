"""Hill Space: the NAC's weights, for sums and for powers with a sign."""

from dataclasses import dataclass
from math import pi
from typing import ClassVar, Literal

from .._arrays import (
    Array,
    Namespace,
    Params,
    absolute,
    contract,
    namespace,
    product,
    spread,
)
from .._hazards import TOLERANCE, Hazard, divided_by_zero
from .._network import Draws
from .._parameters import Constant, Parameter, matrix
from ._nac import saturate, tanh_sigmoid
from ._npu import real_power
from ._operations import REALS, TERNARY, Exactness
from ._symbolic import number, rows, weighted_sum
from ._unit import Inputs, Outputs, Unit

Primitive = Literal["exponential", "additive"]
PATHS = {"exponential": "product", "additive": "sum"}


@dataclass(frozen=True)
class HillSpace(Unit):
    r"""The unit of "Hill Space": the NAC's weights as powers, or as those of a sum.

    $$ y_o = \prod_i |x_i|^{W_{oi}} \cdot \cos\Big(\pi \sum_i W_{oi} [x_i < 0]\Big)
       \qquad W = \tanh(\hat W) \odot \sigma(\hat M) $$

    which is the real part of $\prod_i x_i^{W_{oi}}$; the author computes it with
    complex numbers. With `primitive="additive"` it is $y = W x$, the NAC of another
    start. $\hat W$ and $\hat M$ are `W_hat` and `M_hat`; both start at zero, so that
    all seeds start alike and differ in their samples only. There is no penalty.

    The author's unit is told which operation to do, and has such weights for each; here
    a unit has one primitive, and weights for it alone. Left out are his primitives for
    sine and cosine of angles and of their sums, which are no arithmetic, and the
    snapping of weights within 10⁻⁶ of their bounds, which `discretise` does.

    **Fails** where its inputs are not positive in training: the sign turns with the
    powers, as in the `RealNaiveNPU`, and the author himself trains on positive inputs.
    1/0 is infinite. Powers beyond ±1 cannot be represented.

    Args:
        primitive: whether it multiplies powers or adds.

    Examples:
        >>> import numpy as np
        >>> from arithmax.units import HillSpace
        >>> params = HillSpace().solution("div")
        >>> HillSpace().apply(params, np.array([-900.0, 30.0]))
        array([-30.])

    Reference:
        J. DuJardin, "Hill Space is All You Need", 2025, where it is called MathyUnit.
    """

    title: ClassVar[str] = "Hill Space"
    primitive: Primitive = "exponential"

    @property
    def exact(self) -> dict:
        return {PATHS[self.primitive]: Exactness(TERNARY, REALS)}

    def parameters(self, in_features: int, out_features: int) -> dict[str, Parameter]:
        start = matrix(in_features, out_features, Constant(0.0))
        return {"W_hat": start, "M_hat": start}

    def compute(
        self,
        params: Params,
        x: Inputs,
        *,
        training: bool = False,
        noise: Draws | None = None,
        xp: Namespace = None,
    ) -> Outputs:
        xp = xp or namespace(x)
        w = tanh_sigmoid(params, xp)
        if self.primitive == "additive":
            return contract(w, x, xp)
        angle = contract(w, xp.where(x < 0, pi, xp.zeros_like(x)), xp)
        magnitude = product(absolute(x, xp)[None] ** spread(w, x, xp), xp)
        return magnitude * xp.cos(angle)

    def weights(self, params: Params) -> Params:
        return {"W": tanh_sigmoid(params, namespace(params["W_hat"]))}

    def turns(self, params: Params) -> Array | None:
        return self.weights(params)["W"] if self.primitive == "exponential" else None

    def encode(self, w, path="product") -> Params:
        return saturate(w)

    def expression(self, params, symbols):
        table = rows(self.weights(params)["W"])
        if self.primitive == "additive":
            return [weighted_sum(row, symbols) for row in table]
        return [real_power(list(map(number, row)), symbols) for row in table]

    def hazards(self, params, x, xp):
        if self.primitive == "additive":
            return {}
        w = self.weights(params)["W"]
        fractional = xp.any(xp.abs(w - xp.round(w)) > TOLERANCE, axis=0)[:, None]
        return {
            Hazard.DIVISION_BY_ZERO: divided_by_zero(w, x, xp),
            Hazard.FRACTIONAL_POWER: (x < 0) & fractional,
        }

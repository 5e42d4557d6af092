"""The improved neural arithmetic logic unit."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from .._arrays import (
    Array,
    Namespace,
    Params,
    absolute,
    align,
    clip,
    contract,
    namespace,
    product,
    relu,
    sigmoid,
    sign,
    spread,
)
from .._hazards import (
    TOLERANCE,
    Hazard,
    between,
    divided_by_zero,
    undecided,
)
from .._network import Draws
from .._parameters import Normal, Parameter, matrix
from ._nac import SATURATED, saturate, tanh_sigmoid
from ._nalu import open_path, signs
from ._operations import REALS, TERNARY, Exactness, Path
from ._symbolic import gate, number, rows, times, weighted_sum
from ._unit import Inputs, Outputs, Unit, nearest

EPS = 1e-7
OMEGA = 20.0


def sign_product(w: Array, x: Array, xp: Namespace) -> Array:
    """Π (sign(xᵢ)|wᵢ| + 1 − |wᵢ|): the sign of a product that ignores unused inputs."""
    magnitude = spread(absolute(w, xp), x, xp)
    factors = sign(x, xp)[None] * magnitude + 1 - magnitude
    return product(factors, xp)


@dataclass(frozen=True)
class INALU(Unit):
    r"""The improved NALU: signs, bounded exponents and a gate that ignores the input.

    $$ y = g \odot W_a x + (1 - g) \odot s \odot
       \exp(\min(W_m \log(\max(|x|, \epsilon)), \omega)) \qquad g = \sigma(G) $$

    $$ s_o = \prod_i \left(\mathrm{sign}(x_i)|W_{m,oi}| + 1 - |W_{m,oi}|\right) \qquad
       W = \tanh(\hat W) \odot \sigma(\hat M) $$

    $\hat W_a$, $\hat M_a$, $\hat W_m$, $\hat M_m$ are `W_hat_add`, `M_hat_add`,
    `W_hat_mul`, `M_hat_mul` (`W_hat` and `M_hat` with `tied=True`), and $G$ is `G`, one
    value an output; $\epsilon = 10^{-7}$ and $\omega = 20$. They start as in the
    authors' experiments: $\hat W$ normal around 1, $\hat M$ around −1, $G$ around 0,
    each with standard deviation 0.1. The penalty is the sum over parameters of the mean
    of $\max(20 - |v|, 0)$, the published strength 0.05 apart; it is not zero at the
    discrete weights 0, where $\hat W$ is 0.

    **Fails** on division, mostly, and needs its restarts. Products beyond
    $e^{20} \approx 4.9 \cdot 10^8$ are clipped in silence, and so are inputs below
    $10^{-7}$: 1/0 is $10^7$.

    Args:
        tied: whether both paths share one weight matrix.

    Examples:
        >>> import numpy as np
        >>> from arithmax.units import INALU
        >>> params = INALU().solution("mul")
        >>> INALU().apply(params, np.array([-300.0, 20.0])).round(6)
        array([-6000.])

    Reference:
        D. Schlör, M. Ring and A. Hotho, "iNALU: Improved Neural Arithmetic Logic Unit",
        Frontiers in Artificial Intelligence, 2020.
    """

    title: ClassVar[str] = "iNALU"
    tied: bool = False

    @property
    def exact(self) -> dict:
        return {
            "sum": Exactness(TERNARY, REALS),
            "product": Exactness(TERNARY, REALS, limit=math.exp(OMEGA)),
        }

    def parameters(self, in_features: int, out_features: int) -> dict[str, Parameter]:
        parameters = {}
        for suffix in self._suffixes:
            for name, mean in (("W_hat", 1.0), ("M_hat", -1.0)):
                drawn = Normal(mean, 0.1)
                parameters[name + suffix] = matrix(in_features, out_features, drawn)
        gate = Parameter((out_features,), Normal(0.0, 0.1), role="gate")
        return parameters | {"G": gate}

    @property
    def _suffixes(self) -> tuple[str, ...]:
        return ("",) if self.tied else ("_add", "_mul")

    def _matrices(self, params: Params, xp: Namespace) -> tuple[Array, Array]:
        matrices = [tanh_sigmoid(params, xp, suffix) for suffix in self._suffixes]
        return matrices[0], matrices[-1]

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
        w_add, w_mul = self._matrices(params, xp)
        added = contract(w_add, x, xp)
        exponent = self._exponent(w_mul, x, xp)
        magnitude = xp.exp(xp.where(exponent > OMEGA, OMEGA, exponent))
        signs_ = clip(sign_product(w_mul, x, xp), -1.0, 1.0, xp)
        g = align(sigmoid(params["G"], xp), added)
        return g * added + (1 - g) * (signs_ * magnitude)

    def _exponent(self, w: Array, x: Array, xp: Namespace) -> Array:
        magnitude = absolute(x, xp)
        return contract(w, xp.log(xp.where(magnitude < EPS, EPS, magnitude)), xp)

    def penalty(self, params: Params) -> Array:
        xp = namespace(*params.values())
        return sum(xp.mean(relu(20 - absolute(v, xp), xp)) for v in params.values())

    def weights(self, params: Params) -> Params:
        w_add, w_mul = self._matrices(params, namespace(*params.values()))
        return {"W": w_add} if self.tied else {"W_add": w_add, "W_mul": w_mul}

    def encode(self, w, path: Path | Sequence[Path]) -> Params:
        return self._encode(w, w, path)

    def _encode(self, w_add: Array, w_mul: Array, path) -> Params:
        params = {"G": SATURATED * signs(w_add, path)[:, 0]}
        for suffix, w in zip(self._suffixes, (w_add, w_mul), strict=False):
            params |= saturate(w, suffix)
        return params

    def discretise(self, params: Params) -> Params:
        xp = namespace(*params.values())
        w_add, w_mul = (nearest(w, TERNARY, xp) for w in self._matrices(params, xp))
        return self._encode(w_add, w_mul, open_path(params["G"]))

    def expression(self, params, symbols):
        xp = namespace(*params.values())
        w_add, w_mul = (rows(w) for w in self._matrices(params, xp))
        results = []
        for a, m, logit in zip(w_add, w_mul, rows(params["G"]), strict=True):
            g = gate(logit)
            signed = times(signed_power(w, s) for w, s in zip(m, symbols, strict=True))
            results.append(g * weighted_sum(a, symbols) + (1 - g) * signed)
        return results

    def hazards(self, params, x, xp):
        _, w = self._matrices(params, xp)
        g = sigmoid(params["G"], xp)
        multiplies = xp.any(g < 0.5)
        clipped = (self._exponent(w, x, xp) > OMEGA) & (g < 0.5)[:, None]
        uses = xp.abs(w) > TOLERANCE
        clipped = xp.any(clipped[:, None] & uses[:, :, None], axis=0)
        return {
            Hazard.DIVISION_BY_ZERO: divided_by_zero(w, x, xp, EPS) & multiplies,
            Hazard.UNDECIDED_WEIGHT: (x < 0) & undecided(w, xp) & multiplies,
            Hazard.CLIPPED: clipped,
            Hazard.MIXED_PATHS: (x == x) & xp.any(between(g)),
        }


def signed_power(w: float, symbol):
    """|s|^w with the sign that the iNALU gives it; s^w at discrete weights."""
    import sympy

    exponent = number(w)
    if w in TERNARY:
        return symbol**exponent
    a = abs(exponent)
    return sympy.Abs(symbol) ** exponent * (sympy.sign(symbol) * a + 1 - a)

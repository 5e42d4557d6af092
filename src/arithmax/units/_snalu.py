"""The signed NALU: a gate that ignores the input, and the sign of all inputs."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from .._arrays import (
    Namespace,
    Params,
    absolute,
    align,
    contract,
    namespace,
    product,
    sigmoid,
    sign,
)
from .._hazards import TOLERANCE, Hazard, between, divided_by_zero, undecided
from .._network import Draws
from .._parameters import Parameter, glorot_uniform, matrix
from ._nac import SATURATED, saturate, tanh_sigmoid
from ._nalu import open_path, signs
from ._operations import POSITIVE, REALS, TERNARY, Exactness, Path
from ._symbolic import gate, number, rows, times, weighted_sum
from ._unit import Inputs, Outputs, Unit, nearest


@dataclass(frozen=True)
class SNALU(Unit):
    r"""The signed NALU: the product has the sign of all inputs together.

    $$ y = g\, W x + (1 - g) \prod_i \mathrm{sign}(x_i) \cdot
       \exp(W \log(|x| + \epsilon)) \qquad
       W = \tanh(\hat W) \odot \sigma(\hat M) \qquad g = \sigma(G) $$

    $\hat W$ and $\hat M$ are `W_hat` and `M_hat`, which both paths share; $G$ is `G`,
    one number for all outputs, so that all of them add or all of them multiply;
    $\epsilon$ is `eps`. All three start Glorot-uniform. There is no penalty.

    **Fails** on products that ignore an input which is not positive: the sign is that
    of *all* inputs, used or not, and an ignored zero makes the result zero. The
    author's runs end in NaN for 10 to 20 % of seeds, as he says in the repository.

    Args:
        eps: the number added inside the logarithm.

    Examples:
        >>> import numpy as np
        >>> from arithmax.units import SNALU
        >>> params = SNALU().solution("mul", in_features=3)
        >>> SNALU().apply(params, np.array([-300.0, 20.0, 7.0])).round(3)
        array([-6000.])
        >>> SNALU().apply(params, np.array([-300.0, 20.0, -7.0])).round(3)  # wrong
        array([6000.])

    Reference:
        F. Wilhelm, "snalu.pytorch", a repository of 2019.
    """

    title: ClassVar[str] = "SNALU"
    eps: float = 1e-8

    @property
    def exact(self) -> dict:
        return {
            "sum": Exactness(TERNARY, REALS),
            "product": Exactness(TERNARY, REALS, error=self.eps, ignored=POSITIVE),
        }

    def parameters(self, in_features: int, out_features: int) -> dict[str, Parameter]:
        drawn = glorot_uniform(in_features, out_features)
        return {
            "W_hat": matrix(in_features, out_features, drawn),
            "M_hat": matrix(in_features, out_features, drawn),
            "G": Parameter((1,), glorot_uniform(1, 1), role="gate"),
        }

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
        added = contract(w, x, xp)
        magnitude = xp.exp(contract(w, xp.log(absolute(x, xp) + self.eps), xp))
        signed = product(sign(x, xp)[None], xp) * magnitude
        g = align(sigmoid(params["G"], xp), added)
        return g * added + (1 - g) * signed

    def weights(self, params: Params) -> Params:
        return {"W": tanh_sigmoid(params, namespace(params["G"]))}

    def encode(self, w, path: Path | Sequence[Path]) -> Params:
        favoured = signs(w, path)[:, 0]
        if not bool((favoured == favoured[0]).all()):
            raise ValueError(
                f"`path` (={path!r}) must be the same for all outputs: a SNALU has one "
                "gate for all of them."
            )
        return saturate(w) | {"G": SATURATED * favoured[:1]}

    def discretise(self, params: Params) -> Params:
        w = nearest(self.weights(params)["W"], TERNARY, namespace(params["G"]))
        return self.encode(w, open_path(params["G"])[0])

    def expression(self, params, symbols):
        g = gate(rows(params["G"])[0])
        results = []
        for row in rows(self.weights(params)["W"]):
            signed = times(
                power_with_sign(w, s) for w, s in zip(row, symbols, strict=True)
            )
            results.append(g * weighted_sum(row, symbols) + (1 - g) * signed)
        return results

    def hazards(self, params, x, xp):
        w, g = self.weights(params)["W"], sigmoid(params["G"], xp)
        multiplies = (g < 0.5)[:, None]
        ignores = xp.any(xp.abs(w) <= TOLERANCE, axis=0)[:, None]
        return {
            Hazard.IGNORED_SIGN: (x <= 0) & ignores & multiplies,
            Hazard.DIVISION_BY_ZERO: divided_by_zero(w, x, xp, self.eps) & multiplies,
            Hazard.UNDECIDED_WEIGHT: (x < 0) & undecided(w, xp) & multiplies,
            Hazard.MIXED_PATHS: (x == x) & between(g)[:, None],
        }


def power_with_sign(w: float, symbol):
    """sign(s)|s|^w, which is s^w where that has the sign of s."""
    import sympy

    if abs(w) == 1:
        return symbol ** number(w)
    return sympy.sign(symbol) * sympy.Abs(symbol) ** number(w)

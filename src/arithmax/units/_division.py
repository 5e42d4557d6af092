"""Division units: the neural reciprocal unit and the multiplicative reciprocal unit."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import pi
from typing import ClassVar

import numpy as np

from .._arrays import (
    Array,
    Namespace,
    Params,
    absolute,
    clip,
    contract,
    namespace,
    product,
    sign,
    spread,
    tanh,
)
from .._hazards import Hazard, divided_by_zero, undecided
from .._network import Draws
from .._parameters import Parameter, check_features, matrix
from ._clipped import AbstractClipped
from ._nau import nau_uniform
from ._nmu import START, multiply
from ._operations import BINARY, NONZERO, REALS, TERNARY, Exactness, Path
from ._penalties import Shape
from ._symbolic import number, rows, times
from ._unit import Inputs, Outputs, nearest

# The epsilon that NMRU adds to the divisor in training, in every dtype.
EPS = float(np.finfo(np.float32).eps)


@dataclass(frozen=True)
class NRU(AbstractClipped):
    r"""The neural reciprocal unit: products and quotients of signed numbers.

    $$ y_o = \prod_i \left(\mathrm{sign}(x_i)\,|x_i|^{W_{oi}}\, a_{oi}
       + 1 - a_{oi}\right) $$

    $W$ is `W`, in [−1, 1] as the NAU's, with its start, projection and penalty. In
    training the gate is $a = \tanh^2(1000\,W)$, a smooth stand-in for the $a = |W|$ of
    evaluation.

    **Fails** when its weights are not discrete: a sign is then neither kept nor
    dropped. 1/0 is NaN, and so is its
    gradient. It wants a learning rate of 1 with two inputs and of 10⁻³
    with ten.

    Args:
        regulariser: `"linear"`, `"squared"` or `None`.

    Examples:
        >>> import numpy as np
        >>> from arithmax.units import NRU
        >>> NRU().apply({"W": np.array([[1.0, -1.0]])}, np.array([-900.0, 30.0]))
        array([-30.])

    Reference:
        B. Mistry, K. Farrahi and J. Hare, "Exploring the Learning Mechanisms of Neural
        Division Modules", TMLR 2022.
    """

    title: ClassVar[str] = "NRU"
    least: ClassVar[float] = -1.0
    regulariser: Shape = "linear"

    @property
    def exact(self) -> dict:
        return {"product": Exactness(TERNARY, REALS)}

    def parameters(self, in_features: int, out_features: int) -> dict[str, Parameter]:
        drawn = nau_uniform(in_features, out_features)
        return {"W": matrix(in_features, out_features, drawn)}

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
        w = spread(clip(params["W"], -1.0, 1.0, xp), x, xp)
        gate = tanh(1000 * w, xp) ** 2 if training else absolute(w, xp)
        power = sign(x, xp)[None] * absolute(x, xp)[None] ** w
        return product(power * gate + (1 - gate), xp)

    def expression(self, params, symbols):
        import sympy

        def factor(w: float, s):
            if w in TERNARY:
                return s ** number(w)
            w, a = number(w), abs(number(w))
            return sympy.sign(s) * sympy.Abs(s) ** w * a + 1 - a

        return [
            times(factor(w, s) for w, s in zip(row, symbols, strict=True))
            for row in rows(self.weights(params)["W"])
        ]

    def hazards(self, params, x, xp):
        w = self.weights(params)["W"]
        return {
            Hazard.DIVISION_BY_ZERO: divided_by_zero(w, x, xp),
            Hazard.UNDECIDED_WEIGHT: (x < 0) & undecided(w, xp),
        }


@dataclass(frozen=True)
class NMRU(AbstractClipped):
    r"""The neural multiplicative reciprocal unit: an NMU of inputs and their inverses.

    $$ y_o = \prod_{j=1}^{2I} \left(W_{oj} |z_j| + 1 - W_{oj}\right) \cdot
       \cos\Big(\pi \sum_j W_{oj} [z_j < 0]\Big) \qquad z = (x, 1/x) $$

    $W$ is `W`, of shape [out, 2·in], in [0, 1] as the NMU's, with its start, projection
    and penalty. In training the second half of $z$ is $1/(x + \epsilon)$ with the
    epsilon of float32.

    **Fails** for inputs of large magnitude, where 1/x carries no gradient, and wherever
    an input is zero: 1/0 makes the result NaN, used or not. While its weights are not
    discrete the sign of the result is rotated.

    Args:
        regulariser: `"linear"`, `"squared"` or `None`.

    Examples:
        >>> import numpy as np
        >>> from arithmax.units import NMRU
        >>> params = NMRU().solution("div")
        >>> params["W"]
        array([[1., 0., 0., 1.]])
        >>> NMRU().apply(params, np.array([-900.0, 30.0]))
        array([-30.])

    Reference:
        B. Mistry, K. Farrahi and J. Hare, "Exploring the Learning Mechanisms of Neural
        Division Modules", TMLR 2022.
    """

    title: ClassVar[str] = "NMRU"
    least: ClassVar[float] = 0.0
    regulariser: Shape = "linear"

    @property
    def exact(self) -> dict:
        return {"product": Exactness(TERNARY, NONZERO)}

    def parameters(self, in_features: int, out_features: int) -> dict[str, Parameter]:
        check_features(in_features, out_features)
        return {"W": matrix(2 * in_features, out_features, START)}

    def features(self, params: Params) -> tuple[int, int]:
        return params["W"].shape[1] // 2, params["W"].shape[0]

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
        z = xp.concat([x, 1 / (x + EPS) if training else 1 / x], axis=0)
        w = clip(params["W"], 0.0, 1.0, xp)
        angle = contract(w, xp.where(z < 0, pi, xp.zeros_like(z)), xp)
        return multiply(w, absolute(z, xp), xp) * xp.cos(angle)

    def turns(self, params: Params) -> Array:
        """An input and its inverse have the same sign."""
        w = self.weights(params)["W"]
        half = w.shape[1] // 2
        return w[:, :half] + w[:, half:]

    def encode(self, w, path: Path | Sequence[Path] = "product") -> Params:
        xp = namespace(w)
        return {"W": xp.concat([clip(w, 0.0, 1.0, xp), clip(-w, 0.0, 1.0, xp)], axis=1)}

    def discretise(self, params: Params) -> Params:
        w = params["W"]
        return {"W": nearest(w, BINARY, namespace(w))}

    def expression(self, params, symbols):
        bases = [*symbols, *(1 / s for s in symbols)]
        results = []
        for row in rows(self.weights(params)["W"]):
            if not set(row) <= set(BINARY):
                raise ValueError(
                    f"`params['W']` (={row}) is not discrete, so that signs are "
                    "rotated. Call `discretise` first."
                )
            results.append(
                times(b ** number(w) for w, b in zip(row, bases, strict=True))
            )
        return results

    def hazards(self, params, x, xp):
        w = self.weights(params)["W"]
        loose = undecided(w, xp)
        half = x.shape[0]
        return {
            Hazard.DIVISION_BY_ZERO: x == 0,
            Hazard.UNDECIDED_WEIGHT: (x < 0) & (loose[:half] | loose[half:]),
        }

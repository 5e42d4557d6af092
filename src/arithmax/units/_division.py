"""Division units: the neural reciprocal unit, the multiplicative ones."""

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
    align,
    clip,
    contract,
    namespace,
    product,
    sign,
    spread,
    tanh,
)
from .._hazards import TOLERANCE, Hazard, divided_by_zero, undecided, used
from .._network import Draws
from .._parameters import Constant, Parameter, check_features, matrix
from ._clipped import AbstractClipped
from ._nau import nau_uniform
from ._nmu import START, multiply
from ._operations import BINARY, NONZERO, REALS, TERNARY, Exactness, Path
from ._penalties import Shape, sparsity_penalty
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


class AbstractNMRU(AbstractClipped):
    """What the NMRU and its gated variant share: all but the gate `g_z`."""

    least: ClassVar[float] = 0.0

    @property
    def exact(self) -> dict:
        return {"product": Exactness(TERNARY, NONZERO)}

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
        if "g_z" in params:
            z = align(clip(params["g_z"], 0.0, 1.0, xp), z) * z
        w = clip(params["W"], 0.0, 1.0, xp)
        angle = contract(w, xp.where(z < 0, pi, xp.zeros_like(z)), xp)
        return multiply(w, absolute(z, xp), xp) * xp.cos(angle)

    def weights(self, params: Params) -> Params:
        w = params["W"]
        return {"W": clip(w, 0.0, 1.0, namespace(w))}

    def turns(self, params: Params) -> Array:
        """An input and its inverse have the same sign."""
        w = self.weights(params)["W"]
        half = w.shape[1] // 2
        return w[:, :half] + w[:, half:]

    def expression(self, params, symbols):
        bases = [*symbols, *(1 / s for s in symbols)]
        if "g_z" in params:
            gates = rows(clip(params["g_z"], 0.0, 1.0, namespace(params["g_z"])))
            bases = [number(g) * b for g, b in zip(gates, bases, strict=True)]
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
        loose, half = undecided(w, xp), x.shape[0]
        found = {
            Hazard.DIVISION_BY_ZERO: x == 0,
            Hazard.UNDECIDED_WEIGHT: (x < 0) & (loose[:half] | loose[half:]),
        }
        if "g_z" in params:
            scaled = (params["g_z"] < 1 - TOLERANCE)[:, None] & used(w, xp)
            found[Hazard.SCALED] = (x == x) & (scaled[:half] | scaled[half:])
        return found


def reciprocal_weights(w: Array, xp: Namespace) -> Array:
    """Weights [out, 2·in] of z = (x, 1/x) for those of x, which may be −1."""
    return xp.concat([clip(w, 0.0, 1.0, xp), clip(-w, 0.0, 1.0, xp)], axis=1)


@dataclass(frozen=True)
class NMRU(AbstractNMRU):
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
    regulariser: Shape = "linear"

    def parameters(self, in_features: int, out_features: int) -> dict[str, Parameter]:
        check_features(in_features, out_features)
        return {"W": matrix(2 * in_features, out_features, START)}

    def encode(self, w, path: Path | Sequence[Path] = "product") -> Params:
        return {"W": reciprocal_weights(w, namespace(w))}

    def discretise(self, params: Params) -> Params:
        w = params["W"]
        return {"W": nearest(w, BINARY, namespace(w))}


@dataclass(frozen=True)
class GatedSignNMRU(AbstractNMRU):
    r"""The NMRU with a gate on each input and on each inverse.

    $$ y_o = \prod_{j=1}^{2I} \left(W_{oj} |z_j| + 1 - W_{oj}\right) \cdot
       \cos\Big(\pi \sum_j W_{oj} [z_j < 0]\Big) \qquad z = \hat g \odot (x, 1/x)
       \qquad \hat g = \min(\max(g, 0), 1) $$

    $W$ is `W`, as in the `NMRU`, and $g$ is `g_z`, one for each of the 2·in entries of
    $z$, ½ at the start and held in [0, 1]. The penalty is the NMRU's plus the mean of
    $\min(|g|, |1 - g|)$. Unlike the NPU's gate this one *multiplies* $z$: a closed one
    turns its input into 0, not into 1, so that it is the weight that ignores an input.

    It is an experiment in the code of its authors that none of their papers has. The
    formula is that of the file in nalm-robust-nmu; which settings it was run with, and
    what came out, could not be read anywhere.

    **Fails** where the `NMRU` fails, and by a gate that is not fully open behind a
    weight of 1: it scales the result, by half at the start.

    Args:
        regulariser: `"linear"`, `"squared"` or `None`, of the weights; the gate's
            penalty is linear, and off with `None`.

    Examples:
        >>> import numpy as np
        >>> from arithmax.units import GatedSignNMRU
        >>> params, x = GatedSignNMRU().solution("div"), np.array([-900.0, 30.0])
        >>> GatedSignNMRU().apply(params, x)
        array([-30.])
        >>> params["g_z"] = 0.5 * params["g_z"]
        >>> GatedSignNMRU().apply(params, x)
        array([-7.5])

    Reference:
        B. Mistry, "nalm-division" and "nalm-robust-nmu", repositories of 2022 and 2023.
    """

    title: ClassVar[str] = "GatedSignNMRU"
    regulariser: Shape = "linear"

    def parameters(self, in_features: int, out_features: int) -> dict[str, Parameter]:
        check_features(in_features, out_features)
        return {
            "W": matrix(2 * in_features, out_features, START),
            "g_z": Parameter((2 * in_features,), Constant(0.5), role="gate"),
        }

    def penalty(self, params: Params) -> Array:
        shape, g = self.regulariser, params["g_z"]
        gates = sparsity_penalty(shape and "linear", g, signed=False)
        return sparsity_penalty(shape, params["W"], signed=False) + gates

    def project(self, params: Params) -> Params:
        g = params["g_z"]
        return self.weights(params) | {"g_z": clip(g, 0.0, 1.0, namespace(g))}

    def encode(self, w, path: Path | Sequence[Path] = "product") -> Params:
        xp = namespace(w)
        z_weights = reciprocal_weights(w, xp)
        return {"W": z_weights, "g_z": xp.ones_like(z_weights[0])}

    def discretise(self, params: Params) -> Params:
        """The nearest weights, with all gates open; behind a shut one they are 0."""
        w, g = params["W"], params["g_z"]
        xp = namespace(w)
        shut = (g < 0.5)[None]
        w = xp.where(shut, xp.zeros_like(w), nearest(w, BINARY, xp))
        return {"W": w, "g_z": xp.ones_like(g)}

"""The neural accumulator, and its multiplicative twin in log space."""

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

from .._arrays import (
    Array,
    Namespace,
    Params,
    absolute,
    clip,
    contract,
    namespace,
    relu,
    sigmoid,
    tanh,
)
from .._hazards import Hazard, divided_by_zero, used
from .._network import Draws
from .._parameters import (
    Normal,
    Parameter,
    Uniform,
    check_features,
    glorot_uniform,
    matrix,
    symmetric,
)
from ._operations import (
    ABOVE_ONE,
    BINARY,
    POSITIVE,
    POWERS,
    REALS,
    TERNARY,
    Exactness,
)
from ._penalties import sparsity_penalty
from ._symbolic import power_product, rows, weighted_sum
from ._unit import Inputs, Outputs, Unit, halves, nearest

# tanh and σ of this are exactly 1 in every format, in the golden-ratio base too.
SATURATED = 100.0


def tanh_sigmoid(
    params: Params, xp: Namespace, suffix: str = "", scale: float = 1.0
) -> Array:
    """The weight tanh(Ŵ) ⊙ σ(M̂), which lies in (−1, 1)."""
    w_hat, m_hat = params["W_hat" + suffix], params["M_hat" + suffix]
    if scale != 1.0:
        w_hat, m_hat = scale * w_hat, scale * m_hat
    return tanh(w_hat, xp) * sigmoid(m_hat, xp)


def saturate(w: Array, suffix: str = "") -> Params:
    """Ŵ and M̂ at which the weight is −1, 0 or 1 to the last digit."""
    return {
        "W_hat" + suffix: SATURATED * w,
        "M_hat" + suffix: SATURATED + 0 * w,
    }


def nac_uniform(in_features: int, out_features: int) -> Uniform:
    """The distribution of Ŵ and M̂ at which the variance of W is Glorot's.

    Its bound r solves max(in + out, 5) · Var[W] = 2 where
    Var[W] = (1 − tanh(r)/r) · (r − tanh(r/2)) / (2r).
    """
    check_features(in_features, out_features)
    target = 2 / max(in_features + out_features, 5)
    low, high = 1e-12, 10.0
    while high - low > 1e-12:
        r = (low + high) / 2
        variance = (1 - math.tanh(r) / r) * (r - math.tanh(r / 2)) / (2 * r)
        low, high = (r, high) if variance < target else (low, r)
    return symmetric(high)


def nac_parameters(
    in_features: int, out_features: int, suffix: str = ""
) -> dict[str, Parameter]:
    """Ŵ and M̂, as the NAC draws them."""
    drawn = nac_uniform(in_features, out_features)
    return {
        "W_hat" + suffix: matrix(in_features, out_features, drawn),
        "M_hat" + suffix: matrix(in_features, out_features, drawn),
    }


@dataclass(frozen=True)
class NAC(Unit):
    r"""The neural accumulator (NAC₊): sums and differences.

    $$ y = W x \qquad W = \tanh(\hat W) \odot \sigma(\hat M) $$

    $\hat W$ is `W_hat` and $\hat M$ is `M_hat`. Both start uniform on [−r, r], with r
    such that W has Glorot's variance.

    **Fails** to become discrete: nothing draws W to −1, 0 and 1, so a solution that
    fits the training data often keeps weights in between, and near the bounds the
    gradient vanishes.

    Examples:
        >>> import numpy as np
        >>> from arithmax.units import NAC
        >>> params = NAC().solution("sub")
        >>> NAC().apply(params, np.array([1e6, 1.0]))
        array([999999.])

    Reference:
        A. Trask et al., "Neural Arithmetic Logic Units", NeurIPS 2018.
    """

    title: ClassVar[str] = "NAC₊"

    @property
    def exact(self) -> dict:
        return {"sum": Exactness(TERNARY, REALS)}

    def parameters(self, in_features: int, out_features: int) -> dict[str, Parameter]:
        return nac_parameters(in_features, out_features)

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
        return contract(tanh_sigmoid(params, xp), x, xp)

    def weights(self, params: Params) -> Params:
        return {"W": tanh_sigmoid(params, namespace(params["W_hat"]))}

    def encode(self, w, path="sum") -> Params:
        return saturate(w)

    def expression(self, params, symbols):
        return [weighted_sum(row, symbols) for row in rows(self.weights(params)["W"])]


Log = Literal["plain", "safe", "max-safe"]
WeightMap = Literal["tanh-sigmoid", "sigmoid", "clipped", "linear"]

# What each choice of `weight_map` is made of: discrete values, and the penalty's shape.
WEIGHTS = {
    "tanh-sigmoid": (TERNARY, None),
    "sigmoid": (BINARY, None),
    "clipped": (BINARY, "linear"),
    "linear": (POWERS, "squared"),
}


@dataclass(frozen=True)
class MultiplicativeNAC(Unit):
    r"""The multiplicative accumulator (NAC•): products and quotients of magnitudes.

    $$ y = \exp(W \log(|x| + \epsilon)) $$

    $\epsilon$ is `eps`. `weight_map` says what $W$ is:

    | `weight_map` | paper | $W$ | starts |
    |---|---|---|---|
    | `"tanh-sigmoid"` | NAC• | $\tanh(\hat W) \odot \sigma(\hat M)$ | as the NAC |
    | `"sigmoid"` | NAC•,σ | $\sigma(\hat W)$ | $\hat W$ Glorot-normal |
    | `"clipped"` | NAC•,NMU | `W` clipped to [0, 1] | uniform on [¼, ¾] |
    | `"linear"` | the note of 2019 | `W`, any power | Glorot-uniform |

    The clipped weights have the NMU's penalty, the linear ones the mean of
    $w^2(1-|w|)^2$. `log` replaces $\log(|x| + \epsilon)$ by $\log(|x - 1| + 1)$
    (`"safe"`) or $\log(\max(0, x - 1) + 1)$ (`"max-safe"`), which are right for $x \ge
    1$ only and do not explode near zero. (The penalty on inputs below 1 that the
    authors' code adds to `"max-safe"` depends on data and is not part of the unit.)

    **Fails** on negative inputs, whose sign it loses in silence, and near zero, where a
    negative weight divides by $\epsilon$. The result is off by a factor of up to
    $(1 + \epsilon/|x|)$ for each input.

    Args:
        weight_map: what the weight matrix is made of.
        log: the logarithm.
        eps: the number added inside the plain logarithm.

    Examples:
        >>> import numpy as np
        >>> from arithmax.units import MultiplicativeNAC
        >>> params = MultiplicativeNAC().solution("div")
        >>> MultiplicativeNAC().apply(params, np.array([900.0, 30.0])).round(4)
        array([30.])

    Reference:
        A. Trask et al., "Neural Arithmetic Logic Units", NeurIPS 2018; the variants in
        A. Madsen and A. R. Johansen, "Neural Arithmetic Units", ICLR 2020.
    """

    title: ClassVar[str] = "NAC•"
    weight_map: WeightMap = "tanh-sigmoid"
    log: Log = "plain"
    eps: float = 1e-7

    @property
    def sparse(self) -> bool:
        return self.weight_map == "clipped"

    @property
    def exact(self) -> dict:
        values, _ = WEIGHTS[self.weight_map]
        if self.log == "plain":
            return {"product": Exactness(values, POSITIVE, error=self.eps)}
        return {"product": Exactness(values, ABOVE_ONE)}

    def parameters(self, in_features: int, out_features: int) -> dict[str, Parameter]:
        if self.weight_map == "tanh-sigmoid":
            return nac_parameters(in_features, out_features)
        check_features(in_features, out_features)
        if self.weight_map == "sigmoid":
            std = math.sqrt(2 / (in_features + out_features))
            return {"W_hat": matrix(in_features, out_features, Normal(0.0, std))}
        drawn = glorot_uniform(in_features, out_features)
        if self.weight_map == "clipped":
            drawn = Uniform(0.25, 0.75)
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
        if self.log == "plain":
            base = absolute(x, xp) + self.eps
        elif self.log == "safe":
            base = absolute(x - 1, xp) + 1
        else:
            base = relu(x - 1, xp) + 1
        w = self.weights(params, xp)["W"]
        return xp.exp(contract(w, xp.log(base), xp))

    def weights(self, params: Params, xp: Namespace = None) -> Params:
        xp = xp or namespace(*params.values())
        if "M_hat" in params:
            return {"W": tanh_sigmoid(params, xp)}
        if "W_hat" in params:
            return {"W": sigmoid(params["W_hat"], xp)}
        w = params["W"]
        return {"W": clip(w, 0.0, 1.0, xp) if self.weight_map == "clipped" else w}

    def penalty(self, params: Params) -> Array:
        values, shape = WEIGHTS[self.weight_map]
        w = next(iter(params.values()))
        return sparsity_penalty(shape, w, min(values) < 0)

    def project(self, params: Params) -> Params:
        if self.weight_map != "clipped":
            return dict(params)
        return {"W": self.weights(params)["W"]}

    def encode(self, w, path="product") -> Params:
        if self.weight_map == "tanh-sigmoid":
            return saturate(w)
        if self.weight_map == "sigmoid":
            return {"W_hat": SATURATED * (2 * w - 1)}
        return {"W": w}

    def discretise(self, params: Params) -> Params:
        w = self.weights(params)["W"]
        xp = namespace(w)
        if self.weight_map == "linear":
            return self.encode(halves(w, xp))
        return self.encode(nearest(w, WEIGHTS[self.weight_map][0], xp))

    def expression(self, params, symbols):
        import sympy

        bases = {
            "plain": lambda s: sympy.Abs(s),
            "safe": lambda s: sympy.Abs(s - 1) + 1,
            "max-safe": lambda s: sympy.Max(0, s - 1) + 1,
        }
        bases = [bases[self.log](s) for s in symbols]
        return [power_product(row, bases) for row in rows(self.weights(params)["W"])]

    def hazards(self, params, x, xp):
        w = self.weights(params, xp)["W"]
        if self.log != "plain":
            return {Hazard.BELOW_ONE: (x < 1) & used(w, xp)}
        return {
            Hazard.SIGN_LOST: (x < 0) & used(w, xp),
            Hazard.DIVISION_BY_ZERO: divided_by_zero(w, x, xp, self.eps),
        }

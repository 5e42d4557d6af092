"""Mass-conserving fully connected units: for sums, and in log space for products."""

from dataclasses import dataclass
from math import pi
from typing import ClassVar, Literal

from .._arrays import (
    Array,
    Namespace,
    Params,
    absolute,
    align,
    clip,
    contract,
    namespace,
    sigmoid,
    softmax,
)
from .._hazards import Hazard, between, used
from .._network import Draws
from .._parameters import (
    Constant,
    Identity,
    Orthogonal,
    Parameter,
    check_features,
)
from ._inalu import sign_product
from ._nac import SATURATED
from ._operations import BINARY, NONZERO, POSITIVE, REALS, Exactness
from ._penalties import linear
from ._symbolic import number, power_product, rows, weighted_sum
from ._unit import Inputs, Outputs, Unit


def junction(params: Params, xp: Namespace) -> tuple[Array, Array]:
    """How the mass of each input is shared among outputs, and each output's gate."""
    return softmax(params["R"], 0, xp), sigmoid(params["w"] + params["b"], xp)


def mass_parameters(in_features: int, out_features: int) -> dict[str, Parameter]:
    """R, w and b, as the authors draw them."""
    check_features(in_features, out_features)
    square = in_features == out_features
    drawn = Identity() if square else Orthogonal()
    return {
        "R": Parameter((out_features, in_features), drawn),
        "w": Parameter((out_features,), Orthogonal(), role="gate"),
        "b": Parameter((out_features,), Constant(0.0), role="gate"),
    }


def mass_penalty(params: Params, xp: Namespace) -> Array:
    """−mean(R²) − mean(w²) − mean(b²): drives every softmax and gate to its end."""
    return -sum(xp.mean(params[name] ** 2) for name in ("R", "w", "b"))


def mass_encode(w: Array, xp: Namespace) -> Params:
    """R, w and b that send each input to the output where `w` [out, in] has its 1."""
    if bool(xp.any(xp.sum(w, axis=0) != 1)):
        raise ValueError(
            f"`w` (={rows(w)}) must have exactly one 1 in each column: an MC-FC "
            "conserves mass, so that every input goes to exactly one output."
        )
    # An output that receives nothing may as well be shut.
    receives = xp.any(w != 0, axis=1)
    gate = xp.where(receives, SATURATED, -SATURATED + 0 * w[:, 0])
    # exp(−1000) is zero in every format.
    return {"R": 1000.0 * w, "w": gate, "b": 0 * gate}


def whole_mass(params: Params, xp: Namespace) -> Array:
    """The junction with each input's mass moved to the output that has most of it."""
    share, _ = junction(params, xp)
    if not bool(xp.all(xp.isfinite(share))):
        raise ValueError("`params` holds NaN or infinite values; this run diverged.")
    winner = xp.argmax(share, axis=0)
    index = xp.arange(share.shape[0], dtype=winner.dtype)[:, None]
    return xp.where(index == winner[None], xp.ones_like(share), xp.zeros_like(share))


@dataclass(frozen=True)
class MCFC(Unit):
    r"""The mass-conserving fully connected layer: sums in which each input counts once.

    $$ y = o \odot (S x) \qquad S = \mathrm{softmax}_{out}(R) \qquad
       o = \sigma(w + b) $$

    $R$, $w$ and $b$ are `R` [out, in], `w` and `b` [out]. The softmax runs over the
    *outputs*, so that each input is shared out among them; with one output every input
    is summed and none can be ignored. `R` starts as the identity where it is square and
    orthogonal otherwise, `w` as a random unit vector, `b` at zero. The penalty
    $-\overline{R^2} - \overline{w^2} - \overline{b^2}$ has no minimum: it keeps driving
    softmax and gate towards their ends, and without it the unit does not converge.

    **Fails** on differences, which it cannot represent.

    Examples:
        >>> import numpy as np
        >>> from arithmax.units import MCFC
        >>> params = MCFC().solution("add")
        >>> MCFC().apply(params, np.array([300.0, -20.0]))
        array([280.])

    Reference:
        P.-J. Hoedt et al., "MC-LSTM: Mass-Conserving LSTM", ICML 2021.
    """

    title: ClassVar[str] = "MC-FC"

    @property
    def exact(self) -> dict:
        return {"sum": Exactness(BINARY, REALS)}

    def parameters(self, in_features: int, out_features: int) -> dict[str, Parameter]:
        return mass_parameters(in_features, out_features)

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
        share, gate = junction(params, xp)
        y = contract(share, x, xp)
        return align(gate, y) * y

    def penalty(self, params: Params) -> Array:
        return mass_penalty(params, namespace(params["R"]))

    def weights(self, params: Params) -> Params:
        share, gate = junction(params, namespace(params["R"]))
        return {"W": gate[:, None] * share}

    def encode(self, w, path="sum") -> Params:
        return mass_encode(w, namespace(w))

    def discretise(self, params: Params) -> Params:
        xp = namespace(params["R"])
        encoded = mass_encode(whole_mass(params, xp), xp)
        shut = junction(params, xp)[1] < 0.5
        return encoded | {
            "w": xp.where(shut, 0 * encoded["w"] - SATURATED, encoded["w"])
        }

    def expression(self, params, symbols):
        return [weighted_sum(row, symbols) for row in rows(self.weights(params)["W"])]


Sign = Literal["inalu", "real-npu"]


@dataclass(frozen=True)
class MulMCFC(Unit):
    r"""The mass-conserving layer in log space: products.

    $$ y = s \odot \exp(\mathrm{MCFC}(\log |x|) + \alpha) $$

    The MC-FC's parameters are `R`, `w` and `b`, and $\alpha$ is `alpha` [out], zero at
    the start. As in the authors' code the MC-FC inside has one output more, which is
    thrown away, so that inputs can be ignored (`R` is [out + 1, in]); `discard=False`
    leaves it out, as B. Mistry's benchmark does, with signs and without. `sign` says
    what $s$ is: `None` takes $\log x$ itself, and $s = 1$; `"inalu"` is the iNALU's
    sign product of the softmax weights; `"real-npu"` is $\cos(\pi S \hat g [x < 0])$
    with a gate `g` [in] that starts at ½ and is penalised as an NMU's weight. The rest
    of the penalty is the MC-FC's.

    **Fails** on division, which it cannot represent. Without `sign` a negative input
    gives NaN. A half-open gate rotates signs.

    Args:
        sign: how signs are found.
        discard: whether there is an output that takes what is to be ignored.

    Examples:
        >>> import numpy as np
        >>> from arithmax.units import MulMCFC
        >>> params = MulMCFC(sign="inalu").solution("mul", in_features=3)
        >>> MulMCFC(sign="inalu").apply(params, np.array([-300.0, 20.0, 7.0])).round(9)
        array([-6000.])

    Reference:
        P.-J. Hoedt et al., "MC-LSTM: Mass-Conserving LSTM", ICML 2021; the signs are
        B. Mistry's (nalm-benchmark, 2023).
    """

    title: ClassVar[str] = "MulMC-FC"
    gates: ClassVar[Literal["inputs", "signs"]] = "signs"
    sign: Sign | None = None
    discard: bool = True

    @property
    def exact(self) -> dict:
        domain = POSITIVE if self.sign is None else NONZERO
        return {"product": Exactness(BINARY, domain)}

    def parameters(self, in_features: int, out_features: int) -> dict[str, Parameter]:
        check_features(in_features, out_features)
        parameters = mass_parameters(in_features, out_features + self.discard)
        parameters["alpha"] = Parameter((out_features,), Constant(0.0))
        if self.sign == "real-npu":
            parameters["g"] = Parameter((in_features,), Constant(0.5), role="gate")
        return parameters

    def features(self, params: Params) -> tuple[int, int]:
        return params["R"].shape[1], params["alpha"].shape[0]

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
        kept = params["alpha"].shape[0]
        share, gate = junction(params, xp)
        share, gate = share[:kept], gate[:kept]
        magnitude = x if self.sign is None else absolute(x, xp)
        y = contract(share, xp.log(magnitude), xp)
        y = xp.exp(align(gate, y) * y + align(params["alpha"], y))
        if self.sign == "inalu":
            return y * sign_product(share, x, xp)
        if self.sign == "real-npu":
            g = align(clip(params["g"], 0.0, 1.0, xp), x)
            angle = g * xp.where(x < 0, pi, xp.zeros_like(x))
            return y * xp.cos(contract(share, angle, xp))
        return y

    def penalty(self, params: Params) -> Array:
        xp = namespace(params["R"])
        penalty = mass_penalty(params, xp)
        return penalty + linear(params["g"], xp, False) if "g" in params else penalty

    def weights(self, params: Params) -> Params:
        kept = params["alpha"].shape[0]
        share, gate = junction(params, namespace(params["R"]))
        return {"W": gate[:kept, None] * share[:kept]}

    def turns(self, params: Params) -> Array | None:
        """By effective weights: an output whose gate is shut has no sign to turn."""
        if self.sign != "real-npu":
            return None
        w = self.weights(params)["W"]
        return w * clip(params["g"], 0.0, 1.0, namespace(w))

    def encode(self, w, path="product") -> Params:
        xp = namespace(w)
        if self.discard:
            ignored = 1 - xp.sum(w, axis=0)[None]
            params = mass_encode(xp.concat([w, ignored], axis=0), xp)
        else:
            params = mass_encode(w, xp)
        params["alpha"] = 0 * w[:, 0]
        if self.sign == "real-npu":
            params["g"] = xp.ones_like(w[0])
        return params

    def discretise(self, params: Params) -> Params:
        """The nearest exact parameters; the factor exp(alpha) is dropped."""
        xp = namespace(params["R"])
        kept = params["alpha"].shape[0]
        w = whole_mass(params, xp)[:kept]
        shut = junction(params, xp)[1][:kept] < 0.5
        if not self.discard:
            return self.encode(w)
        return self.encode(xp.where(shut[:, None], xp.zeros_like(w), w))

    def expression(self, params, symbols):
        import sympy

        w = rows(self.weights(params)["W"])
        bases = list(symbols)
        if self.sign is not None and not {v for row in w for v in row} <= set(BINARY):
            raise ValueError(
                f"the weights (={w}) are not discrete, so that signs are rotated. Call "
                "`discretise` first."
            )
        if self.sign == "real-npu":
            gates = [min(max(g, 0.0), 1.0) for g in rows(params["g"])]
            if not set(gates) <= set(BINARY):
                raise ValueError(
                    f"`params['g']` (={gates}) holds a half-open gate, which rotates "
                    "signs. Call `discretise` first."
                )
            pairs = zip(symbols, gates, strict=True)
            bases = [s if g else sympy.Abs(s) for s, g in pairs]
        return [
            sympy.exp(number(alpha)) * power_product(row, bases)
            for alpha, row in zip(rows(params["alpha"]), w, strict=True)
        ]

    def hazards(self, params, x, xp):
        share, _ = junction(params, xp)
        share = share[: params["alpha"].shape[0]]
        if self.sign is None:
            return {Hazard.NOT_POSITIVE: x <= 0}
        found = {
            Hazard.NOT_POSITIVE: x == 0,
            Hazard.UNDECIDED_WEIGHT: (x < 0) & xp.any(between(share), axis=0)[:, None],
        }
        if self.sign == "real-npu":
            g = clip(params["g"], 0.0, 1.0, xp)[:, None]
            found[Hazard.HALF_OPEN_GATE] = (x < 0) & between(g)
            found[Hazard.SIGN_LOST] = (
                (x < 0) & (g < 0.5) & used(share, xp) & ~between(g)
            )
        return found

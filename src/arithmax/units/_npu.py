"""The neural power unit: naive and gated, complex and real."""

from dataclasses import dataclass
from math import pi
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
)
from .._hazards import TOLERANCE, Hazard, between, divided_by_zero, used
from .._network import Draws
from .._parameters import Constant, Parameter, glorot_uniform, matrix
from ._nau import nau_uniform
from ._operations import POWERS, REALS, Exactness
from ._penalties import l1, linear
from ._symbolic import number, rows
from ._unit import Inputs, Outputs, Unit, check_finite, halves

# The machine epsilon of float64; a unit adds that of the dtype it is given.
EPS = 2.0**-52


class AbstractNPU(Unit):
    """What the four power units share: Re(Π xᵢ^wᵢ), with or without a gate.

    A unit without imaginary weights has no `W_im`, one without a gate no `g`.
    """

    real: ClassVar[str]
    """The name of the real weights."""
    gated: ClassVar[bool]
    """Whether there is a gate `g`."""

    @property
    def bounded(self) -> bool:
        """Whether powers are held in [−1, 1] and gates in [0, 1]."""
        return getattr(self, "clip", False)

    @property
    def complex(self) -> bool:
        """Whether there are imaginary weights `W_im`."""
        return self.real == "W_re"

    @property
    def exact(self) -> dict:
        powers = tuple(w for w in POWERS if abs(w) <= 1 or not self.bounded)
        return {"product": Exactness(powers, REALS, error=EPS)}

    def parameters(self, in_features: int, out_features: int) -> dict[str, Parameter]:
        start = nau_uniform if self.bounded else glorot_uniform
        drawn = start(in_features, out_features)
        parameters = {self.real: matrix(in_features, out_features, drawn)}
        if self.complex:
            parameters["W_im"] = matrix(in_features, out_features, Constant(0.0))
        if self.gated:
            parameters["g"] = Parameter((in_features,), Constant(0.5), role="gate")
        return parameters

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
        magnitude = absolute(x, xp) + float(xp.finfo(x.dtype).eps)
        angle = xp.where(x < 0, pi, xp.zeros_like(x))
        if self.gated:
            g = align(clip(params["g"], 0.0, 1.0, xp), x)
            magnitude, angle = g * magnitude + (1 - g), g * angle
        logarithm = xp.log(magnitude)
        w = params[self.real]
        growth, turn = contract(w, logarithm, xp), contract(w, angle, xp)
        if self.complex:
            growth = growth - contract(params["W_im"], angle, xp)
            turn = turn + contract(params["W_im"], logarithm, xp)
        return xp.exp(growth) * xp.cos(turn)

    def penalty(self, params: Params) -> Array:
        if not self.bounded:
            return l1(params)
        w, g = params["W"], params["g"]
        xp = namespace(w)
        return xp.mean(absolute(1 - absolute(w, xp), xp)) + linear(g, xp, False)

    def project(self, params: Params) -> Params:
        if not self.bounded:
            return dict(params)
        w, g = params["W"], params["g"]
        xp = namespace(w)
        return {"W": clip(w, -1.0, 1.0, xp), "g": clip(g, 0.0, 1.0, xp)}

    def weights(self, params: Params) -> Params:
        return {name: w for name, w in params.items() if name != "g"}

    def turns(self, params: Params) -> Array:
        w = params[self.real]
        return w * clip(params["g"], 0.0, 1.0, namespace(w)) if self.gated else w

    def encode(self, w, path="product") -> Params:
        xp = namespace(w)
        params = {self.real: w}
        if self.complex:
            params["W_im"] = xp.zeros_like(w)
        if self.gated:
            params["g"] = xp.ones_like(w[0])
        return params

    def discretise(self, params: Params) -> Params:
        w = self.project(params)[self.real]
        xp = namespace(w)
        check_finite(w, xp)
        if self.gated:
            w = xp.where((params["g"] >= 0.5)[None], w, xp.zeros_like(w))
        return self.encode(halves(w, xp))

    def expression(self, params, symbols):
        import sympy

        xp = namespace(*params.values())
        powers = [[number(w) for w in row] for row in rows(params[self.real])]
        if self.complex:
            for row, imaginary in zip(powers, rows(params["W_im"]), strict=True):
                row[:] = [
                    w + number(i) * sympy.I for w, i in zip(row, imaginary, strict=True)
                ]
        if self.gated:
            gates = rows(clip(params["g"], 0.0, 1.0, xp))
            if not set(gates) <= {0.0, 1.0}:
                raise ValueError(
                    f"`params['g']` (={gates}) holds a half-open gate, which computes "
                    "no power of the input. Call `discretise` first."
                )
            powers = [
                [w * int(g) for w, g in zip(r, gates, strict=True)] for r in powers
            ]
        return [real_power(row, symbols) for row in powers]

    def hazards(self, params, x, xp):
        w, eps = params[self.real], float(xp.finfo(x.dtype).eps)
        fractional = xp.any(xp.abs(w - xp.round(w)) > TOLERANCE, axis=0)[:, None]
        found = {
            Hazard.DIVISION_BY_ZERO: divided_by_zero(w, x, xp, eps),
            Hazard.FRACTIONAL_POWER: (x < 0) & fractional,
        }
        if self.complex:
            found[Hazard.COMPLEX_POWER] = (x == x) & used(params["W_im"], xp)
        if self.gated:
            g = clip(params["g"], 0.0, 1.0, xp)[:, None]
            opened = g > TOLERANCE
            found = {hazard: where & opened for hazard, where in found.items()}
            found[Hazard.HALF_OPEN_GATE] = (x == x) & between(g) & used(w, xp)
        return found


def real_power(powers, symbols):
    """Re(Π sᵢ^wᵢ), which is the product itself where that is real."""
    import sympy

    result = sympy.Mul(*(s**w for s, w in zip(symbols, powers, strict=True)))
    real = all(
        w.is_integer or (w.is_real and s.is_nonnegative)
        for s, w in zip(symbols, powers, strict=True)
    )
    return result if real else sympy.re(result, evaluate=False)


@dataclass(frozen=True)
class NaiveNPU(AbstractNPU):
    r"""The neural power unit without a gate: any powers of any numbers.

    $$ y = \exp(W_r \log r - W_i k) \odot \cos(W_i \log r + W_r k) $$

    $$ r = |x| + \epsilon \qquad k = \pi\,[x < 0] $$

    which is the real part of $\exp((W_r + i W_i) \log x)$, that is of $\prod_i
    x_i^{w_i}$. $W_r$ is `W_re`, Glorot-uniform at the start, and $W_i$ is `W_im`, zero
    at the start; $\epsilon$ is the machine epsilon of the dtype. The penalty is the L1
    norm of all parameters. (The draft that introduced the unit calls it NPU.)

    **Fails** to learn sparse weights when an irrelevant input is near zero, where all
    gradients vanish. A fractional power of a negative number gives the real part of a
    complex one ((−4)^½ is 0), and 1/0 is 4.5e15 in float64, both in silence.

    Examples:
        >>> import numpy as np
        >>> from arithmax.units import NaiveNPU
        >>> params = NaiveNPU().solution("div")
        >>> NaiveNPU().apply(params, np.array([-900.0, 30.0])).round(9)
        array([-30.])

    Reference:
        N. Heim, T. Pevný and V. Šmídl, "Neural Power Units", NeurIPS 2020.
    """

    title: ClassVar[str] = "NaiveNPU"
    real: ClassVar[str] = "W_re"
    gated: ClassVar[bool] = False


@dataclass(frozen=True)
class RealNaiveNPU(AbstractNPU):
    r"""The neural power unit without gate and imaginary weights.

    $$ y = \exp(W \log r) \odot \cos(W k) $$

    $W$ is `W`, Glorot-uniform at the start; $r$ and $k$ are those of the `NaiveNPU`.
    The penalty is the L1 norm.

    **Fails** where the `NaiveNPU` fails, and learns worse from negative inputs, where
    the cosine is flat.

    Examples:
        >>> import numpy as np
        >>> from arithmax.units import RealNaiveNPU
        >>> params = RealNaiveNPU().solution("square")
        >>> RealNaiveNPU().apply(params, np.array([-30.0, 7.0])).round(9)
        array([900.])

    Reference:
        N. Heim, T. Pevný and V. Šmídl, "Neural Power Units", NeurIPS 2020.
    """

    title: ClassVar[str] = "RealNaiveNPU"
    real: ClassVar[str] = "W"
    gated: ClassVar[bool] = False


@dataclass(frozen=True)
class NPU(AbstractNPU):
    r"""The neural power unit, with a relevance gate on each input.

    $$ y = \exp(W_r \log r - W_i k) \odot \cos(W_i \log r + W_r k) $$

    $$ r = \hat g \odot (|x| + \epsilon) + (1 - \hat g) \qquad
       k = \pi\,\hat g \odot [x < 0] \qquad \hat g = \min(\max(g, 0), 1) $$

    $W_r$ and $W_i$ are `W_re` (Glorot-uniform at the start) and `W_im` (zero), $g$ is
    `g`, one per input, ½ at the start; $\epsilon$ is the machine epsilon. A closed
    gate turns its input into 1, so that an irrelevant input near zero no longer stops
    learning. The penalty is the L1 norm of all parameters. (The draft calls it
    GatedNPU.)

    **Fails** in silence when the gate is half open: at $g = ½$, where it starts, every
    odd power of a negative input is 0. Fractional powers of negatives and 1/0 are as in
    the `NaiveNPU`.

    Examples:
        >>> import numpy as np
        >>> from arithmax.units import NPU
        >>> params = NPU().solution("sqrt")
        >>> NPU().apply(params, np.array([900.0, -7.0])).round(9)
        array([30.])

    Reference:
        N. Heim, T. Pevný and V. Šmídl, "Neural Power Units", NeurIPS 2020.
    """

    title: ClassVar[str] = "NPU"
    real: ClassVar[str] = "W_re"
    gated: ClassVar[bool] = True


@dataclass(frozen=True)
class RealNPU(AbstractNPU):
    r"""The gated neural power unit without imaginary weights.

    $$ y = \exp(W \log r) \odot \cos(W k) $$

    $W$ is `W`, Glorot-uniform at the start, and $g$ is `g`, ½ at the start; $r$ and $k$
    are those of the `NPU`. The penalty is the L1 norm. `clip=True` is the modified
    RealNPU of the division paper: $W$ starts as a NAU's and is held in [−1, 1], $g$ in
    [0, 1], and the penalty is the mean of $|1 - |w||$ plus that of $\min(|g|, |1 - g|)$
    (its authors keep the L1 norm beside it, with a strength of its own).

    **Fails** on negative inputs, where the gradient through $\cos(\pi W)$ is flat or
    periodic: of 4,000 runs on the Primer's four ranges of negative inputs, 41 learned
    the product. A half-open gate, fractional powers of negatives and 1/0 are as in the
    `NPU`.

    Args:
        clip: whether powers and gates are held in their ranges.

    Examples:
        >>> import numpy as np
        >>> from arithmax.units import RealNPU
        >>> params = RealNPU().solution("div")
        >>> RealNPU().apply(params, np.array([-900.0, 30.0])).round(9)
        array([-30.])

    Reference:
        N. Heim, T. Pevný and V. Šmídl, "Neural Power Units", NeurIPS 2020; modified by
        B. Mistry, K. Farrahi and J. Hare, "Exploring the Learning Mechanisms of Neural
        Division Modules", TMLR 2022.
    """

    title: ClassVar[str] = "RealNPU"
    real: ClassVar[str] = "W"
    gated: ClassVar[bool] = True
    clip: bool = False

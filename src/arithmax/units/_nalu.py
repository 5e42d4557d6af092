"""The neural arithmetic logic unit, and its golden-ratio variant."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from .._arrays import (
    Array,
    Namespace,
    Params,
    absolute,
    align,
    contract,
    namespace,
    sigmoid,
)
from .._hazards import Hazard, divided_by_zero, mixed, used
from .._network import Draws
from .._parameters import Constant, Parameter, glorot_uniform, matrix
from ._nac import nac_parameters, saturate, tanh_sigmoid
from ._operations import POSITIVE, REALS, TERNARY, Exactness, Path
from ._symbolic import gate, number, power_product, rows, weighted_sum
from ._unit import Inputs, Outputs, Unit, nearest

# The weight of a gate that is open for every input whose sum exceeds 0.003.
OPEN = 3e4


def gate_parameters(in_features: int, out_features: int) -> Parameter:
    """A gate matrix, Glorot-uniform."""
    drawn = glorot_uniform(in_features, out_features)
    return matrix(in_features, out_features, drawn, role="gate")


def signs(w: Array, path: Path | Sequence[Path]) -> Array:
    """[out, 1]: 1 for the outputs whose path is a sum, −1 for a product."""
    paths = [path] * w.shape[0] if isinstance(path, str) else path
    column = np.asarray([[1.0 if p == "sum" else -1.0] for p in paths])
    xp = namespace(w)
    return xp.zeros_like(w[:, :1]) + xp.asarray(column, dtype=w.dtype)


def open_path(logits: Array) -> list[Path]:
    """The path that each output's gate favours."""
    return ["sum" if favoured >= 0 else "product" for favoured in rows(logits)]


class AbstractNALU(Unit):
    """What NALU and G-NALU share: all but the base of their exponentials."""

    scale: ClassVar[float]
    """By what tanh, σ and the gate scale their arguments."""
    tied: bool
    gate_bias: bool
    two_gates: bool
    eps: float

    @property
    def exact(self) -> dict:
        return {
            "sum": Exactness(TERNARY, REALS if self.gate_bias else POSITIVE),
            "product": Exactness(TERNARY, POSITIVE, error=self.eps),
        }

    def parameters(self, in_features: int, out_features: int) -> dict[str, Parameter]:
        parameters = {}
        for suffix in [""] if self.tied else ["_add", "_mul"]:
            parameters |= nac_parameters(in_features, out_features, suffix)
        for suffix in ["_add", "_mul"] if self.two_gates else [""]:
            parameters["G" + suffix] = gate_parameters(in_features, out_features)
            if self.gate_bias:
                parameters["b" + suffix] = Parameter(
                    (out_features,), Constant(0.0), role="gate"
                )
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
        w_add, w_mul = self._matrices(params, xp)
        added = contract(w_add, x, xp)
        multiplied = xp.exp(contract(w_mul, xp.log(absolute(x, xp) + self.eps), xp))
        g_add, g_mul = self._gates(params, x, xp)
        return g_add * added + g_mul * multiplied

    def _matrices(self, params: Params, xp: Namespace) -> tuple[Array, Array]:
        if self.tied:
            w = tanh_sigmoid(params, xp, scale=self.scale)
            return w, w
        return (
            tanh_sigmoid(params, xp, "_add", self.scale),
            tanh_sigmoid(params, xp, "_mul", self.scale),
        )

    def _gates(self, params: Params, x: Array, xp: Namespace) -> tuple[Array, Array]:
        if self.two_gates:
            return (
                self._gate(params, x, "_add", xp),
                self._gate(params, x, "_mul", xp),
            )
        g = self._gate(params, x, "", xp)
        return g, 1 - g

    def _gate(self, params: Params, x: Array, suffix: str, xp: Namespace) -> Array:
        logits = contract(params["G" + suffix], x, xp)
        if self.gate_bias:
            logits = logits + align(params["b" + suffix], logits)
        return sigmoid(logits if self.scale == 1.0 else self.scale * logits, xp)

    def weights(self, params: Params) -> Params:
        w_add, w_mul = self._matrices(params, namespace(*params.values()))
        return {"W": w_add} if self.tied else {"W_add": w_add, "W_mul": w_mul}

    def encode(self, w, path: Path | Sequence[Path]) -> Params:
        return self._encode(w, w, path)

    def _encode(self, w_add: Array, w_mul: Array, path) -> Params:
        params = saturate(w_add) if self.tied else {}
        if not self.tied:
            params = saturate(w_add, "_add") | saturate(w_mul, "_mul")
        sign = signs(w_add, path)
        gates = {"_add": sign, "_mul": -sign} if self.two_gates else {"": sign}
        for suffix, s in gates.items():
            params["G" + suffix] = 0 * w_add + (0 if self.gate_bias else OPEN * s)
            if self.gate_bias:
                params["b" + suffix] = OPEN * s[:, 0]
        return params

    def discretise(self, params: Params) -> Params:
        xp = namespace(*params.values())
        w_add, w_mul = (nearest(w, TERNARY, xp) for w in self._matrices(params, xp))
        return self._encode(w_add, w_mul, open_path(self._favour(params, xp)))

    def _favour(self, params: Params, xp: Namespace) -> Array:
        """Positive where the gate favours the sum, for inputs that are alike."""

        def logits(suffix: str) -> Array:
            total = xp.sum(params["G" + suffix], axis=1)
            return total + params["b" + suffix] if self.gate_bias else total

        return logits("_add") - logits("_mul") if self.two_gates else logits("")

    def expression(self, params, symbols):
        import sympy

        xp = namespace(*params.values())
        w_add, w_mul = (rows(w) for w in self._matrices(params, xp))
        bases = [sympy.Abs(s) for s in symbols]
        added = [weighted_sum(row, symbols) for row in w_add]
        multiplied = [power_product(row, bases) for row in w_mul]
        if self.two_gates:
            g_add = self._gate_expressions(params, symbols, "_add")
            g_mul = self._gate_expressions(params, symbols, "_mul")
        else:
            g_add = self._gate_expressions(params, symbols, "")
            g_mul = [1 - g for g in g_add]
        return [
            g * a + h * m
            for g, h, a, m in zip(g_add, g_mul, added, multiplied, strict=True)
        ]

    def _gate_expressions(self, params, symbols, suffix):
        scale = number(self.scale)
        biases = rows(params["b" + suffix]) if self.gate_bias else None
        gates = []
        for i, row in enumerate(rows(params["G" + suffix])):
            saturated = min(row) >= OPEN or max(row) <= -OPEN
            logit = row[0] if saturated else weighted_sum(row, symbols)
            gates.append(gate(scale * (logit + (biases[i] if biases else 0))))
        return gates

    def hazards(self, params, x, xp):
        _, w = self._matrices(params, xp)
        g_add, g_mul = self._gates(params, x, xp)
        multiplies = xp.any(g_mul > 0.5, axis=0)[None]
        return {
            Hazard.SIGN_LOST: (x < 0) & used(w, xp) & multiplies,
            Hazard.DIVISION_BY_ZERO: divided_by_zero(w, x, xp, self.eps) & multiplies,
            Hazard.MIXED_PATHS: mixed(g_add, x, xp) | mixed(g_mul, x, xp),
        }


@dataclass(frozen=True)
class NALU(AbstractNALU):
    r"""The neural arithmetic logic unit: a gate between a sum and a product.

    $$ y = g \odot W x + (1 - g) \odot \exp(W \log(|x| + \epsilon)) \qquad
       W = \tanh(\hat W) \odot \sigma(\hat M) \qquad g = \sigma(G x) $$

    $\hat W$, $\hat M$ and $G$ are `W_hat`, `M_hat` and `G`; $\epsilon$ is `eps`. With
    `tied=False` each path has weights of its own (`W_hat_add`, `W_hat_mul`, …); with
    `gate_bias=True` the gate has a bias `b`; with `two_gates=True` the product has an
    independent gate (`G_add`, `G_mul`) in place of $1 - g$. `W_hat` and `M_hat` start
    as the NAC's, `G` Glorot-uniform, `b` at zero.

    **Fails** on negative products, whose sign it loses in silence; near zero; when the
    gate gets stuck between its paths, which is the rule; and, stacked, by overflowing.
    Without a bias the gate depends on the input's sign, so the discrete unit is exact
    for positive inputs only, and its gate closes fully where their sum exceeds 0.003.

    Args:
        tied: whether both paths share one weight matrix.
        gate_bias: whether the gate has a bias.
        two_gates: whether each path has a gate of its own.
        eps: the number added inside the logarithm.

    Examples:
        >>> import numpy as np
        >>> from arithmax.units import NALU
        >>> params = NALU().solution("mul")
        >>> NALU().apply(params, np.array([300.0, 20.0])).round(3)
        array([6000.])

    Reference:
        A. Trask et al., "Neural Arithmetic Logic Units", NeurIPS 2018.
    """

    title: ClassVar[str] = "NALU"
    scale: ClassVar[float] = 1.0
    tied: bool = True
    gate_bias: bool = False
    two_gates: bool = False
    eps: float = 1e-7


@dataclass(frozen=True)
class GNALU(AbstractNALU):
    r"""The NALU in the base of the golden ratio (G-NALU, CalcNet).

    $$ W = \tanh_\phi(\hat W) \odot \sigma_\phi(\hat M) \qquad g = \sigma_\phi(G x)
       \qquad \tanh_\phi(x) = \tanh(x \ln\phi) \qquad
       \sigma_\phi(x) = \sigma(x \ln\phi) $$

    Everything else is as in `NALU`: $\phi^{\log_\phi}$ is the same power as
    $\exp(\log)$, so the golden ratio $\phi$ only scales what enters tanh, σ and the
    gate by $\ln\phi \approx 0.48$.

    **Fails** where the NALU fails.

    Args:
        tied: whether both paths share one weight matrix.
        gate_bias: whether the gate has a bias.
        two_gates: whether each path has a gate of its own.
        eps: the number added inside the logarithm.

    Examples:
        >>> import numpy as np
        >>> from arithmax.units import GNALU
        >>> params = GNALU().solution("add")
        >>> GNALU().apply(params, np.array([300.0, 20.0]))
        array([320.])

    Reference:
        A. Rana et al., "Exploring Numerical Calculations with CalcNet", ICTAI 2019.
    """

    title: ClassVar[str] = "G-NALU"
    scale: ClassVar[float] = math.log((1 + math.sqrt(5)) / 2)
    tied: bool = True
    gate_bias: bool = False
    two_gates: bool = False
    eps: float = 1e-7

"""The NALU with sinh and asinh in place of exp and log."""

from dataclasses import dataclass
from typing import ClassVar

from .._arrays import Namespace, Params, contract, namespace, sigmoid
from .._hazards import Hazard, mixed, used
from .._network import Draws
from .._parameters import Parameter, kaiming_uniform, matrix
from ._nac import nac_parameters, saturate, tanh_sigmoid
from ._nalu import OPEN
from ._operations import POSITIVE, TERNARY, Exactness
from ._symbolic import gate, rows, weighted_sum
from ._unit import Inputs, Outputs, Unit


@dataclass(frozen=True)
class NALUSinh(Unit):
    r"""The NALU with sinh and asinh: signed and finite everywhere, but no product.

    $$ y = g \odot W x + (1 - g) \odot \sinh(W \operatorname{asinh}(x)) \qquad
       W = \tanh(\hat W) \odot \sigma(\hat M) \qquad g = \sigma(G x) $$

    $\hat W$, $\hat M$ and $G$ are `W_hat`, `M_hat` and `G`. `G` starts uniform on
    [−1/√in, 1/√in], as the author's; `W_hat` and `M_hat` start as the NAC's.

    **Fails** to multiply and to divide, at any weights. With weights 1 and 1 its second
    path is $x_1\sqrt{1 + x_2^2} + x_2\sqrt{1 + x_1^2}$, which is near $x_1 + x_2$ for
    small and near $2 x_1 x_2$ for large positive inputs: 100 % too large. With 1 and −1
    it is $x_1\sqrt{1 + x_2^2} - x_2\sqrt{1 + x_1^2}$, which tends to half of $x_1/x_2 -
    x_2/x_1$. Only the sum is exact, for positive inputs: the gate depends on the
    input's sign, as in the NALU.

    Examples:
        >>> import numpy as np
        >>> from arithmax.units import NALUSinh
        >>> params, x = NALUSinh().solution("add"), np.array([300.0, 20.0])
        >>> NALUSinh().apply(params, x)
        array([320.])
        >>> params["G"] = -params["G"]  # the path that is to multiply
        >>> (NALUSinh().apply(params, x) / (300 * 20)).round(3)
        array([2.001])

    Reference:
        wassname, "NALU-pytorch", a repository of 2018, where it is called NALU_sinh.
    """

    title: ClassVar[str] = "NALU-sinh"

    @property
    def exact(self) -> dict:
        return {"sum": Exactness(TERNARY, POSITIVE)}

    def parameters(self, in_features: int, out_features: int) -> dict[str, Parameter]:
        drawn = kaiming_uniform(in_features, 3**-0.5)
        gates = matrix(in_features, out_features, drawn, role="gate")
        return nac_parameters(in_features, out_features) | {"G": gates}

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
        bent = xp.sinh(contract(w, xp.asinh(x), xp))
        g = sigmoid(contract(params["G"], x, xp), xp)
        return g * contract(w, x, xp) + (1 - g) * bent

    def weights(self, params: Params) -> Params:
        return {"W": tanh_sigmoid(params, namespace(params["G"]))}

    def encode(self, w, path="sum") -> Params:
        return saturate(w) | {"G": 0 * w + OPEN}

    def expression(self, params, symbols):
        import sympy

        bases = [sympy.asinh(s) for s in symbols]
        results = []
        pairs = zip(rows(self.weights(params)["W"]), rows(params["G"]), strict=True)
        for row, gates in pairs:
            saturated = min(gates) >= OPEN
            g = gate(gates[0] if saturated else weighted_sum(gates, symbols))
            bent = sympy.sinh(weighted_sum(row, bases))
            results.append(g * weighted_sum(row, symbols) + (1 - g) * bent)
        return results

    def hazards(self, params, x, xp):
        g = sigmoid(contract(params["G"], x, xp), xp)
        bent = xp.any(g < 0.5, axis=0)[None]
        return {
            Hazard.NO_PRODUCT: bent & used(self.weights(params)["W"], xp) & (x == x),
            Hazard.MIXED_PATHS: mixed(g, x, xp),
        }

"""A gate between a NAU and an NMU."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from .._arrays import Array, Namespace, Params, clip, contract, namespace, sigmoid
from .._hazards import Hazard, mixed
from .._network import Draws
from .._parameters import Parameter, matrix
from ._nalu import OPEN, gate_parameters, open_path, signs
from ._nau import nau_uniform
from ._nmu import START, gated_product, multiply
from ._operations import BINARY, POSITIVE, TERNARY, Exactness, Path
from ._penalties import linear
from ._symbolic import gate, rows, weighted_sum
from ._unit import Inputs, Outputs, Unit, nearest


@dataclass(frozen=True)
class GatedNAUNMU(Unit):
    r"""The NALU's gate, between a NAU and an NMU.

    $$ y = g \odot \mathrm{NAU}(x) + (1 - g) \odot \mathrm{NMU}(x) \qquad
       g = \sigma(G x) $$

    The NAU's weights are `W_add`, the NMU's `W_mul`, the gate's `G`; each starts, is
    clipped and is penalised as in its own unit (the penalties are added), `G` starts
    Glorot-uniform.

    **Fails** to choose: the gate does not converge to the right operation more often
    than chance allows, which is the point that its authors made with it. The gate
    depends on the input's sign, so the discrete unit is exact for positive inputs only.

    Examples:
        >>> import numpy as np
        >>> from arithmax.units import GatedNAUNMU
        >>> params = GatedNAUNMU().solution("mul")
        >>> GatedNAUNMU().apply(params, np.array([300.0, 20.0]))
        array([6000.])

    Reference:
        A. Madsen and A. R. Johansen, "Neural Arithmetic Units", ICLR 2020, appendix
        C.5.
    """

    title: ClassVar[str] = "Gated NAU/NMU"

    @property
    def sparse(self) -> bool:
        return True

    @property
    def exact(self) -> dict:
        return {
            "sum": Exactness(TERNARY, POSITIVE),
            "product": Exactness(BINARY, POSITIVE),
        }

    def parameters(self, in_features: int, out_features: int) -> dict[str, Parameter]:
        w_add = nau_uniform(in_features, out_features)
        return {
            "W_add": matrix(in_features, out_features, w_add),
            "W_mul": matrix(in_features, out_features, START),
            "G": gate_parameters(in_features, out_features),
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
        added = contract(clip(params["W_add"], -1.0, 1.0, xp), x, xp)
        multiplied = multiply(params["W_mul"], x, xp)
        g = sigmoid(contract(params["G"], x, xp), xp)
        return g * added + (1 - g) * multiplied

    def penalty(self, params: Params) -> Array:
        xp = namespace(params["G"])
        return linear(params["W_add"], xp) + linear(params["W_mul"], xp, False)

    def project(self, params: Params) -> Params:
        return self.weights(params) | {"G": params["G"]}

    def weights(self, params: Params) -> Params:
        xp = namespace(params["G"])
        return {
            "W_add": clip(params["W_add"], -1.0, 1.0, xp),
            "W_mul": clip(params["W_mul"], 0.0, 1.0, xp),
        }

    def encode(self, w, path: Path | Sequence[Path]) -> Params:
        xp = namespace(w)
        return {
            "W_add": w,
            "W_mul": nearest(w, BINARY, xp),
            "G": 0 * w + OPEN * signs(w, path),
        }

    def discretise(self, params: Params) -> Params:
        xp = namespace(params["G"])
        favour = xp.sum(params["G"], axis=1)
        w = nearest(params["W_add"], TERNARY, xp)
        return self.encode(w, open_path(favour)) | {
            "W_mul": nearest(params["W_mul"], BINARY, xp)
        }

    def expression(self, params, symbols):
        w = self.weights(params)
        added = [weighted_sum(row, symbols) for row in rows(w["W_add"])]
        multiplied = [gated_product(row, symbols) for row in rows(w["W_mul"])]
        results = []
        for row, a, m in zip(rows(params["G"]), added, multiplied, strict=True):
            saturated = min(row) >= OPEN or max(row) <= -OPEN
            g = gate(row[0] if saturated else weighted_sum(row, symbols))
            results.append(g * a + (1 - g) * m)
        return results

    def hazards(self, params, x, xp):
        g = sigmoid(contract(params["G"], x, xp), xp)
        return {Hazard.MIXED_PATHS: mixed(g, x, xp)}

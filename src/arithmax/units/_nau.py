"""The neural addition unit."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from .._arrays import Namespace, Params, clip, contract, namespace
from .._network import Draws
from .._parameters import Beta, Parameter, Uniform, glorot_uniform, matrix, symmetric
from ._clipped import AbstractClipped
from ._operations import REALS, TERNARY, Exactness
from ._penalties import Shape
from ._symbolic import rows, weighted_sum
from ._unit import Inputs, Outputs


def nau_uniform(in_features: int, out_features: int) -> Uniform:
    """Glorot-uniform, but never wider than [−½, ½]."""
    return symmetric(min(0.5, glorot_uniform(in_features, out_features).high))


@dataclass(frozen=True)
class NAU(AbstractClipped):
    r"""The neural addition unit: sums and differences with weights in [−1, 1].

    $$ y = W x \qquad W_{oi} = \min(\max(W_{oi}, -1), 1) $$

    $W$ is `W`, clipped in the formula and by `project`. It starts uniform on [−r, r], r
    = min(½, √(6/(in + out))), or with `init="beta"` as 2·Beta(7, 7) − 1. The penalty is
    the mean of $\min(|w|, |1 - |w||)$ (`regulariser="linear"`) or of $w^2 (1 - |w|)^2$
    (`"squared"`), zero exactly at −1, 0 and 1.

    **Fails** rarely: it is the most reliable unit there is, for sums and differences.

    Args:
        init: how `W` starts.
        regulariser: `"linear"`, `"squared"` or `None`.

    Examples:
        >>> import numpy as np
        >>> from arithmax.units import NAU
        >>> params = {"W": np.array([[1.0, -1.0, 0.0]])}
        >>> NAU().apply(params, np.array([1e6, 1.0, 7.0]))
        array([999999.])

    Reference:
        A. Madsen and A. R. Johansen, "Neural Arithmetic Units", ICLR 2020; the beta
        initialisation is B. Mistry's (2021).
    """

    title: ClassVar[str] = "NAU"
    least: ClassVar[float] = -1.0
    init: Literal["uniform", "beta"] = "uniform"
    regulariser: Shape = "linear"

    @property
    def exact(self) -> dict:
        return {"sum": Exactness(TERNARY, REALS)}

    def parameters(self, in_features: int, out_features: int) -> dict[str, Parameter]:
        if self.init == "beta":
            drawn = Beta(7.0, 7.0, low=-1.0, high=1.0)
        else:
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
        return contract(clip(params["W"], -1.0, 1.0, xp), x, xp)

    def expression(self, params, symbols):
        return [weighted_sum(row, symbols) for row in rows(self.weights(params)["W"])]

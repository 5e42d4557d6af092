"""The neural multiplication unit, and its stochastic variant."""

from dataclasses import dataclass
from typing import ClassVar

from .._arrays import (
    Array,
    Namespace,
    Params,
    clip,
    namespace,
    product,
    spread,
    stop_gradient,
)
from .._checks import check_fields
from .._network import Draws, Noise
from .._parameters import Parameter, Uniform, matrix
from ._clipped import AbstractClipped
from ._operations import BINARY, REALS, Exactness
from ._penalties import Shape
from ._symbolic import number, rows, times
from ._unit import Inputs, Outputs

START = Uniform(0.25, 0.75)


def multiply(w: Array, x: Array, xp: Namespace) -> Array:
    """Π (wᵢxᵢ + 1 − wᵢ), with the weights clipped to [0, 1]."""
    w = spread(clip(w, 0.0, 1.0, xp), x, xp)
    return product(w * x[None] + (1 - w), xp)


class AbstractNMU(AbstractClipped):
    """What the NMU and its stochastic variant share: all but what they train with."""

    least: ClassVar[float] = 0.0

    @property
    def exact(self) -> dict:
        return {"product": Exactness(BINARY, REALS)}

    def parameters(self, in_features: int, out_features: int) -> dict[str, Parameter]:
        return {"W": matrix(in_features, out_features, START)}

    def expression(self, params, symbols):
        return [gated_product(r, symbols) for r in rows(self.weights(params)["W"])]


def gated_product(row, symbols):
    """Π (wᵢxᵢ + 1 − wᵢ) as an expression."""
    pairs = zip(map(number, row), symbols, strict=True)
    return times(w * s + 1 - w for w, s in pairs)


@dataclass(frozen=True)
class NMU(AbstractNMU):
    r"""The neural multiplication unit: products of any real numbers.

    $$ y_o = \prod_i \left(W_{oi} x_i + 1 - W_{oi}\right) \qquad
       W_{oi} = \min(\max(W_{oi}, 0), 1) $$

    $W$ is `W`, clipped in the formula and by `project`; each factor is a linear gate
    between 1 and $x_i$. It starts uniform on [¼, ¾]. The penalty is the mean of
    $\min(|w|, |1 - w|)$ (`regulariser="linear"`) or of $w^2 (1 - w)^2$ (`"squared"`),
    zero exactly at 0 and 1.

    **Fails** on division, which it cannot represent, and now and then by settling on
    the wrong input when all inputs are negative and close to each other.

    Args:
        regulariser: `"linear"`, `"squared"` or `None`.

    Examples:
        >>> import numpy as np
        >>> from arithmax.units import NMU
        >>> params = {"W": np.array([[1.0, 1.0, 0.0]])}
        >>> NMU().apply(params, np.array([-300.0, 20.0, 7.0]))
        array([-6000.])

    Reference:
        A. Madsen and A. R. Johansen, "Neural Arithmetic Units", ICLR 2020.
    """

    title: ClassVar[str] = "NMU"
    regulariser: Shape = "linear"

    def compute(
        self,
        params: Params,
        x: Inputs,
        *,
        training: bool = False,
        noise: Draws | None = None,
        xp: Namespace = None,
    ) -> Outputs:
        return multiply(params["W"], x, xp or namespace(x))


@dataclass(frozen=True)
class StochasticNMU(AbstractNMU):
    r"""The NMU with noise in training that cancels at the solution (sNMU).

    $$ y = \mathrm{NMU}(x \odot n) \,/\, \mathrm{NMU}(n) \qquad n_i \sim U[low, high] $$

    At discrete weights the noise cancels, elsewhere it does not, which shakes the unit
    out of local optima. Without noise, as in evaluation, it is the NMU. `W`, its start,
    constraint and penalty are the NMU's. With `per_batch=True` (batch-sNMU) the noise
    is uniform on [1, 1 + 1/std], std being the standard deviation of the whole batch.

    **Fails** as the NMU does, less often. A batch whose inputs are all equal has no
    standard deviation to divide by.

    Args:
        low: the least noise.
        high: the greatest noise.
        per_batch: whether the noise follows the spread of the batch instead.
        regulariser: `"linear"`, `"squared"` or `None`.

    Examples:
        >>> import numpy as np
        >>> from arithmax.units import StochasticNMU
        >>> params, x = {"W": np.array([[1.0, 1.0]])}, np.array([[-300.0, 20.0]])
        >>> noise = np.array([[0.1, 0.9]])
        >>> StochasticNMU().apply(params, x, training=True, noise=(noise,))
        array([[-6000.]])

    Reference:
        B. Mistry, K. Farrahi and J. Hare, "Improving the Robustness of Neural
        Multiplication Units with Reversible Stochasticity", 2022.
    """

    title: ClassVar[str] = "sNMU"
    low: float = 1.0
    high: float = 5.0
    per_batch: bool = False
    regulariser: Shape = "linear"

    def __post_init__(self) -> None:
        check_fields(self)
        if self.low > self.high:
            raise ValueError(
                f"`low` (={self.low}) must not exceed `high` (={self.high})."
            )

    def noise(self, in_features: int) -> tuple[Noise, ...]:
        return (Noise((in_features,), Uniform(0.0, 1.0)),)

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
        if not training or noise is None:
            return multiply(params["W"], x, xp)
        (u,) = noise
        if self.per_batch:
            n = 1 + u / stop_gradient(xp.std(x, correction=1), xp)
        else:
            n = self.low + (self.high - self.low) * u
        return multiply(params["W"], x * n, xp) / multiply(params["W"], n, xp)

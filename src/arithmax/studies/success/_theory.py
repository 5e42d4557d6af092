r"""What can be computed of starts.

*An NMU on negative numbers.* Near $x_1 = x_2 = -m$ it is $ab$, where $a = 1 - (1 + m)
w_1$ and $b = 1 - (1 + m) w_2$, and has to reach $m^2$. The flow of $(ab - m^2)^2$ is

$$ \dot a \propto (m^2 - ab)\, b \qquad \dot b \propto (m^2 - ab)\, a $$

so that $a + b$ keeps its sign, and grows while $ab < m^2$. With $m > 1$ it ends at the
product if it is negative, and at the bound $w = 0$ if it is positive.

*A RealNaiveNPU on negative numbers* has the factor $\cos \pi (w_1 + w_2)$. It is 1 at
the sum of a quotient, 0, and at ±2, and −1 between them, at ±1.
"""

import math
from collections.abc import Callable

import numpy as np

from ...units import NAC, Uniform

FLAT = 1e-3  # the slope of tanh below which a weight hardly moves


def bound(magnitude: float) -> float:
    """What w₁ + w₂ must exceed at the start for inputs near −`magnitude`.

    Args:
        magnitude: the mean size of the inputs, above 1.

    Examples:
        >>> from arithmax.studies.success._theory import bound
        >>> bound(1.5)
        0.8
    """
    if not magnitude > 1:
        raise ValueError(
            f"`magnitude` (={magnitude}) must be above 1: smaller products are reached "
            "from both sides."
        )
    return 2 / (1 + magnitude)


Rule = Callable[[np.ndarray, float], tuple[str, np.ndarray]]


def nmu(sums: np.ndarray, magnitude: float) -> tuple[str, np.ndarray]:
    """The NMU's rule in words, and which starts it is true of."""
    least = bound(magnitude)
    return f"W₁ + W₂ > {least:.2f}", sums > least


def real_naive_npu(sums: np.ndarray, magnitude: float) -> tuple[str, np.ndarray]:
    """The same of a quotient by a RealNaiveNPU."""
    return "|W₁ + W₂| < 1", np.abs(sums) < 1


# By unit and operation; all are for negative numbers.
RULES: dict[tuple[str, str], Rule] = {
    ("NMU", "×"): nmu,
    ("RealNaiveNPU", "÷"): real_naive_npu,
}


def saturated(inputs: int) -> tuple[float, float]:
    """The bound r of Ŵ and M̂ of a NAC at its start, and the share of Ŵ that is flat.

    Flat is 1 − tanh² Ŵ < 0.001.

    Examples:
        >>> from arithmax.studies.success._theory import saturated
        >>> [round(number, 2) for number in saturated(2)], saturated(10)[1]
        ([9.47, 0.56], 0.0)
    """
    drawn = NAC().parameters(inputs, 1)["W_hat"].distribution
    assert isinstance(drawn, Uniform)
    flat_from = math.atanh(math.sqrt(1 - FLAT))
    return drawn.high, max(0.0, 1 - flat_from / drawn.high)

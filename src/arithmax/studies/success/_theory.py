r"""The rule that gradient descent gives for an NMU on negative numbers.

Near $x_1 = x_2 = -m$ the NMU is $ab$, where $a = 1 - (1 + m) w_1$ and $b = 1 - (1 + m)
w_2$, and has to reach $m^2$. The flow of $(ab - m^2)^2$ is

$$ \dot a \propto (m^2 - ab)\, b \qquad \dot b \propto (m^2 - ab)\, a $$

so that $a + b$ keeps its sign, and grows while $ab < m^2$. With $m > 1$ it ends at the
product if it is negative, and at the bound $w = 0$ if it is positive.
"""

import numpy as np

from ...units import NMU, Uniform


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


def share(magnitude: float) -> float:
    """The share of starts beyond that bound; both weights are uniform on an interval.

    Examples:
        >>> from arithmax.studies.success._theory import share
        >>> round(share(1.5), 3), share(15.0)
        (0.82, 1.0)
    """
    drawn = NMU().parameters(2, 1)["W"].distribution
    assert isinstance(drawn, Uniform)
    low, high = drawn.low, drawn.high
    below = np.clip((bound(magnitude) - 2 * low) / (high - low), 0, 2)
    return float(1 - below**2 / 2 if below < 1 else (2 - below) ** 2 / 2)

"""What is known of one number: its mean, its spread and an interval."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._checks import check_number


@dataclass(frozen=True)
class Marginal:
    """The marginal posterior of one number.

    Args:
        name: what the number is, such as "exponent of x1".
        mean: the mean of its posterior.
        std: the standard deviation of its posterior; 0 if it is held.
        low: the lower end of the interval.
        high: its upper end.

    Examples:
        >>> from arithmax.bayes import Marginal
        >>> print(Marginal("exponent of x1", 2.0031, 0.0049, 1.9935, 2.0127))
        2.003 ± 0.010
    """

    name: str
    mean: float
    std: float
    low: float
    high: float

    @property
    def held(self) -> bool:
        """Whether the number was not inferred but given."""
        return self.std == 0.0

    def contains(self, value: float) -> bool:
        """Whether the interval contains a value."""
        return bool(self.low <= value <= self.high)

    def __str__(self) -> str:
        return plus_minus(self.mean, (self.high - self.low) / 2)


def marginal_of(name: str, draws: Any, level: float = 0.95) -> Marginal:
    """The marginal posterior that draws of a number show.

    Args:
        name: what the number is.
        draws: numbers drawn from its posterior.
        level: the share of the posterior inside the interval.

    Examples:
        >>> import numpy as np
        >>> from arithmax.bayes import marginal_of
        >>> print(marginal_of("w", np.linspace(-1.0, 1.0, 1001)))
        0.0 ± 0.9
    """
    check_level(level)
    values = np.asarray(draws, dtype=np.float64).reshape(-1)
    if not values.size:
        raise ValueError("`draws` (=[]) must hold at least one number.")
    ends = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
    return Marginal(name, float(values.mean()), float(values.std()), *map(float, ends))


def entry_name(name: str, index: tuple[int, ...]) -> str:
    """The name of an entry of an array: "W[0, 1]", or that of a single number."""
    return f"{name}[{', '.join(map(str, index))}]" if index else name


def check_level(level: Any) -> float:
    """A level must be a share between 0 and 1."""
    check_number("level", level, None)
    if not 0 < level < 1:
        raise ValueError(f"`level` (={level}) must lie between 0 and 1, such as 0.95.")
    return float(level)


def plus_minus(value: float, half: float) -> str:
    """A number with half of its interval, both to the digits that are known.

    Examples:
        >>> from arithmax.bayes import plus_minus
        >>> plus_minus(1234.5, 20.0), plus_minus(0.5, 0.0), plus_minus(2.0, 3e-9)
        ('1230 ± 20', '0.5', '2.000000000 ± 0.000000003')
    """
    if not (math.isfinite(value) and math.isfinite(half)):
        return f"{value:.4g} ± {half:.2g}"
    if half <= abs(value) * 1e-14:
        return f"{value:.12g}"
    size = max(abs(value), half)
    if not 1e-4 <= size < 1e6:
        power = math.floor(math.log10(size))
        return f"({plus_minus(value / 10**power, half / 10**power)})e{power:+d}"
    place = -math.floor(math.log10(half))
    if half * 10**place < 1.95:  # a first digit of 1 says little without the second
        place += 1
    shown, spread = round(value, place) + 0.0, round(half, place)  # never -0
    digits = max(place, 0)
    return f"{shown:.{digits}f} ± {spread:.{digits}f}"

"""Whether two units differ: rates side by side, and many comparisons at once."""

import math
from collections.abc import Sequence

from ..statistics import Interval, success_rate

Counts = tuple[int, int]  # solved, of how many runs


def difference(one: Counts, other: Counts, level: float = 0.95) -> Interval:
    r"""The difference of two success rates, with Newcombe's interval.

    $$ \hat\delta - \sqrt{(p_1 - l_1)^2 + (u_2 - p_2)^2} \quad\text{to}\quad
       \hat\delta + \sqrt{(u_1 - p_1)^2 + (p_2 - l_2)^2} $$

    where $[l_i, u_i]$ is Wilson's interval of the rate $p_i$, and $\hat\delta = p_1 -
    p_2$.

    Args:
        one: how many runs were solved, and how many there were.
        other: the same of those they are compared with.
        level: the confidence level.

    Returns:
        The difference of shares and its interval.

    Examples:
        >>> from arithmax.studies._differences import difference
        >>> print(difference((56, 70), (48, 80)))
        0.2 [0.0524, 0.334]

    Reference:
        R. G. Newcombe, "Interval Estimation for the Difference between Independent
        Proportions", Statistics in Medicine 17, 1998, method 10.
    """
    a, b = success_rate(*one, level=level), success_rate(*other, level=level)
    value = a.value - b.value
    return Interval(
        value,
        value - math.hypot(a.value - a.low, b.high - b.value),
        value + math.hypot(a.high - a.value, b.value - b.low),
    )


def chance(one: Counts, other: Counts) -> float:
    """The probability of so large a difference between equals: Fisher's exact test.

    Two-sided, of the table of solved and unsolved runs.
    """
    from scipy.stats import fisher_exact

    table = [[solved, total - solved] for solved, total in (one, other)]
    return float(fisher_exact(table)[1])  # type: ignore[index]  # a pair


def holm(chances: Sequence[float]) -> list[float]:
    """Probabilities corrected for how many there are, by Holm's method.

    Where all units are alike, any of the corrected ones is below 5 % in at most 5 of
    100 benchmarks.

    Examples:
        >>> from arithmax.studies._differences import holm
        >>> holm([0.01, 0.04, 0.03])
        [0.03, 0.06, 0.06]

    Reference:
        S. Holm, "A Simple Sequentially Rejective Multiple Test Procedure",
        Scandinavian Journal of Statistics 6, 1979.
    """
    found, greatest = [0.0] * len(chances), 0.0
    order = sorted(range(len(chances)), key=lambda i: chances[i])
    for left, i in zip(range(len(chances), 0, -1), order, strict=True):
        greatest = max(greatest, min(1.0, left * chances[i]))
        found[i] = greatest
    return found

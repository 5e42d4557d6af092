"""Whether two units differ: rates side by side, and many comparisons at once."""

import math
from collections.abc import Sequence

import numpy as np
from scipy.special import ndtri, stdtrit

from ..statistics import Interval, wilson
from ..studies._outcomes import clustered, runs

Counts = tuple[int, int]  # solved, of how many runs


def paired_difference(
    one: Sequence[str], other: Sequence[str], level: float = 0.95
) -> Interval:
    r"""The difference of two units' success rates on the same runs.

    With $D_i$ for how many more runs of seed $i$ the first has solved, the difference
    $\hat\delta = \sum_i D_i / n$ has the interval

    $$ \hat\delta \pm \frac{t}{n} \sqrt{\frac{G}{G - 1}
       \sum_i (D_i - \hat\delta m_i)^2} $$

    for $G$ seeds and $m_i$ pairs of runs, or that of independent pairs if it is wider.
    Student's $t$ has one degree of freedom less than there are seeds with $D_i \ne 0$.
    It is never wider than Newcombe's with each seed as one run, which it is where fewer
    than two seeds have a difference, or all pairs the same.

    Args:
        one: the outcomes of a unit, a text for each range as in `_outcomes`.
        other: those of another; both have the same runs (see `common`).
        level: the confidence level.

    Returns:
        The difference of shares and its interval.

    Examples:
        >>> from arithmax.benchmark import paired_difference
        >>> print(paired_difference(["11111111", "11111111"], ["00000111", "11100111"]))
        0.438 [0.0279, 0.741]
    """
    a, b = runs(one), runs(other)
    gaps = a - b
    pairs = np.isfinite(gaps).sum(axis=0)
    by_seed, pairs = np.nansum(gaps, axis=0)[pairs > 0], pairs[pairs > 0]
    total, z = int(pairs.sum()), float(ndtri((1 + level) / 2))
    shares = (float(np.nansum(side)) / total for side in (a, b))
    once = newcombe(*(wilson(share, pairs.size, z * z) for share in shares))
    if (differ := int((by_seed != 0).sum())) < 2:
        return once
    value = float(by_seed.sum()) / total
    alone = (float(np.nansum(gaps**2)) / total - value**2) / total
    variance = max(clustered(by_seed - value * pairs, total), alone)
    if variance <= 0:
        return once
    half = float(stdtrit(differ - 1, (1 + level) / 2)) * math.sqrt(variance)
    return Interval(value, max(value - half, once.low), min(value + half, once.high))


def paired_chance(one: Sequence[str], other: Sequence[str]) -> float:
    """The probability of so large a difference between equals: permutations of seeds.

    Were the units alike, each seed's difference would as well have the other sign. This
    is the share of all choices of signs whose sum is as far from zero; exactly, so that
    it is never zero.

    Examples:
        >>> from arithmax.benchmark import paired_chance
        >>> paired_chance(["11111111", "11111111"], ["00000111", "11100111"])
        0.0625
    """
    gaps = np.nansum(runs(one) - runs(other), axis=0).astype(int)
    reach = int(np.abs(gaps).sum())
    chances = np.zeros(2 * reach + 1)  # of each sum from -reach to reach
    chances[reach] = 1.0
    for gap in gaps[gaps != 0]:
        chances = (np.roll(chances, gap) + np.roll(chances, -gap)) / 2
    sums = np.abs(np.arange(-reach, reach + 1))
    return min(1.0, float(chances[sums >= abs(int(gaps.sum()))].sum()))


def newcombe(a: Interval, b: Interval) -> Interval:
    r"""The difference of two independent success rates, with Newcombe's interval.

    $$ \hat\delta - \sqrt{(p_1 - l_1)^2 + (u_2 - p_2)^2} \quad\text{to}\quad
       \hat\delta + \sqrt{(u_1 - p_1)^2 + (p_2 - l_2)^2} $$

    where $[l_i, u_i]$ is the interval of the rate $p_i$, and $\hat\delta = p_1 - p_2$.

    Examples:
        >>> from arithmax.statistics import success_rate
        >>> from arithmax.benchmark import newcombe
        >>> print(newcombe(success_rate(56, 70), success_rate(48, 80)))
        0.2 [0.0524, 0.334]

    Reference:
        R. G. Newcombe, "Interval Estimation for the Difference between Independent
        Proportions", Statistics in Medicine 17, 1998, method 10.
    """
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
        >>> from arithmax.benchmark import holm
        >>> holm([0.01, 0.04, 0.03])
        [0.03, 0.06, 0.06]

    Reference:
        S. Holm, "A Simple Sequentially Rejective Multiple Test Procedure",
        Scandinavian Journal of Statistics 6, 1979.
    """
    corrected, greatest = [0.0] * len(chances), 0.0
    order = sorted(range(len(chances)), key=lambda i: chances[i])
    for left, i in zip(range(len(chances), 0, -1), order, strict=True):
        greatest = max(greatest, min(1.0, left * chances[i]))
        corrected[i] = greatest
    return corrected

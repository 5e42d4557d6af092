r"""How often, how fast and how exactly runs solve a task, with intervals.

A cell of a results table is a group of runs that differ in their seed only. It is
described by its `success_rate`, and for the runs that solved the task by the `steps`
they took and the `sparsity` error of their weights. The functions take plain numbers
and return an `Interval`; of runs that are too few or all equal, a `Range`.
"""

import math
import operator
from dataclasses import dataclass
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from ._checks import shown
from ._extras import extras

with extras():
    from scipy.special import ndtri, stdtrit

    from ._profile import beta_ends, gamma_ends

__all__ = [
    "Interval",
    "Range",
    "median",
    "overlap",
    "sparsity",
    "steps",
    "success_rate",
]

FEWEST = 5  # runs, below which there is no interval of steps and sparsity errors


@dataclass(frozen=True)
class Interval:
    """An estimate and the ends of its confidence interval.

    Args:
        value: the estimate.
        low: the lower end.
        high: the upper end.

    Examples:
        >>> from arithmax.statistics import Interval
        >>> print(Interval(0.98, 0.930, 0.9945))
        0.98 [0.93, 0.995]
    """

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.3g} [{self.low:.3g}, {self.high:.3g}]"


@dataclass(frozen=True)
class Range:
    """A mean without an interval, and the range of the values.

    Fewer than five values, or values that are all equal, do not say how far the mean is
    from that of more runs. A range is no interval: it neither overlaps another nor
    fails to.

    Args:
        value: the mean.
        least: the least value.
        most: the greatest.

    Examples:
        >>> from arithmax.statistics import Range
        >>> print(Range(6000.0, 5000.0, 8000.0))
        6e+03 (5e+03 to 8e+03)
        >>> print(Range(5000.0, 5000.0, 5000.0))
        5e+03
    """

    value: float
    least: float
    most: float

    def __str__(self) -> str:
        ends = f" ({self.least:.3g} to {self.most:.3g})"
        return f"{self.value:.3g}" + ends * (self.least < self.most)


def success_rate(
    solved: SupportsIndex, total: SupportsIndex, level: float = 0.95
) -> Interval:
    r"""The share of runs that solved the task, with Wilson's score interval.

    $$ \frac{p + z^2/2n \pm z \sqrt{p(1 - p)/n + z^2/4n^2}}{1 + z^2/n} $$

    where $p$ is the share, $n$ is `total` and $z$ the normal quantile (1.96). It stays
    within [0, 1] and has a width even where all runs solved the task, or none.

    Args:
        solved: how many runs solved the task.
        total: how many runs there were, at least one.
        level: the confidence level.

    Returns:
        The share and its interval, as fractions of one.

    Examples:
        >>> from arithmax.statistics import success_rate
        >>> print(success_rate(98, 100))
        0.98 [0.93, 0.994]
        >>> print(success_rate(0, 100))
        0 [0, 0.037]

    Reference:
        E. B. Wilson, "Probable Inference, the Law of Succession, and Statistical
        Inference", Journal of the American Statistical Association 22, 1927.
    """
    k, n = _count("solved", solved), _count("total", total)
    if n == 0:
        raise ValueError("`total` (=0) must be at least 1: a rate needs a run.")
    if k > n:
        raise ValueError(f"`solved` (={k}) must be at most `total` (={n}).")
    return wilson(k / n, n, _quantile(level) ** 2)


def wilson(share: float, runs: float, z2: float) -> Interval:
    """Wilson's interval of a share of so many runs, which may be a fraction.

    Args:
        share: the share of runs that solved the task.
        runs: how many runs there were, or how many independent ones they amount to.
        z2: the square of the normal quantile, or of another.
    """

    def low(p: float) -> float:  # the ends' product is p²/(1 + z²/n): no cancellation
        root = math.sqrt(z2 * (p * (1 - p) / runs + z2 / (4 * runs * runs)))
        return p * p / (p + z2 / (2 * runs) + root)

    return Interval(share, low(share), 1.0 - low(1 - share))


def steps(values: ArrayLike, level: float = 0.95) -> Interval | Range:
    r"""The mean step at which runs solved the task, with a gamma interval.

    The values are taken as gamma distributed with mean $\mu$ and shape $k$, and the
    interval holds every mean whose profile likelihood is high enough:

    $$ 2 \left( \max_k \ell(\hat\mu, k) - \max_k \ell(\mu, k) \right) \le
       n \ln \left( 1 + \frac{t^2}{n - 1} \right) $$

    where $t$ is Student's quantile with $n - 1$ degrees of freedom. The limit is exact
    where values are nearly alike, and holds for every shape; that of many runs, 3.84,
    is too small for few. The maximum-likelihood mean $\hat\mu$ of a gamma
    distribution is the sample mean.

    No distribution fits all values: the interval also holds Student's around the
    logarithm of the sample mean, $\pm t s / (\hat\mu \sqrt{n})$ with the standard
    deviation $s$.

    Args:
        values: the step of each run that solved the task; positive, at least one.
            Where no run solved the task there is no mean, and this is an error.
        level: the confidence level.

    Returns:
        The sample mean and its interval; of fewer than five values, and of values that
        are all equal, its `Range`.

    Examples:
        >>> from arithmax.statistics import steps
        >>> print(steps([12e3, 18e3, 9e3, 25e3, 16e3]))
        1.6e+04 [9.95e+03, 2.66e+04]
        >>> print(steps([5e3, 7e3]))
        6e+03 (5e+03 to 7e+03)

    Reference:
        A. Madsen and A. R. Johansen, "Neural Arithmetic Units", ICLR 2020. Their
        published means are not always the maximum.
    """
    x = _numbers(values)
    t = _student(x.size, level)
    if (x <= 0).any():
        raise ValueError(
            f"`values` (with {x.min():g}) must be positive: count steps from 1."
        )
    if _without_interval(x):
        return _range(x)
    mean = float(x.mean())
    reach = t * float(x.std(ddof=1)) / mean / math.sqrt(x.size)
    low, high = gamma_ends(x, _drop(x.size, t))
    ends = min(low, -reach), max(high, reach)
    return Interval(mean, *(mean * math.exp(end) for end in ends))


def sparsity(values: ArrayLike, level: float = 0.95) -> Interval | Range:
    r"""The mean sparsity error of the runs that solved the task, with a beta interval.

    A run's sparsity error is how far its worst weight is from −1, 0 or 1, at most ½.
    Its double is taken as beta distributed, and the interval holds every mean $\mu$
    whose profile likelihood, maximised over the concentration $v$, is high enough in
    the sense of `steps`:

    $$ 2x \sim \mathrm{Beta}\left(2 \mu v, (1 - 2 \mu) v\right) $$

    It also holds Student's interval around the logit of the sample mean. For the fit,
    values are clipped to [10⁻¹⁶, ½ − 10⁻¹⁶]. `value` is the mean of the values as they
    are; it lies outside the interval only where weights beyond ±1 have errors above ½.

    Args:
        values: the sparsity error of each run that solved the task; not negative, at
            least one. Where no run solved the task this is an error.
        level: the confidence level.

    Returns:
        The sample mean, and the interval; of fewer than five values, and of values that
        are all equal, its `Range`.

    Examples:
        >>> from arithmax.statistics import sparsity
        >>> print(sparsity([0.02, 0.11, 0.05, 0.07, 0.3]))
        0.11 [0.0267, 0.292]
        >>> print(sparsity([3e-7, 5e-7, 4e-7]))
        4e-07 (3e-07 to 5e-07)

    Reference:
        A. Madsen and A. R. Johansen, "Neural Arithmetic Units", ICLR 2020. Their code
        leaves out the factor 2 of 2x, which halves the published means.
    """
    given = _numbers(values)
    t = _student(given.size, level)
    x = 2 * np.clip(given, 1e-16, 0.5 - 1e-16)
    if _without_interval(x):
        return _range(given)
    mean, rest = float(x.mean()), float((1 - x).mean())
    reach = t * float(x.std(ddof=1)) / (mean * rest) / math.sqrt(x.size)
    low, high = beta_ends(x, _drop(x.size, t))
    odds = (mean / rest * math.exp(end) for end in (min(low, -reach), max(high, reach)))
    ends = (odd / (1 + odd) / 2 for odd in odds)
    return Interval(float(given.mean()), *ends)


def median(values: ArrayLike) -> float:
    """The median; of an even number of values, the mean of the middle two.

    Args:
        values: finite numbers that are not negative, at least one.

    Returns:
        The median.

    Examples:
        >>> from arithmax.statistics import median
        >>> median([5e3, 7e3, 4e6])
        7000.0
    """
    return float(np.median(_numbers(values)))


def overlap(a: Interval, b: Interval) -> bool:
    """Whether two intervals have a point in common.

    Intervals that are apart are strong evidence that two cells differ: for 95 %
    intervals of like width, about p = 0.006. The reverse does not hold: cells that
    differ at p = 0.05 may well overlap, and an overlap is no evidence of equality.

    Args:
        a: one interval.
        b: another, of the same measure.

    Returns:
        True where they overlap or touch.

    Examples:
        >>> from arithmax.statistics import overlap, success_rate
        >>> overlap(success_rate(98, 100), success_rate(31, 100))
        False
        >>> overlap(success_rate(7, 10), success_rate(4, 10))
        True
    """
    return a.low <= b.high and b.low <= a.high


def _count(argument: str, value: Any) -> int:
    """`value` as an integer that is not negative."""
    try:
        count = -1 if isinstance(value, bool) else operator.index(value)
    except TypeError:
        count = -1
    if not 0 <= count < 2**53:  # what a float counts exactly
        raise ValueError(
            f"`{argument}` (={shown(value)}) must be an integer, at least 0."
        )
    return count


def _numbers(values: ArrayLike) -> np.ndarray:
    """`values` as a vector of finite float64 numbers that are not negative."""
    try:
        x = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        x = np.asarray(None)
    if isinstance(values, np.ma.MaskedArray) or (x.ndim == 0 and x.dtype == object):
        raise TypeError(
            f"`values` (={shown(values)}) must be numbers without a mask, one for each "
            "run that solved the task."
        )
    if x.ndim != 1 or x.size == 0:
        raise ValueError(
            f"`values` (of shape {x.shape}) must be a vector of at least one number: "
            "pass one for each run that solved the task, and leave out a cell where "
            "none did."
        )
    bad = x[~(np.isfinite(x) & (x >= 0))]
    if bad.size:
        raise ValueError(
            f"`values` (with {bad[0]:g}) must be finite and not negative: pass the "
            "runs that solved the task only."
        )
    return x


def _quantile(level: float) -> float:
    """The normal quantile of a confidence level, two-sided."""
    if not isinstance(level, float | int) or not 0 < level < 1:
        raise ValueError(
            f"`level` (={shown(level)}) must be between 0 and 1, such as 0.95."
        )
    return float(ndtri((1 + level) / 2))


def _student(n: int, level: float) -> float:
    """Student's quantile for the mean of so many values; of one there is none."""
    _quantile(level)  # checks it
    return float(stdtrit(n - 1, (1 + level) / 2)) if n > 1 else math.inf


def _drop(n: int, t: float) -> float:
    """By how much twice the log-likelihood of a normal mean drops at Student's ends."""
    return n * math.log1p(t * t / (n - 1))


def _without_interval(x: np.ndarray) -> bool:
    """Whether the values are too few, or do not differ."""
    return x.size < FEWEST or float(x.min()) == float(x.max())


def _range(x: np.ndarray) -> Range:
    return Range(float(x.mean()), float(x.min()), float(x.max()))

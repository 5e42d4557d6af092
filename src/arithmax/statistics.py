r"""How often, how fast and how exactly runs solve a task, with intervals.

A cell of a results table is a group of runs that differ in their seed only. It is
described by its `success_rate`, and for the runs that solved the task by the `steps`
they took and the `sparsity` error of their weights. The functions take plain numbers
and return an `Interval`.

The two profile-likelihood intervals share one trick. With

$$ S(x) = \ln \Gamma(x) - x \ln x + x $$

which changes like $-\frac{1}{2} \ln x$ only, the log-likelihoods of gamma and beta are
a few $S$ less the concentration times a spread. Nothing large is left to cancel,
however small the values are, and however alike.
"""

import math
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq
from scipy.special import digamma, gammaln, ndtri, stdtrit

from .units._checks import shown

__all__ = ["Interval", "median", "overlap", "sparsity", "steps", "success_rate"]

Terms = Sequence[tuple[int, float]]  # the sign and the argument's share of each S


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
    z2 = _quantile(level)

    def low(p: float) -> float:  # the ends' product is p²/(1 + z²/n): no cancellation
        root = math.sqrt(z2 * (p * (1 - p) / n + z2 / (4 * n * n)))
        return p * p / (p + z2 / (2 * n) + root)

    return Interval(k / n, low(k / n), 1.0 - low((n - k) / n))


def steps(values: ArrayLike, level: float = 0.95) -> Interval:
    r"""The mean step at which runs solved the task, with a gamma interval.

    The values are taken as gamma distributed with mean $\mu$ and shape $k$, and the
    interval holds every mean whose profile likelihood is high enough:

    $$ \max_k \ell(\hat\mu, k) - \max_k \ell(\mu, k) \le \frac{1}{2} \chi^2_1 $$

    where $\chi^2_1$ is its quantile at `level` (3.84). The maximum-likelihood mean
    $\hat\mu$ of a gamma distribution is the sample mean.

    Values that are all alike (standard deviation at most 10⁻⁵) have a t interval, as
    published. One value alone says nothing about the spread: its interval is all of
    [0, ∞).

    Args:
        values: the step of each run that solved the task; positive, at least one.
            Where no run solved the task there is no mean, and this is an error.
        level: the confidence level.

    Returns:
        The sample mean and its interval.

    Examples:
        >>> from arithmax.statistics import steps
        >>> print(steps([12e3, 18e3, 9e3, 25e3, 16e3]))
        1.6e+04 [1.13e+04, 2.36e+04]
        >>> print(steps([5e3]))
        5e+03 [0, inf]

    Reference:
        A. Madsen and A. R. Johansen, "Neural Arithmetic Units", ICLR 2020. Their
        published means are not always the maximum.
    """
    x = _numbers(values)
    quantile = _quantile(level)
    if (x <= 0).any():
        raise ValueError(
            f"`values` (with {x.min():g}) must be positive: count steps from 1."
        )
    n, mean = x.size, float(x.mean())
    if _alike(x, 1e-5):
        return _student(x, level, 0.0, math.inf)
    spread = float(_gap(x, mean).mean())

    def height(t: float) -> float:  # at the mean μ = eᵗ times the sample mean
        return _peak(spread + math.expm1(-t) + t, [(-1, 1.0)])[0]

    step = float(x.std()) / mean / math.sqrt(n)
    low, high = _ends(height, 0.0, step, quantile / n)
    return Interval(mean, mean * math.exp(low), mean * math.exp(high))


def sparsity(values: ArrayLike, level: float = 0.95) -> Interval:
    r"""The mean sparsity error of the runs that solved the task, with a beta interval.

    A run's sparsity error is how far its worst weight is from −1, 0 or 1, at most ½.
    Its double is taken as beta distributed, and the interval holds every mean $\mu$
    whose profile likelihood, maximised over the concentration $v$, is high enough:

    $$ 2x \sim \mathrm{Beta}\left(2 \mu v, (1 - 2 \mu) v\right) $$

    For the fit, values are clipped to [10⁻¹⁶, ½ − 10⁻¹⁶]. Values that are then all
    alike (standard deviation at most 10⁻¹⁰) have a t interval, clipped to [0, ½]; one
    value alone has all of [0, ½].

    `value` is the mean of the values as they are, neither clipped nor fitted. A beta's
    maximum-likelihood mean is another number than the sample mean, so that `value` may
    lie near an end of its interval, and outside where a beta fits badly (values that
    crowd at the bounds) or where weights beyond ±1 have errors above ½.

    Args:
        values: the sparsity error of each run that solved the task; not negative, at
            least one. Where no run solved the task this is an error.
        level: the confidence level.

    Returns:
        The sample mean, and the interval.

    Examples:
        >>> from arithmax.statistics import sparsity
        >>> print(sparsity([0.02, 0.11, 0.05, 0.07, 0.3]))
        0.11 [0.0536, 0.226]
        >>> print(sparsity([3e-7, 5e-7, 4e-7]))
        4e-07 [2.92e-07, 5.67e-07]

    Reference:
        A. Madsen and A. R. Johansen, "Neural Arithmetic Units", ICLR 2020. Their code
        leaves out the factor 2 of 2x, which halves the published means.
    """
    given = _numbers(values)
    quantile, mean, n = _quantile(level), float(given.mean()), given.size
    x = np.clip(given, 1e-16, 0.5 - 1e-16)
    if _alike(x, 1e-10):
        return _student(given, level, 0.0, 0.5)
    one, other = 2 * x, 1 - 2 * x
    centre, rest = float(one.mean()), float(other.mean())
    spreads = float(_gap(one, centre).mean()), float(_gap(other, rest).mean())

    def shares(t: float) -> tuple[float, float]:  # the mean, moved by t in its logit
        whole = centre * math.exp(t) + rest
        return centre * math.exp(t) / whole, rest / whole

    def profile(t: float) -> tuple[float, float]:
        m, r = shares(t)
        moved = m * _gap(centre, m) + r * _gap(rest, r)
        spread = float(moved + m * spreads[0] + r * spreads[1])
        return _peak(spread, [(1, 1.0), (-1, m), (-1, r)])

    def slope(t: float) -> float:
        (m, r), (_, v) = shares(t), profile(t)
        pull = _growth(r * v) / (r * v) - _growth(m * v) / (m * v)
        return pull + spreads[1] - spreads[0] - t

    step = min(1.0, float(one.std()) / (centre * rest) / math.sqrt(n))
    top = _crossing(slope, 0.0, math.copysign(step, slope(0.0)))
    low, high = _ends(lambda t: profile(t)[0], top, step, quantile / n)
    return Interval(mean, shares(low)[0] / 2, shares(high)[0] / 2)


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
    """The quantile of χ² with one degree of freedom, the normal one's square."""
    if not isinstance(level, float | int) or not 0 < level < 1:
        raise ValueError(
            f"`level` (={shown(level)}) must be between 0 and 1, such as 0.95."
        )
    return float(ndtri((1 + level) / 2)) ** 2


def _alike(x: np.ndarray, bound: float) -> bool:
    """Whether there is too little spread to fit a distribution."""
    return x.size == 1 or float(x.std(ddof=1)) <= bound


def _student(x: np.ndarray, level: float, least: float, most: float) -> Interval:
    """The t interval of the mean, clipped; from one value, all that is possible."""
    n, mean = x.size, float(x.mean())
    if n == 1:
        return Interval(mean, least, most)
    half = float(stdtrit(n - 1, (1 + level) / 2) * x.std(ddof=1)) / math.sqrt(n)
    low, high = np.clip([mean - half, mean + half], least, most)
    return Interval(mean, float(low), float(high))


def _gap(x: Any, y: Any) -> Any:
    """x/y − 1 − ln(x/y), which is never negative, to full precision near x = y."""
    d = (x - y) / y
    near = np.log1p(np.maximum(d, -0.5))
    return d - np.where(np.abs(d) < 0.5, near, np.log(x / y))


def _log_gamma(x: float) -> float:
    """S(x) = ln Γ(x) − x ln x + x."""
    if x < 20:
        return float(gammaln(x)) - x * math.log(x) + x
    tail = 1 / (12 * x) - 1 / (360 * x**3) + 1 / (1260 * x**5)
    return 0.5 * math.log(2 * math.pi / x) + tail


def _growth(x: float) -> float:
    """x S′(x) = x (ψ(x) − ln x), which rises from −1 at zero to −½ at infinity."""
    if x < 20:
        return x * (float(digamma(x)) - math.log(x))
    return -0.5 - 1 / (12 * x) + 1 / (120 * x**3) - 1 / (252 * x**5)


def _peak(spread: float, terms: Terms) -> tuple[float, float]:
    """The maximum over v of Σ ± S(share · v) − spread · v, and the v that attains it.

    spread · v is between ½ and 1 there: ψ(x + 1) − ln x and ln x − ψ(x) both fall.
    """

    def slope(u: float) -> float:
        return sum(sign * _growth(share * u / spread) for sign, share in terms) - u

    u = _root(slope, 0.4, 1.1, 1e-15)
    v = u / spread
    return sum(sign * _log_gamma(share * v) for sign, share in terms) - u, v


def _ends(
    height: Callable[[float], float], top: float, step: float, drop: float
) -> tuple[float, float]:
    """Where twice the `height` has dropped by `drop` below its maximum at `top`."""
    best = height(top)

    def excess(t: float) -> float:
        return 2 * (best - height(t)) - drop

    return _crossing(excess, top, -step), _crossing(excess, top, step)


def _crossing(f: Callable[[float], float], start: float, step: float) -> float:
    """The root of `f` nearest to `start`, on the side to which `step` points."""
    at_start, end = f(start), start + step
    if at_start == 0:
        return start
    while (f(end) > 0) == (at_start > 0):
        start, end = end, end + 2 * (end - start)
    return _root(f, start, end, 1e-9 * abs(step))


def _root(f: Callable[[float], float], a: float, b: float, within: float) -> float:
    """The root of `f` between `a` and `b`, where it has different signs."""
    return brentq(f, a, b, xtol=within)  # type: ignore[return-value]  # a float

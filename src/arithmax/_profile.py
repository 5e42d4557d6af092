r"""Profile likelihoods of a gamma's and a beta's mean.

Both share one trick. With

$$ S(x) = \ln \Gamma(x) - x \ln x + x $$

which changes like $-\frac{1}{2} \ln x$ only, the log-likelihoods of gamma and beta are
a few $S$ less the concentration times a spread. Nothing large is left to cancel,
however small the values are, and however alike.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.special import digamma, gammaln

Terms = Sequence[tuple[int, float]]  # the sign and the argument's share of each S


def gamma_ends(x: np.ndarray, drop: float) -> tuple[float, float]:
    """Where twice the log-likelihood of a gamma's mean has dropped by so much.

    As logarithms of the ratio to the sample mean, which is the most likely mean.
    """
    n, mean = x.size, float(x.mean())
    spread = float(_gap(x, mean).mean())

    def height(t: float) -> float:  # at the mean μ = eᵗ times the sample mean
        moved = math.expm1(-t) + t
        if abs(t) < 1e-4:  # where the sum would cancel
            moved = t * t * (1 / 2 - t / 6 + t * t / 24)
        return _peak(spread + moved, [(-1, 1.0)])[0]

    step = float(x.std()) / mean / math.sqrt(n)
    return _ends(height, 0.0, step, drop / n)


def beta_ends(x: np.ndarray, drop: float) -> tuple[float, float]:
    """The same for a beta's mean: by how much its logit is off the sample mean's.

    The most likely mean of a beta is not the sample mean.
    """
    n, one, other = x.size, x, 1 - x
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
    return _ends(lambda t: profile(t)[0], top, step, drop / n)


def _gap(x: Any, y: Any) -> Any:
    """x/y − 1 − ln(x/y), which is never negative, to full precision near x = y."""
    d = (x - y) / y
    near = d - np.log1p(np.maximum(d, -0.5))
    nearer = d * d * (1 / 2 - d / 3 + d * d / 4)  # where the difference would cancel
    far = d - np.log(x / y)
    return np.where(np.abs(d) < 1e-4, nearer, np.where(np.abs(d) < 0.5, near, far))


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

"""Whether a rounded formula explains a wide table, and how much it says."""

import math

import numpy as np
from jaxtyping import Float

from ._linear_forms import FormTable
from ._rounding import Rounding

SLACK = 5.0  # deviations that a rounded formula may be worse than its dues
EXACT = 1e-9  # of the deviation of y: the largest error of an exact formula
DIGITS = 1e-22  # of the squares of y: what rounded coefficients may leave


def allowed(rss: float, parameters: int, fewer: int, table: FormTable) -> float:
    r"""The sum of squares up to which fewer parameters explain as much.

    Each parameter that is given up costs one variance of the noise, give or take:
    $R \le R_0 + s^2 (k + 5 \sqrt{2k + 2k^2 / (n - p)})$ with $s^2 = R_0 / (n - p)$ and
    $k$ parameters less.
    """
    rows = int((table.weight > 0).sum())
    freedom = max(rows - parameters, 1)
    k = max(parameters - fewer, 0)
    slack = SLACK * math.sqrt(2 * (k + 1) + 2 * k**2 / freedom)
    return rss + rss / freedom * (k + slack) + DIGITS * table.scale


def deviation(table: FormTable) -> float:
    """The weighted standard deviation of the target."""
    mean = np.average(table.target, weights=table.weight)
    return float(np.sqrt(np.average((table.target - mean) ** 2, weights=table.weight)))


def relative_error(rss: float, table: FormTable) -> float:
    """The root mean square error over the deviation of the target."""
    spread = deviation(table)
    return math.sqrt(rss / table.weight.sum()) / spread if spread > 0 else 0.0


def description(state: Rounding, table: FormTable) -> float:
    """The length in nats of the formula and of what it leaves over.

    Noise costs $\\tfrac n2 \\log R$, a fitted number $\\tfrac12 \\log n$, and the whole
    weights of a form the entropy of their values.
    """
    rows = len(table.target)
    floor = DIGITS * table.scale
    noise = rows / 2 * math.log(max(state.rss, floor) / rows)
    numbers = state.parameters * math.log(rows) / 2
    return noise + numbers + sum(map(_entropy, state.w[:, :-1], ~state.free[:, :-1]))


def _entropy(w: np.ndarray, whole: np.ndarray) -> float:
    if not whole.any():
        return 0.0
    _, count = np.unique(w[whole], return_counts=True)
    share = count / count.sum()
    values = (len(count) - 1) * math.log(len(w) + 1)
    return float(-(count * np.log(share)).sum()) + values


def structure_left(
    x: Float[np.ndarray, "row input"], residual: Float[np.ndarray, " row"]
) -> float:
    r"""How many deviations products of two inputs explain of a residual beyond chance.

    $\sum_{a \ne b} r_a r_b K_{ab} / (s^2 \sqrt{2 \sum K^2})$, where $K$ is the kernel
    of all squares and products of standardised inputs.
    """
    z = (x - x.mean(0)) / np.where(x.std(0) > 0, x.std(0), 1.0)
    r = residual - residual.mean()
    squares = z**2 - (z**2).mean(0)
    kernel = ((z @ z.T) ** 2 - (z**2) @ (z**2).T) / 2 + squares @ squares.T
    np.fill_diagonal(kernel, 0.0)
    null = np.sqrt(2 * (kernel**2).sum()) * (r @ r) / len(r)
    return float(r @ kernel @ r / max(null, 1e-300))


def simple_fraction(value: float, spread: float, scale: float = 1.0) -> float | None:
    """The simplest fraction near a number, unless chance would give one as simple.

    Fractions with denominators up to $q$ lie about $0.3 q^2$ to the unit, so that one
    within $\\pm\\epsilon$ of any number is there with chance $0.6\\, \\epsilon q^2$.

    Example:
        >>> simple_fraction(0.33333333, 1e-7), simple_fraction(0.43, 0.02)
        (0.333..., None)
    """
    reach = max(3 * spread, 1e-8 * max(abs(value), scale))
    if abs(abs(value) - 1) < reach < 0.5:
        return math.copysign(1.0, value)
    for q in range(1, 25):
        near = round(value * q) / q
        chance = 2 * reach * max(0.3 * q**2, 1.0)
        if abs(near - value) < reach and chance < 0.05 and abs(near * q) < 1000:
            return near
    return None

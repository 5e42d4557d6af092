r"""How much rows speak for a formula, and for each of its columns.

The evidence of a formula is the probability density of the targets once its constants
are integrated out; here by Laplace's approximation,

$$ \log Z \approx \log p(y \mid \hat\phi, \hat\sigma) + \log p(\hat\phi) + \log
   p(\log\hat\sigma) + \tfrac{k + 1}{2} \log 2\pi - \tfrac12 \log \det H. $$
"""

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from .._checks import shown
from ..discover import Formula
from ..discover._given import given_weight, inputs_and_target
from ._fitted import EXPONENT_SPREAD, LEFT, FittedFormula, check_columns, fitted
from ._function import slopes_of, with_exponents

CLEAR = 50.0  # odds, as a logarithm, from which on nobody needs them exactly
ALIKE = 1e-9  # of a slope: what others leave of it is a rounding
NOISE_SPREAD = 10.0  # of the prior of log σ, which is as good as flat


class Evidence(NamedTuple):
    """The evidence of a formula: its logarithm, and the probability among its rivals,
    all of which are held to be equally likely before."""

    logarithm: float
    probability: float


def evidences(
    formulas: Any, x: Any, y: Any, sample_weight: Any = None
) -> tuple[Evidence, ...]:
    """The evidence of rival formulas on the same rows.

    The constants that a formula has fitted are integrated out; those that it names, 2
    or π, are taken as known. A rival that is undefined on a row has the evidence −∞,
    and so has one whose constants the rows do not tell.

    Args:
        formulas: the rivals, a list of formulas.
        x: the columns [row, column].
        y: the targets [row].
        sample_weight: what each row counts.

    Examples:
        >>> import numpy as np
        >>> from arithmax.bayes import evidences
        >>> from arithmax.readout import parse
        >>> rng = np.random.default_rng(0)
        >>> x = rng.uniform(1, 3, (100, 2))
        >>> y = x[:, 0] ** 2 / x[:, 1] + rng.normal(0, 0.1, 100)
        >>> rivals = [parse(text, ["a", "b"]) for text in ("a**2/b", "1.3*a - 0.7*b")]
        >>> [round(each.probability, 3) for each in evidences(rivals, x, y)]
        [1.0, 0.0]
    """
    x, y = inputs_and_target(x, y, "x", "y")
    weight = given_weight(sample_weight, len(y))
    for formula in (formulas := _rivals(formulas)):
        check_columns(formula, x)
    logarithms = np.array([_evidence(formula, x, y, weight) for formula in formulas])
    best = logarithms.max(initial=-math.inf)
    if not math.isfinite(best):
        return tuple(Evidence(float(each), math.nan) for each in logarithms)
    shares = np.exp(logarithms - best)
    pairs = zip(logarithms, shares / shares.sum(), strict=True)
    return tuple(Evidence(float(each), float(share)) for each, share in pairs)


def _rivals(formulas: Any) -> list[Formula]:
    """`formulas` as a list, which must hold formulas."""
    several = isinstance(formulas, Iterable) and not isinstance(formulas, str)
    listed: list[Any] = list(formulas) if several else [None]
    if not all(isinstance(each, Formula) for each in listed):
        raise TypeError(
            f"`formulas` (={shown(formulas)}) must be a list of formulas, such as "
            "`[arithmax.readout.parse(text, names), …]`."
        )
    return listed


def _evidence(formula: Formula, x: np.ndarray, y: np.ndarray, weight: Any) -> float:
    values = formula.evaluate(x)
    if not np.isfinite(values).all():
        return -math.inf
    free = tuple(i for i, n in enumerate(with_exponents(formula).numbers) if n.free)
    rows = len(y) if weight is None else weight.sum()
    if rows - len(free) < LEFT:
        return -math.inf
    try:
        with np.errstate(all="ignore"):
            found = log_evidence(fitted(formula, x, y, weight, free))
    except np.linalg.LinAlgError:  # two constants that are one
        return -math.inf
    return found if math.isfinite(found) else -math.inf


def log_evidence(fit: FittedFormula) -> float:
    """The logarithm of the evidence of a fitted formula."""
    rows, count = fit.rows, len(fit.best)
    variance = fit.squares / rows
    logarithm = -0.5 * rows * (math.log(2 * math.pi * variance) + 1)
    prior = fit.best / fit.prior_std
    logarithm -= 0.5 * float(prior @ prior) + float(np.log(fit.prior_std).sum())
    logarithm -= math.log(NOISE_SPREAD)
    # The constants of the priors, 2π for each number, are those of the integral.
    scaled = fit.slopes * fit.prior_std / math.sqrt(variance)
    precision = scaled.T @ scaled + np.eye(count)
    inner = float(np.linalg.slogdet(precision)[1]) - 2 * float(
        np.log(fit.prior_std).sum()
    )
    return logarithm - 0.5 * (inner + math.log(2 * rows))


def relevance_of(fit: FittedFormula) -> dict[str, float]:
    """For each column the probability that the targets depend on it.

    Of a column that the formula has, it is that of the formula against the same one in
    which the column does not vary; of another, that of a further factor, a power of the
    column, against none (a linear term where the column is not positive). Both are held
    to be equally likely before, and stay so where rows cannot tell them apart: 0.5 for
    a column that the formula leaves out and that does not vary, or repeats another.
    """
    used = fit.formula.root.variables()
    whole = log_evidence(fit)
    found = {}
    for i, name in enumerate(fit.formula.names):
        odds = _odds_of_used(fit, i, whole) if i in used else _odds_of_other(fit, i)
        found[name] = 1 / (1 + math.exp(-min(max(odds, -700.0), 700.0)))
    return found


def _odds_of_used(fit: FittedFormula, column: int, whole: float) -> float:
    x = fit.x.copy()
    x[:, column] = np.median(x[:, column])
    if (odds := _odds_at_least(fit, x)) > CLEAR:
        return odds
    try:
        less = fitted(fit.formula, x, fit.y, fit.weight)
    except (ValueError, np.linalg.LinAlgError):
        return math.inf  # without the column the formula is none
    return whole - log_evidence(less)


def _odds_at_least(fit: FittedFormula, x: np.ndarray) -> float:
    """Roughly the odds against other rows, after one step of their own: a fit to the
    end is worth its time only where these are not clear."""
    numbers = fit.function.numbers(fit.best, fit.held, fit.middle, np)
    root = np.sqrt(fit.weight)
    with np.errstate(all="ignore"):
        residual = (fit.y - fit.function.value(numbers, x.T, np)) * root
        every = [
            np.broadcast_to(s, root.shape)
            for s in slopes_of(fit.function, numbers, x.T)
        ]
    # Numbers that are held here may be free there: a column may stand for another.
    slopes = np.stack(every, axis=1) * root[:, None]
    if not (np.isfinite(residual).all() and np.isfinite(slopes).all()):
        return -math.inf
    left = residual - slopes @ np.linalg.lstsq(slopes, residual, rcond=1e-10)[0]
    gain = 0.5 * fit.rows * math.log(max(float(left @ left) / fit.squares, 1.0))
    return gain - len(fit.best) * math.log(fit.rows)


def _odds_of_other(fit: FittedFormula, column: int) -> float:
    """By the ratio of Savage and Dickey, with slopes where the fit is."""
    if np.ptp(fit.y) == 0:
        return -math.inf  # what does not vary depends on nothing
    values, root = fit.x[:, column], np.sqrt(fit.weight)
    if (values > 0).all():
        slope = fit.predicted * (np.log(values) - fit.middle[column])
        room = EXPONENT_SPREAD
    else:
        slope = (values - values.mean()) / (values.std() or 1.0)
        room = float(np.std(fit.y))
    slope = slope * root
    whole = float(slope @ slope)
    if fit.slopes.size:
        slope = slope - fit.slopes @ np.linalg.lstsq(fit.slopes, slope, rcond=None)[0]
    length, residual = float(slope @ slope), fit.y - fit.predicted
    if np.ptp(values) == 0 or not length > ALIKE**2 * whole:
        return 0.0  # the rows cannot tell
    estimate = float(slope @ (residual * root)) / length
    even = fit.squares / fit.freedom / length
    uneven = float(slope**2 @ residual**2) / length**2  # as in `FittedFormula.spread`
    ratio = room**2 / max(even, uneven)
    sure = (estimate / room) ** 2 * ratio**2 / (1 + ratio)
    return 0.5 * sure - 0.5 * math.log1p(ratio)

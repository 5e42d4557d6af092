"""What is known of a formula's constants once the rows were seen."""

from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
from jaxtyping import Float

from ..discover import Formula, Number
from ..tasks import as_inputs
from ._band import Band
from ._chains import Diagnostics
from ._evidence import relevance_of
from ._fitted import FittedFormula, check_columns
from ._function import FormulaFunction
from ._marginal import Marginal, marginal_of, plus_minus
from ._posterior import Posterior
from ._text import latex_of, text_of

AT_ONCE = 2_000_000  # numbers: rows are predicted in parts of so many


@dataclass(frozen=True, eq=False, repr=False)
class FormulaPosterior(Posterior):
    """A formula whose constants have a distribution.

    Args:
        formula: the formula in the middle of its posterior: at the mean of exponents,
            and of coefficients at the middle of the table. A fitted number has its
            standard deviation as `error`.
        marginals: the constants that were inferred, in the order in which they are
            read.
        held: the names of those that were not: the rows cannot tell them from others.
        noise: the standard deviation of what the columns do not explain.
        relevance: for each column the probability that the target depends on it.
        log_evidence: the logarithm of the evidence of the formula with these constants
            free, up to what all formulas of the same rows share.
        method: how it was inferred.
        level: the share of the posterior inside the intervals.
        draws: draws of all numbers of the formula [draw, number].
        noise_draws: the standard deviation of the noise in each of them.
        given: the formula as it was given, with an exponent at every column.
        unevenness: how many times wider an interval of Laplace's approximation is than
            noise of one size would make it.
        relative: whether the noise is a share of the formula's value.
        diagnostics: how well chains have mixed; None if there were none.

    Examples:
        >>> import numpy as np
        >>> from arithmax.bayes import laplace
        >>> from arithmax.readout import parse
        >>> rng = np.random.default_rng(0)
        >>> x = rng.uniform(1, 3, (500, 2))
        >>> y = x[:, 0] ** 2 / x[:, 1] + rng.normal(0, 0.02, 500)
        >>> posterior = laplace(parse("a**2/b", ["a", "b"]), x, y)
        >>> print(posterior)
        (1.000 ± 0.003) · a^(2.001 ± 0.003) · b^(-1.001 ± 0.002)
        >>> posterior.marginal("exponent of a").contains(2.0)
        True
    """

    formula: Formula
    marginals: tuple[Marginal, ...]
    held: tuple[str, ...]
    noise: Marginal
    relevance: dict[str, float]
    log_evidence: float
    method: str
    level: float
    draws: Float[np.ndarray, "draw number"]
    noise_draws: Float[np.ndarray, " draw"]
    given: Formula
    _function: FormulaFunction
    unevenness: float = 1.0
    relative: bool = False
    diagnostics: Diagnostics | None = None

    def __repr__(self) -> str:
        return f"<FormulaPosterior {self}>"

    def __str__(self) -> str:
        return text_of(self.formula, self._by_place())

    @property
    def places(self) -> tuple[int, ...]:
        """Where each of the `marginals` stands among the numbers of `formula` and of
        `given`."""
        return self._function.free

    def latex(self) -> str:
        r"""The formula in LaTeX, with intervals: `a^{2.004 \pm 0.004}`."""
        return latex_of(self.formula, self._by_place())

    @property
    def every_marginal(self) -> tuple[Marginal, ...]:
        """All numbers in the order in which they are read; held ones do not spread."""
        known = zip(
            self._by_place(),
            self._function.constants,
            self.formula.numbers,
            strict=True,
        )
        return tuple(
            marginal or Marginal(c.name, n.value, 0.0, n.value, n.value)
            for marginal, c, n in known
        )

    def with_relative_noise(self, x: Any, sample_weight: Any) -> "FormulaPosterior":
        """The same where noise is in proportion to the formula, and rows were weighted
        for that: the noise is then a share.

        Args:
            x: the columns [row, column] that it was inferred from.
            sample_weight: what each of them counted, in proportion to 1/f².
        """
        weight = np.asarray(sample_weight, np.float64)
        values = self.formula.evaluate(x)
        size = np.sqrt((weight @ values**2) / weight.sum())
        noise = self.noise_draws / size
        known = marginal_of("noise", noise, self.level)
        return replace(self, noise_draws=noise, noise=known, relative=True)

    @property
    def noise_text(self) -> str:
        """The noise in words."""
        if not self.relative:
            return f"a standard deviation of {self.noise}"
        share = self.noise
        half = 50 * (share.high - share.low)
        return f"{plus_minus(100 * share.mean, half)} % of the target"

    def _by_place(self) -> list[Marginal | None]:
        """What is known of each number; None for those that are held."""
        found: list[Marginal | None] = [None] * self.draws.shape[1]
        for place, marginal in zip(self.places, self.marginals, strict=True):
            found[place] = marginal
        return found

    def predict(self, x: Any, noise: bool = True) -> Band:
        """The posterior predictive distribution on rows, inside or outside.

        Args:
            x: the columns [row, column].
            noise: whether intervals are of new measurements; of the formula's value if
                False.

        Returns:
            Mean, standard deviation and the ends of the interval on each row; NaN where
            the formula is undefined.
        """
        rows = np.asarray(as_inputs(x, "x"))
        check_columns(self.formula, rows)
        size = max(AT_ONCE // len(self.draws), 1)
        parts = [
            self._part(rows[i : i + size], noise) for i in range(0, len(rows), size)
        ]
        return Band(*(np.concatenate(column) for column in zip(*parts, strict=True)))

    def _part(self, x: np.ndarray, noise: bool) -> Band:
        numbers = [column[:, None] for column in self.draws.T]
        with np.errstate(all="ignore"):
            values = self._function.value(numbers, list(x.T[:, None]), np)
            values = np.broadcast_to(values, (len(self.draws), len(x)))
            mean, std = values.mean(axis=0), values.std(axis=0)
            if noise:
                scale = np.abs(mean) if self.relative else np.ones(len(x))
                std = np.sqrt(std**2 + np.mean(self.noise_draws**2) * scale**2)
                values = values + np.outer(
                    self.noise_draws * _normal(len(values)), scale
                )
            ends = [(1 - self.level) / 2, (1 + self.level) / 2]
            low, high = np.quantile(values, ends, axis=0)
        return Band(mean, std, low, high)


@cache
def _normal(count: int) -> Float[np.ndarray, " draw"]:
    """Standard normal numbers, evenly spread, in an order that knows of nothing.

    Predictions are not normal, though noise is: with few rows they have the tails of
    Student's distribution, and far outside of the table they are skewed.
    """
    from scipy.stats import norm

    even = norm.ppf((np.arange(count) + 0.5) / count)
    return np.random.default_rng(0).permutation(even)


def formula_posterior(
    fit: FittedFormula,
    moved: Float[np.ndarray, "draw free"],
    noise: Float[np.ndarray, " draw"],
    *,
    method: str,
    level: float,
    log_evidence: float,
) -> FormulaPosterior:
    """What draws of the free numbers tell of a formula.

    Args:
        fit: the formula where it fits best.
        moved: draws of the free numbers, coefficients being those of the middle.
        noise: draws of the noise's standard deviation.
        method: how they were drawn.
        level: the share of the posterior inside the intervals.
        log_evidence: the logarithm of the evidence.
    """
    function = fit.function
    numbers = function.numbers(moved.T, fit.held, fit.middle, np)
    draws = np.stack([np.broadcast_to(n, (len(moved),)) for n in numbers], axis=1)
    marginals = tuple(
        marginal_of(function.constants[place].name, draws[:, place], level)
        for place in function.free
    )
    held = [c.name for i, c in enumerate(function.constants) if i not in function.free]
    return FormulaPosterior(
        _at(fit, moved.mean(axis=0), marginals),
        marginals,
        tuple(held),
        marginal_of("noise", noise, level),
        relevance_of(fit),
        log_evidence,
        method,
        level,
        draws,
        noise,
        fit.formula,
        function,
        fit.unevenness,
    )


def _at(
    fit: FittedFormula,
    moved: Float[np.ndarray, " free"],
    marginals: tuple[Marginal, ...],
) -> Formula:
    """The formula at some free numbers, coefficients being those of the middle.

    Their means belong together. Means of coefficients as they are written, where
    columns are 1, do not: far from the rows such a mean is that of a skewed
    distribution, and beside the mean of the exponent it fits no row.
    """
    found = fit.function.numbers(moved, fit.held, fit.middle, np)
    numbers = list(fit.formula.numbers)
    for place, marginal in zip(fit.function.free, marginals, strict=True):
        numbers[place] = Number(float(found[place]), None, marginal.std)
    return Formula(fit.formula.root.replaced(iter(numbers)), fit.formula.names)

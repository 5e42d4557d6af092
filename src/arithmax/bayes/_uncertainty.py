"""How sure the formula of a discovery is: all that is shown of it, in one place."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ..discover import Formula, Number
from ._evidence import Evidence, evidences
from ._formula_posterior import FormulaPosterior
from ._function import with_exponents
from ._laplace import laplace
from ._marginal import Marginal

UNEVEN = 1.5  # times that uneven noise must widen an interval to be spoken of


class InferredConstant(NamedTuple):
    """A number of a formula, and what the rows tell of it.

    `marginal` has the mean and the interval; of a number that is `held` they are the
    number itself. `number` is what stands in the formula.
    """

    marginal: Marginal
    number: Number
    held: bool


@dataclass(frozen=True, eq=False)
class Uncertainty:
    """What is known of a formula, or why nothing is.

    Args:
        formula: the formula.
        posterior: that of its constants; None if the rows do not give one.
        reason: why there is none, in a sentence; empty if there is one.
        evidences: the evidence of each of its rivals, itself among them.
    """

    formula: Formula
    posterior: FormulaPosterior | None
    reason: str
    evidences: tuple[Evidence, ...]

    @property
    def constants(self) -> tuple[InferredConstant, ...]:
        """All numbers that were inferred or held, in the order of the formula."""
        if self.posterior is None:
            return ()
        inferred = {id(marginal) for marginal in self.posterior.marginals}
        given = with_exponents(self.formula).numbers
        pairs = zip(self.posterior.every_marginal, given, strict=True)
        return tuple(InferredConstant(m, n, id(m) not in inferred) for m, n in pairs)

    @property
    def meaning(self) -> str:
        """What an interval is, and what it does not say."""
        if self.posterior is None:
            return self.reason
        return (
            f"± is half of the {self.share} interval, by Laplace's approximation. It "
            "is conditional on the formula: intervals do not say whether it is the law."
        ) + self._uneven

    @property
    def _uneven(self) -> str:
        """What is to be known of noise that is not of one size."""
        if self.posterior is not None and self.posterior.relative:
            return " Noise is taken to be in proportion to the target."
        if self.posterior is None or self.posterior.unevenness < UNEVEN:
            return ""
        times = f"{self.posterior.unevenness:.2g}"
        return (
            f" The noise is not of one size: intervals are up to {times} times wider "
            "for it. Where it grows with the target, weights (`sample_weight`, such as "
            "1/y²) make the search and the evidence of rivals surer."
        )

    @property
    def share(self) -> str:
        """The share of the posterior inside intervals, in words: 95 %."""
        return "" if self.posterior is None else f"{100 * self.posterior.level:g} %"

    @property
    def held(self) -> str:
        """Which numbers were not inferred, in a sentence; empty if all were."""
        names = () if self.posterior is None else self.posterior.held
        if not names:
            return ""
        return (
            "Held as the formula has them, since the rows do not tell them from the "
            f"others: {', '.join(names)}."
        )


def uncertainty_of(
    formula: Formula,
    rivals: Sequence[Formula],
    x: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    relative: bool = False,
    level: float = 0.95,
) -> Uncertainty:
    """The posterior of a formula by Laplace's approximation, and its rivals' evidence.

    A search that is over is not lost because the rows give no posterior: they may be
    too few. There is then a reason in its place.

    Args:
        formula: the formula.
        rivals: all formulas that are compared, that one among them.
        x: the columns [row, column].
        y: the targets [row].
        sample_weight: what each row counts.
        relative: whether rows count so because noise is in proportion to the target.
        level: the share of the posterior inside the intervals.

    Examples:
        >>> import numpy as np
        >>> from arithmax.bayes import uncertainty_of
        >>> from arithmax.readout import parse
        >>> x = np.arange(1.0, 4.0)[:, None]
        >>> square = parse("a**2", ["a"])
        >>> uncertainty_of(square, [square], x, x[:, 0] ** 2).reason
        'There are no intervals: `x` (with 3 rows) must have at least 4 rows: noise is
        told from what a formula leaves over.'
    """
    try:
        posterior = laplace(formula, x, y, sample_weight=sample_weight, level=level)
        rated = evidences(rivals, x, y, sample_weight)
    except (ValueError, ArithmeticError) as error:
        unknown = Evidence(math.nan, math.nan)
        reason = f"There are no intervals: {error}"
        return Uncertainty(formula, None, reason, (unknown,) * len(rivals))
    assert isinstance(posterior, FormulaPosterior)
    if relative:
        posterior = posterior.with_relative_noise(x, sample_weight)
    return Uncertainty(formula, posterior, "", rated)


def interval_text(marginal: Marginal) -> str:
    """The interval of a number, its ends to the digits that tell them from each other.

    Examples:
        >>> from arithmax.bayes import Marginal, interval_text
        >>> interval_text(Marginal("w", 2.0031, 0.0049, 1.99349, 2.01971))
        '1.993 to 2.020'
    """
    half = (marginal.high - marginal.low) / 2
    size = max(abs(marginal.low), abs(marginal.high))
    digits = 16
    if 0 < half < math.inf:
        digits = min(max(math.floor(math.log10(size / half)), 0) + 2, 16)
    ends = (f"{end:#.{digits}g}" for end in (marginal.low, marginal.high))
    return " to ".join(end.removesuffix(".") for end in ends)


def probability_text(probability: float) -> str:
    """A probability in percent, which is never rounded to certainty.

    Examples:
        >>> from arithmax.bayes import probability_text
        >>> [probability_text(p) for p in (0.9999, 0.5, 0.0123, 1e-9)]
        ['> 99.9 %', '50.0 %', '1.2 %', '< 0.1 %']
    """
    if math.isnan(probability):
        return "unknown"
    if probability > 0.999:
        return "> 99.9 %"
    return "< 0.1 %" if probability < 0.001 else f"{100 * probability:.1f} %"

"""The evidence of a formula is an integral; here it is done by quadrature, too."""

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from arithmax.bayes import evidences
from arithmax.bayes._evidence import NOISE_SPREAD, log_evidence
from arithmax.bayes._fitted import fitted
from arithmax.readout import parse

NAMES = ["a", "b"]
RNG = np.random.default_rng(1)
X = RNG.uniform(1, 3, (60, 2))
NOISE = RNG.normal(0, 0.1, 60)


def test_the_evidence_is_the_integral_over_constant_and_noise():
    y = 2.0 * X[:, 0] + NOISE
    fit = fitted(parse("2*a", NAMES), X, y, None, free=(0,))
    scale = math.exp(-fit.middle[0])
    centre = math.sqrt(fit.squares / fit.rows)

    def over_constant(log_noise: float) -> float:
        noise = centre * math.exp(log_noise)
        spread = noise / math.sqrt((X[:, 0] @ X[:, 0]) * scale**2)

        def density(moved: float) -> float:
            residual = y - moved * scale * X[:, 0]
            likelihood = norm.logpdf(residual, scale=noise).sum()
            return math.exp(
                likelihood + norm.logpdf(moved, scale=fit.prior_std[0]) - top
            )

        ends = fit.best[0] - 9 * spread, fit.best[0] + 9 * spread
        return quad(density, *ends)[0] * norm.pdf(log_noise, scale=NOISE_SPREAD)

    top = norm.logpdf(y - fit.best[0] * scale * X[:, 0], scale=centre).sum()
    exact = math.log(quad(over_constant, -1, 1)[0]) + top
    assert log_evidence(fit) == pytest.approx(exact, abs=0.03)


def test_the_truth_has_more_evidence_than_simpler_and_than_larger_formulas():
    y = X[:, 0] ** 2 / X[:, 1] + NOISE
    texts = ["a**2/b", "1.1*a**2.01/b", "1.3*a - 0.7*b", "a**2/b + 0.01*b - 0.02*a"]
    rivals = evidences([parse(text, NAMES) for text in texts], X, y)
    assert sum(each.probability for each in rivals) == pytest.approx(1.0)
    assert rivals[0].probability == max(each.probability for each in rivals)
    assert rivals[0].probability > 0.8


def test_a_formula_that_is_undefined_has_no_evidence():
    y = X[:, 0] + NOISE
    good, bad = evidences([parse("a", NAMES), parse("sqrt(a - 2)", NAMES)], X, y)
    assert good.probability == 1.0 and bad.probability == 0.0
    assert bad.logarithm == -math.inf


def test_without_formulas_there_is_no_evidence():
    assert evidences([], X, NOISE) == ()
    [only] = evidences([parse("sqrt(a - 2)", NAMES)], X, NOISE)
    assert math.isnan(only.probability)


@pytest.mark.parametrize("wrong", [parse("a", NAMES), "a*b", ["a*b"], 3])
def test_rivals_are_a_list_of_formulas(wrong):
    with pytest.raises(TypeError, match=r"`formulas` .* must be a list of formulas"):
        evidences(wrong, X, NOISE)

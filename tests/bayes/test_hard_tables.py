"""Tables of other scales, with zeros, with columns that say nothing or the same."""

import numpy as np
import pytest

from arithmax.bayes import (
    FormulaPosterior,
    evidences,
    laplace,
    marginal_of,
    plus_minus,
)
from arithmax.bayes._fitted import fitted
from arithmax.readout import parse

NAMES = ["a", "b", "c"]
RNG = np.random.default_rng(11)
X = RNG.uniform(1, 5, (200, 3))
NOISE = RNG.standard_normal(200)


def noisy(truth: np.ndarray, share: float = 0.05) -> np.ndarray:
    return truth + share * truth.std() * NOISE


def posterior(text: str, x, y, **options) -> FormulaPosterior:
    found = laplace(parse(text, NAMES), x, y, **options)
    assert isinstance(found, FormulaPosterior)
    return found


@pytest.mark.parametrize("scale", [1e-30, 1e-9, 1e30])
def test_constants_are_the_same_in_every_unit_of_the_target(scale):
    y = noisy(X[:, 0] ** 2 / X[:, 1])
    one = posterior("1.05*a**2.03/b", X, y)
    other = posterior(f"{1.05 * scale!r}*a**2.03/b", X, scale * y)
    for mine, its in zip(one.marginals[1:], other.marginals[1:], strict=True):
        assert (its.low, its.high) == pytest.approx((mine.low, mine.high), rel=1e-7)
    assert other.marginals[0].mean == pytest.approx(scale * one.marginals[0].mean)


@pytest.mark.parametrize("scale", [1e-30, 1e30])
def test_the_formula_fits_rows_that_are_far_from_one(scale):
    """The coefficient at x = 1 is known to a factor of three, the rows to 1 %."""
    y = noisy(X[:, 0] ** 2 / X[:, 1])
    found = posterior(f"{1 / scale!r}*a**2/b", scale * X, y)
    values = found.formula.evaluate(scale * X)
    np.testing.assert_allclose(values, X[:, 0] ** 2 / X[:, 1], rtol=0.1)
    np.testing.assert_allclose(
        values, found.predict(scale * X, noise=False).mean, rtol=1e-3
    )


def test_numbers_inside_a_sum_are_inferred_though_it_is_zero_on_rows():
    x = RNG.integers(0, 5, (300, 3)).astype(float)
    truth = x[:, 2] * (x[:, 0] - x[:, 1])
    y = truth + 0.05 * RNG.standard_normal(300)
    assert (x[:, 0] == x[:, 1]).any()
    found = posterior("c*(a - b)", x, y)
    assert found.held == ("exponent of a - b", "factor of b")
    assert found.marginal("exponent of a").contains(1.0)
    assert all(0 < m.std < 0.1 for m in found.marginals)


def test_weights_below_one_widen_as_fewer_rows_do():
    truth = X[:, 0] ** 2 / X[:, 1]
    y = truth * (1 + 0.05 * NOISE)  # uneven: intervals are those of residuals
    formula, places = parse("a**2/b", NAMES), (0, 1, 2)
    whole = fitted(formula, X, y, None, places)
    part = fitted(formula, X, y, np.full(200, 0.05), places)
    np.testing.assert_allclose(part.best, whole.best, rtol=1e-6)
    least = 20 * np.diag(whole.covariance)  # a twentieth of the rows
    assert (np.diag(part.spread) > 0.9 * least).all()
    assert (np.diag(part.spread) < 21 * 1.1 * np.diag(whole.spread)).all()
    assert (np.diag(whole.spread) > 1.3 * np.diag(whole.covariance)).any()


@pytest.mark.parametrize("value", [3.0, 0.0, -0.1])
def test_a_column_that_does_not_vary_is_not_told_to_matter_or_not(value):
    x = X.copy()
    x[:, 2] = value
    assert posterior("a**2/b", x, noisy(x[:, 0] ** 2 / x[:, 1])).relevance["c"] == 0.5
    x[:, 2] = 2 * x[:, 1]
    assert posterior("a**2/b", x, noisy(x[:, 0] ** 2 / x[:, 1])).relevance["c"] == 0.5


def test_a_column_that_repeats_another_is_not_needed():
    x = X.copy()
    x[:, 1] = 2 * x[:, 0]
    relevance = posterior("2*a + b", x, noisy(4 * x[:, 0])).relevance
    assert relevance["a"] < 0.5 and relevance["b"] < 0.5


def test_no_number_is_written_as_minus_zero():
    assert plus_minus(-0.3, 40.0) == "0 ± 40"


@pytest.mark.parametrize(("value", "half"), [(1e-310, 1e-312), (1e300, 1e299)])
def test_numbers_of_every_size_are_written(value, half):
    mantissa, power = plus_minus(value, half).split("e")
    assert mantissa in ("(1.000 ± 0.010)", "(1.00 ± 0.10)")
    assert 10.0 ** int(power) == pytest.approx(value)


def test_rivals_must_be_formulas_of_the_columns():
    y = noisy(X[:, 0])
    with pytest.raises(ValueError, match=r"`x` .* must have 1 columns"):
        evidences([parse("2*a", ["a"])], X, y)
    for wrong in (["a"], parse("a", NAMES), None):
        with pytest.raises(TypeError, match=r"`formulas` .* must be a list of"):
            evidences(wrong, X, y)  # type: ignore[arg-type]


@pytest.mark.parametrize("x", [5.0, np.ones(3), np.ones((2, 2)), np.ones((2, 3, 1))])
def test_rows_of_another_shape_are_not_predicted(x):
    found = posterior("2*a", X, noisy(2 * X[:, 0]))
    with pytest.raises(ValueError, match=r"`x` \(of shape"):
        found.predict(x)


def test_a_marginal_needs_draws():
    with pytest.raises(ValueError, match="`draws`"):
        marginal_of("w", [])


def test_a_negative_number_that_is_held_keeps_its_sign():
    y = noisy(X[:, 2] * (X[:, 0] - X[:, 1]), 0.01)
    found = posterior("c*(a - b)", X, y)
    assert "factor of b" in found.held and " - b^(" in str(found)


def test_exponents_have_the_prior_that_the_page_says():
    fit = fitted(parse("2*a**2/b", NAMES), X, noisy(X[:, 0] ** 2 / X[:, 1]))
    roles = [fit.function.constants[place].role for place in fit.function.free]
    assert roles == ["coefficient", "exponent", "exponent"]
    assert list(fit.prior_std[1:]) == [3.0, 3.0]


def test_an_exponent_that_rows_hardly_tell_is_held():
    x = 100.0 + X / 5  # which vary by far less than the noise
    found = posterior("2*a", x, noisy(2 * x[:, 0], 10.0))
    assert found.held == ("exponent of a",)

"""Laplace's approximation of a formula: the exact posterior where it is linear."""

import numpy as np
import pytest
from scipy.stats import t as student

from arithmax.bayes import FormulaPosterior, laplace
from arithmax.bayes._fitted import fitted
from arithmax.bayes._laplace import around
from arithmax.discover import Search, discover
from arithmax.readout import latex, parse

NAMES = ["a", "b", "c", "d"]


def table(text: str, noise: float, rows: int = 200, seed: int = 0, low=1.0, high=5.0):
    rng = np.random.default_rng([seed, rows])
    x = rng.uniform(low, high, (rows, 4))
    y = parse(text, NAMES).evaluate(x)
    return x, y + noise * y.std() * rng.standard_normal(rows)


def posterior(text: str, *rows, **options) -> FormulaPosterior:
    found = laplace(parse(text, NAMES), *rows, **options)
    assert isinstance(found, FormulaPosterior)
    return found


def test_linear_formulas_have_the_intervals_of_linear_regression():
    """sin and cos hold exponents: what is left free is linear."""
    x, y = table("2*sin(a) + 3*cos(b)", 0.5, rows=12)
    formula = parse("2*sin(a) + 3*cos(b)", NAMES)
    matrix = np.column_stack((np.sin(x[:, 0]), np.cos(x[:, 1])))
    fit = fitted(formula, x, y, None, free=(0, 3))
    solution, squares, *_ = np.linalg.lstsq(matrix, y, rcond=None)
    variance = squares[0] / 10 * np.linalg.inv(matrix.T @ matrix)
    np.testing.assert_allclose(fit.best, solution, rtol=1e-9)
    # The prior takes a share of about one row in twelve.
    np.testing.assert_allclose(fit.covariance, variance, rtol=0.1)
    hat = matrix @ np.linalg.inv(matrix.T @ matrix)
    leverage = (matrix * hat).sum(axis=1)
    robust = hat.T @ np.diag(((y - matrix @ solution) / (1 - leverage)) ** 2) @ hat
    larger = np.sqrt(np.maximum(np.diag(robust), np.diag(fit.covariance)))
    np.testing.assert_allclose(np.sqrt(np.diag(fit.spread)), larger, rtol=1e-9)
    found = around(fit, 0.95)
    for marginal, mean, spread in zip(found.marginals, fit.best, larger, strict=True):
        half = student.ppf(0.975, 10) * spread
        assert marginal.low == pytest.approx(mean - half, abs=0.02 * half)
        assert marginal.high == pytest.approx(mean + half, abs=0.02 * half)


@pytest.mark.parametrize(
    ("text", "noise"),
    [
        ("a**2/b", 0.001),
        ("a**2/b", 0.1),
        ("2.5*a/(b + c)", 0.01),
        ("2*a**2 + 3*b*c - d", 0.1),
        ("0.0012*a**1.5*b", 0.1),
    ],
)
def test_intervals_hold_the_truth_as_often_as_they_say(text, noise):
    formula = parse(text, NAMES)
    held = []
    for seed in range(60):
        x, y = table(text, noise, rows=100, seed=seed, low=0.5, high=50.0)
        fit = fitted(formula, x, y)
        marginals = around(fit, 0.95).marginals
        held += [
            marginal.contains(fit.held[place])
            for place, marginal in zip(fit.function.free, marginals, strict=True)
        ]
    # Constants of one table are not independent: bounds are those of 60 tables.
    assert 0.88 <= np.mean(held) <= 0.995


def test_intervals_hold_the_truth_where_noise_grows_with_the_target():
    formula = parse("a**2/b", NAMES)
    held, narrow = [], []
    for seed in range(100):
        x, y = table("a**2/b", 0.0, rows=150, seed=seed, low=0.5, high=3.0)
        noise = np.random.default_rng([seed, 7]).standard_normal(150)
        fit = fitted(formula, x, y * (1 + 0.01 * noise))
        truth = fit.function.moved(fit.held, fit.middle)
        even = np.abs(fit.best - truth) / np.sqrt(np.diag(fit.covariance))
        narrow.append(even < 1.976)
        marginals = around(fit, 0.95).marginals
        held += [m.contains(v) for m, v in zip(marginals, fit.held, strict=True)]
    assert np.mean(narrow) < 0.8  # noise of one size would be far too sure
    assert 0.9 <= np.mean(held) <= 0.99


def test_a_formula_is_written_with_its_intervals():
    found = posterior("a**2/b", *table("a**2/b", 0.01, rows=500))
    assert str(found).startswith("(1.00") or str(found).startswith("(0.99")
    assert " · a^(2.00" in str(found) or " · a^(1.99" in str(found)
    assert "±" in str(found) and "c" not in str(found)
    assert r"\pm" in found.latex() and found.latex().count("{") == found.latex().count(
        "}"
    )


def test_what_stands_inside_powers_is_written_in_brackets():
    found = posterior("3*(a - 2*b)**2", *table("3*(a - 2*b)**2", 0.01))
    assert str(found).count("(") == str(found).count(")")
    assert str(found).endswith(")^2")  # the exponent of a sum is held here
    assert found.held == ("exponent of a - 2*b", "factor of a")
    assert latex(found.formula)  # a formula like any other


def test_columns_that_matter_are_told_from_others():
    x, y = table("a**2/b", 0.01, rows=500)
    found = discover(x, y, names=NAMES, search=Search(candidates=20))
    relevance = laplace(found.formula, x, y).relevance
    assert list(relevance) == NAMES
    assert relevance["a"] > 0.999 and relevance["b"] > 0.999
    assert relevance["c"] < 0.1 and relevance["d"] < 0.1


def test_a_column_that_a_formula_leaves_out_is_seen_to_matter():
    x, y = table("a**2/b*c**0.1", 0.01, rows=300)
    assert posterior("a**2/b", x, y).relevance["c"] > 0.99


def test_a_column_of_both_signs_may_matter():
    x, y = table("a*b", 0.1, low=-2.0, high=2.0)
    relevance = posterior("a*b", x, y + 0.5 * x[:, 2]).relevance
    assert relevance["c"] > 0.99 and relevance["d"] < 0.3


def test_a_weight_of_two_is_two_rows():
    x, y = table("a**2/b", 0.05, rows=40)
    weight = np.ones(40)
    weight[:5] = 2.0
    once = posterior("a**2/b", x, y, sample_weight=weight)
    twice = posterior("a**2/b", np.vstack((x, x[:5])), np.append(y, y[:5]))
    for one, two in zip(once.marginals, twice.marginals, strict=True):
        assert one.low == pytest.approx(two.low, rel=1e-9)
        assert one.high == pytest.approx(two.high, rel=1e-9)
    assert once.log_evidence == pytest.approx(twice.log_evidence)


def test_weights_of_relative_noise_narrow_intervals_over_decades():
    """Weights far below 1 are not rows whose noise is that much larger."""
    rng = np.random.default_rng(1)
    x = 10 ** rng.uniform(0, 3, (120, 4))
    y = 0.4 * x[:, 0] / np.sqrt(x[:, 1]) * (1 + 0.05 * rng.standard_normal(120))
    weight = y**-2 / np.mean(y**-2)
    plain = posterior("0.4*a/b**0.5", x, y)
    sure = posterior("0.4*a/b**0.5", x, y, sample_weight=weight)
    for one, two, truth in zip(
        sure.marginals, plain.marginals, (0.4, 1, -0.5), strict=True
    ):
        assert one.contains(truth) and one.std < 0.5 * two.std


def test_predictions_hold_new_rows_and_widen_outside():
    x, y = table("a**2/b", 0.05, rows=100)
    found = posterior("a**2/b", x, y)
    new_x, new_y = table("a**2/b", 0.0, rows=2000, seed=1)
    new_y = new_y + 0.05 * y.std() * np.random.default_rng(5).standard_normal(2000)
    band = found.predict(new_x)
    assert 0.93 <= np.mean((band.low <= new_y) & (new_y <= band.high)) <= 0.97
    curve = found.predict(new_x, noise=False)
    truth = parse("a**2/b", NAMES).evaluate(new_x)
    assert (curve.std < band.std).all()
    assert np.abs((curve.mean - truth) / curve.std).max() < 6
    middle, far = np.array([[3.0, 3, 3, 3]]), np.array([[3000.0, 3, 3, 3]])
    relative = [
        (found.predict(at, noise=False).std / found.predict(at).mean)[0]
        for at in (middle, far)
    ]
    assert relative[1] > 3 * relative[0]


def test_predictions_from_few_rows_have_the_tails_of_student():
    x, y = table("2*sin(a) + 3*cos(b)", 0.5, rows=6)
    fit = fitted(parse("2*sin(a) + 3*cos(b)", NAMES), x, y, None, free=(0, 3))
    new = table("a", 0.0, rows=20)[0]
    slopes = np.column_stack((np.sin(new[:, 0]), np.cos(new[:, 1])))
    spread = np.einsum("ri,ij,rj->r", slopes, fit.spread, slopes)
    half = student.ppf(0.995, 4) * np.sqrt(spread + fit.squares / 4)
    band = around(fit, 0.99).predict(new)
    np.testing.assert_allclose((band.high - band.low) / 2, half, rtol=0.12)
    assert np.mean((band.high - band.low) / 2 / half) == pytest.approx(1.0, abs=0.05)


def test_new_measurements_are_less_sure_than_the_formula_on_both_sides():
    """Far outside predictions are skewed."""
    x, y = table("a**2/b", 0.3, rows=30)
    found = posterior("a**2/b", x, y)
    far = np.array([[300.0, 3.0, 3.0, 3.0]])
    curve, band = found.predict(far, noise=False), found.predict(far)
    assert curve.high - curve.mean > 1.5 * (curve.mean - curve.low)
    assert band.low == pytest.approx(curve.low, rel=0.02)
    assert band.high == pytest.approx(curve.high, rel=0.02)


def test_predictions_of_many_rows_are_those_of_each(monkeypatch):
    from arithmax.bayes import _formula_posterior

    x, y = table("a**2/b", 0.05)
    found = posterior("a**2/b", x, y)
    whole = found.predict(x)
    monkeypatch.setattr(_formula_posterior, "AT_ONCE", 3 * len(found.draws))
    for part, all_rows in zip(found.predict(x), whole, strict=True):
        np.testing.assert_allclose(part, all_rows, rtol=1e-12)


def test_without_noise_nothing_is_uncertain():
    x, y = table("2*a**2/b", 0.0)
    found = posterior("2*a**2/b", x, y)
    assert all(m.std < 1e-12 for m in found.marginals)
    assert str(found) == "2 · a^2 · b^(-1)"


def test_what_rows_cannot_tell_is_held():
    x, y = table("a*b", 0.01)
    x[:, 1] = x[:, 0]
    found = posterior("a*b", x, y)
    assert set(found.held) == {"exponent of b"}


def test_a_constant_is_a_formula():
    rng = np.random.default_rng(0)
    found = posterior("7", rng.uniform(1, 2, (50, 4)), 7 + rng.normal(0, 0.1, 50))
    assert found.marginal("constant term").contains(7.0)
    assert max(found.relevance.values()) < 0.5


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"x": np.ones((20, 3))}, "must have 4 columns"),
        ({"x": np.full((20, 4), np.nan)}, "`x`"),
        ({"y": np.ones(19)}, "`y`"),
        ({"level": 1.0}, "`level` .=1.0. must lie between 0 and 1"),
        ({"params": {}}, "`params` .* must be None"),
        ({"names": NAMES}, "`names` .* must be None"),
        ({"sample_weight": [1.0]}, "`sample_weight`"),
        ({"x": -np.ones((20, 4)) * np.arange(1, 21)[:, None]}, "is defined"),
    ],
)
def test_what_cannot_be_is_refused(change, message):
    given = {"x": np.random.default_rng(0).uniform(1, 2, (20, 4)), "y": np.ones(20)}
    given["y"] = given["x"][:, 0]
    with pytest.raises(ValueError, match=message):
        laplace(parse("sqrt(a)", NAMES), **(given | change))


def test_too_few_rows_are_refused():
    x, y = table("a", 0.1, rows=3)
    with pytest.raises(ValueError, match="at least 4 rows"):
        laplace(parse("a", NAMES), x, y)


def test_other_things_have_no_posterior():
    with pytest.raises(TypeError, match=r"`what` .* must be a formula"):
        laplace("a**2", np.ones((5, 1)), np.ones(5))


def test_a_posterior_is_short_in_a_list():
    x, y = table("a**2/b", 0.05, rows=40)
    found = posterior("a**2/b", x, y)
    assert repr([found]) == f"[<FormulaPosterior {found}>]"

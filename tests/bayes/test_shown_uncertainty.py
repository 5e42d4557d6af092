"""What the doors show of a posterior: constants, bands along columns, words."""

import numpy as np
import pytest

from arithmax.bayes import (
    Marginal,
    curve,
    evidences,
    interval_text,
    laplace,
    probability_text,
    uncertainty_of,
)
from arithmax.discover import Formula, Number, Product, Sum, Variable
from arithmax.readout import parse

RNG = np.random.default_rng(0)
X = RNG.uniform(1, 3, (200, 2))
LAW = parse("a**2/b", ["a", "b"])
Y = LAW.evaluate(X) + RNG.normal(0, 0.05, 200)


def test_constants_stand_beside_what_the_formula_has():
    known = uncertainty_of(LAW, [LAW], X, Y)
    names = [each.marginal.name for each in known.constants]
    assert names == ["factor of a**2/b", "exponent of a", "exponent of b"]
    assert [each.number.value for each in known.constants] == [1.0, 2.0, -1.0]
    assert all(abs(m.mean - n.value) < 4 * m.std for m, n, _ in known.constants)
    assert not known.held and known.share == "95 %"


def test_held_numbers_are_told_and_do_not_spread():
    root = parse("sqrt(a - b)", ["a", "b"])
    x = X + np.array([3.0, 0.0])
    y = root.evaluate(x) + RNG.normal(0, 0.01, 200)
    known = uncertainty_of(root, [root], x, y)
    held = [each for each in known.constants if each.held]
    assert [each.marginal.name for each in held] == list(known.posterior.held)  # type: ignore[union-attr]  # there is one
    assert held and all(
        m.low == m.mean == m.high == number.value for m, number, _ in held
    )
    assert all(each.marginal.name in known.held for each in held)


def test_no_posterior_has_a_reason_and_loses_nothing():
    known = uncertainty_of(LAW, [LAW, LAW], X[:3], Y[:3])
    assert known.posterior is None and known.constants == () and not known.held
    assert "3 rows" in known.reason and known.meaning == known.reason
    assert len(known.evidences) == 2 and np.isnan(known.evidences[0].probability)


def test_rows_are_counted_by_their_weights():
    """A table of equal rows is one row that counts for all."""
    one = np.ones((1, 2))
    constant = parse("2.5", ["a", "b"])
    repeated = laplace(constant, one.repeat(9, axis=0), np.full(9, 2.5))
    merged = laplace(constant, one, [2.5], sample_weight=[9])
    assert merged.noise == repeated.noise and merged.marginals == repeated.marginals
    known = uncertainty_of(LAW, [LAW], X, Y, sample_weight=np.full(200, 0.01))
    assert "`x` (with 2 rows as `sample_weight` counts them)" in known.reason


def test_evidence_frees_the_constants_that_were_fitted():
    """Also where columns stand in sums, and have no exponent that is written."""
    y = 2.5 * X[:, 0] - 0.4 * X[:, 1] + RNG.normal(0, 0.05, 200)
    terms = (Variable(0), Variable(1))
    near, far = (
        Formula(Sum((Number(first), Number(second)), terms), ("a", "b"))
        for first, second in ((2.5, -0.4), (1.3, 0.7))
    )
    same = evidences([near, far], X, y)
    assert same[0].logarithm == pytest.approx(same[1].logarithm)


def test_rivals_that_the_rows_do_not_tell_have_no_evidence():
    many = Formula(
        Sum(
            tuple(Number(0.1) for _ in range(4)),
            tuple(Product((Number.of(k),), (Variable(0),)) for k in range(1, 5)),
        ),
        ("a", "b"),
    )
    twice = Formula(Sum((Number(0.5), Number(0.5)), (Variable(0),) * 2), ("a", "b"))
    found = evidences([LAW, many, twice], X[:6], Y[:6])
    assert [each.logarithm for each in found[1:]] == [-np.inf, -np.inf]
    assert [each.probability for each in found] == [1.0, 0.0, 0.0]


POSTERIOR = laplace(LAW, X, Y)


def test_a_curve_moves_one_column_and_leaves_the_others():
    found = curve(POSTERIOR, X, "b", beyond=2.0)
    low, high = X[:, 1].min(), X[:, 1].max()
    assert found.inside == (low, high) and not found.logarithmic
    assert found.values[0] == pytest.approx(low / 3)  # positive, as the column is
    assert found.values[-1] == pytest.approx(high + 2 * (high - low))
    rows = np.stack([np.full(len(found.values), np.median(X[:, 0])), found.values], 1)
    np.testing.assert_array_equal(found.measured.std, POSTERIOR.predict(rows).std)
    quiet = POSTERIOR.predict(rows, noise=False)
    np.testing.assert_array_equal(found.function.low, quiet.low)
    assert (found.function.std < found.measured.std).all()
    np.testing.assert_array_equal(curve(POSTERIOR, X, 1, 2.0).values, found.values)


def test_a_curve_over_decades_goes_by_its_logarithm():
    x = np.stack([10 ** np.linspace(-2, 2, 200), X[:, 1]], 1)
    found = curve(POSTERIOR, x, "a")
    assert found.logarithmic
    np.testing.assert_allclose(found.values[[0, -1]], [1e-6, 1e6])
    signed = curve(POSTERIOR, x - 50, "a")
    assert not signed.logarithmic and signed.values[0] < -140


def test_a_column_that_does_not_vary_has_a_curve():
    x = np.ones((5, 2))
    np.testing.assert_allclose(curve(POSTERIOR, x, "a").values[[0, -1]], [0.5, 2])


@pytest.mark.parametrize("column", ["c", 2, -1, 0.5, True])
def test_a_column_must_be_there(column):
    with pytest.raises(ValueError, match=r"`column` \(=.*must be"):
        curve(POSTERIOR, X, column)
    with pytest.raises(ValueError, match=r"`beyond` \(=-1\)"):
        curve(POSTERIOR, X, "a", beyond=-1)


def test_ends_have_the_digits_that_tell_them_apart():
    texts = [
        interval_text(Marginal("w", 0.0, 1.0, *ends))
        for ends in ((1.99349, 2.01971), (-0.1, 0.3), (1e-20, 3e-20), (5.0, 5.0))
    ]
    assert texts[:2] == ["1.993 to 2.020", "-0.10 to 0.30"]
    assert texts[2] == "1.0e-20 to 3.0e-20"
    assert texts[3].split(" to ")[0] == texts[3].split(" to ")[1]


def test_nothing_is_certain():
    assert probability_text(1.0) == "> 99.9 %" and probability_text(0.0) == "< 0.1 %"
    assert probability_text(np.nan) == "unknown"


def test_uneven_noise_is_spoken_of():
    even = uncertainty_of(LAW, [LAW], X, Y)
    assert "not of one size" not in even.meaning
    noise = np.random.default_rng(2).standard_normal(200)
    truth = LAW.evaluate(X)
    grown = truth + 0.02 * truth**3 * noise
    uneven = uncertainty_of(LAW, [LAW], X, grown)
    assert "not of one size" in uneven.meaning and "1/y²" in uneven.meaning
    assert uneven.posterior is not None and uneven.posterior.unevenness > 1.5

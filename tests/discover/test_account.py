"""What is shown of a discovery is what was measured."""

from fractions import Fraction

import numpy as np
import pytest

from arithmax.discover import (
    Candidate,
    Discovery,
    Formula,
    Number,
    Search,
    Sum,
    Trust,
    account,
    discover,
    monomial,
    readable,
)

RNG = np.random.default_rng(0)
X = RNG.uniform(1, 5, (60, 3))
Y = 2 * X[:, 0] / X[:, 2]


@pytest.fixture(scope="module")
def found() -> Discovery:
    return discover(X, Y, names=("a", "b", "c"), seed=3)


def test_every_row_is_in_one_part_with_its_prediction(found):
    far = RNG.uniform(10, 20, (7, 3))
    told = account(found, X, Y, outside=(far, 2 * far[:, 0] / far[:, 2]), seed=3)
    fitted, held, outside = told.parts
    assert [len(p.truth) for p in told.parts] == [48, 12, 7]
    assert sorted([*fitted.truth, *held.truth]) == sorted(Y)
    np.testing.assert_array_equal(outside.predicted, found.formula.evaluate(far))
    for part in told.parts:
        np.testing.assert_allclose(part.predicted, part.truth, rtol=1e-12)


def test_held_out_rows_are_those_of_the_search(found):
    """The error that the search measured comes out of these rows again."""
    y = Y + RNG.normal(size=60)
    quick = Search(candidates=20)
    noisy = discover(X, y, names=("a", "b", "c"), seed=5, search=quick)
    fitted, held = account(noisy, X, y, seed=5).parts
    at, kept = (np.isin(y, part.truth) for part in (held, fitted))
    assert at.sum() == 12 and kept.sum() == 48 and not (at & kept).any()
    formula = noisy.formula.refit(X[kept], y[kept])  # it is fitted to all rows last
    off = np.sqrt(np.mean((formula.evaluate(X[at]) - y[at]) ** 2)) / np.std(y[kept])
    assert off == pytest.approx(noisy.best.held_out_error, rel=1e-6)
    other = account(noisy, X, y, seed=6).parts[1]
    assert sorted(other.truth) != sorted(held.truth)


def test_ranges_are_those_of_the_columns_that_occur(found):
    told = account(found, X, Y)
    assert [e.column for e in told.extents] == ["a", "c"]
    for extent, i in zip(told.extents, (0, 2), strict=True):
        assert (extent.least, extent.most) == (X[:, i].min(), X[:, i].max())
        assert extent.outside is None
    assert "b from" not in told.sentence and "c from" in told.sentence


def candidate(formula: Formula, verdict: Trust, outside: float | None) -> Discovery:
    best = Candidate(formula, "by hand", 0.0, 0.01, 0.02, verdict, 0.1, outside)
    return Discovery(best, (best,), (), "the test says so")


def test_where_the_formula_is_undefined_is_counted():
    root = monomial([Number.of(Fraction(1, 2))], [0])
    formula = Formula(Sum((Number.of(1),), (root,)), ("a",))
    x, far = np.ones((20, 1)), np.array([[-1.0], [4.0], [-2.0]])
    found = candidate(formula, Trust.WITHIN, float("nan"))
    told = account(found, x, np.ones(20), outside=(far, np.ones(3)))
    assert told.parts[2].undefined == 2
    assert told.checks[-1].endswith("undefined on 2.")


def test_numbers_are_rounded_to_what_is_certain():
    cases = [
        (Number(0.123456789, None, 1e-3), "0.1235"),
        (Number(1.4996421930, None, 4.6e-5), "1.49964"),
        (Number(123456.789, None, 5e4), "123000.0"),
        (Number(0.123456789, None, 1e-15), "0.123457"),
        (Number(0.123456789), "0.123457"),
        (Number.of(3), "3"),
    ]
    for number, shown in cases:
        formula = Formula(Sum((number,), (monomial([Number.of(2)], [0]),)), ("v",))
        assert str(readable(formula)) == f"{shown}*v**2"
        told = account(candidate(formula, Trust.EXACT, None), X[:, :1], Y)
        assert told.sign == ("=" if number.exact else "≈")
        assert told.exact_equation == f"y = {formula}"


def test_constants_are_named_by_what_they_multiply():
    terms = (
        monomial([Number.of(1), Number(1.7, None, 0.1)], [0, 1]),
        monomial([], []),
        monomial([Number.of(2)], [2]),
    )
    root = Sum((Number(0.3), Number(-4.0), Number.of(-1)), terms)
    formula = Formula(root, ("a", "b", "c"))
    told = account(candidate(formula, Trust.WITHIN, None), X, Y)
    roles = {c.role: c.number.value for c in told.constants}
    assert roles == {
        "factor of a*b**1.7": 0.3,
        "constant term": -4.0,
        "exponent of b": 1.7,
    }

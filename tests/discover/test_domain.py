"""Where formulas have no value: what is answered, and what is reported."""

from fractions import Fraction

import numpy as np
import pytest

from arithmax.discover import (
    DOMAINS,
    DomainAnswer,
    DomainHazard,
    Formula,
    Function,
    Node,
    Number,
    Product,
    Sum,
    Variable,
    domain_cases,
    domain_values,
)

A, B = Variable(0), Variable(1)
HALF, INVERSE, ONE = Number.of(Fraction(1, 2)), Number.of(-1), Number.of(1)


def to_power(node: Node, exponent: Number) -> Product:
    return Product((exponent,), (node,))


def total(*terms: Node, signs: tuple[int, ...] = ()) -> Sum:
    signs = signs or (1,) * len(terms)
    return Sum(tuple(Number.of(sign) for sign in signs), terms)


def formula(node: Node) -> Formula:
    return Formula(node, ("a", "b"))


DIFFERENCE = total(A, B, signs=(1, -1))
ROWS = np.array([[4.0, 3.0], [-4.0, 3.0], [0.0, 3.0], [3.0, 3.0]])
NAN = np.nan
# A node, what it gives on ROWS, and what it gives with absolute values.
CASES = {
    "root": (to_power(A, HALF), [2, NAN, 0, 3**0.5], [2, 2, 0, 3**0.5]),
    "quotient": (to_power(A, INVERSE), [1 / 4, -1 / 4, NAN, 1 / 3], None),
    "inverse root": (
        to_power(A, Number(-0.5)),
        [1 / 2, NAN, NAN, 3**-0.5],
        [1 / 2, 1 / 2, NAN, 3**-0.5],
    ),
    "root of a difference": (
        to_power(DIFFERENCE, HALF),
        [1, NAN, NAN, 0],
        [1, 7**0.5, 3**0.5, 0],
    ),
    "fitted power": (
        to_power(A, Number(1.5)),
        [8, NAN, 0, 27**0.5],
        [8, 8, 0, 27**0.5],
    ),
    "whole power": (to_power(A, Number(3.0)), [64, -64, 0, 27], None),
    "logarithm": (
        Function("log", A),
        [np.log(4), NAN, NAN, np.log(3)],
        [np.log(4), np.log(4), NAN, np.log(3)],
    ),
    "logarithm of a root": (
        Function("log", to_power(A, HALF)),
        [np.log(2), NAN, NAN, np.log(3) / 2],
        [np.log(2), np.log(2), NAN, np.log(3) / 2],
    ),
}


@pytest.mark.parametrize(("node", "plain", "absolute"), CASES.values(), ids=CASES)
def test_values(node, plain, absolute):
    absolute = plain if absolute is None else absolute
    np.testing.assert_allclose(domain_values(formula(node), ROWS, "nan"), plain)
    np.testing.assert_allclose(domain_values(formula(node), ROWS, "abs"), absolute)
    defined = ROWS[np.isfinite(plain)]
    np.testing.assert_array_equal(
        domain_values(formula(node), defined, "error"),
        domain_values(formula(node), defined),
    )
    if np.isnan(plain).any():
        with pytest.raises(ValueError, match=r"`X` .*where the formula is defined"):
            domain_values(formula(node), ROWS, "error")


def test_a_case_says_what_is_wrong_where():
    [case] = domain_cases(formula(to_power(DIFFERENCE, HALF)), ROWS)
    assert case.hazard is DomainHazard.NEGATIVE_ROOT
    assert (case.part, case.argument) == ("sqrt(a - b)", "a - b")
    assert case.rows.tolist() == [1, 2]
    assert case.numbers.tolist() == [-7, -3]
    assert case.undefined.all()
    assert case.mixed  # a - b is 1 in row 0
    assert case.answers("nan") == [DomainAnswer.UNDEFINED] * 2


def test_signs_are_mixed_only_where_there_are_both():
    [case] = domain_cases(formula(to_power(A, HALF)), ROWS[1:3])
    assert not case.mixed


def test_absolute_values_are_reported_too():
    [case] = domain_cases(formula(to_power(DIFFERENCE, HALF)), ROWS, "abs")
    assert not case.undefined.any()
    assert case.answers("abs") == [DomainAnswer.ABSOLUTE] * 2


def test_zero_and_negative_are_told_apart():
    node = to_power(A, Number(-0.5))
    found = {c.hazard: c.rows.tolist() for c in domain_cases(formula(node), ROWS)}
    assert found == {
        DomainHazard.NEGATIVE_ROOT: [1],
        DomainHazard.DIVISION_BY_ZERO: [2],
    }
    found = {
        c.hazard: c.rows.tolist()
        for c in domain_cases(formula(Function("log", A)), ROWS)
    }
    assert found == {
        DomainHazard.NEGATIVE_LOGARITHM: [1],
        DomainHazard.LOGARITHM_OF_ZERO: [2],
    }


def test_a_limit_is_an_answer():
    """Resistors in parallel: one of zero ohms makes the whole zero."""
    parallel = to_power(total(to_power(A, INVERSE), to_power(B, INVERSE)), INVERSE)
    rows = np.array([[2.0, 2.0], [0.0, 2.0]])
    assert domain_values(formula(parallel), rows, "error").tolist() == [1.0, 0.0]
    [case] = domain_cases(formula(parallel), rows)
    assert (case.hazard, case.part) == (DomainHazard.DIVISION_BY_ZERO, "1/a")
    assert case.answers("error") == [DomainAnswer.VANISHED]


def test_what_is_too_large_is_named_where_it_begins():
    node = total(Function("exp", A), B)
    rows = np.array([[1.0, 1.0], [1000.0, 1.0]])
    [case] = domain_cases(formula(node), rows)
    assert (case.hazard, case.part) == (DomainHazard.TOO_LARGE, "exp(a)")
    assert case.rows.tolist() == [1]
    planck = to_power(total(Function("exp", A), Product(), signs=(1, -1)), INVERSE)
    assert domain_values(formula(planck), rows, "error")[1] == 0.0


def test_a_part_that_occurs_twice_is_reported_once():
    node = total(to_power(A, HALF), Function("sin", to_power(A, HALF)))
    assert len(domain_cases(formula(node), ROWS)) == 1


def test_a_refusal_names_five_rows_and_the_remedy():
    rows = np.c_[-np.arange(1.0, 9.0), np.ones(8)]
    with pytest.raises(ValueError) as refused:
        domain_values(formula(to_power(A, HALF)), rows, "error")
    said = str(refused.value)
    assert "rows 0, 1, 2, 3, 4 and 3 more" in said
    assert "in `sqrt(a)`, the number under a root" in said
    assert "`a` is -1.0 in row 0" in said
    assert '`domain` "nan" or "abs"' in said
    with pytest.raises(ValueError, match=r"\(row 2\).*`domain` \"nan\"\.$"):
        domain_values(formula(to_power(A, INVERSE)), ROWS, "error")


def random_node(rng: np.random.Generator, depth: int) -> Node:
    """Sums, powers and functions of columns, of which many are undefined somewhere."""
    if depth == 0:
        return Variable(int(rng.integers(2)))
    below = [random_node(rng, depth - 1) for _ in range(2)]
    kind = rng.integers(3)
    if kind == 0:
        numbers = tuple(Number(float(c)) for c in rng.integers(-2, 3, 2))
        return Sum(numbers, tuple(below))
    if kind == 1:
        exponents = rng.choice([-2.0, -1.0, -0.5, 0.5, 1.0, 1.5, 2.0], 2)
        return Product(tuple(Number(float(e)) for e in exponents), tuple(below))
    return Function(str(rng.choice(["sin", "exp", "log"])), below[0])


@pytest.mark.parametrize("domain", ["nan", "abs"])
@pytest.mark.parametrize("seed", range(60))
def test_every_missing_answer_has_a_reason(seed, domain):
    rng = np.random.default_rng(seed)
    rows = rng.integers(-3, 4, (60, 2)).astype(float)
    made = formula(random_node(rng, 3))
    undefined = np.flatnonzero(np.isnan(domain_values(made, rows, domain)))
    cases = domain_cases(made, rows, domain)
    reasons = [row for case in cases for row in case.rows[case.undefined]]
    assert set(reasons) == set(undefined)
    if not cases:
        assert np.isfinite(domain_values(made, rows, "error")).all()


def test_the_random_formulas_are_undefined_often_and_not_always():
    shares = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        rows = rng.integers(-3, 4, (60, 2)).astype(float)
        values = domain_values(formula(random_node(rng, 3)), rows)
        shares.append(np.isnan(values).mean())
    assert 0.2 < np.mean(shares) < 0.9
    assert np.mean(np.array(shares) > 0) > 0.5


def test_hazards_and_answers_are_sentences():
    for sentence in (*DomainHazard, *DomainAnswer):
        assert len(sentence.split()) >= 4
    assert DOMAINS == ("error", "nan", "abs")

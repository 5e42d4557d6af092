"""The judge of formulas: the same function passes, nothing else does."""

import math

import numpy as np
import pytest
from formulas._judge import judge
from formulas._tables import Formula, Range, read, table
from formulas._text import evaluate, size, tree


def truth(text: str, **ranges: str) -> Formula:
    box = {name: Range.read(interval) for name, interval in ranges.items()}
    return Formula("test", "t-1", text, box, "rational")


LENS = truth("1 / (1 / d1 + n / d2)", d1="U[1,5]", d2="U[1,5]", n="U[1,5]")
LORENTZ = truth("m / sqrt(1 - v ** 2 / c ** 2)", m="U[1,5]", v="U[1,2]", c="U[3,10]")
DISTANCE = truth("sqrt((a - b) ** 2 + 0.25 * b)", a="U[1,5]", b="U[1,5]")


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        (LENS, "d1*d2/(d1*n + d2)"),
        (LENS, "1/(n/d2 + 1/d1)"),
        (LENS, "1.0*d1*d2*(d1*n + d2)**(-1)"),
        (LORENTZ, "m*(1 - v**2/c**2)**(-1/2)"),
        (LORENTZ, "m*Abs(c)/sqrt(c**2 - v**2)"),
        (DISTANCE, "sqrt(a**2 - 2*a*b + b**2 + b/4)"),
        (DISTANCE, "sqrt(4*(a - b)**2 + b)/2"),
    ],
)
def test_another_form_of_the_right_formula_is_exact(formula, text):
    found = judge(text, formula)
    assert found.exact
    assert found.structure
    assert found.error < 1e-12
    assert not found.note


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        (LENS, "-d1*d2/(d1*n + d2)"),  # sign
        (LENS, "d1*d2/(d1*n - d2)"),
        (LENS, "d1*d2**2/(d1*n + d2)"),  # exponent
        (LENS, "d1*d2/(d1*n + d2)**1.0001"),
        (LORENTZ, "m*(1 - v**2/c**2)**(-2/5)"),
        (LORENTZ, "m"),  # a factor is missing
        (LORENTZ, "m*(1 + v**2/(2*c**2) + 3*v**4/(8*c**4))"),  # near, not the same
        (DISTANCE, "sqrt((a - b)**2)"),  # a small term is missing
        (DISTANCE, "a - b"),
    ],
)
def test_another_function_is_neither_exact_nor_of_the_structure(formula, text):
    found = judge(text, formula)
    assert not found.exact
    assert not found.structure
    assert found.error > 1e-9


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        (LENS, "1.002*d1*d2/(0.99*d1*n + 1.01*d2)"),
        (LENS, "1/(1.01/d1 + 3*n/(3.01*d2))"),
        (LORENTZ, "1.02*m/sqrt(0.98 - v**2/c**2)"),
        (DISTANCE, "sqrt(a**2 - 1.999*a*b + 1.001*b**2 + 0.26*b)"),
        (DISTANCE, "sqrt((a - b)**2 + b*pi/12)"),
    ],
)
def test_constants_that_miss_are_of_the_structure_but_not_exact(formula, text):
    found = judge(text, formula)
    assert not found.exact
    assert found.structure
    assert 1e-6 < found.error < 0.1


def test_a_term_too_many_is_not_the_structure():
    plain = truth("3 * x + y", x="U[1,5]", y="U[1,5]")
    assert judge("2.99*x + 1.01*y", plain).structure
    assert not judge("2.99*x + 1.01*y + 0.002*x*y", plain).structure


def test_a_term_that_changes_nothing_is_no_term():
    plain = truth("3 * x + y", x="U[1,5]", y="U[1,5]")
    assert judge("2.99*x + 1.01*y + 1e-9*x*y", plain).structure
    assert not judge("2.99*x + 1.01*y + 1e-4*x*y", plain).structure


def test_a_small_term_counts():
    small = truth("x * y + 0.001 * y ** 2", x="U[1,5]", y="U[1,5]")
    assert judge("y*(x + y/1000)", small).exact
    assert not judge("x*y", small).structure


def test_where_only_the_candidate_is_undefined_it_is_wrong():
    square = truth("x", x="U[-1,1]")
    assert not judge("sqrt(x)**2", square).structure  # not a number below zero
    assert not judge("sqrt(x**2)", square).exact  # the wrong sign there
    root = truth("sqrt(x)", x="U[0,1]")
    assert judge("sqrt(Abs(x))", root).exact  # the truth says nothing below zero
    assert judge("sqrt(x)", root).exact


def test_a_coefficient_of_zero_can_be_fitted():
    line = truth("x + 2", x="U[1,5]")
    assert judge("x + 0.0", line).structure


@pytest.mark.parametrize(
    "text",
    ["", "x +", "__import__('os')", "x.real", "[x]", "lambda: x", "d1 + k", "'a'"],
)
def test_text_that_is_no_formula_of_the_variables_is_refused(text):
    found = judge(text, LENS)
    assert not found.exact
    assert not found.structure
    assert math.isinf(found.error)
    assert found.note.startswith("`text`")


def test_nodes_are_counted():
    assert judge("d1*d2/(d1*n + d2)", LENS).size == 9
    assert size("-x") == 2
    assert size("sqrt(x)") == 2


def test_a_variable_may_have_the_name_of_a_constant_or_function():
    assert evaluate("pi * I", {"pi": np.ones(2), "I": np.full(2, 3.0)}).tolist() == [
        3,
        3,
    ]


def test_every_published_formula_is_exact_by_itself():
    for name in ("formulas", "own"):
        for formula in read(name):
            assert judge(formula.text, formula).exact, formula


def test_tables_have_the_noise_asked_for_and_the_same_inputs():
    formula = read("formulas")[0]
    x, y = table(formula, seed=3)
    noisy_x, noisy = table(formula, seed=3, noise=0.1)
    assert np.array_equal(x, noisy_x)
    assert np.array_equal(y, formula(x))
    assert np.std(noisy - y) / np.std(y) == pytest.approx(0.1, rel=0.1)
    assert not np.array_equal(x, table(formula, seed=4)[0])


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [("U[1,5]", 1, 5), ("logU[0.01,100]", 0.01, 100), ("grid[-5,5]", -5, 5)],
)
def test_ranges_hold_their_values(text, low, high):
    x = Range.read(text).draw(np.random.default_rng(0), 10_000)
    assert low <= x.min() < x.max() <= high
    if text.startswith("log"):
        assert np.median(x) == pytest.approx(1, rel=0.1)


def test_signs_and_integers_of_ranges():
    x = Range.read("+-U[1,5]").draw(np.random.default_rng(0), 1000)
    assert (np.abs(x) >= 1).all()
    assert 400 < (x < 0).sum() < 600
    whole = Range.read("intU[1,9]").draw(np.random.default_rng(0), 1000)
    assert set(whole.tolist()) == set(range(1, 10))
    with pytest.raises(ValueError, match="lower end first"):
        Range.read("U[5,1]")
    with pytest.raises(ValueError, match="not a range"):
        Range.read("N[0,1]")


def test_halves_of_the_own_set_have_the_same_classes():
    own = read("own")
    kinds = {
        half: sorted(f.kind for f in own if f.half == half)
        for half in ("development", "test")
    }
    assert kinds["development"] == kinds["test"]
    assert len(kinds["test"]) == 65
    assert len({f.text for f in own}) == len(own)


@pytest.mark.slow
def test_the_own_set_is_what_the_generator_makes():
    from formulas.generate import generate

    assert generate() == read("own")


def test_long_text_is_refused():
    with pytest.raises(ValueError, match="characters"):
        tree("x" * 200_000)

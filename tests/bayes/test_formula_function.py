"""A formula as a function of its constants: values, slopes, and coordinates."""

import numpy as np
import pytest

from arithmax.bayes._function import constants_of, function_of, middle_of
from arithmax.bayes._function import with_exponents as exponents_shown
from arithmax.readout import parse

NAMES = ["a", "b", "c"]
POSITIVE = ["a**2/b", "3*(a-b)**2", "sqrt(a**2+b**2)", "2*a/(1+b/3)**1.5 - c"]
POSITIVE += ["a*exp(-0.5*b)", "log(a+2*b)*c", "sin(a)*cos(b*c)", "7"]
SIGNED = ["a**3/b", "(a-b)**2*c", "a*b - c**2", "c/(a+b)**3", "2*a**2*sin(b)"]
RNG = np.random.default_rng(3)
X = RNG.uniform(0.5, 3, (40, 3))
BOTH = RNG.uniform(-3, 3, (40, 3))


def everything(text: str):
    formula = exponents_shown(parse(text, NAMES))
    return formula, function_of(formula, range(len(formula.numbers)))


def numbers_of(formula) -> np.ndarray:
    return np.array([number.value for number in formula.numbers])


@pytest.mark.parametrize(
    ("text", "x"), [*((t, X) for t in POSITIVE), *((t, BOTH) for t in SIGNED)]
)
def test_the_function_is_the_formula(text, x):
    formula, function = everything(text)
    value = function.value(numbers_of(formula), x.T, np)
    np.testing.assert_allclose(
        np.broadcast_to(value, (40,)), formula.evaluate(x), rtol=1e-13
    )


@pytest.mark.parametrize(
    ("text", "x"), [*((t, X) for t in POSITIVE), *((t, BOTH) for t in SIGNED)]
)
def test_slopes_are_finite_differences(text, x):
    formula, function = everything(text)
    held, middle = numbers_of(formula), middle_of(x, np.ones(40))
    moved = function.moved(held, middle)
    slopes = function.slopes(moved, held, middle, x.T)

    def at(other):
        return function.value(function.numbers(other, held, middle, np), x.T, np)

    for i in range(len(moved)):
        step = 1e-6 * np.eye(len(moved))[i]
        difference = (at(moved + step) - at(moved - step)) / 2e-6
        np.testing.assert_allclose(slopes[:, i], difference, rtol=2e-6, atol=1e-6)


def test_coordinates_of_the_middle_lead_back():
    formula, function = everything("2.5*a**1.5/b + 4*(a + c*b)**2")
    held, middle = numbers_of(formula), middle_of(X, np.ones(40))
    back = function.numbers(function.moved(held, middle), held, middle, np)
    np.testing.assert_allclose(np.array(back), held, rtol=1e-14)


def test_a_coefficient_of_the_middle_is_the_term_there():
    formula, function = everything("2.5*a**1.5/b")
    middle = np.log([4.0, 0.25, 1.0])
    moved = function.moved(numbers_of(formula), middle)
    assert moved[0] == pytest.approx(2.5 * 4**1.5 / 0.25)


def test_roots_of_negative_numbers_stay_undefined():
    formula, function = everything("sqrt(a)*b")
    x = np.array([[-1.0, 2.0, 0.0], [4.0, 2.0, 0.0]])
    value = function.value(numbers_of(formula), x.T, np)
    assert np.isnan(value[0]) and value[1] == pytest.approx(4.0)


def test_names_say_what_a_number_is():
    names = [
        c.name for c in constants_of(exponents_shown(parse("2*a**2/b + 3", NAMES)))
    ]
    assert names == [
        "factor of a**2/b",
        "exponent of a",
        "exponent of b",
        "constant term",
    ]


def test_equal_names_are_told_apart():
    formula = exponents_shown(parse("2*a**2 + 3*a*b + sin(a) + 5*sin(a)*a*b", NAMES))
    names = [place.name for place in constants_of(formula)]
    assert len(set(names)) == len(names)
    assert "exponent of a in a**2" in names and "exponent of a in a*b" in names

"""Formulas: slopes, forms that are the same function, text, fits and errors."""

from fractions import Fraction

import numpy as np
import pytest
import sympy
from numpy.testing import assert_allclose
from sympy.parsing.sympy_parser import parse_expr

from arithmax.discover import Formula, Number, Product, Sum, Variable, monomial
from arithmax.discover._naming import name_of
from arithmax.discover._nodes import number_kinds
from arithmax.discover._scaling import absorbed, normalised
from arithmax.discover._signs import positive_first
from arithmax.discover._simplify import as_sum
from arithmax.discover._tidy import tidied
from arithmax.readout import parse
from formula_trees import several

NAMES = ("a", "b", "c")
TREES = several()
every_tree = pytest.mark.parametrize(("node", "columns"), TREES)


def value(node, columns):
    return np.broadcast_to(node.value(columns), columns[0].shape)


@every_tree
def test_slopes_are_finite_differences(node, columns):
    numbers = list(node.numbers())
    free = [i for i, number in enumerate(numbers) if number.free]
    found, slopes = node.slopes(columns)
    assert_allclose(np.broadcast_to(found, columns[0].shape), value(node, columns))
    assert len(slopes) == len(free)
    for i, slope in zip(free, slopes, strict=True):
        sides = []
        for step in (1e-6, -1e-6):
            moved = list(numbers)
            moved[i] = Number(numbers[i].value + step)
            sides.append(value(node.replaced(iter(moved)), columns))
        difference = (sides[0] - sides[1]) / 2e-6
        size = 1e-6 * (1 + np.abs(difference).max())
        assert_allclose(np.broadcast_to(slope, difference.shape), difference, atol=size)


@every_tree
@pytest.mark.parametrize(
    "form",
    [as_sum, normalised, absorbed, tidied],
    ids=["plain", "normalised", "absorbed", "tidied"],
)
def test_every_form_is_the_same_function(node, columns, form):
    other = form(node, columns) if form is tidied else form(node)
    assert_allclose(value(other, columns), value(node, columns), rtol=1e-9)


@every_tree
def test_text_is_read_back_by_sympy(node, columns):
    formula = Formula(node, NAMES)
    symbols = {name: sympy.Symbol(name, real=True) for name in NAMES}
    read = parse_expr(str(formula), symbols)
    for expression in (read, formula.sympy(list(symbols.values()))):
        function = sympy.lambdify(list(symbols.values()), expression, "numpy")
        found = np.broadcast_to(function(*columns), columns[0].shape)
        assert_allclose(found, formula.evaluate(columns.T), rtol=1e-12)


@every_tree
def test_each_number_has_a_kind(node, columns):
    formula = Formula(node, NAMES)
    assert len(list(number_kinds(node))) == len(formula.numbers)
    count = list(number_kinds(node)).count("exponent")
    assert count == len(formula.exponents)
    assert len(formula.coefficients) == len(formula.numbers) - count


def test_a_fit_has_the_standard_errors_of_linear_regression():
    rng = np.random.default_rng(0)
    x = rng.uniform(1, 2, (200, 2))
    y = 3 * x[:, 0] - 2 * x[:, 1] + 0.1 * rng.normal(size=200)
    line = Sum((Number(0.0), Number(0.0)), (Variable(0), Variable(1)))
    found = Formula(line, ("a", "b")).refit(x, y)
    inverse = np.linalg.inv(x.T @ x)
    expected = inverse @ x.T @ y
    residual = y - x @ expected
    errors = np.sqrt(np.diag(inverse) * (residual @ residual) / 198)
    assert_allclose([n.value for n in found.numbers], expected)
    assert_allclose([n.error for n in found.numbers], errors, rtol=1e-6)


def test_standard_errors_of_exponents_are_those_of_repeated_tables():
    rng = np.random.default_rng(1)
    x = rng.uniform(1, 3, (300, 2))
    law = Sum((Number(1.0),), (monomial((Number(1.0), Number(-1.0)), (0, 1)),))
    found, errors = [], []
    for _ in range(200):
        y = 2 * x[:, 0] ** 1.5 / x[:, 1] + 0.2 * rng.normal(size=300)
        numbers = Formula(law, ("a", "b")).refit(x, y).numbers
        found.append([n.value for n in numbers])
        errors.append([n.error for n in numbers])
    assert_allclose(np.mean(found, 0), [2, 1.5, -1], atol=0.01)
    assert_allclose(np.std(found, 0), np.mean(errors, 0), rtol=0.2)


def test_weights_are_those_of_repeated_rows():
    rng = np.random.default_rng(2)
    x, y = rng.uniform(1, 2, (30, 1)), rng.uniform(1, 2, 30)
    law = Formula(Sum((Number(1.0),), (monomial((Number(1.0),), (0,)),)), ("a",))
    counts = rng.integers(1, 4, 30)
    weighted = law.refit(x, y, counts)
    repeated = law.refit(np.repeat(x, counts, axis=0), np.repeat(y, counts))
    first, second = ([n.value for n in f.numbers] for f in (weighted, repeated))
    assert_allclose(first, second, rtol=1e-7)


def test_complexity_counts_what_is_written():
    one, two = Number.of(1), Number.of(2)
    assert Formula(Variable(0), NAMES).complexity == 1
    product = Product((one, one), (Variable(0), Variable(1)))
    assert Formula(product, NAMES).complexity == 3  # a * b
    assert Formula(Sum((two,), (product,)), NAMES).complexity == 5  # 2 * a * b
    square = Product((two,), (Variable(0),))
    assert Formula(square, NAMES).complexity == 3  # a ** 2


@pytest.mark.parametrize(
    ("value", "error", "name"),
    [
        (0.25 * np.pi, 1e-16, (Fraction(1, 4), 1)),
        (2.01, 0.02, (Fraction(2), 0)),
        (1.57, 1e-15, (Fraction(157, 100), 0)),
        (6.674e-11, 1e-26, (Fraction("6.674e-11"), 0)),
        (-1 / 3, 1e-12, (Fraction(-1, 3), 0)),
        (0.123456789012345, 1e-5, None),  # any number has a fraction so near
        (1.7, 0.4, None),
    ],
)
def test_names(value, error, name):
    assert name_of(value, error) == name


def test_chance_names_few_constants():
    """Of constants without a name, known to a tenth of a per cent, few get one."""
    values = np.random.default_rng(0).uniform(1, 10, 2000)
    named = [name_of(value, 1e-3 * value) is not None for value in values]
    assert np.mean(named) < 0.12


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("(d - c)*(-a - b)", "(c - d)*(a + b)"),
        ("-2*(a - b)*c", "2*c*(b - a)"),
        ("-(a - b)**2", "-(a - b)**2"),
        ("(-a - b)**3", "-(a + b)**3"),
        ("-(a - b)/(-c - d)", "(a - b)/(c + d)"),
    ],
)
def test_factors_have_few_minus_signs(text, shown):
    formula = parse(text, ["a", "b", "c", "d"])
    turned = Formula(as_sum(positive_first(as_sum(formula.root))), formula.names)
    x = np.random.default_rng(0).normal(size=(30, 4))
    np.testing.assert_allclose(turned.evaluate(x), formula.evaluate(x), rtol=1e-12)
    assert str(turned) == shown

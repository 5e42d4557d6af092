"""What a formula costs: its error, and a price for what it is made of."""

import math
from fractions import Fraction

from ._nodes import Function, Node, Product, Sum, Variable
from ._numbers import Number
from ._table import Table

TERM = 1.0
FREE_EXPONENT = 3.0  # a law has few exponents that are no simple fractions
FUNCTION = 6.0


def score(node: Node, error: float, table: Table) -> float:
    """n log(error) + price, in units of the logarithm of a likelihood; less is better.

    Args:
        node: the formula.
        error: its weighted sum of squares on the training rows.
        table: the rows.
    """
    error = max(error, table.smallest_error)
    return table.rows * math.log(error / table.variation) + price(node, table)


def price(node: Node, table: Table) -> float:
    """log n for each fitted constant, less for those with a name, and for terms."""
    each = math.log(table.rows)
    if isinstance(node, Variable):
        return 0.5 + 0.5 * math.log(table.width)
    if isinstance(node, Function):
        return FUNCTION + price(node.argument, table)
    if isinstance(node, Sum):
        costs = (_coefficient(c, each) + TERM for c in node.coefficients)
        return sum(costs) + sum(price(term, table) for term in node.terms)
    assert isinstance(node, Product)
    costs = (_exponent(e, each) for e in node.exponents)
    return sum(costs) + sum(price(factor, table) for factor in node.factors)


def _coefficient(number: Number, each: float) -> float:
    if number.exact is None:
        return each
    return min(name_price(*number.exact), each)


def name_price(fraction: Fraction, pi: int = 0) -> float:
    """What a name costs: log |p q|, a little for each power of π; 0 for ±1."""
    size = abs(fraction.numerator) * fraction.denominator
    return math.log(max(size, 1)) + (0.5 if size > 1 else 0.0) + 1.5 * abs(pi)


def _exponent(number: Number, each: float) -> float:
    if number.exact is None:
        return each + FREE_EXPONENT
    fraction = number.exact[0]
    return 0.7 * math.log(max(abs(fraction.numerator), 1)) + (
        (0.3 if fraction < 0 else 0.0) + 1.2 * math.log(fraction.denominator)
    )

"""What a formula costs: its error, and a price for what it is made of."""

import math
from decimal import Decimal
from fractions import Fraction

from ._nodes import Function, Node, Product, Sum, Variable
from ._numbers import Number
from ._table import Table

TERM = 6.0  # terms are chosen among hundreds: one must be worth its choice
FREE_EXPONENT = 5.0  # a law has few exponents that are no simple fractions
FUNCTION = 6.0
ROWS_EACH = 4  # rows for each fitted constant: with fewer, anything fits
CROWDED = 50.0  # for each constant beyond that


def score(node: Node, error: float, table: Table) -> float:
    """n log(error) + price, in units of the logarithm of a likelihood; less is better.

    Args:
        node: the formula.
        error: its weighted sum of squares on the training rows.
        table: the rows.
    """
    error = max(error, table.smallest_error)
    cost = price(node, table) + CROWDED * max(crowding(node, table), 0.0)
    return table.rows * math.log(error / table.variation) + cost


def crowding(node: Node, table: Table) -> float:
    """How many more constants are fitted than there are rows for."""
    return sum(number.free for number in node.numbers()) - table.rows / ROWS_EACH


def price(node: Node, table: Table) -> float:
    """log n for each fitted constant, less for those with a name, and for terms."""
    each = math.log(table.rows)
    if isinstance(node, Variable):
        return 0.5 + 0.5 * math.log(table.width)
    if isinstance(node, Function):
        return FUNCTION + price(node.argument, table)
    if isinstance(node, Sum):
        costs = (_coefficient(c, each) for c in node.coefficients)
        more = TERM * (len(node.terms) - 1)
        return sum(costs) + more + sum(price(term, table) for term in node.terms)
    assert isinstance(node, Product)
    costs = (_exponent(e, each) for e in node.exponents)
    return sum(costs) + sum(price(factor, table) for factor in node.factors)


def _coefficient(number: Number, each: float) -> float:
    if number.exact is None:
        return each
    return min(name_price(*number.exact), each)


def name_price(fraction: Fraction, pi: int = 0) -> float:
    """What a name costs: log |p q|, or the digits of a decimal, and a little for each
    power of π; 0 for ±1."""
    size = abs(fraction.numerator) * fraction.denominator
    whole = math.log(max(size, 1)) + (0.5 if size > 1 else 0.0)
    digits, place = decimal_parts(fraction)
    if digits:
        whole = min(whole, math.log(digits) + math.log(1 + abs(place)) + 1.0)
    return whole + 1.5 * abs(pi)


def decimal_parts(fraction: Fraction) -> tuple[int, int]:
    """(m, k) with |fraction| = m · 10^k and m as small as can be; (0, 0) if there is
    no such m below a million."""
    written = Decimal(abs(fraction.numerator)) / Decimal(fraction.denominator)
    _, digits, place = written.normalize().as_tuple()
    if len(digits) > 6 or not isinstance(place, int):
        return 0, 0
    return int("".join(map(str, digits))), place


def _exponent(number: Number, each: float) -> float:
    if number.exact is None:
        return each + FREE_EXPONENT
    fraction = number.exact[0]
    size = 0.7 * max(abs(fraction.numerator) - 1, 0) + 2.2 * math.log(
        fraction.denominator
    )
    return size + (0.3 if fraction < 0 else 0.0)

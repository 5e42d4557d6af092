"""Nodes from operations: what a reader of formulas calls at each sign it meets.

A constant is a sum of one empty product. Numbers are put together where the result is
the same number; nothing else is rearranged, so that what is read computes what was
written.
"""

import math
from collections.abc import Iterable
from fractions import Fraction

from ..discover import Formula, Node, Number, Product, Sum

ONE, UNIT = Number.of(1), Product()
LARGEST = 64  # the largest whole power in which a constant is kept as a fraction


def constant_node(number: Number) -> Sum:
    """A number as a node."""
    return Sum((number,), (UNIT,))


def as_number(node: Node) -> Number | None:
    """The number that a node is; None if it is none."""
    if isinstance(node, Sum) and node.terms == (UNIT,):
        return node.coefficients[0]
    return None


def added(nodes: Iterable[Node]) -> Node:
    """The sum of nodes; constants are put together where that is exact."""
    pairs = [pair for node in nodes for pair in _terms(node)]
    numbers = [c for c, term in pairs if term == UNIT]
    if len(numbers) > 1 and all(n.exact and n.exact[1] == 0 for n in numbers):
        total = sum((n.exact[0] for n in numbers if n.exact), Fraction(0))
        pairs = [pair for pair in pairs if pair[1] != UNIT]
        pairs += [(exact_number(total), UNIT)] if total or not pairs else []
    return Sum(tuple(c for c, _ in pairs), tuple(t for _, t in pairs))


def multiplied(nodes: Iterable[Node]) -> Node:
    """The product of nodes; numbers stand in front of it."""
    number, exponents, factors = ONE, list[Number](), list[Node]()
    for node in nodes:
        factor, rest = _split(node)
        number = _times(number, factor)
        for exponent, each in _factors(rest):
            exponents.append(exponent)
            factors.append(each)
    return Sum((number,), (Product(tuple(exponents), tuple(factors)),))


def raised_to(node: Node, exponent: Number) -> Node:
    """The power of a node."""
    number = as_number(node)
    if number is not None:
        return _constant_power(number, exponent)
    if exponent.is_exactly(1):
        return node
    factor, rest = _split(node)
    if factor.is_exactly(1) and _opens(rest, exponent):
        pairs = [(_times(e, exponent), f) for e, f in _factors(rest)]
        return Product(tuple(e for e, _ in pairs), tuple(f for _, f in pairs))
    return Product((exponent,), (node if not factor.is_exactly(1) else rest,))


def formula_of(node: Node, names: Iterable[str]) -> Formula:
    """A formula, which is a sum at its top."""
    root = node if isinstance(node, Sum) else Sum((ONE,), (node,))
    return Formula(root, tuple(names))


def _terms(node: Node) -> list[tuple[Number, Node]]:
    if isinstance(node, Sum):
        return list(zip(node.coefficients, node.terms, strict=True))
    return [(ONE, node)]


def _split(node: Node) -> tuple[Number, Node]:
    """A number and a node whose product is `node`."""
    if isinstance(node, Sum) and len(node.terms) == 1:
        return node.coefficients[0], node.terms[0]
    return ONE, node


def _factors(node: Node) -> list[tuple[Number, Node]]:
    if isinstance(node, Product):
        return list(zip(node.exponents, node.factors, strict=True))
    return [(ONE, node)]


def _opens(node: Node, exponent: Number) -> bool:
    """Whether a power of a product is the product of powers: √x² is not x."""
    if not isinstance(node, Product):
        return False
    if exponent.is_exactly(-1) or [e.is_exactly(1) for e in node.exponents] == [True]:
        return True
    return exponent.whole and all(e.whole for e in node.exponents)


def _times(a: Number, b: Number) -> Number:
    """The product of two numbers, which must not be too large."""
    if a.exact is not None and b.exact is not None:
        return exact_number(a.exact[0] * b.exact[0], a.exact[1] + b.exact[1])
    return finite_number(a.times(b).value) if not _unit(a, b) else a.times(b)


def _unit(a: Number, b: Number) -> bool:
    return a.is_exactly(1) or b.is_exactly(1)


def exact_number(fraction: Fraction, pi: int = 0) -> Number:
    """fraction · π^pi, which must not be larger than a float can be."""
    try:
        number = Number.of(fraction, pi)
    except OverflowError:
        number = Number(math.inf)
    finite_number(number.value)
    return number


def finite_number(value: float) -> Number:
    """A free number, which must be finite."""
    if not math.isfinite(value):
        raise ValueError(
            "the formula has a constant that is not finite. Write smaller numbers."
        )
    return Number(float(value))


def _constant_power(number: Number, exponent: Number) -> Node:
    if number.value == 0 and exponent.value < 0:
        raise ValueError("the formula divides by a constant that is zero.")
    if number.value and exponent.value * math.log2(abs(number.value)) > 1023:
        finite_number(math.inf)
    kept = Product((exponent,), (constant_node(number),))
    if not exponent.whole:
        return kept
    whole = int(exponent.value)
    if number.exact is None:
        return kept if whole != -1 else constant_node(finite_number(1 / number.value))
    if abs(whole) > LARGEST or max(map(abs, number.exact[0].as_integer_ratio())) > 1e15:
        return kept
    fraction, pi = number.exact
    return constant_node(exact_number(fraction**whole, pi * whole))

"""Signs of factors: (d − c)·(−a − b) is (c − d)·(a + b)."""

from ._nodes import Function, Node, Product, Sum
from ._numbers import Number

MINUS = Number.of(-1)


def positive_first(node: Node) -> Node:
    """A formula whose factors have as few minus signs as possible.

    A sum below an odd power in which more terms are negative than positive is turned
    over, and the sign goes to the coefficient of its term; a coefficient that is
    negative then turns over a sum that has a minus anyway.
    """
    if isinstance(node, Sum):
        pairs = [
            _term(c, positive_first(t))
            for c, t in zip(node.coefficients, node.terms, strict=True)
        ]
        return Sum(tuple(c for c, _ in pairs), tuple(t for _, t in pairs))
    if isinstance(node, Function):
        return Function(node.name, positive_first(node.argument))
    if isinstance(node, Product):
        return Product(node.exponents, tuple(map(positive_first, node.factors)))
    return node


def _term(coefficient: Number, term: Node) -> tuple[Number, Node]:
    if not isinstance(term, Product):
        return coefficient, term
    factors = list(term.factors)
    turned = [
        i
        for i, (exponent, factor) in enumerate(
            zip(term.exponents, term.factors, strict=True)
        )
        if isinstance(factor, Sum) and exponent.whole and exponent.value % 2 == 1
    ]
    for i in turned:
        if _minuses(factors[i]) > 0:
            factors[i], coefficient = _over(factors[i]), coefficient.times(MINUS)
    even = [i for i in turned if _minuses(factors[i]) == 0]
    if coefficient.value < 0 and even:
        factors[even[0]] = _over(factors[even[0]])
        coefficient = coefficient.times(MINUS)
    return coefficient, Product(term.exponents, tuple(factors))


def _minuses(node: Node) -> int:
    """How many more terms of a sum are negative than positive."""
    assert isinstance(node, Sum)
    return sum(1 if c.value < 0 else -1 for c in node.coefficients)


def _over(node: Node) -> Sum:
    """The sum with all its signs turned over, those that are positive then first."""
    assert isinstance(node, Sum)
    pairs = zip(node.coefficients, node.terms, strict=True)
    turned = [(c.times(MINUS), term) for c, term in pairs]
    ordered = sorted(turned, key=lambda pair: pair[0].value < 0)
    return Sum(tuple(c for c, _ in ordered), tuple(term for _, term in ordered))

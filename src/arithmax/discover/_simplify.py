"""The plain form of a formula: nothing nested, repeated or multiplied by one."""

from collections.abc import Iterable

from ._nodes import UNIT, Function, Node, Product, Sum, Variable
from ._numbers import ONE, ZERO, Number


def simplified(node: Node) -> tuple[Number, Node]:
    """A number and a node whose product is `node`; the node is no sum of one term.

    Sums inside sums and products inside whole powers are opened, equal terms and equal
    factors are put together, and what is zero is left out.
    """
    if isinstance(node, Sum):
        return _sum(node)
    if isinstance(node, Product):
        return _product(node)
    if isinstance(node, Function):
        return ONE, Function(node.name, as_sum(node.argument))
    return ONE, node


def as_sum(node: Node) -> Sum:
    """The plain form as a sum, which every formula is at its top."""
    number, plain = simplified(node)
    if isinstance(plain, Sum) and number.is_exactly(1):
        return plain
    return Sum((number,), (plain,))


def _sum(node: Sum) -> tuple[Number, Node]:
    terms: dict[Node, Number] = {}
    for coefficient, term in zip(node.coefficients, node.terms, strict=True):
        number, plain = simplified(term)
        for part, each in _opened(coefficient.times(number), plain):
            terms[each] = terms[each].plus(part) if each in terms else part
    kept = {t: c for t, c in terms.items() if not c.is_exactly(0)}
    if not kept:
        return ZERO, UNIT
    if len(kept) == 1:
        [(term, coefficient)] = kept.items()
        return coefficient, term
    return ONE, Sum(tuple(kept.values()), tuple(kept))


def _opened(number: Number, plain: Node) -> Iterable[tuple[Number, Node]]:
    """The terms of number · plain."""
    if isinstance(plain, Sum):
        pairs = zip(plain.coefficients, plain.terms, strict=True)
        return [(number.times(c), term) for c, term in pairs]
    return [(number, plain)]


def _product(node: Product) -> tuple[Number, Node]:
    outer, powers = ONE, dict[Node, Number]()
    for exponent, factor in zip(node.exponents, node.factors, strict=True):
        if exponent.is_exactly(0):
            continue
        number, plain = simplified(factor)
        if isinstance(plain, Function) and plain.name == "exp":
            argument = as_sum(Sum((exponent,), (plain.argument,)))  # e^x to a power
            plain, exponent = Function("exp", argument), ONE
        if number.value < 0 and not exponent.whole:  # stays under its root
            number, plain = ONE, Sum((number,), (plain,))
        outer = outer.times(number.power(exponent))
        for part, each in _powers(exponent, plain):
            powers[each] = powers[each].plus(part) if each in powers else part
    kept = {f: e for f, e in powers.items() if not e.is_exactly(0)}
    if len(kept) == 1:
        [(factor, exponent)] = kept.items()
        if exponent.is_exactly(1) and isinstance(factor, Sum):
            return outer, factor
    order = sorted(kept, key=lambda f: not isinstance(f, Variable))
    return outer, Product(tuple(kept[f] for f in order), tuple(order))


def _powers(exponent: Number, plain: Node) -> Iterable[tuple[Number, Node]]:
    """The factors of plain ^ exponent: a product is opened where that is the same."""
    if isinstance(plain, Product) and exponent.whole:
        pairs = zip(plain.exponents, plain.factors, strict=True)
        return [(e.times(exponent), factor) for e, factor in pairs]
    return [] if plain == UNIT else [(exponent, plain)]

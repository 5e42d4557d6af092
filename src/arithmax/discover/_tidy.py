"""Of all ways to write the same formula, one that is easy to read and to fit."""

import math
from collections.abc import Callable
from fractions import Fraction
from functools import reduce
from typing import TypeAlias

import numpy as np

from ._nodes import Function, Node, Product, Sum, Variable
from ._numbers import ONE, Number
from ._printing import complexity
from ._signs import positive_first
from ._simplify import as_sum, simplified

WAYS = 4  # terms of a sum by which it may be divided

Written: TypeAlias = tuple[Number, Product, Sum] | None  # number · monomial · sum
Way: TypeAlias = Callable[[Number, Sum, np.ndarray], Written]


def tidied(node: Node, columns: np.ndarray) -> Sum:
    """Of the ways to write a formula the one that names columns least often.

    Powers are taken out of roots, factors have few minus signs, sums are divided by one
    of their terms or multiplied until no exponent is negative, fractions in sums become
    whole numbers, and equal roots are put together.

    Args:
        node: a formula.
        columns: the inputs, whose signs tell what may be taken out of a root.
    """
    positive = np.all(columns > 0, axis=1)
    plain = as_sum(positive_first(as_sum(_opened(as_sum(node), columns))))
    return as_sum(together(as_sum(_shortest(plain, positive))))


def _length(node: Node) -> tuple[int, int, int]:
    """How often columns are named, the complexity, and sums without a constant."""
    plain = as_sum(node)
    places = sum(isinstance(each, Variable) for each in plain.walk())
    sums = [each for each in plain.walk() if isinstance(each, Sum)]
    bare = sum(Product() not in each.terms for each in sums)
    return places, complexity(plain), bare


def _shortest(node: Node, positive: np.ndarray) -> Node:
    """Every sum inside a product written in the way that makes the product shortest."""
    if isinstance(node, Sum):
        return Sum(node.coefficients, tuple(_shortest(t, positive) for t in node.terms))
    if isinstance(node, Function):
        return Function(node.name, _shortest(node.argument, positive))
    if not isinstance(node, Product):
        return node
    node = Product(node.exponents, tuple(_shortest(f, positive) for f in node.factors))
    for place, factor in enumerate(node.factors):
        if isinstance(factor, Sum):
            ways = [_whole_numbers, _cleared, *(_divided_by(k) for k in range(WAYS))]
            written = [_written(node, place, way, positive) for way in ways]
            node = min([node, *written], key=_length)
    return node


def _written(node: Product, place: int, way: Way, positive: np.ndarray) -> Product:
    """The product with one of its sums written as number · monomial · sum."""
    exponent, factor = node.exponents[place], node.factors[place]
    assert isinstance(factor, Sum)
    if (told := way(exponent, factor, positive)) is None:
        return node
    number, outer, inner = told
    factors = (*node.factors[:place], inner, *node.factors[place + 1 :])
    more = [(exponent, Sum((number,), (Product(),)))]
    more += [
        (e.times(exponent), v)
        for e, v in zip(outer.exponents, outer.factors, strict=True)
    ]
    return Product(
        (*node.exponents, *(e for e, _ in more)), (*factors, *(f for _, f in more))
    )


def _opened(node: Node, columns: np.ndarray) -> Node:
    """Factors are taken out of roots where both have one sign on all rows."""
    if isinstance(node, Sum):
        return Sum(node.coefficients, tuple(_opened(t, columns) for t in node.terms))
    if isinstance(node, Function):
        return Function(node.name, _opened(node.argument, columns))
    if not isinstance(node, Product):
        return node
    exponents: list[Number] = []
    factors: list[Node] = []
    for exponent, factor in zip(node.exponents, node.factors, strict=True):
        inner = _opened(factor, columns)
        parts = None if exponent.whole else _signed_parts(inner, columns)
        for power, part in parts or [(ONE, inner)]:
            exponents.append(power.times(exponent))
            factors.append(part)
    return Product(tuple(exponents), tuple(factors))


def _signed_parts(node: Node, columns) -> list[tuple[Number, Node]] | None:
    """Positive factors whose product is `node`, a sum of one term; None if there are
    none."""
    number, plain = simplified(node)
    if not isinstance(plain, Product):
        return None
    parts: list[tuple[Number, Node]] = []
    sign = 1.0 if number.value > 0 else -1.0
    for exponent, factor in zip(plain.exponents, plain.factors, strict=True):
        with np.errstate(all="ignore"):
            values = np.asarray(factor.value(columns))
        if (values < 0).all() and exponent.whole and isinstance(factor, Sum):
            odd = int(exponent.value) % 2 == 1
            sign = -sign if odd else sign
            factor = Sum(
                tuple(c.times(Number.of(-1)) for c in factor.coefficients), factor.terms
            )
        elif not (values >= 0).all():
            return None
        parts.append((exponent, factor))
    if sign < 0:
        return None
    size = number if number.value > 0 else number.times(Number.of(-1))
    return [(ONE, Sum((size,), (Product(),))), *parts]


def together(node: Node) -> Node:
    """√a · √b as √(a b): what is below a root may be negative twice."""
    if isinstance(node, Sum):
        return Sum(node.coefficients, tuple(map(together, node.terms)))
    if isinstance(node, Function):
        return Function(node.name, together(node.argument))
    if not isinstance(node, Product):
        return node
    whole: list[tuple[Number, Node]] = []
    roots: dict[int, list[tuple[Number, Node]]] = {}
    for exponent, factor in zip(node.exponents, node.factors, strict=True):
        below, factor = exponent.exact, together(factor)
        if below is None or below[0].denominator != 2:
            whole.append((exponent, factor))
            continue
        bottom = below[0].denominator
        out = int(below[0])  # towards zero: x^(5/2) is x^2 √x
        left = below[0] - out
        if out:
            whole.append((Number.of(out), factor))
        roots.setdefault(bottom, []).append((Number.of(left * bottom), factor))
    for bottom, parts in roots.items():
        root = Number.of(Fraction(1, bottom))
        if all(e.value < 0 for e, _ in parts):  # one over a root, no root of 1 over
            root = root.times(Number.of(-1))
            parts = [(e.times(Number.of(-1)), f) for e, f in parts]
        if len(parts) == 1:
            whole.append((parts[0][0].times(root), parts[0][1]))
        else:
            inner = Product(tuple(e for e, _ in parts), tuple(f for _, f in parts))
            whole.append((root, inner))
    return Product(tuple(e for e, _ in whole), tuple(f for _, f in whole))


def _whole_numbers(exponent: Number, node: Sum, positive: np.ndarray) -> Written:
    """A sum of fractions is a number times a sum of whole numbers."""
    exact = [c.exact for c in node.coefficients]
    if any(e is None or e[1] != 0 for e in exact):
        return None
    fractions = [e[0] for e in exact if e is not None]
    bottom = reduce(math.lcm, (f.denominator for f in fractions))
    top = reduce(math.gcd, (int(f * bottom) for f in fractions))
    scale = Fraction(top, bottom)
    if scale == 1 or scale <= 0:
        return None
    scaled = tuple(Number.of(f / scale) for f in fractions)
    return Number.of(scale), Product(), Sum(scaled, node.terms)


def _cleared(exponent: Number, node: Sum, positive: np.ndarray) -> Written:
    """A sum of terms with negative exponents is a monomial times one without."""
    powers = [_exponents(term) for term in node.terms]
    if any(p is None for p in powers):
        return None
    places = {i for p in powers for i in p or {}}
    least = {i: min((p or {}).get(i, Fraction(0)) for p in powers) for i in places}
    return _taken_out(exponent, node, least, positive)


def _divided_by(k: int) -> Way:
    """A sum divided by its k-th term, which goes outside."""

    def way(exponent: Number, node: Sum, positive: np.ndarray) -> Written:
        if k >= len(node.terms):
            return None
        own = _exponents(node.terms[k])
        if own is None or any(_exponents(t) is None for t in node.terms):
            return None
        return _taken_out(exponent, node, own, positive)

    return way


def _taken_out(
    exponent: Number, node: Sum, out: dict[int, Fraction], positive: np.ndarray
) -> Written:
    """monomial · (sum / monomial)."""
    out = {
        i: e
        for i, e in out.items()
        if e != 0 and (positive[i] or (exponent.whole and e.denominator == 1))
    }
    if not out:
        return None
    outer = Product(
        tuple(Number.of(e) for e in out.values()), tuple(map(Variable, out))
    )
    down = {i: -e for i, e in out.items()}
    terms = tuple(_multiplied(term, down) for term in node.terms)
    return ONE, outer, Sum(node.coefficients, terms)


def _exponents(term: Node) -> dict[int, Fraction] | None:
    """The exact exponents of a monomial; None if it is none."""
    found: dict[int, Fraction] = {}
    if isinstance(term, Variable):
        return {term.index: Fraction(1)}
    if not isinstance(term, Product):
        return None
    for exponent, factor in zip(term.exponents, term.factors, strict=True):
        if not isinstance(factor, Variable) or exponent.exact is None:
            return None
        found[factor.index] = exponent.exact[0]
    return found


def _multiplied(term: Node, by: dict[int, Fraction]) -> Product:
    own = _exponents(term) or {}
    total = {i: own.get(i, Fraction(0)) + by.get(i, Fraction(0)) for i in {**own, **by}}
    kept = {i: e for i, e in total.items() if e != 0}
    return Product(
        tuple(Number.of(e) for e in kept.values()), tuple(map(Variable, kept))
    )

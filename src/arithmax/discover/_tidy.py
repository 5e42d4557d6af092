"""Of all ways to write the same formula, one that is easy to read and to fit."""

import math
from collections.abc import Callable
from fractions import Fraction
from functools import reduce
from typing import TypeAlias

import numpy as np

from ._naming import name_of
from ._nodes import Function, Node, Product, Sum, Variable
from ._numbers import ONE, Number
from ._printing import complexity
from ._score import name_price
from ._simplify import as_sum

Choice: TypeAlias = Callable[[Sum], int | None]  # the coefficient to divide a sum by


def normalised(node: Node, choice: Choice | None = None) -> Sum:
    """Sums inside products divided by one of their coefficients, which becomes 1.

    The factor goes to the coefficient of the term, so that no two constants of a
    formula do the same thing.

    Args:
        node: a formula.
        choice: which coefficient of a sum becomes 1, None to leave the sum; the
            largest positive one where no coefficient is known if not given.
    """
    choice = _largest if choice is None else choice
    return as_sum(_normalised(as_sum(node), choice))


def _normalised(node: Node, choice: Choice) -> Node:
    if isinstance(node, Sum):
        pairs = [
            _term(c, t, choice)
            for c, t in zip(node.coefficients, node.terms, strict=True)
        ]
        return Sum(tuple(c for c, _ in pairs), tuple(t for _, t in pairs))
    if isinstance(node, Function):
        return Function(node.name, _normalised(node.argument, choice))
    return node


def _term(coefficient: Number, term: Node, choice: Choice) -> tuple[Number, Node]:
    if not isinstance(term, Product):
        return coefficient, _normalised(term, choice)
    factors = []
    for exponent, factor in zip(term.exponents, term.factors, strict=True):
        inner = _normalised(factor, choice)
        index = choice(inner) if isinstance(inner, Sum) else None
        if isinstance(inner, Sum) and index is not None:
            by = inner.coefficients[index]
            if by.value > 0 or exponent.whole:
                inner = _divided(inner, index)
                scale = Number(by.value) if by.free else by
                coefficient = coefficient.times(scale.power(exponent))
        factors.append(inner)
    return coefficient, Product(term.exponents, tuple(factors))


def _divided(node: Sum, index: int) -> Sum:
    by = node.coefficients[index]
    inverse = by.power(Number.of(-1))
    scaled = [
        ONE if i == index else c.times(inverse) for i, c in enumerate(node.coefficients)
    ]
    return Sum(tuple(scaled), node.terms)


def _largest(node: Sum) -> int | None:
    if any(not c.free for c in node.coefficients):
        return None
    values = [c.value for c in node.coefficients]
    return int(np.argmax(values)) if max(values) > 0 else int(np.argmin(values))


def easiest_to_name(rows: int) -> Choice:
    """The coefficient by which division gives the others the simplest names."""

    def choice(node: Sum) -> int | None:
        costs = [_names_cost(node, i, rows) for i in range(len(node.terms))]
        best = int(np.argmin(costs))
        return None if node.coefficients[best].is_exactly(1) else best

    return choice


def _names_cost(node: Sum, index: int, rows: int) -> float:
    by = node.coefficients[index]
    if by.value == 0:
        return math.inf
    total = 0.01 * index + (0.0 if by.value > 0 else 1.0)
    for i, number in enumerate(node.coefficients):
        if i != index:
            relative = math.hypot(_relative(number), _relative(by))
            ratio = number.value / by.value
            name = name_of(ratio, abs(ratio) * relative)
            total += math.log(rows) if name is None else name_price(*name)
    return total


def _relative(number: Number) -> float:
    if not number.free or not math.isfinite(number.error):
        return 0.0
    return number.error / max(abs(number.value), 1e-300)


def tidied(node: Node, positive: np.ndarray) -> Sum:
    """Whole numbers in sums, and no negative exponents in them, where that is simpler.

    Args:
        node: a formula.
        positive: which columns are above zero, so that roots of them may be taken out.
    """
    plain = as_sum(node)
    for change in (_whole_numbers, lambda n: _cleared(n, positive)):
        other = as_sum(_changed(plain, change))
        if complexity(other) <= complexity(plain):
            plain = other
    return plain



def _changed(node: Node, change) -> Node:
    """`change` tells number · monomial · sum for a sum inside a product."""
    if isinstance(node, Sum):
        terms = tuple(_changed(term, change) for term in node.terms)
        return Sum(node.coefficients, terms)
    if isinstance(node, Function):
        return Function(node.name, _changed(node.argument, change))
    if not isinstance(node, Product):
        return node
    exponents, factors = list(node.exponents), []
    extra: list[tuple[Number, Node]] = []
    for exponent, factor in zip(node.exponents, node.factors, strict=True):
        inner = _changed(factor, change)
        if isinstance(inner, Sum) and (told := change((exponent, inner))) is not None:
            number, monomial, inner = told
            extra.append((exponent, Sum((number,), (Product(),))))
            extra += [
                (e.times(exponent), v)
                for e, v in zip(monomial.exponents, monomial.factors, strict=True)
            ]
        factors.append(inner)
    exponents += [e for e, _ in extra]
    return Product(tuple(exponents), (*factors, *(f for _, f in extra)))


def _whole_numbers(given: tuple[Number, Sum]):
    """A sum of fractions is a number times a sum of whole numbers."""
    _, node = given
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


def _cleared(given: tuple[Number, Sum], positive: np.ndarray):
    """A sum of terms with negative exponents is a monomial times one without."""
    exponent, node = given
    powers = [_exponents(term) for term in node.terms]
    if any(p is None for p in powers):
        return None
    least: dict[int, Fraction] = {}
    for index in {i for p in powers for i in p or {}}:
        lowest = min((p or {}).get(index, Fraction(0)) for p in powers)
        movable = positive[index] or (exponent.whole and lowest.denominator == 1)
        if lowest != 0 and movable:
            least[index] = lowest
    if not least:
        return None
    out = Product(
        tuple(Number.of(e) for e in least.values()), tuple(map(Variable, least))
    )
    down = {i: -e for i, e in least.items()}
    terms = tuple(_multiplied(term, down) for term in node.terms)
    return ONE, out, Sum(node.coefficients, terms)


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
    total = {
        i: own.get(i, Fraction(0)) + by.get(i, Fraction(0)) for i in {**own, **by}
    }
    kept = {i: e for i, e in total.items() if e != 0}
    return Product(
        tuple(Number.of(e) for e in kept.values()), tuple(map(Variable, kept))
    )

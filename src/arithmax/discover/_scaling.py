"""Sums inside products are known up to a factor: which of their constants is 1."""

import math
from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from ._naming import name_of
from ._nodes import Function, Node, Product, Sum
from ._numbers import ONE, Number
from ._score import name_price
from ._simplify import as_sum

MANY = 10  # terms of a sum from which not all ways to scale it are compared

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


def absorbed(node: Node) -> Sum:
    """The coefficient of each term taken into the first sum that the term has.

    2.9 √(a − 0.12 b) is √(8.4 a − b), whose second constant has a name.
    """
    plain = as_sum(node)
    pairs = [
        _absorbed(c, t) for c, t in zip(plain.coefficients, plain.terms, strict=True)
    ]
    return Sum(tuple(c for c, _ in pairs), tuple(t for _, t in pairs))


def _absorbed(coefficient: Number, term: Node) -> tuple[Number, Node]:
    if not isinstance(term, Product) or not coefficient.free or coefficient.value <= 0:
        return coefficient, term
    for place, factor in enumerate(term.factors):
        exponent = term.exponents[place]
        if isinstance(factor, Sum) and not exponent.free:
            scale = coefficient.value ** (1 / exponent.value)
            scaled = tuple(Number(c.value * scale) for c in factor.coefficients)
            inner = Sum(scaled, factor.terms)
            factors = (*term.factors[:place], inner, *term.factors[place + 1 :])
            return ONE, Product(term.exponents, factors)
    return coefficient, term


def easiest_to_name(rows: int) -> Choice:
    """The coefficient by which division gives the others the simplest names."""

    def choice(node: Sum) -> int | None:
        free = sum(c.free for c in node.coefficients)
        if free == 0 or len(node.terms) > MANY:
            return _largest(node)
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

"""Exponents as simple fractions: the most certain first, the others fitted again."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from ._nodes import Node, number_kinds
from ._numbers import Number
from ._simplify import as_sum

Fitted: TypeAlias = tuple[Node, float]  # a node and its sum of squares
Fit: TypeAlias = Callable[[Node], Fitted]
ALLOWED = 12.0  # by how many residual variances the error may grow for each exponent
DENOMINATORS = (1, 2, 3, 4)


@dataclass(frozen=True)
class Allowance:
    """How much worse a fit may be that has fewer free constants."""

    rows: int
    smallest: float

    def holds(self, before: float, after: float, removed: int = 1) -> bool:
        variance = max(before, self.smallest) / max(self.rows, 1)
        return after - max(before, self.smallest) <= ALLOWED * removed * variance


def snapped(node: Node, error: float, fit: Fit, allowance: Allowance) -> Fitted:
    """The node with as many exponents rounded as the data allow.

    Args:
        node: a fitted node.
        error: its sum of squares.
        fit: what fits the free constants of a node.
        allowance: how much worse a rounded one may be.
    """
    nearest = {i: next(_options(n), None) for i, n in _free(node).items()}
    sure = {i: f for i, f in nearest.items() if f is not None}
    if sure:
        together = fit(as_sum(_with(node, sure)))
        if allowance.holds(error, together[1], len(sure)):
            node, error = together
    return _one_by_one(node, error, fit, allowance)


def _one_by_one(node: Node, error: float, fit: Fit, allowance: Allowance) -> Fitted:
    refused: set[tuple[int, Fraction]] = set()
    while (choice := _surest(node, refused)) is not None:
        index, fraction = choice
        trial = fit(as_sum(_with(node, {index: fraction})))
        if allowance.holds(error, trial[1]):
            (node, error), refused = trial, set()
        else:
            refused.add(choice)
    return node, error


def _free(node: Node) -> dict[int, Number]:
    """The free exponents by their place."""
    pairs = enumerate(zip(number_kinds(node), node.numbers(), strict=True))
    return {i: n for i, (kind, n) in pairs if kind == "exponent" and n.free}


def _surest(node: Node, refused: set) -> tuple[int, Fraction] | None:
    """The exponent that is known best, and the simplest fraction it can be."""
    free = _free(node)
    for index in sorted(free, key=lambda i: (math.isnan(free[i].error), free[i].error)):
        for fraction in _options(free[index]):
            if (index, fraction) not in refused:
                return index, fraction
    return None


def _options(number: Number) -> Iterator[Fraction]:
    """Fractions that the exponent may be, the simplest first."""
    spread = number.error if math.isfinite(number.error) else 0.05
    for denominator in DENOMINATORS:
        top = round(number.value * denominator)
        reach = min(6.0 * spread + 0.02, 0.5)
        if abs(top / denominator - number.value) <= reach and (
            math.gcd(top, denominator) == 1 or denominator == 1
        ):
            yield Fraction(top, denominator)


def _with(node: Node, fractions: dict[int, Fraction]) -> Node:
    numbers = list(node.numbers())
    for index, fraction in fractions.items():
        numbers[index] = Number.of(fraction)
    return node.replaced(iter(numbers))

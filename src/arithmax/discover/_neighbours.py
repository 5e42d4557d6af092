"""Exponents that noise has rounded wrongly: their neighbours are tried."""

from collections.abc import Callable, Iterator
from fractions import Fraction

from ._nodes import Node, number_kinds
from ._numbers import Number
from ._simplify import as_sum
from ._snap import Fit, Fitted

ROUNDS = 4
STEPS = (Fraction(1), Fraction(-1))


def improved(
    node: Node, error: float, fit: Fit, score: Callable[[Node, float], float]
) -> Fitted:
    """The node with the exponents, each one step away at a time, that score best."""
    best = score(node, error)
    for _ in range(ROUNDS):
        tried = [fit(other) for other in _neighbours(node)]
        scores = [score(*each) for each in tried]
        if not scores or min(scores) >= best - 1e-6:
            break
        best = min(scores)
        node, error = tried[scores.index(best)]
    return node, error


def _neighbours(node: Node) -> Iterator[Node]:
    """The node with one exponent greater or smaller by one."""
    numbers = list(node.numbers())
    for place, kind in enumerate(number_kinds(node)):
        exact = numbers[place].exact
        if kind == "exponent" and exact is not None:
            for step in STEPS:
                changed = list(numbers)
                changed[place] = Number.of(exact[0] + step)
                yield as_sum(node.replaced(iter(changed)))

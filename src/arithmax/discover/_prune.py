"""Terms that the data do not need are taken out, the least certain first."""

import math
from collections.abc import Callable

from ._nodes import Node, kinds
from ._numbers import ZERO
from ._simplify import as_sum
from ._snap import Fit, Fitted

CERTAIN = 6.0  # standard errors from zero beyond which a term is not doubted


def pruned(
    node: Node, error: float, fit: Fit, score: Callable[[Node, float], float]
) -> Fitted:
    """The node without terms whose removal improves the score."""
    refused: set[int] = set()
    while (index := _doubtful(node, refused)) is not None:
        trial = fit(as_sum(_without(node, index)))
        if score(*trial) < score(node, error):
            (node, error), refused = trial, set()
        else:
            refused.add(index)
    return node, error


def _doubtful(node: Node, refused: set[int]) -> int | None:
    """The place of the free coefficient that is nearest to zero in standard errors."""
    worst, place = CERTAIN, None
    pairs = enumerate(zip(kinds(node), node.numbers(), strict=True))
    for i, (kind, number) in pairs:
        if kind != "coefficient" or not number.free or i in refused:
            continue
        certain = abs(number.value) / number.error if number.error > 0 else math.inf
        if certain < worst or math.isnan(number.error):
            worst, place = certain, i
    return place


def _without(node: Node, index: int) -> Node:
    numbers = list(node.numbers())
    numbers[index] = ZERO
    return node.replaced(iter(numbers))

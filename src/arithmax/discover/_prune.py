"""Terms that the data do not need are taken out, the least certain first."""

import math
from collections.abc import Callable, Iterable

from ._nodes import Node, number_kinds
from ._numbers import ZERO
from ._simplify import as_sum
from ._snap import Fit, Fitted

CERTAIN = 4.5  # standard errors from zero beyond which a term is not doubted
UNSURE = 2.5  # those below go together
TINY = 1e-12  # of the largest coefficient: such a one may be a rounding, and is doubted
REFUSALS = 2  # after so many terms that must stay, the others stay too


def pruned(
    node: Node, error: float, fit: Fit, score: Callable[[Node, float], float]
) -> Fitted:
    """The node without terms whose removal improves the score."""
    while len(unsure := _doubtful(node, UNSURE)) > 1:
        trial = fit(as_sum(_without(node, unsure)))
        if score(*trial) >= score(node, error):
            break
        node, error = trial
    refused = 0
    while refused < REFUSALS:
        doubtful = _doubtful(node, CERTAIN)
        if len(doubtful) <= refused:
            break
        trial = fit(as_sum(_without(node, [doubtful[refused]])))
        if score(*trial) < score(node, error):
            (node, error), refused = trial, 0
        else:
            refused += 1
    return node, error


def _doubtful(node: Node, limit: float) -> list[int]:
    """The places of free coefficients near zero, the nearest first."""
    kinds = list(zip(number_kinds(node), node.numbers(), strict=True))
    sizes = [abs(number.value) for kind, number in kinds if kind == "coefficient"]
    tiny, found = TINY * max(sizes, default=0.0), []
    pairs = enumerate(kinds)
    for i, (kind, number) in pairs:
        if kind == "coefficient" and number.free:
            if math.isnan(number.error) or abs(number.value) < tiny:
                found.append((0.0, i))
            elif number.error > 0 and abs(number.value) < limit * number.error:
                found.append((abs(number.value) / number.error, i))
    return [i for _, i in sorted(found)]


def _without(node: Node, places: Iterable[int]) -> Node:
    numbers = list(node.numbers())
    for place in places:
        numbers[place] = ZERO
    return node.replaced(iter(numbers))

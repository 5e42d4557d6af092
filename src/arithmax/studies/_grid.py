"""Grids of arms: every combination of some labels."""

from collections.abc import Iterable, Iterator
from itertools import product
from typing import Any

# The operations as pages write them.
SYMBOLS = {
    "mul": "×",
    "add": "+",
    "sub": "−",
    "div": "÷",
    "sqrt": "√",
    "square": "z²",
}
NAMED = {symbol: name for name, symbol in SYMBOLS.items()}


def combinations(**axes: Iterable[Any]) -> Iterator[dict[str, Any]]:
    """Every combination of labels; the last changes fastest.

    Examples:
        >>> from arithmax.studies._grid import combinations
        >>> list(combinations(model=["NAU", "NMU"], hidden=[2]))
        [{'model': 'NAU', 'hidden': 2}, {'model': 'NMU', 'hidden': 2}]
    """
    for values in product(*axes.values()):
        yield dict(zip(axes, values, strict=True))


def without_zero(size: float) -> tuple[float, float, float, float]:
    """Uniform numbers between −size and size of which none is exactly zero.

    The fleet draws from 2²³ numbers, the authors from 2⁵³. Theirs are never exactly
    zero; ours would be in every other run, and a quotient would be infinite.
    """
    least = size * 2.0**-23
    return (-size, -least, least, size)

"""Constants get a name where chance alone would not give one so simple."""

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache

from ._nodes import Node, number_kinds
from ._numbers import Exact, Number
from ._score import name_price
from ._simplify import as_sum
from ._snap import Allowance, Fit, Fitted

NEAR = 2.5  # standard errors within which a name must lie
CHANCE = 0.05  # how many names as simple may be expected so near by chance
COMMON = 0.5  # the same for whole numbers up to ten, which laws are full of
POWERS_OF_PI = (0, 1, -1, 2, -2)
ROUNDING = 1e-11  # relative: what is left of a constant where there is no noise


def named(node: Node, error: float, fit: Fit, allowance: Allowance) -> Fitted:
    """The node with a name for every coefficient that has one, the surest first."""
    refused: set[int] = set()
    while (choice := _next(node, refused)) is not None:
        index, exact = choice
        numbers = list(node.numbers())
        numbers[index] = Number.of(*exact)
        trial = fit(node.replaced(iter(numbers)))
        if allowance.holds(error, trial[1]):
            node, error = trial
        else:
            refused.add(index)
    return as_sum(node), error


def _next(node: Node, refused: set[int]) -> tuple[int, Exact] | None:
    places = enumerate(zip(number_kinds(node), node.numbers(), strict=True))
    free = [
        (number.error / max(abs(number.value), 1e-300), i, number)
        for i, (kind, number) in places
        if kind == "coefficient" and number.free and i not in refused
    ]
    for _, index, number in sorted(free, key=lambda entry: entry[:2]):
        if (exact := name_of(number.value, number.error)) is not None:
            return index, exact
    return None


@lru_cache(maxsize=4096)
def name_of(value: float, error: float) -> Exact | None:
    """p/q · π^k for a constant that is known up to a standard error; None if no name
    is simple enough to mean anything.

    Examples:
        >>> from arithmax.discover._naming import name_of
        >>> name_of(0.7853981633974483, 1e-16), name_of(0.123456789012345, 1e-5)
        ((Fraction(1, 4), 1), None)
    """
    if value == 0 or not math.isfinite(value) or not math.isfinite(error):
        return None
    spread = max(error, ROUNDING * abs(value))
    names = sorted(_names(value, NEAR * spread), key=lambda name: name_price(*name))
    if not names:
        return None
    best, width = names[0], 2 * NEAR * spread / abs(value)
    whole = best[1] == 0 and best[0].denominator == 1 and abs(best[0]) <= 10
    expected = width * math.exp(name_price(*best)) * (1 if whole else 3)
    return best if expected < (COMMON if whole else CHANCE) else None


def _names(value: float, reach: float) -> Iterator[Exact]:
    for power in POWERS_OF_PI:
        unit = math.pi**power
        low, high = sorted(((abs(value) - reach) / unit, (abs(value) + reach) / unit))
        if low <= 0:
            continue
        for fraction in (_simplest(low, high), _decimal(low, high)):
            if fraction is not None:
                yield (fraction if value > 0 else -fraction), power


def _simplest(low: float, high: float) -> Fraction:
    """The fraction of the smallest denominator between two positive numbers."""
    floor = math.floor(low)
    if floor == low:
        return Fraction(floor) if floor > 0 else Fraction(1, math.ceil(1 / high))
    if floor + 1 <= high:
        return Fraction(floor + 1)
    inner = _simplest(1 / (high - floor), 1 / (low - floor))
    return floor + 1 / inner


def _decimal(low: float, high: float) -> Fraction | None:
    """The shortest decimal between two positive numbers, if it has few digits."""
    place = math.floor(math.log10(high))
    for digits in range(7):
        unit = Fraction(10) ** (place - digits)
        number = math.floor(Fraction(high) / unit) * unit
        if number >= low and number > 0:
            return number
    return None

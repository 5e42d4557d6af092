"""Where inputs lie, where a function of them is defined, and how large it becomes.

This file is read by the command line and loads no array library.
"""

import math
from collections.abc import Sequence
from typing import Any

from .._checks import check_entries, shown
from ._distributions import DISTRIBUTIONS
from ._input_distribution import InputDistribution, Numbers


def nested(numbers: Any) -> bool:
    """Whether there is one set of numbers for each input."""
    return bool(numbers) and isinstance(numbers[0], tuple | list)


def sets_of(numbers: Any) -> tuple[Numbers, ...]:
    """The sets of numbers that were given, one or one for each input."""
    return tuple(numbers) if nested(numbers) else (numbers,)


def check_ranges(name: str, numbers: Any, distribution: str, in_features: int) -> None:
    """The numbers must be what the distribution needs."""
    if not isinstance(numbers, tuple):
        raise TypeError(
            f"`{name}` (={shown(numbers)}) must be a tuple of numbers, such as "
            "(1.0, 2.0)."
        )
    sets = sets_of(numbers)
    if nested(numbers) and len(sets) != in_features:
        raise ValueError(
            f"`{name}` (={shown(numbers)}) must be one set of numbers, or one for each "
            f"of the {in_features} inputs."
        )
    for values in sets:
        check_entries(name, values, float)
    for values in set(sets):
        if reason := DISTRIBUTIONS[distribution](values).lacks(distribution):
            raise ValueError(f"`{name}` (={shown(numbers)}) must have {reason}.")


def check_domain(
    name: str, numbers: Any, used: Sequence[InputDistribution], function: str
) -> None:
    """The inputs of `sqrt`, `log` or a broken power must lie where it is defined."""
    least = min(low for distribution in used for low, _ in distribution.support)
    if least < 0 or (function == "log" and least == 0):
        domain = "positive" if function == "log" else "not negative"
        raise ValueError(
            f"`{name}` (={shown(numbers)}) reaches {least:g}, where {function!r} is "
            f"not defined. Choose numbers that are {domain}."
        )


def power(base: float, exponent: float) -> float:
    """`base` to a power; infinity where no float can hold it."""
    try:
        return base**exponent
    except OverflowError:
        return math.inf


def floats(numbers: Any) -> Any:
    """Numbers, or tuples of them, as floats."""
    if isinstance(numbers, tuple):
        return tuple(map(floats, numbers))
    return float(numbers)

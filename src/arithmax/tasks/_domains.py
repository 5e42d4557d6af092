"""Where inputs lie, where a function of them is defined, and how large it becomes.

This file is read by the command line and loads no array library.
"""

import math
from collections.abc import Sequence
from typing import Any, TypeAlias

from ..units._checks import check_entries, shown

Numbers: TypeAlias = tuple[float, ...]
Ends: TypeAlias = tuple[float, float]

# How many numbers each distribution has; see `Distribution`.
COUNTS = {
    "uniform": (2, 4),
    "normal": (2,),
    "truncated-normal": (4,),
    "mirrored-normal": (2, 4),
    "exponential": (1,),
    "benford": (2,),
}
FAR = 17.0  # no draw is further out, in standard deviations or scales
RARE = 1e-6  # the least share of a normal distribution that can be cut out of it


def per_input(numbers: Any, in_features: int) -> tuple[Numbers, ...]:
    """The numbers of each input, from one set for all or one set for each."""
    if nested(numbers):
        return tuple(tuple(map(float, n)) for n in numbers)
    return (tuple(map(float, numbers)),) * in_features


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
        if reason := _wrong(values, distribution):
            raise ValueError(f"`{name}` (={shown(numbers)}) must have {reason}.")


def _wrong(values: Numbers, distribution: str) -> str:
    """What a distribution needs and `values` lack, if anything."""
    of = f"for `distribution` (={distribution!r})"
    if len(values) not in COUNTS[distribution]:
        return f"{' or '.join(map(str, COUNTS[distribution]))} numbers {of}"
    normal = distribution.endswith("normal")
    pairs = _pairs(values[2:] if normal else values)
    if any(low >= high for low, high in pairs):
        return "each low below its high"
    if distribution != "uniform" and values[1 if normal else 0] <= 0:
        return f"a positive spread, scale and bounds {of}"
    if normal and pairs and _share(values) < RARE:
        return f"bounds nearer to the mean {of}: between them almost nothing is drawn"
    return ""


def _pairs(values: Numbers) -> list[Ends]:
    return [(values[i], values[i + 1]) for i in range(0, len(values) - 1, 2)]


def _share(values: Numbers) -> float:
    """How much of a normal distribution lies between two bounds."""
    mean, std, *ends = values
    low, high = (math.erf((end - mean) / std / math.sqrt(2)) for end in ends)
    return (high - low) / 2


def support(values: Numbers, distribution: str) -> list[Ends]:
    """The intervals in which a drawn number can lie."""
    if distribution == "exponential":
        return [(0.0, FAR * values[0])]
    if distribution in ("uniform", "benford"):
        return _pairs(values)
    mean, std = values[:2]
    bounds = _pairs(values[2:]) or [(mean - FAR * std, mean + FAR * std)]
    mirrored = [(-high, -low) for low, high in bounds]
    return bounds + mirrored if distribution == "mirrored-normal" else bounds


def check_domain(
    name: str, numbers: Any, used: Sequence[Numbers], distribution: str, function: str
) -> None:
    """The inputs of `sqrt`, `log` or a broken power must lie where it is defined."""
    least = min(low for values in used for low, _ in support(values, distribution))
    if least < 0 or (function == "log" and least == 0):
        domain = "positive" if function == "log" else "not negative"
        raise ValueError(
            f"`{name}` (={shown(numbers)}) reaches {least:g}, where {function!r} is "
            f"not defined. Choose numbers that are {domain}."
        )


def magnitude(values: Numbers, distribution: str) -> float:
    """The greatest magnitude that a drawn number can have."""
    return max(abs(end) for part in support(values, distribution) for end in part)


def power(base: float, exponent: float) -> float:
    """`base` to a power; infinity where no float can hold it."""
    try:
        return base**exponent
    except OverflowError:
        return math.inf

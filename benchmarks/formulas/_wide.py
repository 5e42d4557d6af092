"""Wide tables: few of many inputs belong to one of two sums, and which is not known."""

import numpy as np

from ._tables import Formula, Range

WIDTHS = (10, 30, 100)
REPEATS = 5
JOINED = {"product": "*", "ratio": "/"}


def wide() -> list[Formula]:
    """Products and ratios of two sums over random quarters of 10, 30 and 100 inputs.

    Returns:
        One `Formula` per layout, width and repeat, with all inputs on U[1, 2].

    Example:
        >>> [f.id for f in wide()][:2], wide()[0].kind
        (['product-10-0', 'product-10-1'], 'product of sums')
    """
    return [
        of_layout(layout, width, repeat)
        for layout in JOINED
        for width in WIDTHS
        for repeat in range(REPEATS)
    ]


def of_layout(layout: str, width: int, repeat: int) -> Formula:
    """One formula; its sums depend on the width and the repeat, not on the layout."""
    rng = np.random.default_rng([width, repeat])
    sums = [subset(width, rng) for _ in range(2)]
    text = f"({sums[0]}) {JOINED[layout]} ({sums[1]})"
    ranges = {f"x{i}": Range(1.0, 2.0) for i in range(1, width + 1)}
    return Formula(
        "wide", f"{layout}-{width}-{repeat}", text, ranges, f"{layout} of sums"
    )


def subset(width: int, rng: np.random.Generator) -> str:
    """The sum of a random quarter of the inputs, rounded up."""
    chosen = rng.choice(width, -(-width // 4), replace=False)
    return " + ".join(f"x{i + 1}" for i in sorted(chosen))

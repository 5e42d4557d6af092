"""What a posterior predicts along one column, from far below to far above its rows."""

from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float

from .._checks import check_number, position_of
from ..discover._given import inputs_and_target
from ._band import Band
from ._posterior import Posterior

POINTS = 121
DECADES = 1000.0  # from how many times its least value on a column has a log scale


class Curve(NamedTuple):
    """Predictions along one column, while all others stay at their middle.

    `values` are those of the column; `function` is the band of the noise-free function
    there, and `measured` that of new measurements. The rows lie between `inside`, and
    `logarithmic` says whether the values are spaced by their logarithm.
    """

    column: str
    values: Float[np.ndarray, " point"]
    function: Band
    measured: Band
    inside: tuple[float, float]
    logarithmic: bool


def curve(posterior: Posterior, x: Any, column: Any, beyond: float = 1.0) -> Curve:
    """The predictive bands along one column, inside and outside the rows.

    The column goes beyond its range on both sides. One that is positive stays so, and
    one that spans three decades or more goes by its logarithm.

    Args:
        posterior: what is known.
        x: the rows that it was inferred from [row, column].
        column: its name, or its position.
        beyond: how far beyond, in widths of the range.

    Examples:
        >>> import numpy as np
        >>> from arithmax.bayes import curve, laplace
        >>> from arithmax.readout import parse
        >>> rng = np.random.default_rng(0)
        >>> x = rng.uniform(1, 3, (200, 1))
        >>> y = x[:, 0] ** 2 + rng.normal(0, 0.1, 200)
        >>> far = curve(laplace(parse("a**2", ["a"]), x, y), x, "a")
        >>> far.values[[0, -1]].round(1), far.function.std.argmax().item()
        (array([0.5, 5. ]), 120)
    """
    rows = inputs_and_target(x, np.zeros(len(x)), "x", "y")[0]
    names = tuple(posterior.relevance)
    position = position_of("column", column, names)
    check_number("beyond", beyond, 0)
    values, logarithmic = _values(rows[:, position], float(beyond))
    grid = np.tile(np.median(rows, axis=0), (len(values), 1))
    grid[:, position] = values
    inside = float(rows[:, position].min()), float(rows[:, position].max())
    function = posterior.predict(grid, noise=False)
    measured = posterior.predict(grid)
    return Curve(names[position], values, function, measured, inside, logarithmic)


def _values(column: np.ndarray, beyond: float) -> tuple[np.ndarray, bool]:
    """Values that reach beyond a column, and whether they go by their logarithm."""
    low, high = float(column.min()), float(column.max())
    if low > 0 and high > DECADES * low:
        far = (high / low) ** beyond
        return np.geomspace(low / far, high * far, POINTS), True
    far = beyond * ((high - low) or abs(high) or 1.0)
    start = low - far
    if low > 0:
        start = max(start, low / (1 + beyond))
    return np.linspace(start, high + far, POINTS), False

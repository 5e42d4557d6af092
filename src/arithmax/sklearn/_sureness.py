"""How sure a fitted model is: what `uncertainty=True` adds to it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float
from sklearn.exceptions import NotFittedError

from .._checks import position_of
from .._extras import extras
from ..bayes import Uncertainty, curve

if TYPE_CHECKING:
    from pandas import DataFrame
    from plotly.graph_objects import Figure

CONSTANTS = ("constant", "mean", "std", "low", "high", "held")
COLUMNS = ("column", "probability")


def sure_of(model: Any, what: str) -> list[Uncertainty]:
    """What is known of each target's formula.

    Raises:
        NotFittedError: the model was not asked to infer it.
    """
    if model._sure is None:
        raise NotFittedError(
            f"`uncertainty` (=False when the model was fitted) must be True: `{what}` "
            "needs a posterior. Fit ArithmeticRegressor(uncertainty=True)."
        )
    return model._sure


def constants_frame(
    sure: Sequence[Uncertainty], targets: Sequence[str] | None
) -> "DataFrame":
    """One line for each constant of each formula.

    Args:
        sure: what is known, for each target.
        targets: their names, if there are several.
    """
    lines = [
        [(m.name, m.mean, m.std, m.low, m.high, held) for m, _, held in each.constants]
        for each in sure
    ]
    return _frame(lines, targets, CONSTANTS)


def relevance_frame(
    sure: Sequence[Uncertainty], targets: Sequence[str] | None
) -> "DataFrame":
    """One line for each column of the table, and each target.

    Args:
        sure: what is known, for each target.
        targets: their names, if there are several.
    """
    lines = [
        [] if each.posterior is None else list(each.posterior.relevance.items())
        for each in sure
    ]
    return _frame(lines, targets, COLUMNS)


def _frame(
    lines: Sequence[Sequence[tuple]],
    targets: Sequence[str] | None,
    columns: tuple[str, ...],
) -> "DataFrame":
    with extras():
        from pandas import DataFrame
    if targets is None:
        return DataFrame(list(lines[0]), columns=list(columns))
    named = zip(targets, lines, strict=True)
    flat = [(target, *line) for target, some in named for line in some]
    return DataFrame(flat, columns=["output", *columns])


def spread_of(
    sure: Uncertainty,
    x: Float[np.ndarray, "row column"],
    predictions: Float[np.ndarray, " row"],
) -> Float[np.ndarray, " row"]:
    """The standard deviation of new measurements; NaN where it is not known."""
    if sure.posterior is None:
        return np.full(len(x), np.nan)
    return np.where(np.isnan(predictions), np.nan, sure.posterior.predict(x).std)


def extent_of(x: Float[np.ndarray, "row column"]) -> Float[np.ndarray, "3 column"]:
    """The least, the middle and the largest value of each column: enough to draw."""
    return np.stack([x.min(axis=0), np.median(x, axis=0), x.max(axis=0)])


def plotted(
    sure: Sequence[Uncertainty],
    targets: Sequence[str],
    extent: Float[np.ndarray, "3 column"],
    column: Any,
    output: Any,
) -> "Figure":
    """Intervals of constants, or the predictive band along a column.

    Args:
        sure: what is known, for each target.
        targets: their names.
        extent: the least, the middle and the largest value of each column.
        column: the column, by name or position; None for the constants.
        output: the target; None for the first.
    """
    with extras():
        from ..report import band_plot, constants_plot
    position = 0 if output is None else position_of("output", output, targets)
    each, target = sure[position], targets[position]
    if each.posterior is None:
        raise ValueError(f"`{target}` cannot be drawn. {each.reason}")
    if column is None:
        figure = constants_plot(each)
    else:
        figure = band_plot(curve(each.posterior, extent, column), target, each.share)
    return figure.update_layout(template="plotly_white")

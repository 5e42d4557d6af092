"""Which function draws which plot of a study."""

from functools import singledispatch

import plotly.graph_objects as go

from ..studies import (
    Bars,
    Convergence,
    Evaluation,
    Grid,
    Heat,
    ImageRow,
    Lines,
    Measured,
    Plot,
    Seeds,
    Surface,
    Weights,
)
from ._draw_images import images
from ._draw_measures import grid, measured
from ._draw_runs import convergence, seeds
from ._draw_tables import bars, heat, lines, surface
from ._draw_weights import weights


def figures(evaluation: Evaluation) -> list[tuple[str, go.Figure]]:
    """Every plot of a study that has data, with its caption.

    Args:
        evaluation: the study.

    Returns:
        (caption, figure) in the order of the study's plots.
    """
    drawn = [
        (plot.caption, _drawn(plot, evaluation)) for plot in evaluation.study.plots
    ]
    return [(caption, figure) for caption, figure in drawn if figure is not None]


def _drawn(plot: Plot, evaluation: Evaluation) -> go.Figure | None:
    """A plot; data that it cannot draw are named, whatever is wrong with them."""
    try:
        return draw_plot(plot, evaluation)
    except (TypeError, ValueError, LookupError, ArithmeticError) as error:
        name = evaluation.study.name
        raise ValueError(
            f"the plot {plot.caption!r} of the study {name!r} cannot be drawn: {error} "
            "`arithmax reproduce` computes its tables again; nothing is trained twice."
        ) from error


@singledispatch
def draw_plot(plot: Plot, evaluation: Evaluation) -> go.Figure | None:
    """A plot of an evaluation, or None where there is nothing to draw."""
    raise TypeError(
        f"`plots` of the study {evaluation.study.name!r} has {plot!r}, which no report "
        "can draw. Use a class of `arithmax.studies`."
    )


draw_plot.register(Measured, measured)
draw_plot.register(Grid, grid)
draw_plot.register(Convergence, convergence)
draw_plot.register(Seeds, seeds)
draw_plot.register(Weights, weights)
draw_plot.register(Surface, surface)
draw_plot.register(Heat, heat)
draw_plot.register(Bars, bars)
draw_plot.register(Lines, lines)
draw_plot.register(ImageRow, images)

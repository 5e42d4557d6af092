"""Grey images of a computed table, with what is known of each."""

import math
from typing import Any

import numpy as np
import plotly.graph_objects as go

from ..studies import Evaluation, ImageRow
from ._draw_tables import Columns, columns_of_plot
from ._style import escaped, figure, packed
from ._text import number_text

GAP = 4  # pixels between two images
INK_ON_PAPER = ((0.0, "#ffffff"), (1.0, "#000000"))


def images(plot: ImageRow, evaluation: Evaluation) -> go.Figure | None:
    """Images in a row, as one map of greys."""
    names = (plot.image, plot.label, *plot.below)
    table = columns_of_plot(evaluation, plot.table, names, plot.only)
    if not table:
        return None
    squares = [pixels(text) for text in table[plot.image]]
    drawn = figure(height=190 + 18 * len(plot.below), showlegend=False)
    drawn.add_heatmap(
        z=packed(side_by_side(squares)),
        colorscale=INK_ON_PAPER,
        zmin=0,
        zmax=255,
        showscale=False,
        hoverinfo="skip",
    )
    for k in range(len(squares)):
        middle = k * (len(squares[0]) + GAP) + (len(squares[0]) - 1) / 2
        for note in _notes(table, plot, k):
            drawn.add_annotation(x=middle, showarrow=False, yref="paper", **note)
    drawn.update_xaxes(visible=False, constrain="domain")
    drawn.update_yaxes(visible=False, autorange="reversed", scaleanchor="x")
    drawn.update_layout(margin={"t": 44, "b": 24 + 18 * len(plot.below)})
    return drawn


def pixels(text: Any) -> np.ndarray:
    """The square of grey values that hexadecimal digits stand for."""
    values = np.frombuffer(bytes.fromhex(str(text)), np.uint8)
    side = math.isqrt(values.size)
    if side * side != values.size or not side:
        raise ValueError(f"an image has {values.size} pixels, which are no square.")
    return values.reshape(side, side)


def side_by_side(squares: list[np.ndarray]) -> np.ndarray:
    """Images side by side; between them there is nothing."""
    gap = np.full((len(squares[0]), GAP), np.nan)
    parts = [part for square in squares for part in (gap, square)]
    return np.concatenate(parts[1:], axis=1)


def _notes(table: Columns, plot: ImageRow, k: int) -> list[dict[str, Any]]:
    """What stands above and below one image."""
    below = "<br>".join(number_text(table[name][k]) for name in plot.below)
    small = {"size": 11}  # ten of them fit on a phone
    notes = [{"text": below, "y": 0, "yanchor": "top", "yshift": -4, "font": small}]
    if plot.label:
        above = escaped(table[plot.label][k])
        notes.append({"text": above, "y": 1, "yanchor": "bottom"})
    return notes

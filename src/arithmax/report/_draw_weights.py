"""Plots of learned weights: matrices whose cells have a size of their own."""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from ..studies import Evaluation, Weights
from ..studies._shown import examples
from ._draw_runs import chosen_arms
from ._style import DIVERGING, escaped, figure, packed

WIDE = 12  # columns of a matrix that has a row of plots to itself
CELL = 44  # pixels, of a cell that has a number in it
WIDTH, HEIGHT = 900, 400  # pixels, of the largest matrix
BETWEEN = 62  # pixels, for the numbers of one matrix and the title of the next
SIDE, BAR = 70, 90  # pixels, between matrices and for the scale of colours
TITLE = 150  # pixels, of the shortest matrix's title
Panel: TypeAlias = tuple[str, np.ndarray]


def weights(plot: Weights, evaluation: Evaluation) -> go.Figure | None:
    """The matrices of the first solved and of the first unsolved seed."""
    arms = chosen_arms(evaluation, plot.only)
    if not arms:
        return None
    panels = [
        [
            (f"{name}, seed {row['seed']}, {row['outcome']}", matrix)
            for name, matrix in matrices.items()
        ]
        for row, matrices in examples(arms[0], evaluation)
    ]
    return drawn_matrices(panels) if panels else None


def drawn_matrices(panels: list[list[Panel]]) -> go.Figure:
    """One column per seed, or one column for all where matrices are wide."""
    widest = max(m.shape[1] for panel in panels for _, m in panel)
    if widest > WIDE:
        panels = [[item for panel in panels for item in panel]]
    across, rows = len(panels), list(zip(*panels, strict=True))
    lines = [max(m.shape[0] for _, m in row) for row in rows]
    heights = [_height(n, row) for n, row in zip(lines, rows, strict=True)]
    inner = sum(heights) + BETWEEN * (len(rows) - 1)
    column = max(_cell_width(widest) * widest, TITLE)
    total = column * across + SIDE * (across - 1)
    bar = widest > WIDE  # where cells have no numbers
    margin = {"l": 40, "r": BAR if bar else 10, "t": 40, "b": 30}
    size = round(total) + margin["l"] + margin["r"], round(inner) + 70
    made = make_subplots(
        len(rows),
        across,
        subplot_titles=[escaped(name) for row in rows for name, _ in row],
        row_heights=heights,
        vertical_spacing=BETWEEN / inner if len(rows) > 1 else 0.0,
        horizontal_spacing=SIDE / total if across > 1 else 0.0,
        figure=figure(width=size[0], height=size[1], margin=margin),
    )
    for i, row in enumerate(rows):
        for j, (_, matrix) in enumerate(row):
            made.add_trace(_heat(matrix, bar and i == j == 0), i + 1, j + 1)
            # A matrix is as wide as its cells are, not as the plot is.
            x, y = _axis(matrix.shape[1]), _axis(matrix.shape[0])
            x["range"] = [0.5, column / _cell_width(matrix.shape[1]) + 0.5]
            y["range"] = [lines[i] + 0.5, 0.5]
            made.update_xaxes(**x, row=i + 1, col=j + 1)
            made.update_yaxes(**y, row=i + 1, col=j + 1)
    starts = [(column + SIDE) * j / total for j in range(across)]
    for k, title in enumerate(made.select_annotations()):
        title.update(x=starts[k % across], xanchor="left", font_size=12)
    return made


def _cell_width(columns: int) -> float:
    """The pixels of a cell in a matrix of so many columns."""
    return min(CELL, WIDTH / columns)


def _height(lines: int, row: Sequence[Panel]) -> float:
    """The pixels of a row of matrices; cells are no flatter than half a square."""
    tall = max(max(_cell_width(m.shape[1]), CELL / 2) for _, m in row)
    return min(tall * lines, HEIGHT)


def _axis(count: int) -> dict:
    """Numbers at the rows or columns that a matrix has, ten at most."""
    step = next(s for s in (1, 2, 5, 10, 20, 50, count) if count <= 10 * s)
    shown = list(range(1, count + 1, step))
    return {"tickvals": shown, "showgrid": False, "zeroline": False}


def _heat(matrix: np.ndarray, bar: bool) -> go.Heatmap:
    small = matrix.shape[1] <= WIDE
    return go.Heatmap(
        z=packed(matrix),
        x=list(range(1, matrix.shape[1] + 1)),
        y=list(range(1, matrix.shape[0] + 1)),
        zmin=-1,
        zmax=1,
        colorscale=DIVERGING,
        showscale=bar,
        colorbar={"thickness": 12, "outlinewidth": 0, "len": 160, "lenmode": "pixels"},
        texttemplate="%{z:.2f}" if small else None,
        textfont_size=11,
        hovertemplate="input %{x}, output %{y}: %{z:.4g}<extra></extra>",
        xgap=1 if small else 0,  # gaps would hide narrow cells
        ygap=1,
    )

"""Predictions against the truth."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from jaxtyping import Float, Int

from .._extras import extras

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

KINDS = ("training", "held out", "outside")
SYMBOLS = ("circle", "diamond", "x")
COLOURS = ("#0a5c99", "#b84a00", "#2f7d32")
MOST = 5000  # points of a kind: more are slow, and hide each other


class Points(NamedTuple):
    """The rows of one target: what is true, what is predicted, and which are which.

    `kind` is a position in `KINDS`, or −1 for rows that counted nothing.
    """

    truth: Float[np.ndarray, " row"]
    prediction: Float[np.ndarray, " row"]
    kind: Int[np.ndarray, " row"]


def drawn(points: Sequence[Points], titles: Sequence[str]) -> "Figure":
    """One panel for each target, one series for each kind of rows.

    Args:
        points: the rows of each target.
        titles: what stands above each panel.
    """
    with extras():
        from plotly.subplots import make_subplots
    shown = [title if len(title) <= 80 else f"{title[:80]}…" for title in titles]
    figure = make_subplots(rows=1, cols=len(points), subplot_titles=shown)
    for position, each in enumerate(points, start=1):
        for kind, name in enumerate(KINDS):
            _series(figure, each, kind, name, position)
        _diagonal(figure, each, position)
        figure.update_xaxes(title_text="truth", row=1, col=position)
        figure.update_yaxes(title_text="prediction", row=1, col=position)
    figure.update_layout(template="plotly_white", legend={"orientation": "h"})
    return figure


def _series(figure: "Figure", points: Points, kind: int, name: str, at: int) -> None:
    rows = np.flatnonzero(points.kind == kind)
    if len(rows) > MOST:
        rows = rows[np.linspace(0, len(rows) - 1, MOST).astype(int)]
    if not len(rows):
        return
    figure.add_scatter(
        x=points.truth[rows],
        y=points.prediction[rows],
        mode="markers",
        marker={"symbol": SYMBOLS[kind], "color": COLOURS[kind], "size": 6},
        name=name,
        legendgroup=name,
        showlegend=at == 1,
        row=1,
        col=at,
    )


def _diagonal(figure: "Figure", points: Points, at: int) -> None:
    ends = [float(np.min(points.truth)), float(np.max(points.truth))]
    figure.add_scatter(
        x=ends,
        y=ends,
        mode="lines",
        line={"color": "#808080", "width": 1},
        showlegend=False,
        hoverinfo="skip",
        row=1,
        col=at,
    )

"""Axes, scales and menus of plots, and numbers that take little space."""

import html
from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

GREY = "#808080"  # of what belongs to no series: thresholds, keys
DIVERGING = ((0.0, "#0a5c99"), (0.5, "#f5f5f5"), (1.0, "#b84a00"))
SEQUENTIAL = "Cividis"
LEGEND = {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"}
BESIDE, LINE = 2, 30  # names that fit beside a menu on a phone; pixels of a line
SHORT = 20  # values; fewer of them are smaller and easier to read as text
FLOAT32 = (1e-37, 1e38)


def escaped(value: object) -> str:
    """Text that Plotly shows as it is, though it knows some HTML."""
    return html.escape(str(value), quote=False)


def packed(values: Any) -> Any:
    """Numbers with five digits: a short list, or single precision as bytes."""
    array = np.asarray(values, dtype=np.float64)
    size = np.abs(array[np.isfinite(array) & (array != 0)])
    fits = not size.size or (size.min() > FLOAT32[0] and size.max() < FLOAT32[1])
    if fits and array.size >= SHORT:
        return array.astype(np.float32)
    return _rounded(array.tolist())


def _rounded(value: Any) -> Any:
    if isinstance(value, list):
        return [_rounded(v) for v in value]
    return float(f"{value:.5g}") if np.isfinite(value) else None


def template(ink: str = GREY, grid: str = "rgba(128,128,128,0.3)") -> dict[str, Any]:
    """The colours of text and grid; the page has its own for light and dark."""
    axis = {"gridcolor": grid, "zerolinecolor": grid, "linecolor": ink}
    space = {**axis, "color": ink, "showbackground": False}
    scene = {"xaxis": space, "yaxis": space, "zaxis": space}
    layout = {"font": {"color": ink}, "xaxis": axis, "yaxis": axis, "scene": scene}
    return {"layout": layout}


def figure(height: int = 420, **layout: Any) -> go.Figure:
    """An empty figure that fits light and dark pages, wide and narrow."""
    # Plotly's own template is seven kilobytes per plot.
    return go.Figure(
        layout={
            "template": template(),
            "height": height,
            "margin": {"l": 12, "r": 12, "t": 34, "b": 12},
            "paper_bgcolor": "rgba(0,0,0,0)",
            "plot_bgcolor": "rgba(0,0,0,0)",
            "font": {"family": "system-ui, sans-serif", "size": 13},
            "legend": LEGEND,
            "hoverlabel": {"namelength": -1, "align": "left"},
            "xaxis": {"automargin": True},
            "yaxis": {"automargin": True},
            **layout,
        }
    )


def titled(text: object, **axis: Any) -> dict[str, Any]:
    """An axis with a title that takes the space it needs."""
    title = {"text": escaped(text), "standoff": 8}
    return {"title": title, "automargin": True, **axis}


def menu(drawn: go.Figure, choices: Sequence[str | None]) -> None:
    """A menu that shows the traces of one choice.

    Args:
        drawn: the figure.
        choices: what each trace belongs to; None if it is always shown.
    """
    names = [name for name in dict.fromkeys(choices) if name is not None]
    if len(names) < 2:
        return
    shown = [[c is None or c == name for c in choices] for name in names]
    for i, visible in enumerate(shown[0]):
        drawn.update_traces(visible=visible, selector=i)
    buttons = [
        {"label": escaped(n), "method": "restyle", "args": [{"visible": v}]}
        for n, v in zip(names, shown, strict=True)
    ]
    place = {"x": 0, "xanchor": "left", "y": 1.02, "yanchor": "bottom"}
    traces: Any = drawn.data  # its declared type is that of an item of any name
    named = {trace.name for trace in traces if trace.showlegend is not False}
    if len(named) > BESIDE:  # above the legend, which is two lines on a phone
        place["pad"] = {"b": 2 * LINE}
    drawn.update_layout(updatemenus=[{"buttons": buttons, **place}])
    drawn.update_layout(legend={"x": 1, "xanchor": "right"})  # beside the menu

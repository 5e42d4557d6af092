"""Plots of computed tables: surfaces, histograms, lines."""

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from ..studies import Bars, Evaluation, Heat, Lines, Surface
from ._draw_measures import distinct
from ._looks import DASHES, MOST_MARKERS, Look, looks, tint
from ._style import (
    GREY,
    SEQUENTIAL,
    escaped,
    figure,
    menu,
    packed,
    titled,
)

EYE = {"camera": {"eye": {"x": 1.45, "y": 1.45, "z": 0.95}}}
Columns = dict[str, list[Any]]


def columns_of_plot(
    evaluation: Evaluation,
    table: str,
    names: Sequence[str],
    only: Mapping[str, Any] | None = None,
) -> Columns:
    """The named columns of a computed table; none if not all were computed.

    Args:
        evaluation: the study.
        table: the name of the table.
        names: the columns; empty names are of none.
        only: columns with the value, or the list of values, of the rows that are meant.
    """
    tables = evaluation.computed.tables if evaluation.computed else {}
    if table not in tables:
        return {}
    wanted = dict.fromkeys([name for name in (*names, *(only or {})) if name])
    if any(name not in tables[table] for name in wanted):
        return {}  # the table is of another version of the study
    chosen = {name: list(tables[table][name]) for name in wanted}
    for name, value in (only or {}).items():
        meant = value if isinstance(value, list | tuple) else [value]
        kept = [v in meant for v in chosen[name]]
        chosen = {n: list(itertools.compress(c, kept)) for n, c in chosen.items()}
    return chosen if all(chosen.values()) else {}


def groups(table: Columns, by: str) -> dict[Any, Columns]:
    """The rows of a table by the values of one column; all of them without one."""
    if not by:
        return {"": table}
    grouped = {}
    for value in distinct(table[by]):
        kept = [v == value for v in table[by]]
        grouped[value] = {
            n: list(itertools.compress(c, kept)) for n, c in table.items()
        }
    return grouped


def surface(plot: Surface, evaluation: Evaluation) -> go.Figure | None:
    """A surface that can be turned, with a menu of choices."""
    names = (plot.x, plot.y, plot.z, plot.choice)
    table = columns_of_plot(evaluation, plot.table, names)
    if not table:
        return None
    scene = {
        f"{axis}axis": {"title": {"text": escaped(name)}}
        for axis, name in zip("xyz", names, strict=False)
    }
    drawn = figure(height=520, scene={**scene, "aspectmode": "cube", **EYE})
    grouped = groups(table, plot.choice)
    for part in grouped.values():
        drawn.add_surface(
            **_grid(part, plot),
            colorscale=SEQUENTIAL,
            colorbar={"thickness": 12, "outlinewidth": 0, "len": 0.7},
            hovertemplate="%{x:.4g}, %{y:.4g}: %{z:.4g}<extra></extra>",
        )
    menu(drawn, [str(choice) for choice in grouped])
    return drawn


def _grid(table: Columns, plot: Surface | Heat) -> dict[str, Any]:
    """A long table as a grid; what it does not have is a hole."""
    xs, ix = np.unique(np.array(table[plot.x], dtype=float), return_inverse=True)
    ys, iy = np.unique(np.array(table[plot.y], dtype=float), return_inverse=True)
    z = np.full((len(ys), len(xs)), np.nan)
    z[iy, ix] = np.array(table[plot.z], dtype=float)
    return {"x": packed(xs), "y": packed(ys), "z": packed(z)}


def heat(plot: Heat, evaluation: Evaluation) -> go.Figure | None:
    """Maps in colours, with a menu of choices or side by side."""
    names = (plot.x, plot.y, plot.z, plot.choice)
    table = columns_of_plot(evaluation, plot.table, names)
    if not table:
        return None
    grouped = groups(table, plot.choice)
    if plot.across:
        return _panels(plot, grouped)
    drawn = figure(height=480, xaxis=titled(plot.x), yaxis=titled(plot.y))
    for part in grouped.values():
        drawn.add_heatmap(**_map(part, plot), **_colours(plot, "z"))
    menu(drawn, [str(choice) for choice in grouped])
    return drawn


def _map(table: Columns, plot: Heat) -> dict[str, Any]:
    """One map without its colours."""
    cells = _grid(table, plot)
    if plot.log:
        cells["customdata"] = cells["z"]
        with np.errstate(divide="ignore", invalid="ignore"):
            powers = np.log10(np.asarray(cells["z"], dtype=float))
        cells["z"] = packed(np.where(np.isfinite(powers), powers, np.nan))
    value = "%{customdata:.3g}" if plot.log else "%{z:.4g}"
    return {**cells, "hovertemplate": f"%{{x:.4g}}, %{{y:.4g}}: {value}<extra></extra>"}


def _colours(plot: Heat, axis: str) -> dict[str, Any]:
    """The scale of colours of one map (`axis` z), or of all (c)."""
    bar = {"thickness": 12, "outlinewidth": 0, "title": {"text": escaped(plot.z)}}
    if plot.log:
        bar |= {"tickprefix": "10<sup>", "ticksuffix": "</sup>", "dtick": 2}
    scale = {"colorscale": SEQUENTIAL, "colorbar": bar}
    if plot.limits is None:
        return scale
    low, high = np.log10(plot.limits) if plot.log else plot.limits
    return {**scale, f"{axis}min": float(low), f"{axis}max": float(high)}


def _panels(plot: Heat, grouped: dict[Any, Columns]) -> go.Figure:
    """Maps side by side, in one scale of colours."""
    down = -(-len(grouped) // plot.across)
    made = make_subplots(
        down,
        plot.across,
        shared_xaxes=True,
        shared_yaxes=True,
        subplot_titles=[escaped(name) for name in grouped],
        vertical_spacing=0.2 / down,
        horizontal_spacing=0.03,
        x_title=escaped(plot.x),
        y_title=escaped(plot.y),
        figure=figure(height=90 + 190 * down, coloraxis=_colours(plot, "c")),
    )
    for k, part in enumerate(grouped.values()):
        row, col = k // plot.across + 1, k % plot.across + 1
        trace = go.Heatmap(**_map(part, plot), coloraxis="coloraxis")
        made.add_trace(trace, row, col)
        # The last of a column has numbers below it, wherever it ends.
        last = k + plot.across >= len(grouped)
        made.update_xaxes(showticklabels=last, row=row, col=col)
    made.update_layout(margin={"l": 62, "b": 56})
    made.update_xaxes(tickfont_size=10)
    made.update_annotations(font_size=12)
    return made


def bars(plot: Bars, evaluation: Evaluation) -> go.Figure | None:
    """Histograms in panels of one scale, two side by side at most."""
    table = columns_of_plot(evaluation, plot.table, (plot.x, plot.y, plot.by))
    if not table:
        return None
    grouped = groups(table, plot.by)
    across = 2 if len(grouped) > 2 else 1
    down = -(-len(grouped) // across)
    drawn = figure(height=90 + (300 if down == 1 else 190 * down), bargap=0.06)
    made = make_subplots(
        down,
        across,
        shared_xaxes=True,
        shared_yaxes="all",  # type: ignore[arg-type]  # declared as a bool alone
        subplot_titles=[escaped(name) for name in grouped],
        vertical_spacing=0.24 / down if down > 1 else 0.0,
        horizontal_spacing=0.06,
        x_title=escaped(plot.x),
        y_title=escaped(plot.y),
        figure=drawn,
    )
    for k, (name, part) in enumerate(grouped.items()):
        row, col = k // across + 1, k % across + 1
        # Panels have titles: a colour tells units apart, and nothing else.
        made.add_trace(_bar(part, plot, looks([name])[0]), row, col)
        # The last of a column has numbers below it, wherever it ends.
        last = k + across >= len(grouped)
        made.update_xaxes(showticklabels=last, row=row, col=col)
    made.update_layout(showlegend=False, margin={"l": 62, "b": 56})
    made.update_annotations(font_size=12)
    return made


def _bar(table: Columns, plot: Bars, look: Look) -> go.Bar:
    texts = any(isinstance(v, str) for v in table[plot.x])
    return go.Bar(
        x=[escaped(v) for v in table[plot.x]] if texts else packed(table[plot.x]),
        y=packed(table[plot.y]),
        marker={"color": look.colour, "line": {"width": 0}},
        hovertemplate="%{x}: %{y:.4g}<extra></extra>",
    )


def lines(plot: Lines, evaluation: Evaluation) -> go.Figure | None:
    """Lines in bands, and dashed ones of theory."""
    extra = (plot.by, plot.low, plot.high, plot.dashed)
    names = (plot.x, plot.y, *extra)
    table = columns_of_plot(evaluation, plot.table, names, plot.only)
    if not table:
        return None
    scales = [
        {"type": "log", "exponentformat": "power"} if log else {}
        for log in (plot.log_x, plot.log_y)
    ]
    drawn = figure(xaxis=titled(plot.x, **scales[0]), yaxis=titled(plot.y, **scales[1]))
    grouped = groups(table, plot.by)
    for look, (name, part) in zip(looks(list(grouped)), grouped.items(), strict=True):
        for trace in _line(part, plot, name, look):
            drawn.add_scatter(**trace)
    if plot.dashed:
        key = {"color": GREY, "dash": "dash", "width": 2}
        drawn.add_scatter(
            x=[None], y=[None], mode="lines", line=key, name=escaped(plot.dashed)
        )
    drawn.update_layout(showlegend=bool(plot.by or plot.dashed))
    return drawn


def _line(table: Columns, plot: Lines, name: Any, look: Look) -> list[dict[str, Any]]:
    text = any(isinstance(v, str) for v in table[plot.x])
    x = [escaped(v) for v in table[plot.x]] if text else packed(table[plot.x])
    shared = {"x": x, "legendgroup": escaped(name), "mode": "lines"}
    quiet = {**shared, "showlegend": False, "hoverinfo": "skip"}
    few: dict[str, Any] = {"maxdisplayed": MOST_MARKERS} if len(x) > 30 else {}
    traces = []
    if plot.low and plot.high:
        edge = {**quiet, "line": {"width": 0}}
        filled = {"fill": "tonexty", "fillcolor": tint(look.colour)}
        traces.append({**edge, "y": packed(table[plot.low])})
        traces.append({**edge, **filled, "y": packed(table[plot.high])})
    if plot.dashed:
        theory = look.line(dash="dash", width=1.5)
        traces.append({**quiet, "y": packed(table[plot.dashed]), "line": theory})
    traces.append(
        {
            **shared,
            "y": packed(table[plot.y]),
            "mode": "lines+markers",
            "name": escaped(name) if name != "" else escaped(plot.y),
            # Where dashes are theory, markers alone tell apart lines of one colour.
            "line": look.line(**({"dash": DASHES[0]} if plot.dashed else {})),
            "marker": look.marker(size=7, **few),
            "hovertemplate": "%{x}: %{y:.4g}<extra>%{fullData.name}</extra>",
        }
    )
    return traces

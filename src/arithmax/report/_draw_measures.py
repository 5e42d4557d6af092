"""Plots of what arms are together: measures with intervals, and success rates."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from ..statistics import Interval, Range
from ..studies import MEASURES, ArmRuns, Evaluation, Grid, Measured, Published
from ._looks import Look, looks, unit_of
from ._style import (
    GREY,
    SEQUENTIAL,
    escaped,
    figure,
    menu,
    packed,
    titled,
)
from ._text import REDUCED, interval

# What the legend says of published figures, whatever their colour.
HOLLOW: dict[str, Any] = {
    "x": [None],
    "y": [None],
    "name": "published",
    "mode": "markers",
    "marker": {"color": GREY, "symbol": "circle-open", "size": 9, "line": {"width": 2}},
}
# A run that was shorter than the published one is paler, and says so in the legend.
PALE = 0.4
SHORTER: dict[str, Any] = {
    "x": [None],
    "y": [None],
    "name": f"{REDUCED} paler: reduced run",
    "mode": "markers",
    "marker": {"color": GREY, "symbol": "circle", "size": 9, "opacity": PALE},
}
HOVER = "%{customdata[0]}<br>%{customdata[1]}<extra></extra>"


def label(runs: ArmRuns, name: str) -> str | int | float:
    """A label of an arm; all of them where it has none of that name."""
    return runs.arm.labels.get(name, runs.arm.name) if name else ""


def distinct(values: Sequence[Any]) -> list[Any]:
    """Values once each, in the order in which they come."""
    return list(dict.fromkeys(values))


def apart(arms: Sequence[ArmRuns], *names: str) -> list[str]:
    """What tells arms apart that have the same labels of these names, if anything."""
    places = [tuple(label(f, name) for name in names) for f in arms]
    if len(set(places)) == len(places):
        return [""] * len(places)
    rest = [[str(v) for n, v in f.arm.labels.items() if n not in names] for f in arms]
    return [", ".join(values) for values in rest]


def places(values: Sequence[str | int | float]) -> dict[str | int | float, int]:
    """Where each value of a label stands: side by side, numbers in their order.

    Numbers are not to scale either, so that series can stand beside each other even
    where two numbers are close.
    """
    names = distinct(values)
    if not any(isinstance(name, str) for name in names):
        names = sorted(names)
    return {name: i for i, name in enumerate(names)}


def measured(plot: Measured, evaluation: Evaluation) -> go.Figure | None:
    """Ours as filled markers with error bars, published ones hollow beside them."""
    arms = evaluation.arm_runs
    if not any(runs.ours(plot.measure) for runs in arms):
        return None
    at = places([label(runs, plot.x) for runs in arms])
    axis = {"tickvals": list(at.values()), "ticktext": [escaped(name) for name in at]}
    axis |= {"range": [-0.6, len(at) - 0.4], "zeroline": False}
    # Without a label that has a colour, units along the axis have theirs.
    by = plot.by or (plot.x if all(map(unit_of, at)) else "")
    series = distinct([label(runs, by) for runs in arms])
    side = len(series) if plot.by else 1
    chosen, look = apart(arms, plot.x, plot.by), looks(series)
    drawn = figure(xaxis=titled(plot.x, **axis), yaxis=_scale(plot))
    choices, named, floor = [], set(), _floor(arms, plot)
    for of_series, choice, i, ours in _series(arms, chosen, series, by):
        shift = 0.7 * (((i if plot.by else 0) + 0.5) / side - 0.5)
        shift += (not ours) * 0.2 / side
        if points := _points(of_series, plot, at, shift, ours, floor):
            first = (choice, i) not in named and by == plot.by
            marked = _marked(series[i], look[i], ours)
            if ours and (opacity := _opacities(of_series, plot.measure)):
                marked["marker"]["opacity"] = opacity
            points["error_y"]["color"] = look[i].colour  # a marker may be tinted
            drawn.add_scatter(**points, **marked, showlegend=first)
            choices.append(choice)
            named.add((choice, i))
    if any(runs.arm.published.get(plot.measure) for runs in arms):
        drawn.add_scatter(**HOLLOW)
        choices.append(None)
    if any(runs.reduced and runs.ours(plot.measure) for runs in arms):
        drawn.add_scatter(**SHORTER)
        choices.append(None)
    menu(drawn, choices)
    return drawn


def _series(
    arms: list[ArmRuns], chosen: list[str], series: list[Any], by: str
) -> Iterator[tuple[list[ArmRuns], str, int, bool]]:
    """Arms that are drawn as one trace, ours and published, of every choice."""
    for choice in distinct(chosen):
        here = [f for f, c in zip(arms, chosen, strict=True) if c == choice]
        for i, name in enumerate(series):
            of_series = [runs for runs in here if label(runs, by) == name]
            yield of_series, choice, i, True
            yield of_series, choice, i, False


def _scale(plot: Measured) -> dict[str, Any]:
    name = MEASURES[plot.measure]
    if plot.measure == "success":
        return titled(f"{name}, %", range=[-3, 103], zeroline=False)
    written = "power" if plot.measure == "sparsity" else "SI"
    scale = {"type": "log"} if plot.log else {"rangemode": "tozero"}
    return titled(name, exponentformat=written, **scale)


def _marked(name: Any, look: Look, ours: bool) -> dict[str, Any]:
    """Filled for ours, hollow for published, of one colour."""
    return {
        "mode": "markers",
        "name": escaped(name) if name != "" else "ours",
        "legendgroup": escaped(name),
        "marker": look.marker(published=not ours, size=9),
    }


def _opacities(arms: list[ArmRuns], measure: str) -> list[float]:
    """Full runs in their colour, reduced ones paler; nothing if none is reduced."""
    shown = [runs for runs in arms if runs.ours(measure) is not None]
    if not any(runs.reduced for runs in shown):
        return []
    return [PALE if runs.reduced else 1.0 for runs in shown]


def _floor(arms: list[ArmRuns], plot: Measured) -> float:
    """Where a logarithmic axis draws zero: at the least number that is not."""
    shown = [_figure(f, plot.measure, ours) for f in arms for ours in (True, False)]
    ends = [end for s in shown if s is not None for end in _ends(s) if end > 0]
    return min(ends, default=0.0) if plot.log else 0.0


def _points(
    arms: list[ArmRuns],
    plot: Measured,
    at: Mapping[Any, int],
    shift: float,
    ours: bool,
    floor: float,
) -> dict[str, Any]:
    """The figures of a series with error bars and what is said of them."""
    pairs = [(f, _figure(f, plot.measure, ours)) for f in arms]
    kept = [(f, shown) for f, shown in pairs if shown is not None]
    if not kept:
        return {}
    scale = 100.0 if plot.measure == "success" else 1.0
    values, lows, highs = zip(*(_ends(shown) for _, shown in kept), strict=True)
    y, low, high = (
        scale * np.maximum(np.array(v, dtype=float), floor)
        for v in (values, lows, highs)
    )
    return {
        "x": packed([at[label(f, plot.x)] + shift for f, _ in kept]),
        "y": packed(y),
        "error_y": {
            "type": "data",
            "symmetric": False,
            "array": packed(high - y),
            "arrayminus": packed(y - low),
            "thickness": 1.5 if ours else 1,
            "width": 3,
        },
        "customdata": [_hover(f, plot.measure, shown, ours) for f, shown in kept],
        "hovertemplate": HOVER,
    }


def _figure(
    runs: ArmRuns, measure: str, ours: bool
) -> Interval | Range | Published | None:
    return runs.ours(measure) if ours else runs.arm.published.get(measure)


def _ends(shown: Interval | Range | Published) -> tuple[float, float, float]:
    """Value, low and high; an end that is missing or infinite has no error bar."""
    if isinstance(shown, Range):  # which is no error
        return shown.value, shown.value, shown.value
    ends = (
        shown.value if end is None or not math.isfinite(end) else end
        for end in (shown.low, shown.high)
    )
    low, high = ends
    # Clipped values may have a mean beyond the interval; no error bar is negative.
    return shown.value, min(low, shown.value), max(high, shown.value)


def _hover(
    runs: ArmRuns, measure: str, shown: Interval | Range | Published, ours: bool
) -> list[str]:
    """Two lines for the pointer: which arm, and what was found."""
    parts = [("ours " if ours else "published ") + interval(measure, shown)]
    if ours and runs.summary:
        parts.append(f"{runs.summary.solved} of {runs.summary.total} solved")
    compared = {c.measure: c for c in runs.comparisons}
    if measure in compared:
        verdict, remark = compared[measure].verdict, compared[measure].remark
        parts.append(f"{verdict} ({remark})" if remark else str(verdict))
    if runs.reduced:
        parts.append(f"reduced: {runs.reduced}")
    return [escaped(runs.arm.name), "<br>".join(escaped(part) for part in parts)]


def grid(plot: Grid, evaluation: Evaluation) -> go.Figure | None:
    """Success rates in cells."""
    arms = [runs for runs in evaluation.arm_runs if runs.summary]
    if not arms:
        return None
    xs = list(places([label(runs, plot.x) for runs in arms]))
    ys = list(places([label(runs, plot.y) for runs in arms]))
    chosen = apart(arms, plot.x, plot.y)
    # A choice has the lines that it has cells in.
    shown = {choice: set() for choice in chosen}
    for f, choice in zip(arms, chosen, strict=True):
        shown[choice].add(label(f, plot.y))
    drawn = figure(
        height=130 + 34 * max(map(len, shown.values())),
        xaxis=titled(plot.x, type="category", showgrid=False),
        yaxis=titled(plot.y, type="category", autorange="reversed", showgrid=False),
    )
    for choice in distinct(chosen):
        of_choice = [f for f, c in zip(arms, chosen, strict=True) if c == choice]
        cells = {(label(f, plot.x), label(f, plot.y)): f for f in of_choice}
        lines = [y for y in ys if y in shown[choice]]
        drawn.add_heatmap(**_cells(cells, xs, lines))
    menu(drawn, distinct(chosen))
    return drawn


def _cells(cells: dict[tuple, ArmRuns], xs: list, ys: list) -> dict[str, Any]:
    lines = [[cells.get((x, y)) for x in xs] for y in ys]
    rates = [[f.ours("success") if f else None for f in row] for row in lines]
    texts = [[_cell_text(f) for f in row] for row in lines]
    return {
        "x": [escaped(x) for x in xs],
        "y": [escaped(y) for y in ys],
        "z": [[100 * r.value if r else None for r in row] for row in rates],
        "zmin": 0,
        "zmax": 100,
        "colorscale": SEQUENTIAL,
        "showscale": False,  # every cell says its number
        "text": [[_cell_number(f) for f in row] for row in lines],
        "texttemplate": "%{text}",
        "customdata": texts,
        "hovertemplate": "%{customdata}<extra></extra>",
        "hoverongaps": False,
        "xgap": 2,
        "ygap": 2,
    }


def _cell_number(runs: ArmRuns | None) -> str:
    """The rate in per cent, with the sign of a reduced run if it is one."""
    if runs is None or runs.summary is None:
        return ""
    rate = f"{100 * runs.summary.success.value:.0f}"
    return f"{rate} {REDUCED}" if runs.reduced else rate


def _cell_text(runs: ArmRuns | None) -> str:
    if runs is None or runs.summary is None:
        return ""
    solved = f"{runs.summary.solved} of {runs.summary.total} solved"
    lines = [runs.arm.name, interval("success", runs.summary.success), solved]
    if runs.reduced:
        lines.append(f"reduced: {runs.reduced}")
    return "<br>".join(escaped(line) for line in lines)

"""Plots of single runs: learning curves, every seed, learned weights."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from ..studies import ArmRuns, Convergence, Evaluation, Seeds, Weights
from ..studies._curves import quartiles
from ..studies._shown import examples
from ._draw_measures import apart, distinct, label
from ._looks import DASHES, MOST_MARKERS, Look, looks, tint, unit_of
from ._style import DIVERGING, GREY, escaped, figure, packed, titled
from ._text import number_text

GOLDEN = (math.sqrt(5) - 1) / 2
UNSOLVED = ("not solved", "diverged")
WIDE = 12  # columns of a matrix that has a row of plots to itself
SEED = (
    "seed %{customdata[0]}<br>%{customdata[1]}"
    "<br>extrapolation error %{customdata[2]}"
    "<br>sparsity error %{customdata[3]}<extra></extra>"
)
Only = Mapping[str, str | int | float]


def chosen_arms(evaluation: Evaluation, only: Only) -> list[ArmRuns]:
    """The arms with these labels that were run."""
    return [
        runs
        for runs in evaluation.arm_runs
        if runs.rows and all(runs.arm.labels.get(n) == v for n, v in only.items())
    ]


def series(arms: list[ArmRuns], by: str) -> list[str]:
    """A name for each arm: its label, with others where that is not enough."""
    rest = apart(arms, by)
    names = [str(label(runs, by)) for runs in arms]
    return [f"{n}, {r}" if r else n for n, r in zip(names, rest, strict=True)]


def convergence(plot: Convergence, evaluation: Evaluation) -> go.Figure | None:
    """The median of each arm's seeds as a line in a band of quartiles."""
    arms = chosen_arms(evaluation, plot.only)
    names = series(arms, plot.by)
    runs = {r["run"]: n for f, n in zip(arms, names, strict=True) for r in f.rows}
    curves = quartiles(evaluation.results, runs)
    if not curves:
        return None
    log = _spans_decades(curves)
    shown = {n: _drawable(curves[n], log) for n in names if n in curves}
    errors = np.concatenate([rows[:, 1:].ravel() for rows in shown.values()])
    if not (errors > 0).any():
        return None
    floor = float(errors[errors > 0].min())
    drawn = figure(
        xaxis=titled("step", type="log" if log else "linear", exponentformat="SI"),
        yaxis=titled("extrapolation error", type="log", exponentformat="power"),
    )
    for name, look in zip(names, _arm_looks(arms, plot.by), strict=True):
        for trace in _band(name, look, shown[name], floor) if name in shown else ():
            drawn.add_scatter(**trace)
    steps = np.concatenate([rows[:, 0] for rows in shown.values()])
    for trace in _thresholds(arms, float(steps.min()), float(steps.max())):
        drawn.add_scatter(**trace)
    return drawn


def _arm_looks(arms: list[ArmRuns], by: str) -> list[Look]:
    """The look of each arm's label; a dash for each further arm of that label."""
    values = [label(runs, by) for runs in arms]
    known = dict(zip(distinct(values), looks(distinct(values)), strict=True))
    return [
        replace(known[value], dash=DASHES[values[:k].count(value) % len(DASHES)])
        if values.count(value) > 1
        else known[value]
        for k, value in enumerate(values)
    ]


def _spans_decades(curves: Mapping[str, np.ndarray]) -> bool:
    steps = np.concatenate([rows[:, 0] for rows in curves.values()])
    return bool((steps > 0).any() and steps.max() >= 100 * steps[steps > 0].min())


def _drawable(rows: np.ndarray, log: bool) -> np.ndarray:
    """Rows that have a place on the axes; a band that leaves the axis is cut there."""
    rows = rows[rows[:, 0] > 0] if log else rows
    rows = rows[np.isfinite(rows[:, 2])]
    rows[:, 3] = np.where(np.isfinite(rows[:, 3]), rows[:, 3], rows[:, 2])
    return rows


def _band(
    name: str, look: Look, rows: np.ndarray, floor: float
) -> list[dict[str, Any]]:
    """Quartiles and median; an error of exactly zero is drawn at the bottom.

    An arm without a finite median has a name in the legend and no line.
    """
    marker = look.marker(size=7, maxdisplayed=MOST_MARKERS)
    drawn = {"mode": "lines+markers", "line": look.line(), "marker": marker}
    if not len(rows):
        name = escaped(f"{name} (diverged)")
        return [{"x": [None], "y": [None], "name": name, **drawn}]
    step, low, middle, high = rows.T
    shared = {"x": packed(step), "legendgroup": name, "mode": "lines"}
    edge = {**shared, "line": {"width": 0}, "showlegend": False, "hoverinfo": "skip"}
    filled = {"fill": "tonexty", "fillcolor": tint(look.colour)}
    text = "step %{x:,}<br>median %{customdata:.3g}<extra>%{fullData.name}</extra>"
    return [
        {**edge, "y": packed(np.maximum(low, floor))},
        {**edge, **filled, "y": packed(np.maximum(high, floor))},
        {
            **shared,
            **drawn,
            "y": packed(np.maximum(middle, floor)),
            "customdata": packed(middle),
            "name": escaped(name),
            "hovertemplate": text,
        },
    ]


def _thresholds(arms: list[ArmRuns], first: float, last: float) -> list[dict[str, Any]]:
    values = {row["threshold"] for runs in arms for row in runs.rows}
    return [
        {
            "x": packed([first, last]),
            "y": packed([value, value]),
            "mode": "lines",
            "line": {"color": GREY, "dash": "dot", "width": 2},
            "name": "threshold",
            "legendgroup": "threshold",
            "showlegend": i == 0,
            "hovertemplate": "solved below %{y:.3g}<extra></extra>",
        }
        for i, value in enumerate(sorted(v for v in values if v > 0))
    ]


def seeds(plot: Seeds, evaluation: Evaluation) -> go.Figure | None:
    """One dot per seed: solved ones by their step, the others in a band above."""
    arms = chosen_arms(evaluation, plot.only)
    if not arms:
        return None
    rows = [row for runs in arms for row in runs.rows]
    bands = [o for o in UNSOLVED if any(row["outcome"] == o for row in rows)]
    solved = any(row["outcome"] == "solved" for row in rows)
    share = 0.12 * len(bands) if solved else 1.0
    names = [escaped(name) for name in series(arms, plot.by)]
    axis = {"tickvals": list(range(len(arms))), "ticktext": names}
    drawn = figure(
        height=(380 if solved else 100) + 40 * len(bands),
        showlegend=False,
        xaxis=titled(plot.by, **axis, range=[-0.6, len(arms) - 0.4], zeroline=False),
    )
    if solved:
        steps = titled("solved at step", type="log", domain=[0, 1 - share])
        drawn.update_layout(yaxis=steps)
    if bands:
        drawn.update_layout(**_bands(bands, min(1.02 - share, 0.98) * solved))
    for at, (runs, (name, look)) in enumerate(
        zip(arms, _seed_looks(arms, plot.by), strict=True)
    ):
        for outcome in ("solved", *bands):
            ended = [row for row in runs.rows if row["outcome"] == outcome]
            if ended:
                drawn.add_scatter(**_dots(ended, outcome, bands, at, look), name=name)
    return drawn


def _seed_looks(arms: list[ArmRuns], by: str) -> list[tuple[str, Look]]:
    """What has a colour, and the look: an arm's label, or the unit that it trains."""
    labels = [str(label(runs, by)) for runs in arms]
    names = [
        f.arm.name if unit_of(f.arm.name) and not unit_of(of_arm) else of_arm
        for f, of_arm in zip(arms, labels, strict=True)
    ]
    others = [name for name in distinct(names) if not unit_of(name)]
    known = dict(zip(others, looks(others), strict=True))
    # The axis tells arms of one unit apart.
    return [(escaped(n), known[n] if n in known else looks([n])[0]) for n in names]


def _bands(bands: list[str], low: float) -> dict[str, Any]:
    """A shaded axis above `low` for the runs that were not solved."""
    behind = {"type": "rect", "layer": "below", "line": {"width": 0}, "xref": "paper"}
    behind |= {"x0": 0, "x1": 1, "yref": "paper", "y0": low, "y1": 1}
    axis = titled("", domain=[low, 1], range=[-0.5, len(bands) - 0.5])
    ticks = {"tickvals": list(range(len(bands))), "ticktext": bands}
    return {
        "shapes": [{**behind, "fillcolor": tint(GREY)}],
        "yaxis2": {**axis, **ticks, "zeroline": False, "showgrid": False},
    }


def _dots(
    rows: list[dict[str, Any]], outcome: str, bands: list[str], at: int, look: Look
) -> dict[str, Any]:
    # Multiples of the golden ratio spread evenly, the same way each time.
    spread = (np.arange(1, len(rows) + 1) * GOLDEN) % 1 - 0.5
    solved = outcome == "solved"
    height = np.ones(len(rows)) * (0 if solved else bands.index(outcome))
    if solved:
        height = np.array([max(row["solved_at"], 1) for row in rows], dtype=float)
    else:
        height += 0.6 * ((np.arange(len(rows)) * math.sqrt(2)) % 1 - 0.5)
    return {
        "x": packed(at + 0.7 * spread),
        "y": packed(height),
        "yaxis": "y" if solved else "y2",
        "mode": "markers",
        "marker": look.marker(size=7 if solved else 5, opacity=0.75 if solved else 0.5),
        "customdata": [_hover(row) for row in rows],
        "hovertemplate": SEED,
    }


def _hover(row: Mapping[str, Any]) -> list[Any]:
    """What the pointer shows; as text, since infinity and NaN are no JSON."""
    errors = (number_text(row["extrapolation"]), number_text(row["sparsity"]))
    return [row["seed"], escaped(row.get("sentence", row["outcome"])), *errors]


def weights(plot: Weights, evaluation: Evaluation) -> go.Figure | None:
    """The matrices of the first solved and of the first unsolved seed."""
    arms = chosen_arms(evaluation, plot.only)
    if not arms:
        return None
    panels = [
        {
            f"{name}, seed {row['seed']}, {row['outcome']}": m
            for name, m in matrices.items()
        }
        for row, matrices in examples(arms[0], evaluation)
    ]
    return _drawn_matrices(panels) if panels else None


def _drawn_matrices(panels: list[dict[str, np.ndarray]]) -> go.Figure:
    """One column per seed, or one column for all where matrices are wide."""
    widest = max(m.shape[1] for panel in panels for m in panel.values())
    columns = 1 if widest > WIDE else len(panels)
    order = [[item for item in panel.items()] for panel in panels]
    listed = [item for row in zip(*order, strict=True) for item in row]
    if columns == 1:
        listed = [item for panel in order for item in panel]
    count = len(listed) // columns
    heights = [max(m.shape[0], 2) for _, m in listed[::columns]]
    between = 62 if count > 1 else 0  # pixels, for numbers and a title
    tall = sum(min(26 * h, 400) for h in heights) + between * (count - 1)
    drawn = figure(height=tall + 70, margin={"l": 12, "r": 12, "t": 40, "b": 30})
    made = make_subplots(
        count,
        columns,
        subplot_titles=[escaped(name) for name, _ in listed],
        row_heights=[min(h, 16) for h in heights],
        vertical_spacing=between / tall,
        horizontal_spacing=0.1,
        figure=drawn,
    )
    for k, (_, matrix) in enumerate(listed):
        row, col = k // columns + 1, k % columns + 1
        made.add_trace(_heat(matrix, k == 0), row, col)
        made.update_yaxes(dtick=_every(matrix.shape[0]), tick0=1, row=row, col=col)
        made.update_xaxes(dtick=_every(matrix.shape[1]), tick0=1, row=row, col=col)
    plain = {"showgrid": False, "zeroline": False, "automargin": True}
    made.update_yaxes(autorange="reversed", **plain)
    made.update_xaxes(**plain)
    made.update_annotations(font_size=12)
    return made


def _every(count: int) -> int:
    """How far apart ticks are, so that there are ten at most."""
    return next(step for step in (1, 2, 5, 10, 20, 50, count) if count <= 10 * step)


def _heat(matrix: np.ndarray, bar: bool) -> go.Heatmap:
    small = matrix.shape[1] <= 4
    return go.Heatmap(
        z=packed(matrix),
        x=list(range(1, matrix.shape[1] + 1)),
        y=list(range(1, matrix.shape[0] + 1)),
        zmin=-1,
        zmax=1,
        colorscale=DIVERGING,
        showscale=bar,
        colorbar={"thickness": 12, "outlinewidth": 0},
        texttemplate="%{z:.2f}" if small else None,
        hovertemplate="input %{x}, output %{y}: %{z:.4g}<extra></extra>",
        xgap=0 if matrix.shape[1] > WIDE else 1,  # gaps would hide narrow cells
        ygap=1,
    )

"""Plots of single runs: learning curves, and every seed."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import plotly.graph_objects as go

from ..studies import ArmRuns, Convergence, Evaluation, Seeds
from ..studies._curves import quartiles
from ._draw_measures import apart, distinct, label
from ._looks import DASHES, MOST_MARKERS, Look, looks, tint, unit_of
from ._style import GREY, escaped, figure, packed, titled
from ._text import number_text

GOLDEN = (math.sqrt(5) - 1) / 2
UNSOLVED = ("not solved", "diverged")
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
    arms = [a for a in chosen_arms(evaluation, plot.only) if not a.too_short]
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

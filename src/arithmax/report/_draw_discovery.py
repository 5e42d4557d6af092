"""Plots of a discovery: predictions against the truth, and rivals by complexity."""

from typing import Any

import numpy as np
import plotly.graph_objects as go

from ..discover import Account, Candidate, PartOfTable, readable
from ._looks import Look, looks
from ._style import GREY, escaped, figure, packed, titled

MOST_POINTS = 1500  # of each kind: more would be one blot, and a large page
DECADES = 1000.0  # from how many times its least value on a target has a log scale
SMALLEST = 1e-17  # an error of exactly zero is drawn here
ACCURACY = "true %{x:.5g}<br>predicted %{y:.5g}<extra>%{fullData.name}</extra>"
RESIDUAL = "true %{x:.5g}<br>left over %{y:.3g}<extra>%{fullData.name}</extra>"
PARTS = ("fitted", "held out", "outside")
LOOKS: dict[str, Look] = dict(
    zip(PARTS, looks(PARTS), strict=True)
)  # the same on every plot
LONGEST = 90  # signs of a formula beside the pointer


def accuracy_plot(told: Account) -> go.Figure:
    """What the formula gives against what is true, a dot for each row."""
    truth = np.concatenate([part.truth for part in told.parts])
    log = _spans_decades(truth)
    kind = {"type": "log", "exponentformat": "power"} if log else {}
    drawn = figure(
        height=480,
        xaxis=titled(f"true {told.target}", **kind),
        yaxis=titled(f"predicted {told.target}", **kind),
    )
    ends = packed([truth.min(), truth.max()])
    line = {"color": GREY, "dash": "dot", "width": 2}
    drawn.add_scatter(
        x=ends, y=ends, mode="lines", line=line, name="right", hoverinfo="skip"
    )
    for part in told.parts:
        if len(part.truth):
            dots = _dots(part, part.predicted, LOOKS[part.name])
            drawn.add_scatter(**dots, hovertemplate=ACCURACY)
    return drawn


def residual_plot(told: Account) -> go.Figure:
    """What is true minus what the formula gives, against what is true."""
    truth = np.concatenate([part.truth for part in told.parts])
    kind = {"type": "log"} if _spans_decades(truth) else {}
    drawn = figure(
        height=320,
        xaxis=titled(f"true {told.target}", exponentformat="power", **kind),
        yaxis=titled("true − predicted", exponentformat="power"),
    )
    for part in told.parts:
        if len(part.truth):
            dots = _dots(part, part.truth - part.predicted, LOOKS[part.name])
            drawn.add_scatter(**dots, hovertemplate=RESIDUAL)
    return drawn


def _spans_decades(truth: np.ndarray) -> bool:
    return bool(truth.min() > 0 and truth.max() > DECADES * truth.min())


def _dots(part: PartOfTable, height: np.ndarray, look: Look) -> dict[str, Any]:
    count = len(part.truth)
    shown = np.linspace(0, count - 1, min(count, MOST_POINTS)).round().astype(int)
    return {
        "x": packed(part.truth[shown]),
        "y": packed(height[shown]),
        "mode": "markers",
        "marker": look.marker(size=7, opacity=0.7),
        "name": f"{part.name} ({count:,} row{'s' * (count != 1)})",
    }


def front_plot(told: Account) -> go.Figure:
    """The error of the best formula of each complexity, held out and outside."""
    candidates = told.found.candidates
    drawn = figure(
        height=380,
        xaxis=titled("complexity", rangemode="tozero"),
        yaxis=titled("error", type="log", exponentformat="power"),
    )
    drawn.add_scatter(
        **_series("held out", [(c, c.held_out_error) for c in candidates])
    )
    far = [(c, c.extrapolation_error) for c in candidates]
    known = [(c, e) for c, e in far if e is not None and np.isfinite(e)]
    if known:
        drawn.add_scatter(**_series("outside", known))
    best = told.found.best
    drawn.add_scatter(
        x=[best.complexity],
        y=packed([max(best.held_out_error, SMALLEST)]),
        mode="markers",
        marker={"size": 17, "symbol": "circle-open", "line": {"width": 2}}
        | {"color": GREY},
        name="chosen",
        hoverinfo="skip",
    )
    return drawn


def _series(name: str, errors: list[tuple[Candidate, float]]) -> dict[str, Any]:
    look = LOOKS[name]
    return {
        "x": [candidate.complexity for candidate, _ in errors],
        "y": packed([max(error, SMALLEST) for _, error in errors]),
        "customdata": [escaped(short_text(c)) for c, _ in errors],
        "mode": "lines+markers",
        "line": look.line(),
        "marker": look.marker(size=8),
        "name": name,
        "hovertemplate": "%{customdata}<br>complexity %{x}<br>error %{y:.3g}"
        "<extra>%{fullData.name}</extra>",
    }


def short_text(candidate: Candidate) -> str:
    """A formula with rounded numbers, cut where it is too long to be read."""
    text = str(readable(candidate.formula))
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"

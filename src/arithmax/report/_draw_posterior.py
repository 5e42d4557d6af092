"""Plots of what is known of a formula: its constants, and its bands along columns."""

from typing import Any

import plotly.graph_objects as go

from ..bayes import Curve, InferredConstant, Uncertainty, interval_text
from ._looks import Look, looks, tint
from ._style import GREY, escaped, figure, packed, titled

MOST = 12  # constants that are drawn: a table has them all
STRIP, GAP = 62, 0.62  # pixels of a constant, and the share of them below its line
AROUND = 1.4  # lengths of half an interval that an axis shows on each side
SERIES = ("new measurements", "the formula")
LOOKS: dict[str, Look] = dict(zip(SERIES, looks(SERIES), strict=True))
DECADES = 1000.0  # from how many times its least value on a band has a log scale


def constants_plot(sure: Uncertainty) -> go.Figure:
    """A strip for each constant that was inferred: its interval on an axis of its own.

    Constants have sizes and spreads of all orders, so that no axis could show several.
    A diamond marks the number that the formula names, if it names one.
    """
    shown = [constant for constant in sure.constants if not constant.held][:MOST]
    drawn = figure(height=STRIP * max(len(shown), 1) + 44)
    for place, constant in enumerate(shown):
        _strip(drawn, constant, place, len(shown))
        _marks(drawn, constant, place, sure.share)
    return drawn


def _strip(
    drawn: go.Figure, constant: InferredConstant, place: int, count: int
) -> None:
    """The axes of a constant: as wide as its interval asks for, and as tall."""
    top = 1 - place / count
    bottom = top - (1 - GAP) / count
    marginal, number, _ = constant
    named = [number.value] if number.exact else []
    low, high = (f(marginal.low, marginal.high, *named) for f in (min, max))
    middle, half = (low + high) / 2, AROUND * (high - low) / 2
    at = "" if place == 0 else str(place + 1)
    across = {"domain": [0, 1], "anchor": f"y{at}", "nticks": 5, "zeroline": False}
    across |= {"range": [middle - half, middle + half]} if half > 0 else {}
    up = {"domain": [bottom, top], "anchor": f"x{at}", "range": [-1, 1]}
    up |= {"visible": False, "fixedrange": True}
    drawn.update_layout({f"xaxis{at}": across, f"yaxis{at}": up})
    drawn.add_annotation(
        text=escaped(f"{marginal.name}: {marginal}"),
        showarrow=False,
        x=0,
        y=top,
        xref="paper",
        yref="paper",
        xanchor="left",
        yanchor="bottom",
    )


def _marks(
    drawn: go.Figure, constant: InferredConstant, place: int, share: str
) -> None:
    marginal, number, _ = constant
    look, at = LOOKS["the formula"], "" if place == 0 else str(place + 1)
    common: dict[str, Any] = {"xaxis": f"x{at}", "yaxis": f"y{at}"}
    common |= {"showlegend": place == 0}
    text = escaped(f"{marginal.name}: {interval_text(marginal)}")
    # Constants may be known to more digits than `packed` keeps.
    drawn.add_scatter(
        x=[marginal.low, marginal.mean, marginal.high],
        y=[0, 0, 0],
        mode="lines+markers",
        line=look.line(width=3),
        marker={"color": look.colour, "size": 9, "symbol": ["line-ns", "circle"]}
        | {"line": {"width": 2, "color": look.colour}},
        name=f"{share} interval and mean",
        legendgroup="interval",
        hovertemplate=f"{text}<extra></extra>",
        **common,
    )
    if number.exact:
        drawn.add_scatter(
            x=[number.value],
            y=[0],
            mode="markers",
            marker={"color": GREY, "size": 13, "symbol": "diamond-open"}
            | {"line": {"width": 2}},
            name="named by the formula",
            legendgroup="named",
            hovertemplate=f"{escaped(number)}<extra>%{{fullData.name}}</extra>",
            **common,
        )


def band_plot(curve: Curve, target: str, share: str) -> go.Figure:
    """Predictions along a column with their bands; the range of the rows is shaded."""
    kind = {"type": "log", "exponentformat": "power"}
    low, high = curve.measured.low, curve.measured.high
    tall = bool(low.min() > 0 and high.max() > DECADES * low.min())
    drawn = figure(
        height=360,
        xaxis=titled(curve.column, **kind if curve.logarithmic else {}),
        yaxis=titled(target, exponentformat="power", **kind if tall else {}),
    )
    drawn.add_vrect(*curve.inside, fillcolor=GREY, opacity=0.15, line_width=0)
    for name, band in zip(SERIES, (curve.measured, curve.function), strict=True):
        _band(drawn, curve, band, name, share)
    drawn.add_scatter(
        x=packed(curve.values),
        y=packed(curve.function.mean),
        mode="lines",
        line=LOOKS["the formula"].line(),
        name="mean",
        hovertemplate="%{x:.4g}: %{y:.4g}<extra>mean</extra>",
    )
    return drawn


def _band(drawn: go.Figure, curve: Curve, band: Any, name: str, share: str) -> None:
    """The area between the ends of intervals: two lines, the second filled down."""
    edge = {"width": 0.5, "color": LOOKS[name].colour}
    common: dict[str, Any] = {"x": packed(curve.values), "mode": "lines", "line": edge}
    common |= {"legendgroup": name}
    below = {"showlegend": False, "hoverinfo": "skip"}
    drawn.add_scatter(y=packed(band.low), **common, **below)
    drawn.add_scatter(
        y=packed(band.high),
        fill="tonexty",
        fillcolor=tint(LOOKS[name].colour, 0.3),
        name=f"{name}, {share}",
        customdata=packed(band.low),
        hovertemplate="%{x:.4g}: %{customdata:.4g} to %{y:.4g}"
        "<extra>%{fullData.name}</extra>",
        **common,
    )

"""Plots of what is known of a formula: its constants, and its bands along columns."""

from typing import Any

import numpy as np
import plotly.graph_objects as go

from ..bayes import Band, Curve, InferredConstant, Uncertainty, interval_text
from ._looks import Look, looks, tint
from ._style import GREY, escaped, figure, packed, titled

MOST = 12  # constants that are drawn: a table has them all
STRIP = 66  # pixels of a constant
NAMED, TICKS = 0.32, 0.32  # shares of them for its name, and for numbers below
AROUND = 1.4  # lengths of half an interval that an axis shows on each side
SERIES = ("new measurements", "the formula")
LOOKS: dict[str, Look] = dict(zip(SERIES, looks(SERIES), strict=True))
ROUNDING = 1e-9  # of the size of predictions: narrower bands are of arithmetic
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
        _interval(drawn, constant, place, sure.share)
    named = [i for i, constant in enumerate(shown) if constant.number.exact]
    for place in named:
        _named(drawn, shown[place], place, showlegend=place == named[0])
    return drawn


def _strip(
    drawn: go.Figure, constant: InferredConstant, place: int, count: int
) -> None:
    """The axes of a constant: as wide as its interval asks for, and as tall."""
    top = 1 - (place + NAMED) / count
    bottom = 1 - (place + 1 - TICKS) / count
    marginal, number, _ = constant
    named = [number.value] if number.exact else []
    low, high = (f(marginal.low, marginal.high, *named) for f in (min, max))
    middle, half = (low + high) / 2, AROUND * (high - low) / 2
    at = _axis(place)
    across = {"domain": [0, 1], "anchor": f"y{at}", "nticks": 5, "zeroline": False}
    across |= {"exponentformat": "power"}  # not 200n for 2e-7
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


def _axis(place: int) -> str:
    """What Plotly writes behind x and y for the axes of a place."""
    return "" if place == 0 else str(place + 1)


def _interval(
    drawn: go.Figure, constant: InferredConstant, place: int, share: str
) -> None:
    marginal, look = constant.marginal, LOOKS["the formula"]
    text = escaped(f"{marginal.name}: {interval_text(marginal)}")
    # Constants may be known to more digits than `packed` keeps.
    drawn.add_scatter(
        x=[marginal.low, marginal.mean, marginal.high],
        y=[0, 0, 0],
        mode="lines+markers",
        line=look.line(width=3),
        marker={**look.marker(size=10), "symbol": ["line-ns", "circle", "line-ns"]},
        name=f"{share} interval and mean",
        legendgroup="interval",
        showlegend=place == 0,
        hovertemplate=f"{text}<extra></extra>",
        xaxis=f"x{_axis(place)}",
        yaxis=f"y{_axis(place)}",
    )


def _named(
    drawn: go.Figure, constant: InferredConstant, place: int, showlegend: bool
) -> None:
    number = constant.number
    marker = {"color": GREY, "size": 14, "symbol": "diamond-open"}
    drawn.add_scatter(
        x=[number.value],
        y=[0],
        mode="markers",
        marker={**marker, "line": {"width": 2}},
        name="named by the formula",
        legendgroup="named",
        showlegend=showlegend,
        hovertemplate=f"{escaped(number)}<extra>%{{fullData.name}}</extra>",
        xaxis=f"x{_axis(place)}",
        yaxis=f"y{_axis(place)}",
    )


def band_plot(curve: Curve, target: str, share: str) -> go.Figure:
    """Predictions along a column with their bands; the range of the rows is shaded.

    Bands are often narrower than a line. Below the curve they are drawn once more,
    around the mean, on an axis of their own; unless they are nothing but rounding.
    """
    seen = _is_wide(curve)
    drawn = figure(height=460 if seen else 300, **_panels(curve, target, seen))
    shade: dict[str, Any] = {"fillcolor": GREY, "opacity": 0.15, "line_width": 0}
    shade |= {"y0": 0, "y1": 1, "yref": "paper", "layer": "below"}
    drawn.add_shape(type="rect", x0=curve.inside[0], x1=curve.inside[1], **shade)
    for name, band in zip(SERIES, (curve.measured, curve.function), strict=True):
        _band(drawn, curve, band, name, share)
        if seen:
            around = band._replace(low=band.low - band.mean, high=band.high - band.mean)
            _band(drawn, curve, around, name, share, yaxis="y2", showlegend=False)
    drawn.add_scatter(
        x=packed(curve.values),
        y=packed(curve.function.mean),
        mode="lines",
        line=LOOKS["the formula"].line(),
        name="mean",
        hovertemplate="%{x:.4g}: %{y:.4g}<extra>mean</extra>",
    )
    return drawn


def _is_wide(curve: Curve) -> bool:
    """Whether bands are more than the rounding of arithmetic."""
    width = curve.measured.high - curve.measured.low
    known = np.isfinite(width)
    size = np.abs(curve.function.mean[known])
    return bool(known.any() and width[known].max() > ROUNDING * size.max())


def _panels(curve: Curve, target: str, two: bool) -> dict[str, Any]:
    """The axes of a curve, and of the bands below it."""
    log = {"type": "log"}
    mean, low = curve.function.mean, curve.measured.low.min()
    tall = bool(low > 0 and mean.max() > DECADES * mean.min())
    across = titled(
        curve.column, exponentformat="power", **log if curve.logarithmic else {}
    )
    upper = titled(target, exponentformat="power", **log if tall else {})
    lower = titled("from the mean", exponentformat="power")
    if not two:
        return {"xaxis": across, "yaxis": upper}
    return {
        "xaxis": {**across, "anchor": "y2"},
        "yaxis": {**upper, "domain": [0.42, 1]},
        "yaxis2": {**lower, "domain": [0, 0.34]},
    }


def _band(
    drawn: go.Figure, curve: Curve, band: Band, name: str, share: str, **options: Any
) -> None:
    """The area between the ends of intervals: two lines, the second filled down."""
    edge = {"width": 0.5, "color": LOOKS[name].colour}
    common: dict[str, Any] = {"x": packed(curve.values), "mode": "lines", "line": edge}
    common |= {"legendgroup": name, **options}
    hidden = {"showlegend": False, "hoverinfo": "skip"}
    drawn.add_scatter(y=packed(band.low), **{**common, **hidden})
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

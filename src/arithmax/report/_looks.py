"""One colour and one symbol for each unit, on every plot of every page.

A filled symbol is a figure of ours, a hollow one of the same shape and colour is
published. What is no unit (a range, a start, an operation) has another palette.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

# Okabe and Ito's colours, which the colour-blind can tell apart, and more between them;
# all are darkened or lightened to a contrast of 3 to 1 on white and on a dark page.
# Symbols tell apart what some eyes see in one colour.
BLUE, ORANGE, GREEN, PINK = "#0072b2", "#d55e00", "#009e73", "#b8639a"
OCHRE, SKY, VIOLET, RED = "#b07a00", "#3d93c4", "#8a63d2", "#c8385a"
TEAL, OLIVE, BROWN, SLATE = "#1b8a8f", "#7d8c1f", "#9a6242", "#6b7a8f"

# Every unit as papers and tables print it. No two have the same colour and symbol.
UNITS: dict[str, tuple[str, str]] = {
    "Linear": (SLATE, "circle"),
    "Dense": (SLATE, "square"),
    "LSTM": (SLATE, "star"),
    "ReLU": (SLATE, "diamond"),
    "ReLU6": (SLATE, "triangle-up"),
    "NAC₊": (SKY, "circle"),
    "NAC•": (ORANGE, "square"),
    "NAC•,σ": (RED, "triangle-down"),
    "NAC•,NMU": (OCHRE, "diamond"),
    "NAC•,NMU, no R_z": (BROWN, "diamond"),
    "NAC₊, R_z": (TEAL, "square"),
    "NALU": (GREEN, "diamond"),
    "NALU, untied": (RED, "diamond"),
    "NALU, ±1/√n": (PINK, "diamond"),
    "G-NALU": (TEAL, "star"),
    "SNALU": (GREEN, "star"),
    "NALU-sinh": (GREEN, "cross"),
    "iNALU": (OLIVE, "triangle-up"),
    "iNALU (sw)": (OLIVE, "triangle-left"),
    "iNALU (iw)": (RED, "triangle-right"),
    "iNALU (benchmark)": (OLIVE, "triangle-down"),
    "NAU": (VIOLET, "cross"),
    "NAU, no R_z": (PINK, "cross"),
    "NMU": (BLUE, "circle"),
    "NMU, no R_sparse": (ORANGE, "cross"),
    "NMU, no R_sparse, no clamp": (RED, "x"),
    "NMU, no clamp": (OCHRE, "x"),
    "NMU, no R_z": (SKY, "x"),
    "sNMU": (OCHRE, "hexagon"),
    "sNMU, PCC-MSE": (PINK, "hexagon2"),
    "sNMU, PCC-MSE, beta-NAU": (BROWN, "octagon"),
    "Gated NAU/NMU": (PINK, "star"),
    "NaiveNPU": (BROWN, "triangle-up"),
    "RealNaiveNPU": (RED, "triangle-up"),
    "NPU": (PINK, "pentagon"),
    "RealNPU": (OCHRE, "pentagon"),
    "RealNPU (modified)": (OCHRE, "star"),
    "NRU": (RED, "square"),
    "NMRU": (TEAL, "circle"),
    "GatedSignNMRU": (TEAL, "pentagon"),
    "MC-FC": (VIOLET, "star-triangle-up"),
    "MulMC-FC": (VIOLET, "star-square"),
    "MulMC-FC (benchmark)": (VIOLET, "star-diamond"),
    "MulMC-FC (iNALU sign)": (VIOLET, "hexagram"),
    "MulMC-FC (RealNPU sign)": (VIOLET, "star-triangle-down"),
    "Hill Space": (BROWN, "square"),
}
# Other spellings in the documents.
ALIASES = {
    "NAC+": "NAC₊",
    "NAC+, R_z": "NAC₊, R_z",
    "NALU shared": "NALU",
    "NALU separate": "NALU, untied",
}
# What is no unit, in the order in which a plot names it. No unit has these colours.
LABELS = ("#3f6fd1", "#b85c1e", "#2f8f4e", "#a352a0", "#8f7a1a", "#2a8fb0", "#b5485d")
LABELS += ("#7a7a7a",)
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross", "pentagon", "star")
DASHES = ("solid", "dash", "dot", "dashdot", "longdash")
OPEN = "-open"  # of published figures, on every plot
DOTTED = "-dot"  # of published figures of a further series of one unit
TINT = 0.6  # of the colour, in filled markers of a further series of one unit
MOST_MARKERS = 10  # on a line of many points


@dataclass(frozen=True)
class Look:
    """How a series is drawn.

    Args:
        colour: of lines, markers and bands.
        symbol: of its markers.
        dash: of its lines.
        again: whether another series of the plot has this colour and symbol.
    """

    colour: str
    symbol: str
    dash: str = DASHES[0]
    again: bool = False

    def line(self, **options: Any) -> dict[str, Any]:
        """A line for Plotly."""
        return {"color": self.colour, "dash": self.dash, "width": 2, **options}

    def marker(self, published: bool = False, **options: Any) -> dict[str, Any]:
        """A marker for Plotly: filled, or hollow if the figure is published.

        That of a further series is filled with a tint, or has a dot if it is hollow.
        """
        symbol = self.symbol + (OPEN + DOTTED * self.again) * published
        tinted = self.again and not published
        colour = tint(self.colour, TINT) if tinted else self.colour
        line = {"width": 2, "color": self.colour}
        return {"color": colour, "symbol": symbol, "line": line, **options}


def tint(colour: str, share: float = 0.18) -> str:
    """A colour that lets some of the page through, to fill an area with."""
    red, green, blue = (int(colour[k : k + 2], 16) for k in (1, 3, 5))
    return f"rgba({red},{green},{blue},{share})"


def unit_of(label: object) -> str:
    """The unit that a label names, as `UNITS` spells it; empty if it names none.

    Args:
        label: a unit, or a unit and its setting, in either order.

    Examples:
        >>> from arithmax.report._looks import unit_of
        >>> unit_of("NMU, no clamp"), unit_of("×, NALU shared"), unit_of("hidden 3")
        ('NMU, no clamp', 'NALU', '')
    """
    text = str(label)
    for name in sorted({*UNITS, *ALIASES}, key=len, reverse=True):
        if re.search(rf"(^|, ){re.escape(name)}($|, )", text):
            return ALIASES.get(name, name)
    return ""


def looks(names: Sequence[object]) -> list[Look]:
    """How the series of one plot are drawn.

    A unit looks the same on every plot. Where several series are of one unit, all but
    the first have tinted markers and another dash.

    Args:
        names: the series in their order, each once.

    Returns:
        A look for each.

    Examples:
        >>> from arithmax.report._looks import looks
        >>> [(look.symbol, look.again) for look in looks(["NMU", "NALU", "NMU, ×"])]
        [('circle', False), ('diamond', False), ('circle', True)]
    """
    units = [unit_of(name) for name in names]
    return [
        _of_unit(unit, units[:i].count(unit))
        if unit
        else _of_label(units[:i].count(""))
        for i, unit in enumerate(units)
    ]


def _of_unit(unit: str, k: int) -> Look:
    """The k-th series of a unit."""
    colour, symbol = UNITS[unit]
    return Look(colour, symbol, DASHES[k % len(DASHES)], k > 0)


def _of_label(i: int) -> Look:
    """The i-th series that is no unit; rounds of the palette differ in symbol, dash."""
    turn = i // len(LABELS)
    symbol = SYMBOLS[(i + turn) % len(SYMBOLS)]
    return Look(LABELS[i % len(LABELS)], symbol, DASHES[turn % len(DASHES)])

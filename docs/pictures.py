"""How the site draws a still picture: SVG, small, for light and for dark pages.

A picture is drawn once, in the colours of a light page; `dark` exchanges those that a
dark page would swallow. Colours mean the same everywhere: blue is right, orange is
wrong, grey is the truth, and the shaded part is where a network was trained.
"""

import re
from collections.abc import Sequence
from html import escape
from io import StringIO
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure

INK, FAINT, SHADE = "#26272b", "#c9cad1", "#e9eaf0"
GOOD, BAD = "#0072b2", "#d55e00"
DARK = {INK: "#e4e5ea", FAINT: "#50535d", SHADE: "#353842"}
DARK |= {GOOD: "#4aa8e0", BAD: "#f08a3c"}
BLUE = "#0171b1"  # of colour scales, which are the same on dark pages
RIGHT_IS_DARK = LinearSegmentedColormap.from_list("right", ["#fbe3cf", "#8fc1df", BLUE])
BAD_TO_GOOD = LinearSegmentedColormap.from_list("loss", ["#d65f01", "#f7f1ea", BLUE])
INCH = 72.0  # points, which are the units of an SVG
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, Arial, sans-serif"
STYLE: dict[str, Any] = {
    "svg.fonttype": "none",  # letters stay letters, to be searched and read aloud
    "svg.hashsalt": "arithmax",
    "font.size": 12,
    "axes.titlesize": 12,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
    "legend.fontsize": 12,
    "text.parse_math": False,
    **dict.fromkeys(("axes.edgecolor", "grid.color"), FAINT),
    **dict.fromkeys(("text.color", "axes.labelcolor"), INK),
    **dict.fromkeys(("xtick.color", "ytick.color"), FAINT),
    **dict.fromkeys(("xtick.labelcolor", "ytick.labelcolor"), INK),
}

matplotlib.rcParams.update(STYLE)


def axes(
    count: int, size: tuple[float, float], across: int = 0
) -> tuple[Figure, list[Axes]]:
    """A figure of so many pixels, and its panels.

    Args:
        count: how many panels there are.
        size: width and height of the figure.
        across: how many of them stand side by side; all, unless told.
    """
    across = across or count
    down = -(-count // across)
    figure = Figure((size[0] / INCH, size[1] / INCH), layout="constrained")
    panels = figure.subplots(down, across, squeeze=False).ravel().tolist()
    for spare in panels[count:]:
        spare.remove()
    return figure, panels[:count]


def shade(ax: Axes, ends: Sequence[float], text: str = "trained here") -> None:
    """Mark the range that a network was trained on."""
    ax.axvspan(ends[0], ends[1], color=SHADE, lw=0, zorder=0)
    if text:
        ax.annotate(
            text,
            ((ends[0] + ends[1]) / 2, 0.99),
            xycoords=("data", "axes fraction"),
            ha="center",
            va="top",
            fontsize=11,
        )


def drawn(figure: Figure) -> str:
    """A figure as the text of an SVG, for a light page."""
    text = StringIO()
    about = {"Date": None, "Creator": None}  # the same picture is the same file
    figure.savefig(text, format="svg", transparent=True, metadata=about)
    return small(text.getvalue())


def small(svg: str) -> str:
    """An SVG with a tenth of a pixel of precision, and the fonts of its reader."""
    svg = re.sub(r"<metadata>.*?</metadata>\s*", "", svg, flags=re.DOTALL)
    svg = re.sub(r'\b(?:d|x|y)="[^"]*"', _places, svg)
    svg = re.sub(r"font: ([^'\";]*?px) [^;\"]*", rf"font: \1 {FONT}", svg)
    return re.sub(r"\n\s+", "\n", svg)


def _places(match: re.Match[str]) -> str:
    return re.sub(r"-?\d+\.\d+", lambda n: f"{float(n[0]):.1f}", match[0])


def dark(svg: str) -> str:
    """The same picture for a dark page."""
    for light, other in DARK.items():
        svg = svg.replace(light, other)
    return svg


def save(svg: str, path: Path) -> None:
    """Write `PATH-light.svg` and `PATH-dark.svg`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    for name, text in (("light", svg), ("dark", dark(svg))):
        file = path.with_name(f"{path.name}-{name}.svg")
        file.write_text(text, encoding="utf-8")


def generated(uri: str, svg: str) -> list[tuple[str, str]]:
    """Files of the site with a picture: their addresses and what is in them."""
    return [(f"{uri}-light.svg", svg), (f"{uri}-dark.svg", dark(svg))]


def figure_html(
    address: str, caption: str, size: tuple[float, float], narrow: bool = False
) -> str:
    """A picture on a page: loaded when a reader comes near, as light as the page is.

    Args:
        address: of the picture, without what `generated` adds.
        caption: what stands below it, in HTML.
        size: in pixels, so that the page does not jump when it is loaded.
        narrow: whether there is another one for phones, at `ADDRESS-narrow`.
    """
    images = ""
    for name in ("light", "dark"):
        phone = (
            f'<source media="(max-width: 600px)" srcset="{address}-narrow-{name}.svg">'
        )
        image = (
            f'<img src="{address}-{name}.svg#only-{name}" alt="{_plain(caption)}" '
            f'loading="lazy" width="{size[0]:g}" height="{size[1]:g}">'
        )
        images += f"<picture>{phone}{image}</picture>" if narrow else image
    return f"<figure>{images}<figcaption>{caption}</figcaption></figure>"


def _plain(caption: str) -> str:
    """A caption without its links."""
    return escape(re.sub("<[^>]*>", "", caption))

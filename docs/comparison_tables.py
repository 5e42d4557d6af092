"""The tables and plots of the page that compares tools: `benchmarks/discover.py`.

MkDocs calls the functions that begin with `on_` by name. Nothing is computed here but
counts, medians and their intervals.
"""

import csv
import json
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import plotly.graph_objects as go

from arithmax.report._looks import LABELS, SYMBOLS
from arithmax.statistics import wilson

HERE = Path(__file__).parent
TOOLS = ("arithmax", "operon", "gplearn", "floor")
CLASSES = ("monomial", "polynomial", "rational", "radical")
WIDE = ("product of sums", "ratio of sums")
GROUPS = {"published": "published formulas", "own": "formulas of our own, test half"}
GROUPS |= {"wide": "wide tables"}
Z2 = 1.959963984540054**2
Rows = list[dict]


def on_page_markdown(markdown, page, config, files):
    """Put tables and plots where the page asks for them."""
    made: dict[str, Callable[[], str]] = {
        "recovery": recovery,
        "classes": classes,
        "wide": wide_table,
        "cost": cost,
        "lost": lost,
        "verdicts": verdicts,
        "settings": settings,
        "srbench": srbench,
        "recovery plot": recovery_plot,
        "time plot": time_plot,
    }
    for name, make in made.items():
        marker = f"<!-- comparison: {name} -->"
        if marker in markdown:
            markdown = markdown.replace(marker, make())
    return markdown


def rows(**wanted) -> Rows:
    """Rows with these values; `group` names a set as the page has them."""
    every = json.loads((HERE / "data" / "discover.json").read_text("utf-8"))["rows"]
    return [
        row
        for row in every
        if all((group(row) if k == "group" else row[k]) == v for k, v in wanted.items())
    ]


def group(row: dict) -> str:
    """What a row's formula belongs to; the half for development is no result."""
    if row["set"] == "wide":
        return "wide"
    if row["set"] != "Own":
        return "published"
    return "own" if int(row["id"].split("-")[1]) % 2 else "development"


def noises(name: str) -> list[float]:
    """The levels of noise at which a group was run."""
    return sorted({row["noise"] for row in rows(group=name)})


def budget() -> float:
    """CPU seconds that the other tools were given per formula."""
    return max((r["budget"] for r in rows() if r["tool"] != "arithmax"), default=60.0)


def limited(own: Rows) -> Rows:
    """Rows of answers that came within the budget, the others counted as not found."""
    late = {"exact": False, "structure": False}
    return [row if row["cpu"] <= 1.1 * budget() else row | late for row in own]


def found(own: Rows) -> str:
    """How many are exact, and in brackets how many have the structure."""
    if not own:
        return "—"
    exact = sum(row["exact"] for row in own)
    return f"{exact} ({sum(row['structure'] for row in own)}) of {len(own)}"


def table(head: Iterable[str], lines: Iterable[Iterable[str]]) -> str:
    """A table in Markdown, figures to the right."""
    listed = [list(head)]
    listed += [["---", *["---:"] * (len(listed[0]) - 1)], *map(list, lines)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in listed)


def recovery() -> str:
    """Exact (structure) by tool and noise, for each group of formulas."""
    parts = []
    for name in ("published", "own"):
        if not rows(group=name):
            continue
        head = [GROUPS[name], *(f"noise {noise:g}" for noise in noises(name))]
        lines = []
        for tool in TOOLS:
            cells = [rows(group=name, tool=tool, noise=n) for n in noises(name)]
            lines.append([tool, *map(found, cells)])
            if tool == "arithmax":
                label = f"arithmax, within {budget():g} s"
                lines.append([label, *(found(limited(c)) for c in cells)])
        parts.append(table(head, lines))
    return "\n\n".join(parts)


def classes() -> str:
    """Exact (structure) by class of formula, both groups together."""
    parts = []
    for noise in noises("published"):
        own = [r for r in rows(noise=noise) if group(r) in ("published", "own")]
        head = [f"noise {noise:g}", *CLASSES]
        lines = [
            [tool, *(of_class(own, tool, kind) for kind in CLASSES)] for tool in TOOLS
        ]
        parts.append(table(head, lines))
    return "\n\n".join(parts)


def of_class(own: Rows, tool: str, kind: str) -> str:
    """The entry of one tool and class."""
    return found([r for r in own if r["tool"] == tool and r["kind"] == kind])


def wide_table() -> str:
    """Exact (structure) and median CPU seconds by layout, width and noise."""
    own = rows(group="wide")
    if not own:
        return "No wide table was run."
    cells = sorted({(r["kind"], width(r), r["noise"]) for r in own})
    head = ["formula, inputs, noise", *TOOLS]
    lines = []
    for kind, columns, noise in cells:
        same = [
            r
            for r in own
            if (r["kind"], width(r), r["noise"]) == (kind, columns, noise)
        ]
        label = f"{kind}, {columns}, {noise:g}"
        lines.append([label, *(with_seconds(same, tool) for tool in TOOLS)])
    return table(head, lines)


def width(row: dict) -> int:
    """How many inputs a wide table has."""
    return int(row["id"].split("-")[1])


def with_seconds(own: Rows, tool: str) -> str:
    """How many were found, and what they cost."""
    own = [r for r in own if r["tool"] == tool]
    if not own:
        return "—"
    return f"{found(own)}, {np.median([r['cpu'] for r in own]):.2g} s"


def cost() -> str:
    """Errors outside of the range, sizes and CPU seconds."""
    head = ["tool, noise", "median error outside", "9 of 10 below", "median nodes"]
    head += ["CPU s, median", "CPU s, 95 %"]
    lines = []
    for noise in noises("published"):
        for tool in TOOLS:
            own = [r for r in rows(tool=tool, noise=noise) if group(r) in GROUPS]
            own = [r for r in own if group(r) != "wide"]
            if own:
                lines.append([f"{tool}, {noise:g}", *measures(own)])
    return table(head, lines)


def measures(own: Rows) -> list[str]:
    """Medians and quantiles of some rows; an undefined formula is infinitely wrong."""
    errors = [np.inf if r["error"] is None else r["error"] for r in own]
    half, most = np.quantile(errors, [0.5, 0.9], method="higher")
    seconds = np.quantile([r["cpu"] for r in own], [0.5, 0.95], method="higher")
    nodes = np.median([r["size"] for r in own])
    return [
        f"{half:.1e}",
        f"{most:.1e}",
        f"{nodes:.0f}",
        *(f"{s:.2f}" for s in seconds),
    ]


def lost() -> str:
    """Formulas that another tool found and Arithmax did not."""
    every = [r for r in rows() if group(r) in GROUPS]
    ours = {place(r): r for r in every if r["tool"] == "arithmax"}
    lines = []
    for row in every:
        our = ours.get(place(row))
        if our is None or row["tool"] == "arithmax":
            continue
        for grade in ("exact", "structure"):
            if row[grade] and not our[grade]:
                text = f"`{our['text'][:70]}`" if our["text"] else our.get("note", "")
                lines.append([row["id"], f"{row['noise']:g}", row["tool"], grade, text])
                break
    if not ours:
        return "No row of Arithmax is stored yet."
    if not lines:
        return "There is none."
    return table(["formula", "noise", "found by", "as", "Arithmax printed"], lines)


def place(row: dict) -> tuple:
    """The table that a row is about, whoever solved it."""
    return row["set"], row["id"], row["noise"], row["seed"]


def verdicts() -> str:
    """What Arithmax says of its formulas, beside what the judge says."""
    own = [r for r in rows(tool="arithmax") if group(r) in GROUPS]
    if not own:
        return "No row of Arithmax is stored yet."
    keys = sorted({(r["noise"], r.get("verdict", "none")) for r in own})
    lines = []
    for noise, word in keys:
        same = [
            r for r in own if (r["noise"], r.get("verdict", "none")) == (noise, word)
        ]
        exact = sum(r["exact"] for r in same)
        near = sum(r["structure"] and not r["exact"] for r in same)
        counts = [exact, near, len(same) - exact - near]
        lines.append([f"{word}, noise {noise:g}", *map(str, counts)])
    return table(["verdict", "exact", "structure only", "neither"], lines)


def settings() -> str:
    """How many rows are stored, and with which budgets."""
    parts = []
    for tool in TOOLS:
        if own := rows(tool=tool):
            spent = sum(r["cpu"] for r in own) / 60
            parts.append(f"{tool}: {len(own)} tables, {spent:.0f} CPU minutes")
    return "; ".join(parts) + f". Budget: {budget():g} CPU seconds per table."


def srbench() -> str:
    """Published figures, in per cent."""
    with (HERE / "data" / "srbench.csv").open(newline="", encoding="utf-8") as file:
        head, *lines = csv.reader(file)
    return table(head, lines)


# Plots


def recovery_plot() -> str:
    """Bars: the share of exact formulas by noise, with Wilson intervals."""
    drawn = go.Figure()
    own = [r for r in rows() if group(r) in ("published", "own")]
    for tool, colour in zip(TOOLS, LABELS, strict=False):
        levels = sorted({r["noise"] for r in own if r["tool"] == tool})
        marks = [[r["exact"] for r in own if same(r, tool, n)] for n in levels]
        rates = [wilson(float(np.mean(m)), len(m), Z2) for m in marks]
        drawn.add_bar(
            name=tool,
            x=[f"noise {n:g}" for n in levels],
            y=[100 * r.value for r in rates],
            marker_color=colour,
            error_y={
                "type": "data",
                "array": [100 * (r.high - r.value) for r in rates],
                "arrayminus": [100 * (r.value - r.low) for r in rates],
            },
        )
    drawn.update_yaxes(title="exact, %", range=[0, 105])
    return embedded(drawn)


def same(row: dict, tool: str, noise: float) -> bool:
    """Whether a row is of this tool and noise."""
    return row["tool"] == tool and row["noise"] == noise


def time_plot() -> str:
    """Lines: how many formulas were found within so many CPU seconds, without noise."""
    drawn = go.Figure()
    own = [r for r in rows(noise=0.0) if group(r) in ("published", "own")]
    for tool, colour, symbol in zip(TOOLS, LABELS, SYMBOLS, strict=False):
        mine = [r for r in own if r["tool"] == tool]
        seconds = sorted(max(r["cpu"], 0.001) for r in mine if r["exact"])
        if not seconds:
            continue
        drawn.add_scatter(
            name=tool,
            x=seconds,
            y=[100 * (i + 1) / len(mine) for i in range(len(seconds))],
            mode="lines+markers",
            line={"color": colour, "shape": "hv"},
            marker={"symbol": symbol, "maxdisplayed": 10},
        )
    drawn.update_xaxes(title="CPU seconds", type="log")
    drawn.update_yaxes(title="exact, % of tables", range=[0, 105])
    return embedded(drawn)


def embedded(drawn: go.Figure) -> str:
    """A figure as HTML, for pages one folder deep."""
    grid = {"gridcolor": "rgba(128,128,128,0.25)", "zeroline": False}
    drawn.update_xaxes(grid)
    drawn.update_yaxes(grid)
    drawn.update_layout(
        template=None,
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        font_color="#808080",
        margin={"l": 50, "r": 10, "t": 10, "b": 40},
        legend={"orientation": "h", "y": -0.2},
        height=380,
    )
    body = drawn.to_html(
        full_html=False,
        include_plotlyjs=False,
        config={"responsive": True, "displayModeBar": False},
    )
    return f'<script src="../assets/plotly.min.js"></script>\n\n{body}'

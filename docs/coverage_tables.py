"""The tables of `benchmarks/coverage.py`: how often intervals hold the truth.

MkDocs calls the functions that begin with `on_` by name.
"""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

HERE = Path(__file__).parent
MEASURES = {"solved_at": "solved at", "sparsity": "sparsity error"}


def on_page_markdown(markdown, page, config, files):
    """Put the tables where a page asks for them."""
    tables = {"means": means, "rates": rates, "differences": differences}
    for name, make in tables.items():
        marker = f"<!-- table: coverage of {name} -->"
        if marker in markdown:
            markdown = markdown.replace(marker, make())
    return markdown


def found(part: str) -> list[dict]:
    """One part of what was measured."""
    return json.loads((HERE / "data" / "coverage.json").read_text("utf-8"))[part]


def pivot(
    rows: Sequence[dict],
    line: Callable[[dict], str],
    column: Callable[[dict], str],
    width: str,
) -> str:
    """A line for each kind of values, a column for each size: before → after."""
    lines: dict[str, dict[str, str]] = {}
    for row in rows:
        lines.setdefault(line(row), {})[column(row)] = entry(row, width)
    names = list(dict.fromkeys(column(row) for row in rows))
    listed = [["", *names], ["---"] * (len(names) + 1)]
    listed += [[name, *(own[n] for n in names)] for name, own in lines.items()]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in listed)


def entry(row: dict, width: str) -> str:
    """Coverage in per cent, and width below it; a dash where there is no interval."""
    sides = [row["before"], row["after"]]
    shares = [f"{100 * s[0]:.1f} %" if s else "—" for s in sides]
    widths = [format(s[1], width) if s else "—" for s in sides]
    told = f"<br>{100 * row['told']:.0f} % told apart" if "told" in row else ""
    return f"{' → '.join(shares)}<br><small>{' → '.join(widths)}</small>{told}"


def means() -> str:
    """Steps and sparsity errors of few runs."""

    def line(row: dict) -> str:
        cells = f" ({row['cells']} cells)" if row["cells"] else ""
        return f"{MEASURES[row['measure']]}: {row['shape']}{cells}"

    return pivot(found("means"), line, lambda row: f"{row['runs']} runs", ".3g")


def rates() -> str:
    """Rates over nine ranges."""
    rates = found("rates")
    column = lambda row: f"rate {100 * row['rate']:.0f} %"  # noqa: E731
    return pivot(rates, lambda row: row["model"], column, ".2f")


def differences() -> str:
    """Differences of two rates on the same seeds."""
    column = lambda row: " and ".join(f"{100 * p:.0f} %" for p in row["rates"])  # noqa: E731
    return pivot(found("differences"), lambda row: row["model"], column, ".2f")

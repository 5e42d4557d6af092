"""The tables of `benchmarks/coverage.py`: how often intervals hold the truth.

MkDocs calls the functions that begin with `on_` by name.
"""

import json
from collections.abc import Sequence
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


def table(names: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table whose numbers stand on the right."""
    lines = [names, ["---"] + ["---:"] * (len(names) - 1), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def side(measured: list[float] | None, width: str) -> list[str]:
    """Coverage in per cent, and a width; where there is no interval, dashes."""
    if measured is None:
        return ["—", "—"]
    return [f"{100 * measured[0]:.1f} %", format(measured[1], width)]


def means() -> str:
    """Steps and sparsity errors of few runs."""
    rows = [
        [
            f"{MEASURES[row['measure']]}: {row['shape']}"
            + (f" ({row['cells']} cells)" if row["cells"] else ""),
            str(row["runs"]),
            *side(row["before"], ".2f"),
            *side(row["after"], ".2f"),
        ]
        for row in found("means")
    ]
    heads = ["values", "runs", "χ² covers", "width", "ours covers", "width"]
    return table(heads, rows)


def rates() -> str:
    """Rates over nine ranges."""
    rows = [
        [
            f"{row['model']}, rate {100 * row['rate']:.0f} %",
            *side(row["before"], ".3f"),
            *side(row["after"], ".3f"),
        ]
        for row in found("rates")
    ]
    heads = ["seeds", "a seed once covers", "width", "clustered covers", "width"]
    return table(heads, rows)


def differences() -> str:
    """Differences of two rates on the same seeds."""
    rows = [
        [
            f"{row['model']}, {' and '.join(f'{100 * p:.0f} %' for p in row['rates'])}",
            *side(row["before"], ".3f"),
            *side(row["after"], ".3f"),
            f"{100 * row['told']:.0f} %",
        ]
        for row in found("differences")
    ]
    heads = ["seeds", "a seed once covers", "width", "paired covers", "width"]
    return table([*heads, "p < 0.05"], rows)

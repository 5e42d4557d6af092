"""The tables of the page on statistics about rows out of order.

They show what `benchmarks/row_order.py` found; nothing is computed here but counts.
"""

from arithmax.studies._grid import SYMBOLS
from arithmax.studies.slides import entry, figure, published_rows, simulated

TASKS = ("add", "sub", "mul")
KNOWN = (("NAU", "add"), ("NAU", "sub"))  # solved in all runs at nearly the same step


def on_page_markdown(markdown, page, config, files):
    """Put generated sentences and tables where the page asks for them."""
    made = {
        "out of order": out_of_order,
        "moved": moved_table,
        "held": held_table,
        "ranges": ranges_table,
    }
    for name, make in made.items():
        marker = f"<!-- {name} -->"
        if marker in markdown:
            markdown = markdown.replace(marker, make())
    return markdown


def out_of_order() -> str:
    """How many of the published steps were moved."""
    cells = simulated("table")
    solved, moved = sum(c["solved"] for c in cells), sum(len(c["moved"]) for c in cells)
    impossible = sum(len(c["impossible"]) for c in cells)
    found = sum(
        seed in {row[0] for row in c["moved"]}
        for c in cells
        for seed in c["impossible"]
    )
    return (
        f"The published rows show it. In {impossible} of the {solved:,} runs that "
        "solved their task the best row stands before the first solved one, which "
        "cannot be if rows follow each other by step. A simulation of the sort, which "
        "is exact because the order of these runs and the length of each "
        f"({len(published_rows('stopped'))} were stopped early) are known, finds "
        f"{found} of the {impossible}, and {moved} runs in all ({moved / solved:.1%}) "
        "whose step was read from rows out of order."
    )


def moved_table() -> str:
    """The steps of the NAU that were moved, published and simulated."""
    late = []
    lines = [
        "| unit | task | seed | published | simulated |",
        "|---|---|---:|---:|---:|",
    ]
    for cell in simulated("table"):
        if (cell["model"], cell["operation"]) in KNOWN:
            for seed, published, found in cell["moved"]:
                task = SYMBOLS[cell["operation"]]
                late.append(published - cell["others"][0])
                lines.append(
                    f"| {cell['model']} | {task} | {seed} | {published:,} | {found:,} |"
                )
    mean = sum(late) / len(late) / 1e6
    lines += ["", f"They are late by {mean:.1f} million steps on average."]
    return "\n".join(lines)


def held_table() -> str:
    """Means of rows in order, and what the authors' fit makes of all rows."""
    lines = ["| unit | task | out of order | mean of the others | variance held |"]
    lines += ["|---|---|---:|---|---|"]
    for cell in simulated("table"):
        if cell["operation"] in TASKS and entry_is_printed(cell):
            task, count = SYMBOLS[cell["operation"]], len(cell["moved"])
            others, held = figure(cell["others"]), figure(cell["held"])
            share = f"{count} of {cell['solved']}"
            lines.append(f"| {cell['model']} | {task} | {share} | {others} | {held} |")
    return "\n".join(lines)


def entry_is_printed(cell) -> bool:
    """Whether the page's first table has this cell."""
    labels = {name: cell[name] for name in ("model", "operation")}
    row = entry("arithmetic-dataset", **labels)
    return row is not None and "printed" in row


def ranges_table() -> str:
    """Means of the figure of ranges: ours, simulated, printed."""
    lines = [
        "| unit | range | our mean | simulated | printed |",
        "|---|---|---|---|---|",
    ]
    for cell in simulated("input-range"):
        row = entry("input-range", x=cell["range"], model=cell["model"])
        least, middle, most = cell["simulated"]
        lines.append(
            f"| {cell['model']} | {cell['range']} | {cell['ours']:.3g} | "
            f"{middle:.3g} ({least:.3g} to {most:.3g}) | {row['solved_at'][0]:.3g} |"
        )
    return "\n".join(lines)

"""A study as a section of the page."""

import html
import json
from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go
from markdown_it import MarkdownIt

from ..studies import MEASURES, Evaluation
from ._table import (
    HISTORY,
    Entry,
    Line,
    Notes,
    arm_lines,
    claim_lines,
    compares,
    history_lines,
    measures,
    rounding_lines,
    shown_tables,
)
from ._text import answer, asked, cost, extent

LONG = 20  # lines of a table that is shown whole; a longer one scrolls in a box
UNBROKEN = 24  # signs of a name that stands in one line, even on a phone
FEW = 8  # notes that are shown; more of them are folded

# Pictures would be fetched, and HTML is shown as the text that it is.
MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")


def escape(value: object) -> str:
    """Text for HTML, in elements and in attributes."""
    return html.escape(str(value), quote=True)


def region(name: str, content: str, lines: int = 0) -> str:
    """A box that scrolls by itself, and can be scrolled with the keyboard.

    Args:
        name: what it holds, for those who hear it.
        content: its HTML.
        lines: how many lines its table has; with many its height is limited.
    """
    kind = "scroll tall" if lines > LONG else "scroll"
    return (
        f'<div class="{kind}" role="region" tabindex="0" aria-label="{escape(name)}">'
        f"{content}</div>"
    )


def heading(name: str, content: str = "") -> str:
    """The first cell of a line, which stays in sight: a name, unbroken if it is short.

    Args:
        name: the name.
        content: its HTML, if it is more than the name.
    """
    kind = ' class="long"' if len(name) > UNBROKEN else ""
    return f'<th scope="row"{kind}>{content or escape(name)}</th>'


def cells(line: Sequence[str]) -> str:
    """Cells of plain text."""
    return "".join(f"<td>{escape(text)}</td>" for text in line)


def section(evaluation: Evaluation, plots: Sequence[tuple[str, go.Figure]]) -> str:
    """A study: the question, the plot and the answer, then all that is known of it."""
    study = evaluation.study
    name, question = escape(study.name), asked(study)
    notes = Notes()
    drawn = [
        drawing(f"{study.name}_{i}", caption, figure)
        for i, (caption, figure) in enumerate(plots, 1)
    ]
    parts = [
        f'<section id="{name}" aria-labelledby="{name}_">',
        f'<h2 id="{name}_">{escape(study.title)}</h2>',
        f'<p class="question">{escape(question)}</p>' * bool(question),
        *drawn[:1],
        f'<p class="answer">{escape(answer(evaluation))}</p>',
        f"<p><strong>{escape(evaluation.remark)}</strong></p>"
        * bool(evaluation.remark),
        f'<div class="about">{MARKDOWN.render(study.about)}</div>',
        _arms(evaluation, notes) if study.arms else "",
        _claims(evaluation, notes) if study.claims else "",
        _notes(study.name, notes),
        _computed(*rounding_lines(evaluation)),
        *(_computed(*table) for table in shown_tables(evaluation)),
        *drawn[1:],
        _made(evaluation),
        "</section>",
    ]
    return "\n".join(filter(None, parts))


def _head(first: Sequence[str], groups: Sequence[str], compared: bool) -> str:
    """Headings: labels, then three columns for each measure that is compared."""
    if not compared:
        return f"<thead><tr>{_headings([*first, *groups])}</tr></thead>"
    labels = "".join(f'<th scope="col" rowspan="2">{escape(n)}</th>' for n in first)
    above = "".join(
        f'<th scope="colgroup" colspan="3">{escape(group)}</th>' for group in groups
    )
    below = _headings(("ours", "published", "verdict")) * len(groups)
    return f"<thead><tr>{labels}{above}</tr><tr>{below}</tr></thead>"


def plain_table(name: str, names: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """A table of plain text in a box that scrolls."""
    head = _headings(names)
    body = "".join(f"<tr>{cells(line)}</tr>" for line in lines)
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return region(name, table, len(lines))


def _headings(names: Sequence[str]) -> str:
    return "".join(f'<th scope="col">{escape(name)}</th>' for name in names)


def _arms(evaluation: Evaluation, notes: Notes) -> str:
    study, compared = evaluation.study, compares(evaluation)
    groups = [MEASURES[name] for name in measures(evaluation)]
    lines = arm_lines(evaluation, notes)
    body = "".join(_line(study.name, line, compared) for line in lines)
    head = _head([*study.labels, "runs"], groups, compared)
    heading = "Ours beside published" if compared else "What was found"
    table = f"<table>{head}<tbody>{body}</tbody></table>"
    box = region(f"{heading}: {study.title}", table, len(lines))
    return f"<h3>{heading}</h3>{_length(len(lines))}{box}"


def _length(lines: int) -> str:
    """How long a table is that scrolls."""
    return f'<p class="length">{lines:,} lines</p>' if lines > LONG else ""


def _line(study: str, line: Line, compared: bool) -> str:
    first = heading(line.labels[0]) + cells(line.labels[1:])
    small = f"<small>{escape(line.reduced)}</small>" if line.reduced else ""
    count = f"<td>{escape(line.runs)}{small}</td>"
    entries = (
        _entry(study, entry) if compared else cells([entry.ours])
        for entry in line.entries
    )
    return f"<tr>{first}{count}{''.join(entries)}</tr>"


def _entry(study: str, entry: Entry) -> str:
    marks = ", ".join(  # without commas 1 and 2 would read as 12
        f'<a href="#{escape(study)}_note{n}" aria-label="note {n}">{n}</a>'
        for n in entry.notes
    )
    raised = f"<sup>{marks}</sup>" if marks else ""
    small = f"<small>{escape(entry.remark)}</small>" if entry.remark else ""
    signed = f'<span class="verdict {entry.kind}">{escape(entry.signed)}</span>'
    verdict = f"{signed}{raised}{small}"
    return cells([entry.ours, entry.published]) + f"<td>{verdict}</td>"


def _claims(evaluation: Evaluation, notes: Notes) -> str:
    study = evaluation.study
    lines = [
        f"<tr>{heading(line.labels[0])}{_entry(study.name, line.entries[0])}</tr>"
        for line in claim_lines(evaluation, notes)
    ]
    head = _headings(("claim", "ours", "published", "verdict"))
    body = "".join(lines)
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    box = region(f"Claims: {study.title}", table, len(lines))
    return f"<h3>Claims</h3>{_length(len(lines))}{box}"


def _notes(study: str, notes: Notes) -> str:
    if not notes.texts:
        return ""
    items = "".join(
        f'<li id="{escape(study)}_note{i}">{escape(text)}</li>'
        for i, text in enumerate(notes.texts, 1)
    )
    listed = f'<ol class="notes">{items}</ol>'
    if len(notes.texts) <= FEW:
        return listed
    return f"<details><summary>{len(notes.texts)} notes</summary>{listed}</details>"


def _computed(caption: str, names: list[str], lines: list[list[str]]) -> str:
    table = plain_table(caption, names, lines) if lines else ""
    if len(lines) <= LONG:
        said = f'<p class="caption">{escape(caption)}</p>' if caption else ""
        return said + table
    title = f"{escape(caption)} <small>({len(lines):,} lines)</small>"
    return f"<details><summary>{title}</summary>{table}</details>"


def drawing(name: str, caption: str, drawn: go.Figure) -> str:
    """A plot that is drawn when it comes into sight, with an HTML menu if it has one.

    Plotly's own menus cannot be reached with the keyboard.
    """
    spec: dict[str, Any] = json.loads(drawn.to_json() or "{}")
    menus = spec["layout"].pop("updatemenus", [])
    menu = _menu(menus[0]["buttons"]) if menus else ""
    height = spec["layout"]["height"]
    solid = any(trace["type"] == "surface" for trace in spec["data"])
    turn = ' tabindex="0" data-solid' if solid else ""
    label = f"{caption} Arrow keys turn it." if solid else caption
    # "<" would let a name end the script, or begin a comment in it.
    compact = json.dumps(spec, separators=(",", ":"), ensure_ascii=False)
    text = compact.replace("<", "\\u003c")
    return (
        f'<figure class="plot" id="{escape(name)}"><figcaption>{escape(caption)}'
        f'</figcaption>{menu}<div class="drawing" role="group" '
        f'aria-label="{escape(label)}" style="height:{height}px"{turn}>'
        f'</div><script type="application/json">{text}</script></figure>'
    )


def _menu(buttons: list[dict[str, Any]]) -> str:
    options = "".join(
        # Labels are escaped already, for Plotly.
        f"<option value='{json.dumps(b['args'][0]['visible'])}'>{b['label']}</option>"
        for b in buttons
    )
    return f'<label class="choice">Show <select>{options}</select></label>'


def _made(evaluation: Evaluation) -> str:
    """Where it stands, what it cost and which commands made it: folded."""
    study, (names, lines) = evaluation.study, history_lines(evaluation)
    head = _headings([HISTORY[name] for name in names])
    body = "".join(f"<tr>{_made_line(names, line)}</tr>" for line in lines)
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    box = region(f"Commands: {study.title}", table) if lines else ""
    return (
        "<details><summary>Source, commands and cost</summary>"
        f'<p class="source">{escape(study.source)}</p>{box}'
        f"<p>Run: {extent(evaluation)}. Cost: {escape(cost(evaluation))}.</p></details>"
    )


def _made_line(names: list[str], line: list[str]) -> str:
    return "".join(
        f"<td><code>{escape(v)}</code></td>" if n == "command" else cells([v])
        for n, v in zip(names, line, strict=True)
    )

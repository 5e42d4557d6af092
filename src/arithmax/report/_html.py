"""A study as a section of the page."""

import html
import json
from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go
from markdown_it import MarkdownIt

from ..studies import MEASURES, Evaluation
from ._draw import figures
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
    shown_tables,
)
from ._text import REDUCED, SIGNS, cost, extent

# Pictures would be fetched, and HTML is shown as the text that it is.
MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")


def escape(value: object) -> str:
    """Text for HTML, in elements and in attributes."""
    return html.escape(str(value), quote=True)


def region(name: str, content: str) -> str:
    """A box that scrolls by itself, and can be scrolled with the keyboard."""
    return (
        f'<div class="scroll" role="region" tabindex="0" aria-label="{escape(name)}">'
        f"{content}</div>"
    )


def cells(line: Sequence[str]) -> str:
    """Cells of plain text."""
    return "".join(f"<td>{escape(text)}</td>" for text in line)


def section(evaluation: Evaluation) -> str:
    """Everything that is known of a study."""
    study = evaluation.study
    name = escape(study.name)
    notes = Notes()
    parts = [
        f'<section id="{name}" aria-labelledby="{name}_">',
        f'<h2 id="{name}_">{escape(study.title)}</h2>',
        f'<p class="source">{escape(study.source)}</p>',
        f"<p><strong>{escape(evaluation.remark)}</strong></p>"
        * bool(evaluation.remark),
        f'<div class="about">{MARKDOWN.render(study.about)}</div>',
        _counts(evaluation),
        _arms(evaluation, notes) if study.arms else "",
        _claims(evaluation, notes) if study.claims else "",
        _notes(study.name, notes),
        *(_computed(*table) for table in shown_tables(evaluation)),
        *(
            drawing(f"{study.name}_{i}", caption, drawn)
            for i, (caption, drawn) in enumerate(figures(evaluation), 1)
        ),
        _made(evaluation),
        "</section>",
    ]
    return "\n".join(filter(None, parts))


def _counts(evaluation: Evaluation) -> str:
    parts = [
        f'<span class="verdict {v.name.lower()}">{SIGNS[v]} {n} {escape(v)}</span>'
        for v, n in evaluation.verdicts.items()
        if n
    ]
    if evaluation.reduced:
        parts.append(
            f'<span class="verdict">{REDUCED} {evaluation.reduced} reduced</span>'
        )
    run = f"<span>run: {extent(evaluation)}</span>"
    return f'<p class="counts">{" ".join(parts)} {run}</p>'


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
    return region(
        name, f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    )


def _headings(names: Sequence[str]) -> str:
    return "".join(f'<th scope="col">{escape(name)}</th>' for name in names)


def _arms(evaluation: Evaluation, notes: Notes) -> str:
    study, compared = evaluation.study, compares(evaluation)
    groups = [MEASURES[name] for name in measures(evaluation)]
    lines = arm_lines(evaluation, notes)
    body = "".join(_line(study.name, line, compared) for line in lines)
    head = _head([*study.labels, "solved"], groups, compared)
    heading = "Ours beside published" if compared else "What was found"
    table = f"<table>{head}<tbody>{body}</tbody></table>"
    return f"<h3>{heading}</h3>" + region(f"{heading}: {study.title}", table)


def _line(study: str, line: Line, compared: bool) -> str:
    first = "".join(
        f'<th scope="row">{escape(v)}</th>' if i == 0 else cells([v])
        for i, v in enumerate(line.labels)
    )
    small = f"<small>{escape(line.reduced)}</small>" if line.reduced else ""
    solved = f"<td>{escape(line.solved)}{small}</td>"
    entries = (
        _entry(study, entry) if compared else cells([entry.ours])
        for entry in line.entries
    )
    return f"<tr>{first}{solved}{''.join(entries)}</tr>"


def _entry(study: str, entry: Entry) -> str:
    kind = entry.verdict.name.lower() if entry.verdict else ""
    marks = "".join(
        f'<sup><a href="#{escape(study)}_note{n}" aria-label="note {n}">{n}</a></sup>'
        for n in entry.notes
    )
    small = f"<small>{escape(entry.remark)}</small>" if entry.remark else ""
    verdict = (
        f'<span class="verdict {kind}">{escape(entry.signed)}</span>{marks}{small}'
    )
    return cells([entry.ours, entry.published]) + f"<td>{verdict}</td>"


def _claims(evaluation: Evaluation, notes: Notes) -> str:
    study = evaluation.study
    lines = "".join(
        f'<tr><th scope="row">{escape(line.labels[0])}</th>'
        f"{_entry(study.name, line.entries[0])}</tr>"
        for line in claim_lines(evaluation, notes)
    )
    names = ("claim", "ours", "published", "verdict")
    head = _headings(names)
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{lines}</tbody></table>"
    return "<h3>Claims</h3>" + region(f"Claims: {study.title}", table)


def _notes(study: str, notes: Notes) -> str:
    if not notes.texts:
        return ""
    items = "".join(
        f'<li id="{escape(study)}_note{i}">{escape(text)}</li>'
        for i, text in enumerate(notes.texts, 1)
    )
    return f'<ol class="notes">{items}</ol>'


def _computed(caption: str, names: list[str], lines: list[list[str]]) -> str:
    title = f'<p class="caption">{escape(caption)}</p>'
    return title + plain_table(caption, names, lines)


def drawing(name: str, caption: str, drawn: go.Figure) -> str:
    """A plot that is drawn when it comes into sight, with an HTML menu if it has one.

    Plotly's own menus cannot be reached with the keyboard.
    """
    spec: dict[str, Any] = json.loads(drawn.to_json() or "{}")
    menus = spec["layout"].pop("updatemenus", [])
    menu = _menu(menus[0]["buttons"]) if menus else ""
    solid = any(trace["type"] == "surface" for trace in spec["data"])
    turn = ' tabindex="0" data-solid' if solid else ""
    label = f"{caption} Arrow keys turn it." if solid else caption
    # "<" would let a name end the script, or begin a comment in it.
    text = json.dumps(spec, separators=(",", ":")).replace("<", "\\u003c")
    return (
        f'<figure class="plot" id="{escape(name)}"><figcaption>{escape(caption)}'
        f'</figcaption>{menu}<div class="drawing" role="group" '
        f'aria-label="{escape(label)}" style="height:{drawn.layout.height}px"{turn}>'
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
    names, lines = history_lines(evaluation)
    head = _headings([HISTORY[name] for name in names])
    body = "".join(f"<tr>{_made_line(names, line)}</tr>" for line in lines)
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    box = region(f"Commands: {evaluation.study.title}", table) if lines else ""
    return f"<h3>How this was made</h3>{box}<p>Cost: {escape(cost(evaluation))}.</p>"


def _made_line(names: list[str], line: list[str]) -> str:
    return "".join(
        f"<td><code>{escape(v)}</code></td>" if n == "command" else cells([v])
        for n, v in zip(names, line, strict=True)
    )

"""A study as Markdown, for the documentation."""

import html
import re
from collections.abc import Sequence

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

LONG = 40  # lines of a table that is shown at once
FEW = 8  # notes that are
# What would be more than text: Markdown's own, and what MkDocs' extensions add.
SPECIAL = re.compile(r"[\\`*_{}\[\]|~$^#!]")


def markdown(evaluation: Evaluation, plots: Sequence[str] = ()) -> str:
    """A study: question, plot and answer, then text, tables and how it was made.

    Args:
        evaluation: the study.
        plots: Markdown or HTML of its plots; the first stands below the question, the
            others below the tables.

    Returns:
        Markdown without a heading.
    """
    notes = Notes()
    study = evaluation.study
    parts = [f"**{text(question)}**"] if (question := asked(study)) else []
    parts += [*plots[:1], text(answer(evaluation)), study.about.strip()]
    parts += [text(evaluation.remark)] * bool(evaluation.remark)
    if study.arms:
        parts.append(_arms(evaluation, notes))
    if study.claims:
        parts.append(_claims(evaluation, notes))
    if notes.texts:
        parts.append(_notes(notes))
    for caption, names, lines in [
        rounding_lines(evaluation),
        *shown_tables(evaluation),
    ]:
        parts += [text(caption)] * bool(caption)
        if lines:
            parts.append(folded_table(markdown_table(names, lines), len(lines)))
    parts += [*plots[1:], "## Source, commands and cost"]
    parts += [f"{text(study.source.rstrip('.'))}.", *_made(evaluation)]
    return "\n\n".join(parts) + "\n"


def folded_table(table: str, lines: int) -> str:
    """A table that is opened with a click where it is long."""
    return _folded(table, f"{lines:,} lines", lines > LONG)


def _folded(content: str, title: str, many: bool) -> str:
    if not many:
        return content
    summary = f"<summary>{title}</summary>"
    return f'<details markdown="1">{summary}\n\n{content}\n\n</details>'


def text(value: str) -> str:
    """Plain text: every sign that means something in Markdown or HTML is escaped."""
    plain = html.escape(" ".join(value.split()), quote=False)
    return SPECIAL.sub(lambda sign: f"&#{ord(sign[0])};", plain)


def markdown_table(names: list[str], lines: list[list[str]]) -> str:
    """A table of plain texts."""
    return _raw_table([text(n) for n in names], [[text(c) for c in r] for r in lines])


def _raw_table(names: list[str], lines: list[list[str]]) -> str:
    rows = [names, ["---"] * len(names), *lines]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _arms(evaluation: Evaluation, notes: Notes) -> str:
    names = [text(name) for name in evaluation.study.labels] + ["runs"]
    compared = compares(evaluation)
    for measure in measures(evaluation):
        title = MEASURES[measure]
        names += [f"{title}: ours", "published", "verdict"] if compared else [title]
    lines = arm_lines(evaluation, notes)
    table = _raw_table(names, [_cells(line, compared) for line in lines])
    heading = "Ours beside published" if compared else "What was found"
    return f"## {heading}\n\n{folded_table(table, len(lines))}"


def _cells(line: Line, compared: bool) -> list[str]:
    runs = text(f"{line.runs} ({line.reduced})" if line.reduced else line.runs)
    cells = [*(text(label) for label in line.labels), runs]
    width = 3 if compared else 1
    return cells + [cell for e in line.entries for cell in _entry(e)[:width]]


def _entry(entry: Entry) -> list[str]:
    marks = ", ".join(map(str, entry.notes))
    raised = f"<sup>{marks}</sup>" if marks else ""
    verdict = f"{entry.signed} ({entry.remark})" if entry.remark else entry.signed
    return [text(entry.ours), text(entry.published), text(verdict) + raised]


def _claims(evaluation: Evaluation, notes: Notes) -> str:
    lines = claim_lines(evaluation, notes)
    rows = [[text(line.labels[0]), *_entry(line.entries[0])] for line in lines]
    table = _raw_table(["claim", "ours", "published", "verdict"], rows)
    return f"## Claims\n\n{folded_table(table, len(rows))}"


def _notes(notes: Notes) -> str:
    listed = "\n".join(f"{i}. {text(note)}" for i, note in enumerate(notes.texts, 1))
    return _folded(listed, f"{len(notes.texts)} notes", len(notes.texts) > FEW)


def _made(evaluation: Evaluation) -> list[str]:
    """The commands, and what they ran on."""
    parts = []
    commands = [h["command"] for h in evaluation.history if h.get("command")]
    if commands:
        parts.append(_fenced("\n".join(dict.fromkeys(commands))))
    names, lines = history_lines(evaluation)
    kept = [i for i, name in enumerate(names) if name != "command"]
    if kept:
        rows = [[line[i] for i in kept] for line in lines]
        parts.append(
            markdown_table(
                [HISTORY[names[i]] for i in kept], [r for r in rows if any(r)]
            )
        )
    return [*parts, f"Run: {extent(evaluation)}. Cost: {cost(evaluation)}."]


def _fenced(code: str) -> str:
    """Code between fences that are longer than any in it."""
    longest = max((len(ticks) for ticks in re.findall("`+", code)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}bash\n{code}\n{fence}"

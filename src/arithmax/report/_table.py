"""Ours beside published, line by line, as plain text for HTML and Markdown."""

from dataclasses import dataclass, field
from typing import Any

from ..studies import MEASURES, ArmRuns, Comparison, Evaluation, Verdict
from ..studies._rounding import by_gain, gain, rounding_text
from ._repeated import without_repeated
from ._text import REDUCED, SIGNS, duration, interval, value_text

SHOWN = ("success", "median", "sparsity")  # where nothing was published


@dataclass(frozen=True)
class Entry:
    """One figure of ours beside the published one, and the notes that belong to it."""

    ours: str
    published: str
    verdict: Verdict | None
    notes: tuple[int, ...] = ()
    remark: str = ""
    reduced: bool = False

    @property
    def kind(self) -> str:
        """What has a colour: the verdict, or that the run was a reduced one."""
        if self.verdict is None:
            return ""
        return "reduced" if self.reduced else self.verdict.name.lower()

    @property
    def signed(self) -> str:
        """The verdict with its sign; a reduced run has a sign of its own."""
        if self.verdict is None:
            return ""
        if self.reduced:
            return f"{REDUCED} {self.verdict}, reduced"
        return f"{SIGNS[self.verdict]} {self.verdict}"


@dataclass(frozen=True)
class Line:
    """One line: its labels, how many runs it has, and its figures."""

    labels: tuple[str, ...]
    runs: str
    reduced: str
    entries: tuple[Entry, ...]


@dataclass
class Notes:
    """Numbered notes, each text once."""

    texts: list[str] = field(default_factory=list)

    def number(self, text: str) -> int:
        """The number of a note."""
        if text not in self.texts:
            self.texts.append(text)
        return self.texts.index(text) + 1

    def of(self, compared: Comparison) -> tuple[int, ...]:
        """The numbers of what is to be known about a comparison."""
        note, why = compared.published.note, compared.why
        said = [note, f"Why ours differs: {why}" if why else ""]
        return tuple(sorted(self.number(text) for text in said if text))


def measures(evaluation: Evaluation) -> tuple[str, ...]:
    """What is compared, in the order of `MEASURES`."""
    published = {name for arm in evaluation.study.arms for name in arm.published}
    return tuple(name for name in MEASURES if name in published) or SHOWN


def compares(evaluation: Evaluation) -> bool:
    """Whether anything was published of the arms."""
    return any(arm.published for arm in evaluation.study.arms)


def arm_lines(evaluation: Evaluation, notes: Notes) -> list[Line]:
    """A line for each arm."""
    return [_line(runs, measures(evaluation), notes) for runs in evaluation.arm_runs]


def _line(runs: ArmRuns, names: tuple[str, ...], notes: Notes) -> Line:
    compared = {c.measure: c for c in runs.comparisons}
    return Line(
        tuple(value_text(v) for v in runs.arm.labels.values()),
        str(len(runs.rows)) if runs.rows else "not run",
        _left_out(runs),
        tuple(
            _entry(compared[name], notes)
            if name in compared
            else Entry(interval(name, runs.ours(name)), "", None)
            for name in names
        ),
    )


def _left_out(runs: ArmRuns) -> str:
    """What of the published runs was left out."""
    if runs.too_short:
        return f"{Verdict.TOO_SHORT}: {runs.reduced}"
    return f"reduced: {runs.reduced}" if runs.reduced else ""


def _entry(compared: Comparison, notes: Notes) -> Entry:
    return Entry(
        interval(compared.measure, compared.ours),
        interval(compared.measure, compared.published),
        compared.verdict,
        notes.of(compared),
        compared.remark,
        compared.is_reduced,
    )


def claim_lines(evaluation: Evaluation, notes: Notes) -> list[Line]:
    """A line for each claim."""
    published = sum(len(runs.arm.published) for runs in evaluation.arm_runs)
    claims = evaluation.comparisons[published:]
    return [Line((c.measure,), "", "", (_entry(c, notes),)) for c in claims]


def rounding_lines(evaluation: Evaluation) -> tuple[str, list[str], list[list[str]]]:
    """What rounding changes: a sentence, and a line for each arm that it changes."""
    lines = [
        [
            *map(value_text, runs.arm.labels.values()),
            f"{s.solved:,} of {s.total:,}",
            f"{s.solved + gain(runs):,} of {s.total:,}",
        ]
        for runs in by_gain(evaluation.arm_runs)
        if (s := runs.summary)
    ]
    names = [*evaluation.study.labels, "solved", "exact after rounding"]
    return rounding_text(evaluation.arm_runs), names, lines


def shown_tables(
    evaluation: Evaluation,
) -> list[tuple[str, list[str], list[list[str]]]]:
    """The computed tables that are printed: caption, names, lines.

    What the tables of arms and claims say already is left out.
    """
    tables = evaluation.computed.tables if evaluation.computed else {}
    listed = [
        (caption, without_repeated(tables[name], evaluation))
        for name, caption in evaluation.study.shown.items()
        if name in tables
    ]
    return [(c, list(table), _transposed(table)) for c, table in listed if table]


def _transposed(table: Any) -> list[list[str]]:
    columns = [[value_text(value) for value in column] for column in table.values()]
    return [list(row) for row in zip(*columns, strict=True)]


HISTORY = {
    "command": "command",
    "when": "when",
    "seeds": "seeds",
    "steps": "steps",
    "version": "version",
    "device": "hardware",
    "seconds": "time",
    "cpu_seconds": "CPU time",
}


def history_lines(evaluation: Evaluation) -> tuple[list[str], list[list[str]]]:
    """How a study was made: the names of what is known, and one line per command."""
    entries = [
        {k: v for k, v in h.items() if v is not None} for h in evaluation.history
    ]
    names = [name for name in HISTORY if any(name in h for h in entries)]
    return names, [[_told(name, h) for name in names] for h in entries]


def _told(name: str, entry: dict[str, Any]) -> str:
    value = entry.get(name, "")
    if name in ("seconds", "cpu_seconds") and isinstance(value, int | float):
        return duration(value)
    return value_text(value)

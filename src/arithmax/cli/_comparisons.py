"""A study in the terminal: its arms, its claims and its tables, with footnotes.

Arms and claims are two tables. What has to be said of a figure stands below its table,
under a number, and a verdict is one word.
"""

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from ._show import filled, percent, print_notes, show, table

MEASURES = {
    "success": "success",
    "median": "median",
    "solved_at": "mean",
    "sparsity": "sparsity",
}
ARMS = "Ours beside published; median and mean are of steps until a run is solved"
WORDS = {
    "no interval published": "no interval",
    "no interval of ours": "no interval",
    "within our interval": "within ours",
}
NOT_RUN, TOO_SHORT = "not run", "too short to compare"
BRACKETS = re.compile(r"\[(\S+), (\S+)\]")  # of an interval, which stays together
PLAIN = (1e-2, 1e4)  # between these a figure is written without an exponent


def of_chosen(evaluation: Any, chosen: Mapping[str, str]) -> list[Any]:
    """The comparisons of the chosen arms, and all claims."""
    return [
        c for c in evaluation.comparisons if not c.labels or is_chosen(c.labels, chosen)
    ]


def is_chosen(labels: Mapping[str, Any], chosen: Mapping[str, str]) -> bool:
    """Whether an arm has the labels that were asked for."""
    return all(str(labels.get(name)) == value for name, value in chosen.items())


def print_study(evaluation: Any, chosen: Mapping[str, str]) -> None:
    """Ours beside theirs, and the tables that a study shows."""
    study = evaluation.study
    print()
    print(filled(f"{study.name}: {study.title}"))
    asked = of_chosen(evaluation, chosen)
    compared = [c for c in asked if c.verdict not in (NOT_RUN, TOO_SHORT)]
    _print_compared(", ".join(study.labels), [c for c in compared if c.labels])
    _print_rates(evaluation)
    _print_rounding(evaluation)
    _print_compared("claim", [c for c in compared if not c.labels])
    for verdict in (TOO_SHORT, NOT_RUN):
        alike = [c for c in asked if c.verdict == verdict]
        _print_missing("published figure", verdict, [c.reduced for c in alike])
    short = [a for a in evaluation.arm_runs if a.too_short and not a.arm.published]
    _print_missing("success rate", TOO_SHORT, [a.reduced for a in short])
    _print_tables(evaluation)
    counts = ", ".join(f"{n} {name}" for name, n in evaluation.tally.items() if n)
    if counts and not chosen:
        print()
        print(filled(f"{study.name}: {counts}."))
    if evaluation.remark:
        print(filled(evaluation.remark))
    if any(c.is_reduced for c in evaluation.comparisons):
        print(
            filled(
                "This was a reduced run: its verdicts do not speak of the published "
                "one."
            )
        )


def _print_compared(name: str, comparisons: Sequence[Any]) -> None:
    """One table of comparisons, if there are any, and its footnotes."""
    notes: list[str] = []
    rows = [line(c, notes) for c in comparisons]
    if not rows:
        return
    if name == "claim":
        rows = [[row[0], *row[2:]] for row in rows]
        show(table("Claims", [name, "ours", "published", "verdict"], rows))
    else:
        above = [[], *rows[:-1]]
        rows = [_first(*pair) for pair in zip(rows, above, strict=True)]
        names = [name, "measure", "ours", "published", "verdict"]
        show(table(ARMS, names, rows, keys=2))
    print_notes(notes)


def _print_missing(what: str, why: str, left_out: Sequence[str]) -> None:
    """How many figures are not there, why, and what was left out of the runs."""
    if count := len(left_out):
        runs = "; ".join(dict.fromkeys(filter(None, left_out)))
        print()
        why += f" ({runs})" if runs else ""
        print(filled(f"{count} {what}{'s' * (count > 1)}: {why}."))


def _first(row: list[str], above: Sequence[str]) -> list[str]:
    """A row without its name, if the row above has the same."""
    return ["", *row[1:]] if above and row[0] == above[0] else row


def _print_rates(evaluation: Any) -> None:
    """What nothing was published of: how often, and at which step, it was solved."""
    labels = evaluation.study.labels
    rows = [
        [
            *map(_text, runs.arm.labels.values()),
            percent(s.success),
            f"{s.solved} of {s.total}",
            median_text(s),
        ]
        for runs in evaluation.arm_runs
        if (s := runs.summary) and not runs.arm.published
    ]
    if rows:
        names = [*labels, "success", "solved", "median step"]
        show(table("Success rates", names, rows, keys=len(labels)))


def _print_rounding(evaluation: Any) -> None:
    """Where more runs or fewer are exact once they are rounded than are solved."""
    from ..studies._rounding import by_gain, gain, rounding_text

    if not (said := rounding_text(evaluation.arm_runs)):
        return
    labels = evaluation.study.labels
    rows = [
        [
            *map(_text, runs.arm.labels.values()),
            f"{s.solved} of {s.total}",
            f"{s.solved + gain(runs)} of {s.total}",
        ]
        for runs in by_gain(evaluation.arm_runs)
        if (s := runs.summary)
    ]
    if rows:
        show(table(said, [*labels, "solved", "rounded"], rows, keys=len(labels)))
    else:
        print()
        print(filled(said))


def _print_tables(evaluation: Any) -> None:
    """What a study computes, as far as it shows it."""
    if evaluation.computed is None:
        return
    for name, caption in evaluation.study.shown.items():
        if (columns := evaluation.computed.tables.get(name)) is not None:
            lines = zip(*columns.values(), strict=True)
            show(table(caption, [*columns], [[*map(_text, line)] for line in lines]))


def line(c: Any, notes: list[str]) -> list[str]:
    """One comparison as a row of a table; what has to be said of it joins the notes."""
    rate = c.measure == "success"
    name = ", ".join(map(str, c.labels.values())) or c.measure
    ours = "unsolved" if c.ours is None else figure_text(c.ours, rate)
    theirs = figure_text(c.published.interval or c.published.value, rate)
    reduced = f"reduced: {c.reduced}" if c.is_reduced else ""
    verdict = "reduced" if reduced else WORDS.get(str(c.verdict), str(c.verdict))
    if c.ours is not None and c.remark and not reduced:
        verdict += f", {c.remark}"
    said = [*filter(None, (reduced, c.published.note, c.why))]
    notes += [note for note in said if note not in notes]
    marks = ",".join(str(notes.index(note) + 1) for note in said)
    verdict += f" [{marks}]" if marks else ""
    return [name, MEASURES.get(c.measure, ""), ours, theirs, verdict]


def figure_text(value: Any, rate: bool = False) -> str:
    """A figure with its interval or range, if it has one; all have one exponent.

    Examples:
        >>> from arithmax.cli._comparisons import figure_text
        >>> from arithmax.statistics import Interval
        >>> figure_text(Interval(2.9e6, 2.71e6, 3.1e6))
        '2.9 [2.71,3.1]e6'
        >>> figure_text(Interval(0.41, 0.32, 0.51), rate=True)
        '41% [32,51]'
    """
    from ..statistics import Interval

    if rate:
        return percent(value) if isinstance(value, Interval) else f"{100 * value:.0f}%"
    if isinstance(value, int | float):
        (text,), power = _scaled((value,))
        return text + power
    is_interval = isinstance(value, Interval)
    ends = (value.low, value.high) if is_interval else (value.least, value.most)
    (middle, low, high), power = _scaled((value.value, *ends))
    if ends[0] == ends[1]:
        return middle + power
    return middle + (f" [{low},{high}]" if is_interval else f" ({low}–{high})") + power


def median_text(summary: Any) -> str:
    """The step at which half of the solved runs were solved."""
    return f"{summary.solved_at_median:,.0f}" if summary.solved_at_median else "—"


def _scaled(values: Sequence[float]) -> tuple[list[str], str]:
    """Numbers of three digits, and the power of ten that they have in common."""
    size = next((abs(v) for v in values if v and math.isfinite(v)), 0.0)
    if size == 0 or PLAIN[0] <= size < PLAIN[1]:
        return [f"{v:.3g}" if abs(v) < 1000 else f"{v:.0f}" for v in values], ""
    power = math.floor(math.log10(size))
    return [f"{v / 10.0**power:.3g}" for v in values], f"e{power}"


def _text(value: Any) -> str:
    if value is None or value != value:
        return "—"
    text = f"{value:.4g}" if isinstance(value, float) else str(value)
    return BRACKETS.sub(r"[\1,\2]", text)

"""The first screen of a report: what was run, the verdicts, and one plot."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import plotly.graph_objects as go

from ..studies import Evaluation, Measured, Verdict
from ..studies._shown import runs_and_seconds
from ._draw_measures import distinct, label
from ._html import drawing, escape
from ._text import REDUCED, SIGNS, device_time

FEW = 8  # studies of which the index has the questions, too
MOST = 6  # series of a plot that is read at a glance
Drawn: TypeAlias = Mapping[str, Sequence[tuple[str, go.Figure]]]  # by study


def opening(evaluations: Sequence[Evaluation], drawn: Drawn) -> str:
    """The section that a report opens with.

    Args:
        evaluations: the studies.
        drawn: captions and figures of each, by its name.
    """
    few = len(evaluations) <= FEW
    links = "".join(_line(e, few) for e in evaluations)
    kind = "index few" if few else "index"
    return (
        '<section id="overview_" class="opening" aria-labelledby="overview_head_">'
        f'<h2 id="overview_head_">Overview</h2><p>{_what(evaluations)}</p>'
        f'{_counts(evaluations)}<div class="beside">{_lead(evaluations, drawn)}'
        f'<ul class="{kind}">{links}</ul></div></section>'
    )


def _what(evaluations: Sequence[Evaluation]) -> str:
    """How much was run, in a sentence."""
    count = len(evaluations)
    runs, seconds = runs_and_seconds(evaluations)
    trained = f", {runs:,} training runs" if runs else ""
    took = f", {device_time(seconds)}" if seconds else ""
    return f"{count} {'studies' if count != 1 else 'study'}{trained}{escape(took)}."


def _tally(evaluations: Sequence[Evaluation]) -> list[tuple[str, str, str, int]]:
    """Class, sign, words and number of each kind of verdict that there is."""
    counts = [
        (v.name.lower(), SIGNS[v], str(v), sum(e.verdicts[v] for e in evaluations))
        for v in Verdict
    ]
    reduced = sum(e.reduced for e in evaluations)
    return [c for c in [*counts, ("reduced", REDUCED, "reduced", reduced)] if c[3]]


def _counts(evaluations: Sequence[Evaluation]) -> str:
    parts = "".join(
        f'<span class="verdict {kind}">{sign} {n:,} {escape(words)}</span>'
        for kind, sign, words, n in _tally(evaluations)
    )
    return f'<p class="counts">{parts}</p>' if parts else ""


def _line(evaluation: Evaluation, few: bool) -> str:
    """A study of the index, with its verdicts.

    Args:
        evaluation: the study.
        few: whether there is space for its question.
    """
    name = escape(evaluation.study.name)
    asked = escape(evaluation.study.question or evaluation.study.title)
    return (
        f'<li><a href="#{name}" title="{asked}">{name}</a>'
        f"{_bar(evaluation)}{f'<p>{asked}</p>' if few else ''}</li>"
    )


def _bar(evaluation: Evaluation) -> str:
    """The verdicts of a study as parts of a bar; words where there are none."""
    tally = _tally([evaluation])
    if not tally:
        return '<span class="no_interval">nothing published</span>'
    words = ", ".join(f"{n} {text}" for _, _, text, n in tally)
    parts = "".join(
        f'<i class="{kind}" style="flex-grow:{n}"></i>' for kind, _, _, n in tally
    )
    return (
        f'<span class="verdicts" role="img" title="{words}" aria-label="{words}">'
        f"{parts}</span>"
    )


def _lead(evaluations: Sequence[Evaluation], drawn: Drawn) -> str:
    """The plot that shows most: ours beside published, of as many runs as there are."""
    ordered = sorted(evaluations, key=_decided, reverse=True)
    for wanted in (True, False):
        for evaluation in ordered:
            study = evaluation.study
            for caption, figure in drawn[study.name]:
                plots = [p for p in study.plots if p.caption == caption]
                whole = not figure["layout"]["updatemenus"]  # seen without choosing
                fits = whole and any(_compares(p, evaluation) for p in plots)
                if fits or not wanted:
                    text = f"{study.question or study.title} {caption}"
                    link = (
                        f'<p><a href="#{escape(study.name)}">All of this study</a></p>'
                    )
                    return f"<div>{drawing('overview_1', text, figure)}{link}</div>"
    return ""


def _decided(evaluation: Evaluation) -> int:
    """How many figures of full runs overlap or differ."""
    counts = evaluation.verdicts
    return counts[Verdict.OVERLAPS] + counts[Verdict.DIFFERS]


def _compares(plot: object, evaluation: Evaluation) -> bool:
    """Whether a plot has success rates beside published ones, in few colours."""
    if not isinstance(plot, Measured) or plot.measure != "success":
        return False
    arms = evaluation.arm_runs
    published = any(runs.arm.published.get("success") for runs in arms)
    return published and len(distinct([label(r, plot.by) for r in arms])) <= MOST

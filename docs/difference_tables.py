"""The page of differences: with their reasons, contradicted, and open."""

from collections.abc import Callable, Iterable, Sequence
from itertools import groupby

from arithmax.report._markdown import folded_table, markdown_table, text
from arithmax.report._text import interval
from arithmax.studies import MEASURES, Comparison, Evaluation, Verdict
from arithmax.studies._evaluate import LEAST_SHARE
from arithmax.studies._verdict import factor

Found = tuple[str, Comparison]  # the name of its study, and a comparison
FAR = 1.5  # a factor by which a figure without an interval is far from ours


def with_differences(markdown: str, evaluations: Callable[[], list[Evaluation]]) -> str:
    """A page with what differs where it asks for it.

    Args:
        markdown: the page, with markers `<!-- differences: … -->`.
        evaluations: gives the studies that have runs.
    """
    markdown = markdown.replace("<!-- least share -->", f"{LEAST_SHARE:.0%}")
    if "<!-- differences: " not in markdown:
        return markdown
    full = comparisons(evaluations())
    apart = having(full, Verdict.DIFFERS)
    contradicted = having(full, Verdict.CONTRADICTED)
    explained = [f for f in apart if f[1].published.reason]
    unexplained = [f for f in apart if not f[1].published.reason]
    far = [f for f in having(full, Verdict.NO_INTERVAL) if _is_far(f[1])]
    made = {
        "counts": counts(full, contradicted, explained, unexplained),
        "contradicted": grouped(contradicted, _words),
        "explained": grouped(explained, lambda c: c.why),
        "open": grouped(unexplained, lambda c: f"tried: {c.published.tried}"),
        "factor": f"{FAR:g}",
        "far": far_table(far),
    }
    for name, shown in made.items():
        markdown = markdown.replace(f"<!-- differences: {name} -->", shown)
    return markdown


def comparisons(evaluations: Iterable[Evaluation]) -> list[Found]:
    """Every comparison of runs that are not reduced."""
    return [
        (evaluation.study.name, c)
        for evaluation in evaluations
        for c in evaluation.comparisons
        if not c.is_reduced
    ]


def having(found: Iterable[Found], verdict: Verdict) -> list[Found]:
    """Those with a verdict."""
    return [one for one in found if one[1].verdict is verdict]


def counts(
    full: list[Found],
    contradicted: list[Found],
    explained: list[Found],
    unexplained: list[Found],
) -> str:
    """How much of each there is."""
    compared = sum(c.ours is not None for _, c in full)
    return (
        f"Of {compared:,} published figures beside ours, {len(contradicted)} are "
        f"statements that our runs contradict (in {_studies(contradicted)}), "
        f"{len(explained)} differ for a reason that we know (in {_studies(explained)}) "
        f"and {len(unexplained)} differ without one (in {_studies(unexplained)})."
    )


def _studies(found: Iterable[Found]) -> str:
    count = len({name for name, _ in found})
    return f"{count} {'studies' if count != 1 else 'study'}"


def _words(compared: Comparison) -> str:
    note, reason = compared.published.note, compared.published.reason
    return f"{note}. Why: {reason}" if reason else note


def grouped(found: list[Found], said: Callable[[Comparison], str]) -> str:
    """A table for each study and what is said of its figures."""

    def key(one: Found) -> tuple[str, str]:
        return one[0], said(one[1])

    places = {k: i for i, k in enumerate(dict.fromkeys(map(key, found)))}
    ordered = sorted(found, key=lambda one: places[key(one)])
    return "\n\n".join(
        f"**[{name}]({name}.md)**: {text(words.rstrip('.'))}.\n\n{table(of_group)}"
        for (name, words), of_group in groupby(ordered, key)
    )


def table(found: Iterable[Found]) -> str:
    """Figures of one study, ours and published."""
    lines = [line(compared) for _, compared in found]
    made = markdown_table(["figure", "ours", "published"], lines)
    return folded_table(made, len(lines))


def line(compared: Comparison) -> list[str]:
    """What it is, ours and published."""
    measure = compared.measure
    labels = ", ".join(map(str, compared.labels.values()))
    name = f"{labels}: {MEASURES[measure]}" if labels else measure
    ours = interval(measure, compared.ours)
    shown = ours if compared.ours is not None else compared.remark
    return [name, shown, interval(measure, compared.published)]


def _is_far(compared: Comparison) -> bool:
    assert compared.ours is not None
    times = factor(compared.ours.value, compared.published.value)
    return times is not None and times > FAR


def far_table(found: Sequence[Found]) -> str:
    """Figures without an interval that are far from ours."""
    lines = [[name, *line(c), c.remark, c.why] for name, c in found]
    heads = ["study", "figure", "ours", "published", "off", "why"]
    return folded_table(markdown_table(heads, lines), len(lines))

"""Numbers, intervals, verdicts and costs in words."""

import math
from collections.abc import Mapping
from typing import Any

from ..statistics import Interval, Range
from ..studies import Evaluation, Published, Study, Verdict
from ..studies._shown import spent

# A verdict has a sign of its own, for those who do not see its colour.
SIGNS = {
    Verdict.OVERLAPS: "✓",
    Verdict.WITHIN: "∈",
    Verdict.DIFFERS: "✗",
    Verdict.CONTRADICTED: "⊥",
    Verdict.NO_INTERVAL: "○",
    Verdict.OURS_WITHOUT_INTERVAL: "◇",
    Verdict.TOO_SHORT: "…",
    Verdict.NOT_RUN: "–",
}
REDUCED = "◐"  # a run that was shorter than the published one
# What a verdict says of one figure, and of several.
COUNTED = {
    Verdict.OVERLAPS: ("overlaps ours", "overlap ours"),
    Verdict.WITHIN: ("is within our interval", "are within our intervals"),
    Verdict.DIFFERS: ("differs from ours", "differ from ours"),
    Verdict.CONTRADICTED: (
        "is a statement that our runs contradict",
        "are statements that our runs contradict",
    ),
    Verdict.NO_INTERVAL: ("has no interval", "have no interval"),
    Verdict.OURS_WITHOUT_INTERVAL: (
        "has too few solved runs of ours",
        "have too few solved runs of ours",
    ),
    Verdict.TOO_SHORT: (
        "is beside runs too short to compare",
        "are beside runs too short to compare",
    ),
    Verdict.NOT_RUN: ("was not run", "were not run"),
}
SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
NOTHING = "—"


def number_text(value: float) -> str:
    """Three digits, and a power of ten where that is shorter."""
    if math.isnan(value):
        return NOTHING
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    rounded = float(f"{value:.3g}")
    if rounded == 0 or 1e-3 <= abs(rounded) < 1e5:
        text = f"{rounded:,.0f}" if abs(rounded) >= 1000 else f"{rounded:.3g}"
        return text.replace("-", "−")
    mantissa, _, exponent = f"{rounded:.2e}".partition("e")
    power = str(int(exponent)).translate(SUPERSCRIPT)
    return f"{float(mantissa):.3g}·10{power}".replace("-", "−")


def count_of_steps(value: float) -> str:
    """12.3 k for 12,300 steps."""
    if not math.isfinite(value):
        return number_text(value)
    rounded = float(f"{value:.3g}")
    for size, letter in ((1e6, "M"), (1e3, "k")):
        if rounded >= size:
            return f"{rounded / size:.3g}\N{NO-BREAK SPACE}{letter}"
    return f"{rounded:.3g}"


def _short(measure: str, value: float) -> str:
    if measure == "success":
        return f"{100 * value:.3g}"
    steps = measure in ("median", "solved_at")
    return count_of_steps(value) if steps else number_text(value)


def interval(measure: str, figure: Interval | Range | Published | None) -> str:
    """A figure with its interval or range, as its measure is written."""
    if figure is None:
        return NOTHING
    text = _short(measure, figure.value)
    text += "\N{NO-BREAK SPACE}%" if measure == "success" else ""
    if isinstance(figure, Range):
        ends = (_short(measure, end) for end in (figure.least, figure.most))
        return text if figure.least == figure.most else f"{text} ({' to '.join(ends)})"
    low, high = figure.low, figure.high
    if low is None or high is None or low == high == figure.value:
        return text
    return f"{text} [{_short(measure, low)}, {_short(measure, high)}]"


def value_text(value: Any) -> str:
    """One value of a computed table."""
    if value is None:
        return NOTHING
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}" if abs(value) >= 10_000 else str(value)
    if isinstance(value, Interval | Range):
        return interval("", value)
    return number_text(value) if isinstance(value, float) else str(value)


def duration(seconds: float) -> str:
    """Seconds as people say them."""
    if seconds < 10:
        return f"{seconds:.2g} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    hours, left = divmod(minutes, 60)
    if hours:
        return f"{hours} h {left} min" if left else f"{hours} h"
    return f"{minutes} min {rest} s" if rest else f"{minutes} min"


def cost(evaluation: Evaluation) -> str:
    """What the runs took, by the kind of device; of none, what the commands took."""
    return device_time(spent(evaluation)) or NOTHING


def device_time(took: Mapping[str, float]) -> str:
    """Seconds by the kind of device, in words."""
    return ", ".join(
        f"{duration(seconds)} of {kind}" if kind else duration(seconds)
        for kind, seconds in took.items()
    )


def asked(study: Study) -> str:
    """The question of a study, unless its title is one."""
    return "" if study.title.endswith("?") else study.question


def answer(evaluation: Evaluation) -> str:
    """What the verdicts of a study say, in a sentence or two."""
    if not sum(evaluation.tally.values()):
        return f"Nothing was published to compare with. {_solved(evaluation)}".strip()
    full = {v: n for v, n in evaluation.verdicts.items() if n}
    if not evaluation.reduced:
        return _told(full)
    shorter = (
        f"{_figures(evaluation.reduced)} {'are' if evaluation.reduced > 1 else 'is'}"
    )
    rest = f"{shorter} beside reduced runs, which decides nothing."
    return f"{_told(full, True)} {rest[0].upper()}{rest[1:]}" if full else rest


def _solved(evaluation: Evaluation) -> str:
    """How many settings were solved with every seed, with some and with none."""
    summaries = [runs.summary for runs in evaluation.arm_runs if runs.summary]
    if not summaries:
        return ""
    every = sum(s.solved == s.total for s in summaries)
    none = sum(s.solved == 0 for s in summaries)
    some = len(summaries) - every - none
    counts = (
        (every, "with every seed"),
        (some, "with some seeds"),
        (none, "with no seed"),
    )
    parts = [f"{n} {how}" for n, how in counts if n]
    return f"Of {len(summaries)} settings, training solved {_listed(parts)}."


def _told(counts: dict[Verdict, int], others: bool = False) -> str:
    """What verdicts say; with `others` they are not all that there are."""
    total = sum(counts.values())
    if len(counts) == 1:
        ((verdict, _),) = counts.items()
        which = f"All {_figures(total)}" if total > 1 else "The published figure"
        if others:
            which = _figures(total)
        return f"{which} {COUNTED[verdict][total > 1]}."
    parts = [f"{n:,} {COUNTED[v][n > 1]}" for v, n in counts.items()]
    return f"Of {_figures(total)}, {_listed(parts)}."


def _figures(count: int) -> str:
    return f"{count:,} published figure{'s' * (count != 1)}"


def _listed(parts: list[str]) -> str:
    """Parts with commas and an “and”."""
    *others, last = parts
    return f"{', '.join(others)} and {last}" if others else last


def extent(evaluation: Evaluation) -> str:
    """Whether all of a study was run: full, reduced, or how many arms of it."""
    if not evaluation.study.arms:
        return "computed" if evaluation.computed else "not run"
    run = [runs for runs in evaluation.arm_runs if runs.rows]
    if not run:
        return "not run"
    text = "reduced" if any(runs.reduced for runs in run) else "full"
    if len(run) < len(evaluation.arm_runs):
        return f"{text}, {len(run)} of {len(evaluation.arm_runs)} arms"
    return text

"""What a figure of ours says of a published one."""

from dataclasses import dataclass
from enum import StrEnum

from ..statistics import Interval, Range, overlap
from ._study import Labels, Published


class Verdict(StrEnum):
    """What a comparison says."""

    OVERLAPS = "overlaps"
    WITHIN = "within our interval"
    DIFFERS = "differs"
    CONTRADICTED = "contradicted"
    NO_INTERVAL = "no interval published"
    OURS_WITHOUT_INTERVAL = "no interval of ours"
    TOO_SHORT = "too short to compare"
    NOT_RUN = "not run"


ALIKE = (Verdict.OVERLAPS, Verdict.WITHIN)
APART = (Verdict.DIFFERS, Verdict.CONTRADICTED)
NO_FIGURE = (Verdict.TOO_SHORT, Verdict.NOT_RUN)  # there is none of ours


@dataclass(frozen=True)
class Comparison:
    """One figure of ours beside the published one.

    `measure` is one of `MEASURES`, or the name of a claim; `reduced` says what of the
    published run was left out, and is empty if nothing was.
    """

    labels: Labels
    measure: str
    ours: Interval | Range | None
    published: Published
    verdict: Verdict
    reduced: str = ""

    @property
    def is_reduced(self) -> bool:
        """Whether the verdict is that of a reduced run, which decides nothing."""
        return bool(self.reduced) and self.verdict not in NO_FIGURE

    @property
    def remark(self) -> str:
        """What belongs to the verdict: by how much ours is off, or that it is none."""
        if self.verdict in NO_FIGURE:
            return ""
        if self.ours is None:
            return "no run of ours solved it"
        if self.verdict is Verdict.NO_INTERVAL:
            return off_by(self.ours.value, self.published.value)
        return ""

    @property
    def why(self) -> str:
        """Why ours differs, or that it is not known, and what else was tried."""
        if self.verdict in (*ALIKE, *NO_FIGURE):
            return ""
        reason, tried = self.published.reason, self.published.tried
        if not tried or self.verdict not in APART:
            return reason
        return f"{reason or 'not known'}; tried: {tried}"

    @property
    def sentence(self) -> str:
        """The verdict in words."""
        text = str(self.verdict)
        text += f" ({self.remark})" if self.remark else ""
        text += f": {self.why}" if self.why else ""
        text += f" (reduced: {self.reduced})" if self.is_reduced else ""
        return text + (
            f" ({self.reduced})" if self.verdict is Verdict.TOO_SHORT else ""
        )


def off_by(ours: float, published: float) -> str:
    """By which factor, or where there is none by how much, ours is off a figure.

    Examples:
        >>> from arithmax.studies._verdict import off_by
        >>> off_by(3.0, 2.0), off_by(2.0, 5.0), off_by(0.25, 0.0)
        ('ours × 1.5', 'ours ÷ 2.5', 'ours +0.25')
    """
    if ours == published:
        return "equal"
    if (times := factor(ours, published)) is None:
        return f"ours {ours - published:+.3g}".replace("-", "−")
    if (text := f"{times:.3g}".replace("inf", "∞")) == "1":
        return "equal to three digits"
    return f"ours {'×' if ours > published else '÷'} {text}"


def factor(ours: float, published: float) -> float | None:
    """How many times the smaller of two positive numbers the larger is."""
    if ours <= 0 or published <= 0:
        return None
    return max(ours / published, published / ours)


def compare(
    labels: Labels,
    measure: str,
    ours: Interval | Range | None,
    published: Published,
    reduced: str = "",
    missing: Verdict = Verdict.NOT_RUN,
) -> Comparison:
    """One figure of ours beside a published one.

    Args:
        labels: those of the arm; of a claim none.
        measure: one of `MEASURES`, or the name of a claim.
        ours: our figure, if there is one.
        published: the published one.
        reduced: what of the published run was left out.
        missing: the verdict where there is no figure of ours.
    """
    verdict = missing if ours is None else _verdict(ours, published)
    return Comparison(labels, measure, ours, published, verdict, reduced)


def _verdict(ours: Interval | Range, published: Published) -> Verdict:
    """What two figures say of each other.

    A published figure without an interval is a point. A statement says what happens,
    so that it is contradicted where neither interval nor range of ours holds it.
    """
    known = isinstance(ours, Interval)  # a range is of runs that are few or all equal
    low, high = (ours.low, ours.high) if known else (ours.least, ours.most)
    theirs = published.interval or Interval(*[published.value] * 3)
    together = overlap(Interval(ours.value, low, high), theirs)
    if published.statement and not together:
        return Verdict.CONTRADICTED
    if published.interval is None:
        return Verdict.WITHIN if known and together else Verdict.NO_INTERVAL
    if not known:
        return Verdict.OURS_WITHOUT_INTERVAL
    return Verdict.OVERLAPS if together else Verdict.DIFFERS

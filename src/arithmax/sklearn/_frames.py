"""Tables of what was found, as data frames of pandas."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .._extras import extras
from ..bayes import Evidence, Uncertainty
from ..discover import Candidate, Discovery, DomainCase

if TYPE_CHECKING:
    from pandas import DataFrame


def equations(
    found: Sequence[Discovery],
    targets: Sequence[str] | None,
    sure: Sequence[Uncertainty] | None = None,
) -> "DataFrame":
    """One line for each formula of each front, simplest first.

    Args:
        found: what was found, for each target.
        targets: their names, if there are several.
        sure: how much the rows speak for each formula of each front, if it is known.
    """
    with extras():
        from pandas import DataFrame
    lines = []
    for position, discovery in enumerate(found):
        named = {} if targets is None else {"output": targets[position]}
        rated = None if sure is None else sure[position].evidences
        for place, candidate in enumerate(front(discovery)):
            best = candidate is discovery.best
            evidence = {} if rated is None else _rated(rated[place])
            lines.append({**named, **_line(candidate), "best": best, **evidence})
    return DataFrame(lines)


def front(found: Discovery) -> list[Candidate]:
    """The candidates of a front, simplest first, of which one is `found.best`."""
    best = found.best
    # The best is there with the constants of the training rows, which all rows refined.
    others = [c for c in found.candidates if c.score != best.score]
    return sorted([*others, best], key=lambda c: (c.complexity, c is best))


def _line(candidate: Candidate) -> dict[str, Any]:
    outside = candidate.extrapolation_error
    return {
        "expression": str(candidate.formula),
        "complexity": candidate.complexity,
        "training_error": candidate.training_error,
        "held_out_error": candidate.held_out_error,
        "extrapolation_error": np.nan if outside is None else outside,
        "verified": candidate.verified,
        "verdict": str(candidate.verdict),
        "seconds": candidate.seconds,
        "stage": candidate.stage,
    }


def _rated(evidence: Evidence) -> dict[str, float]:
    return {
        "log_evidence": evidence.logarithm,
        "probability": evidence.probability,
    }


COLUMNS = ("row", "hazard", "part", "argument", "number", "mixed_signs", "answer")


def diagnosis(
    found: Sequence[tuple[DomainCase, ...]],
    targets: Sequence[str] | None,
    domain: str,
) -> "DataFrame":
    """One line for each row and each part of a formula that has no value there.

    Args:
        found: the cases of each target's formula.
        targets: their names, if there are several.
        domain: what was answered.
    """
    with extras():
        from pandas import DataFrame
    lines = []
    for position, cases in enumerate(found):
        named = {} if targets is None else {"output": targets[position]}
        rows = [line for case in cases for line in _rows(case, domain)]
        lines += [{**named, **r} for r in sorted(rows, key=lambda r: r["row"])]
    columns = COLUMNS if targets is None else ("output", *COLUMNS)
    return DataFrame(lines, columns=list(columns))


def _rows(case: DomainCase, domain: str) -> list[dict[str, Any]]:
    each = zip(case.rows, case.numbers, case.answers(domain), strict=True)
    shared = {"part": case.part, "argument": case.argument, "mixed_signs": case.mixed}
    return [
        {"row": int(row), "hazard": str(case.hazard), "number": float(number), **shared}
        | {"answer": str(answer)}
        for row, number, answer in each
    ]

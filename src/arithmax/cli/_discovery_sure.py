"""What `arithmax discover --uncertainty` adds: for people, and as JSON for scripts."""

from typing import Any, NamedTuple

import numpy as np

from ..bayes import (
    Curve,
    InferredConstant,
    Marginal,
    Uncertainty,
    curve,
    interval_text,
    probability_text,
    uncertainty_of,
)
from ..discover import Account, readable
from ._discovery_lines import MOST, WIDTH, folded_formula, print_wrapped, shortened
from ._show import show, table

BANDS = 6  # columns along which a page shows bands
TOGETHER = "\N{NO-BREAK SPACE}±\N{NO-BREAK SPACE}"  # no line ends there
END = "\n\n"
LONGEST = 44  # signs of a rival's formula, so that a line has 80


class SureTable(NamedTuple):
    """How sure the formula of a table is, and its bands along its columns."""

    known: Uncertainty
    curves: tuple[Curve, ...]


def sure_of_table(
    told: Account, x: np.ndarray, y: np.ndarray, level: float
) -> SureTable:
    """What the rows of a search tell of its formula.

    Args:
        told: what was found.
        x: the columns [row, column] that were searched, without rows outside.
        y: the targets [row].
        level: the share of the posterior inside intervals.
    """
    best = told.found.formula
    rivals = [best if told.is_best(c) else c.formula for c in told.found.candidates]
    weight = told.found.weight
    uneven = {"sample_weight": weight, "relative": weight is not None}
    known = uncertainty_of(best, rivals, x, y, level=level, **uneven)
    if (posterior := known.posterior) is None:
        return SureTable(known, ())
    columns = best.variables[:BANDS]
    return SureTable(known, tuple(curve(posterior, x, name) for name in columns))


def print_sure(told: Account, sure: SureTable) -> None:
    """The formula with intervals, and what they mean; or why there are none."""
    known = sure.known
    if (posterior := known.posterior) is None:
        print_wrapped(f"\n{known.reason}")
        return
    print("\nHow sure it is:")
    equation = f"{told.target} = {posterior}".replace(" ± ", TOGETHER)
    lines = folded_formula(equation, WIDTH - 2)
    print("", *(line.replace(TOGETHER, " ± ") for line in lines), sep="\n  ", end=END)
    print_wrapped(known.meaning)
    if not told.found.best.verified:
        print_wrapped("That formula was not verified.")
    if known.held:
        print_wrapped(known.held)
    print_wrapped(f"Noise: {posterior.noise_text}.")
    print_inferred(known)
    print_relevance(posterior.relevance)
    print_evidence(told, known)


def print_inferred(known: Uncertainty) -> None:
    """The constants that were inferred, with their intervals."""
    inferred = [c for c in known.constants if not c.held]
    rows = [
        [m.name, str(m), interval_text(m), str(number) if number.exact else "fitted"]
        for m, number, _ in inferred[:MOST]
    ]
    names = ["constant", "mean ±", f"{known.share} interval", "in the formula"]
    show(table("Constants", names, rows))
    if len(inferred) > MOST:
        print(f"… and {len(inferred) - MOST} more.")


def print_relevance(relevance: dict[str, float]) -> None:
    """The columns, the likeliest first."""
    ordered = sorted(relevance.items(), key=lambda pair: -pair[1])
    rows = [[name, probability_text(p)] for name, p in ordered[:MOST]]
    title = "Does a column matter? 50 % before the rows"
    show(table(title, ["column", "probability"], rows))
    if len(ordered) > MOST:
        most = probability_text(ordered[MOST][1])
        print(f"… and {len(ordered) - MOST} more, the likeliest {most}.")


def print_evidence(told: Account, known: Uncertainty) -> None:
    """How much the rows speak for each rival."""
    rated = zip(told.found.candidates, known.evidences, strict=True)
    rows = [
        [
            "▶" if told.is_best(candidate) else "",
            f"{evidence.logarithm:.1f}",
            probability_text(evidence.probability),
            shortened(str(readable(candidate.formula)), LONGEST),
        ]
        for candidate, evidence in rated
    ]
    title = "Evidence of the rivals, held to be equally likely before"
    show(table(title, ["", "log evidence", "probability", "formula"], rows))


def json_of_sure(sure: SureTable | None) -> dict[str, Any]:
    """The same for scripts; nothing if it was not asked for."""
    if sure is None:
        return {}
    known, posterior = sure.known, sure.known.posterior
    if posterior is None:
        return {"uncertainty": {"reason": known.reason}}
    found = {
        "formula": str(posterior),
        "latex": posterior.latex(),
        "meaning": known.meaning,
        "method": posterior.method,
        "level": posterior.level,
        "noise": _marginal(posterior.noise),
        "noise_is_relative": posterior.relative,
        "constants": [_constant(each) for each in known.constants],
        "relevance": posterior.relevance,
        "log_evidence": posterior.log_evidence,
        "rivals": [each._asdict() for each in known.evidences],
    }
    return {"uncertainty": found}


def _constant(constant: InferredConstant) -> dict[str, Any]:
    marginal, number, held = constant
    return {
        "name": marginal.name,
        **_marginal(marginal),
        "held": held,
        "in_formula": number.value,
        "exact": number.exact is not None,
    }


def _marginal(marginal: Marginal) -> dict[str, float]:
    return {name: getattr(marginal, name) for name in ("mean", "std", "low", "high")}

"""What a computed table repeats of the tables of arms and claims, and loses."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..studies import ArmRuns, Evaluation
from ._text import value_text

Columns = Mapping[str, Sequence[Any]]
Said = Callable[[ArmRuns], float | None]


def _ours(end: str) -> Said:
    return lambda runs: getattr(runs.summary.success, end) if runs.summary else None


def _published(scale: float) -> Said:
    def said(runs: ArmRuns) -> float | None:
        figure = runs.arm.published.get("success")
        return None if figure is None else scale * figure.value

    return said


def _published_count(runs: ArmRuns) -> float | None:
    share = _published(1.0)(runs)
    return None if share is None or not runs.summary else share * runs.summary.total


# What the table of arms says of each: a column with one of these says it again.
SAID: tuple[Said, ...] = (
    lambda runs: runs.summary.total if runs.summary else None,
    lambda runs: runs.summary.solved if runs.summary else None,
    *map(_ours, ("value", "low", "high")),
    *map(_published, (1.0, 100.0)),
    _published_count,
)


def without_repeated(table: Columns, evaluation: Evaluation) -> dict[str, list[Any]]:
    """A computed table without what is said elsewhere.

    Args:
        table: its columns.
        evaluation: the study that it belongs to.

    Returns:
        The table without lines that are claims, and, where it has one line for each
        arm, without columns that repeat how often arms are solved; nothing where no
        more than labels is left.
    """
    kept = _without_claims(table, evaluation)
    arms = _arms_of_lines(kept, evaluation)
    labels = set(evaluation.study.labels)
    if arms:
        kept = {
            name: values
            for name, values in kept.items()
            if name in labels or not _repeats(values, arms)
        }
    empty = not next(iter(kept.values()), ()) and bool(table)
    return {} if empty or (arms and set(kept) <= labels) else kept


def _without_claims(table: Columns, evaluation: Evaluation) -> dict[str, list[Any]]:
    """Lines whose first value is the name of a claim stand among the claims."""
    first = next(iter(table.values()), ())
    stay = [str(value) not in evaluation.study.claims for value in first]
    return {
        name: [value for value, keep in zip(values, stay, strict=True) if keep]
        for name, values in table.items()
    }


def _arms_of_lines(table: Columns, evaluation: Evaluation) -> list[ArmRuns]:
    """The arm of each line; none unless every line is one arm's."""
    names = evaluation.study.labels
    if not names or not set(names) <= set(table):
        return []
    known = {
        tuple(value_text(runs.arm.labels[name]) for name in names): runs
        for runs in evaluation.arm_runs
    }
    lines = zip(*(map(value_text, table[name]) for name in names), strict=True)
    arms = [known.get(line) for line in lines]
    listed = [runs for runs in arms if runs is not None]
    different = {id(runs) for runs in listed}
    return listed if len(different) == len(arms) else []


def _repeats(values: Sequence[Any], arms: Sequence[ArmRuns]) -> bool:
    """Whether a column says of every arm what the table of arms says."""
    numbers = [None if _missing(value) else value for value in values]
    if not all(n is None or isinstance(n, int | float) for n in numbers):
        return False
    known = ([said(runs) for runs in arms] for said in SAID)
    return any(_alike(numbers, of_arms) for of_arms in known)


def _missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def _alike(some: Sequence[float | None], others: Sequence[float | None]) -> bool:
    """Whether numbers are the same but for rounding, and the same are missing."""
    pairs = list(zip(some, others, strict=True))
    if any((a is None) is not (b is None) for a, b in pairs):
        return False
    known = [(a, b) for a, b in pairs if a is not None and b is not None]
    return bool(known) and all(abs(a - b) <= 1e-3 * max(1, abs(b)) for a, b in known)

"""Exact after rounding, beside solved: the arms in which the two differ."""

from collections.abc import Iterable

from ..results import exact_after_rounding
from ._evaluate import ArmRuns


def rounded_arms(arm_runs: Iterable[ArmRuns]) -> list[ArmRuns]:
    """The arms whose runs know whether they are exact after rounding."""
    return [arm for arm in arm_runs if arm.summary and arm.summary.rounded]


def gain(arm: ArmRuns) -> int:
    """How many runs more are exact after rounding than are solved."""
    solved = sum(row["outcome"] == "solved" for row in arm.rows)
    return sum(map(exact_after_rounding, arm.rows)) - solved


def by_gain(arm_runs: Iterable[ArmRuns]) -> list[ArmRuns]:
    """The arms in which rounding finds more runs or fewer, the largest gain first."""
    arms = [arm for arm in rounded_arms(arm_runs) if gain(arm)]
    return sorted(arms, key=lambda arm: -gain(arm) / len(arm.rows))


def rounding_text(arm_runs: Iterable[ArmRuns]) -> str:
    """What rounding changes, in a sentence; nothing where that is not known."""
    known = rounded_arms(arm_runs)
    if not known:
        return ""
    gains = [gain(arm) for arm in known]
    counts = {"more": sum(n > 0 for n in gains), "fewer": sum(n < 0 for n in gains)}
    parts = [f"{word} in {n:,}" for word, n in counts.items() if n]
    total = f"{len(known):,} arm{'s' * (len(known) > 1)}"
    said = f"{' and '.join(parts)} of {total}" if parts else f"as many in all {total}"
    return (
        "Runs that are exact after rounding to the nearest discrete weights, beside "
        f"those that are solved: {said}."
    )

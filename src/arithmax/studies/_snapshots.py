"""Parameters that runs kept on the way, at the steps of `Measuring.keep`."""

from typing import Any

from ._evaluate import ArmRuns, Trained

Params = dict[str, Any]


def snapshots(
    arm_runs: ArmRuns, trained: Trained
) -> tuple[list[int], list[list[Params]]]:
    """What the runs of an arm kept.

    Returns:
        The steps, and for every seed its parameters at each of them.
    """
    steps: list[int] = []
    runs = []
    for row in arm_runs.rows:
        at, kept = trained.results.path(row["run"])
        steps = [int(step) for step in at]
        runs.append(
            [{name: value[k] for name, value in kept.items()} for k in range(len(at))]
        )
    return steps, runs

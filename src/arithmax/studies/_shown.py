"""What was learned and what it cost, as a report shows it of an evaluation."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ._evaluate import ArmRuns, Evaluation

Matrices = dict[str, np.ndarray]


def runs_and_seconds(
    evaluations: Sequence[Evaluation],
) -> tuple[int, dict[str, float]]:
    """How many runs some studies have together, and what these took.

    Args:
        evaluations: the studies, which may share runs.

    Returns:
        The number of runs, each once, and their seconds as `spent` gives them.
    """
    arms = [runs for evaluation in evaluations for runs in evaluation.arm_runs]
    count = len({row["run"] for runs in arms for row in runs.rows})
    if not count:
        return 0, {}
    return count, spent(replace(evaluations[0], arm_runs=arms))


def examples(runs: ArmRuns, evaluation: Evaluation) -> list[tuple[dict, Matrices]]:
    """The weights of the first solved and of the first unsolved seed of an arm.

    Args:
        runs: those of the arm.
        evaluation: the study, whose results hold the weights.

    Returns:
        (row, matrices by name) of each seed; a seed without stored weights is left out.
    """
    chosen = []
    for solved in (True, False):
        rows = [r for r in runs.rows if (r["outcome"] == "solved") is solved]
        try:
            chosen.append((rows[0], matrices_of_run(runs, rows[0], evaluation)))
        except (KeyError, IndexError):  # weights were not kept, or no such seed
            continue
    return chosen


def matrices_of_run(
    runs: ArmRuns, row: Mapping[str, Any], evaluation: Evaluation
) -> Matrices:
    """The effective weight matrices of one run, by name."""
    params = evaluation.results.weights(row["run"])
    return {
        name: np.atleast_2d(np.asarray(matrix, dtype=np.float64))
        for name, matrix in runs.arm.cell.network.weights(params).items()
    }


def spent(evaluation: Evaluation) -> dict[str, float]:
    """The seconds that the runs of a study took, by the kind of device.

    Args:
        evaluation: the study.

    Returns:
        Seconds by device, such as `{"CPU": 75.0}`; of a study without runs, those of
        its commands under an empty name, if they are known.
    """
    # Arms that share a cell share its runs.
    rows = {row["run"]: row for runs in evaluation.arm_runs for row in runs.rows}
    took: dict[str, float] = {}
    for row in rows.values():
        kind = str(row.get("platform", "cpu")).upper()
        took[kind] = took.get(kind, 0.0) + row.get("seconds", 0.0)
    commands = [h["seconds"] for h in evaluation.history if h.get("seconds")]
    return took or ({"": sum(commands)} if commands else {})

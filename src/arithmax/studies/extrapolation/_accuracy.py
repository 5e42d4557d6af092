"""The report's accuracy, which it prints but does not define."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...statistics import Interval
from ...tasks import NumpyKey, Task
from .._evaluate import ArmRuns, Trained
from .._sheet import Sheet
from .._study import Table, columns
from .._tables import central_range, ends

SAMPLES = 1000  # of a test set, as the printed multiples of 0.1 % suggest
TOLERANCES = (1e-1, 1e-2, 1e-3)
COMPARED = 1e-2  # the tolerance at which ours are compared with the report's


def right(predicted: Any, target: Any, tolerance: float, least: float = 1.0) -> Any:
    """Whether |ŷ − y| ≤ tolerance · max(least, |y|); NaN and ∞ never are."""
    with np.errstate(invalid="ignore"):
        bound = tolerance * np.maximum(least, np.abs(target))
        return np.abs(predicted - target) <= bound


def tested(task: Task, seed: int) -> tuple[Any, Any]:
    """Inputs [in, sample] of the range to be right on, and their targets [sample]."""
    x, t = task.draw("extrapolation", task.replica(seed), NumpyKey(0), SAMPLES)
    return x, t[0]


def predicted(runs: ArmRuns, trained: Trained) -> list[tuple[Any, Any]]:
    """Targets and predictions of every seed of an arm."""
    cell = runs.arm.cell
    answers = []
    for row in runs.rows:
        x, target = tested(cell.task, row["seed"])
        with np.errstate(all="ignore"):
            answers.append((target, cell.network.compute(trained.weights(row), x)[0]))
    return answers


@dataclass(frozen=True)
class Accuracy:
    """The accuracies of the seeds of an arm at each tolerance, `[seed, tolerance]`."""

    runs: ArmRuns
    values: np.ndarray

    @property
    def compared(self) -> np.ndarray:
        """Those at the tolerance that is compared, one for each seed."""
        return self.values[:, TOLERANCES.index(COMPARED)]


def accuracies(runs: ArmRuns, trained: Trained, least: float = 1.0) -> np.ndarray:
    """The accuracy of every seed of an arm at every tolerance [seed, tolerance]."""
    answers = predicted(runs, trained)
    return np.array(
        [[right(y, t, tol, least).mean() for tol in TOLERANCES] for t, y in answers]
    ).reshape(-1, len(TOLERANCES))


def measured(trained: Trained) -> dict[Any, Accuracy]:
    """The accuracies of all arms that were run, by the values of their labels."""
    return {
        tuple(runs.arm.labels.values()): Accuracy(runs, accuracies(runs, trained))
        for runs in trained.arms()
    }


def accuracy_table(arms: dict[Any, Accuracy], **more: list[Any]) -> Table:
    """Mean accuracies of arms at each tolerance, and their spread over seeds."""
    rows = []
    labels: tuple[str, ...] = ()
    for key, arm in arms.items():
        labels, means = tuple(arm.runs.arm.labels), arm.values.mean(axis=0).tolist()
        rows.append((*key, len(arm.values), *means, *ends(central_range(arm.compared))))
    names = tuple(f"mean at {tol:g}" for tol in TOLERANCES)
    names = (*labels, "seeds", *names, "median at 0.01", "low", "high")
    return {**columns(names, rows), **more}


def claimed(words: Sheet, arms: dict[Any, Accuracy]) -> dict[str, Interval]:
    """The figures of arms `(operation, operands, …)` by the names of their claims."""
    return {
        words.claim("accuracy", operation=key[0], operands=key[1]): central_range(
            arm.compared
        )
        for key, arm in arms.items()
    }

"""Samples of a task outside the fleet, in NumPy."""

from typing import Any

from ._sums import OPERATIONS
from ._task import Task
from ._thresholds import evaluate, sampled


def examples(task: Task, seed: int, size: int) -> tuple[Any, Any]:
    """Samples of the range that a replica is to be right on.

    Args:
        task: an operation between sums of inputs.
        seed: the seed of the replica, which chooses the inputs of the sums.
        size: how many samples.

    Returns:
        Inputs `[in, size]`, the same for every seed, and targets `[size]`.
    """
    x = sampled(task.extrapolation, task.in_features, task.distribution, size)
    numbers = task.replica(seed)
    return x, evaluate(OPERATIONS[numbers["operation"]], numbers["masks"] @ x)

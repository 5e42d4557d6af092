"""Which side the gate of a NALU has taken on the range to train on."""

import numpy as np

from .._evaluate import ArmRuns, Trained
from .._gates import gates
from .._learned import ends_of_range


def mean_gates(runs: ArmRuns, trained: Trained) -> np.ndarray:
    """The gate of each seed's one layer, averaged over inputs to train on."""
    task = runs.arm.cell.task
    low, high = ends_of_range(runs, "interpolation")
    x = np.random.default_rng(0).uniform(low, high, (task.in_features, 1000))
    layers = [{"G": trained.weights(row)["0.G"]} for row in runs.rows]
    return np.array([float(gates(layer, x).mean()) for layer in layers])


def sides(gate: np.ndarray) -> dict[str, np.ndarray]:
    """Which seeds multiply, add, or do neither, by their mean gates."""
    return {
        "multiplies": gate < 0.1,
        "between": (gate >= 0.1) & (gate <= 0.9),
        "adds": gate > 0.9,
    }

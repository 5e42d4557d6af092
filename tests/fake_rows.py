"""Rows as the fleet writes them, without training."""

import numpy as np

from arithmax.training._meter import Cost
from arithmax.training._record import row_of
from arithmax.training._replicas import Replica


def fake(study_of, outcomes, at=1000, error=1e-3, spread=0.0, **changes):
    """Rows as the fleet writes them, without training; seeds differ by `spread`."""
    (arm,) = study_of.arms
    rows = []
    for seed, outcome in enumerate(outcomes):
        cell = arm.cell
        protocol = cell.protocol.updated(**changes)
        r = Replica(cell.network, cell.task, protocol, seed, 32, "cpu")
        final = 0.0 if outcome else 1.0
        curves = {
            "interpolation": np.array([1.0, 0.0]),
            "extrapolation": np.array([1.0, final]),
            "sparsity": np.full(2, error * (1 + spread * seed)),
        }
        at_step = round(at * (1 + spread * seed))
        steps = np.array([0, at_step])
        rows.append(row_of(r, Cost(1.0, 2.0), steps, curves, rounded=final))
    return rows

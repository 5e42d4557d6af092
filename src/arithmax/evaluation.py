"""The error of given parameters, measured as a fleet measures it."""

from typing import Any

from .protocol import Cell


def extrapolation_error(cell: Cell, params: dict[str, Any], seed: int = 0) -> float:
    """The mean squared error on the samples that a fleet tests a run on.

    It is rounded as the fleet rounds it, and so is seldom exactly zero.

    Args:
        cell: the network, its task and its protocol.
        params: parameters of the network, in the precision of the protocol.
        seed: the seed of the run.

    Examples:
        >>> import numpy as np
        >>> from arithmax.evaluation import extrapolation_error
        >>> from arithmax.protocol import Cell, Protocol
        >>> from arithmax.tasks import SingleModule
        >>> from arithmax.units import NMU
        >>> cell = Cell(NMU(), SingleModule("mul"), Protocol(), seeds=(0,))
        >>> extrapolation_error(cell, {"W": np.ones((1, 2), np.float32)}) < 1e-10
        True
    """
    import jax

    from ._program import configuration, measure_one, targets_of

    task, protocol = cell.task, cell.protocol

    def measured(numbers, params):
        targets = targets_of(task, protocol, numbers)
        numbers = numbers | {"targets": targets}
        found = measure_one(cell.network, task, protocol, params, numbers)
        return found["extrapolation"]

    numbers = configuration(task, protocol, seed)
    return float(jax.jit(measured)(numbers, params))

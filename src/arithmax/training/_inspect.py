"""One run without its training: how it starts, and the error of given parameters."""

from collections.abc import Iterable
from typing import Any

import jax
import numpy as np

from ._cell import Cell
from ._machine import pinned
from ._replica import Training, cast, numbers_of


def first_parameters(cell: Cell, seeds: Iterable[int] | None = None) -> dict[str, Any]:
    """The parameters of every seed before its first step.

    Args:
        cell: what is trained.
        seeds: the seeds; those of the cell if None.

    Returns:
        Arrays by the names of the parameters, the seed as their first axis.

    Examples:
        >>> from arithmax import NMU, Cell, Protocol
        >>> from arithmax.tasks import SingleModule
        >>> from arithmax.training import first_parameters
        >>> cell = Cell(NMU(), SingleModule("mul"), Protocol(), seeds=(0, 1, 2))
        >>> first_parameters(cell)["W"].shape
        (3, 1, 2)
    """
    chosen = cell.seeds if seeds is None else tuple(seeds)
    each = [numbers_of(cell.task, cell.protocol, seed) for seed in chosen]
    with pinned(cell.protocol.precision):
        numbers = jax.tree.map(lambda *values: np.stack(values), *each)
        start = Training(cell.network, cell.task, cell.protocol, {}).start
        drawn = jax.jit(jax.vmap(lambda given: start(given).params))(numbers)
        return {name: np.asarray(value) for name, value in drawn.items()}


def extrapolation_error(cell: Cell, params: dict[str, Any], seed: int = 0) -> float:
    """The mean squared error of parameters on the samples that a fleet tests a run on.

    Args:
        cell: the network, its task and its protocol.
        params: parameters of the network, in the precision of the protocol.
        seed: the seed of the run.

    Examples:
        >>> import numpy as np
        >>> from arithmax import NMU, Cell, Protocol
        >>> from arithmax.tasks import SingleModule
        >>> from arithmax.training import extrapolation_error
        >>> cell = Cell(NMU(), SingleModule("mul"), Protocol(), seeds=(0,))
        >>> extrapolation_error(cell, {"W": np.ones((1, 2), np.float32)}) < 1e-10
        True
    """
    kind = cell.protocol.precision
    shared = {name: cast(v, kind) for name, v in cell.task.shared().items()}
    training = Training(cell.network, cell.task, cell.protocol, shared)

    def measured(given, params):
        return training.errors(params, given, training.targets(given))

    with pinned(kind):
        given = numbers_of(cell.task, cell.protocol, seed)
        return float(jax.jit(measured)(given, params)["extrapolation"])

"""With which parameters a run starts."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from .protocol import Cell


def first_parameters(cell: Cell, seeds: Iterable[int] | None = None) -> dict[str, Any]:
    """The parameters of every seed before its first step.

    Args:
        cell: what is trained.
        seeds: the seeds; those of the cell if there are none.

    Returns:
        Arrays by the names of the parameters, the seed as their first axis.

    Examples:
        >>> from arithmax.protocol import Cell, Protocol
        >>> from arithmax.starts import first_parameters
        >>> from arithmax.tasks import SingleModule
        >>> from arithmax.units import NMU
        >>> cell = Cell(NMU(), SingleModule("mul"), Protocol(), seeds=(0, 1, 2))
        >>> first_parameters(cell)["W"].shape
        (3, 1, 2)
    """
    import jax

    from ._program import start_one

    asked = np.array(cell.seeds if seeds is None else list(seeds), dtype=np.uint32)

    def one(seed):
        return start_one(cell.network, cell.task, cell.protocol, {"seed": seed}).params

    with jax.enable_x64(False):
        drawn = jax.jit(jax.vmap(one))(asked)
        return {name: np.asarray(value) for name, value in drawn.items()}

"""Whether a run has found the answer, though its weights are not there yet.

Training in float32 may leave weights that are right to three digits, which fail a
threshold, while the discrete ones next to them are the solution.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from .._arrays import Params
from .._network import Network
from ..tasks import NumpyKey, Task

SAMPLES = 1000  # of a range outside, on which rounded weights are judged


def rounded_error(network: Network, task: Task, params: Params, seed: int) -> float:
    """The extrapolation error of the discrete weights next to learned ones.

    It is computed in double precision on samples of the task's extrapolation range.

    Args:
        network: what was trained.
        task: what it was trained on.
        params: its parameters, in NumPy.
        seed: the seed of the run, which may decide which inputs matter.

    Returns:
        The mean squared error; NaN where there are no discrete weights, as in a network
        that has none, or near weights that are not finite.

    Examples:
        >>> import numpy as np
        >>> from arithmax import NMU
        >>> from arithmax.tasks import SingleModule
        >>> from arithmax.training import rounded_error
        >>> rounded_error(NMU(), SingleModule("mul"), {"W": np.array([[0.9, 1.0]])}, 0)
        0.0
    """
    exact = _nearest(network, params)
    return float("nan") if exact is None else _error(network, task, exact, seed)


def rounded_errors(
    runs: Iterable[tuple[Network, Task, Params, int]],
) -> list[float]:
    """`rounded_error` of many runs, of which most are rounded to the same weights."""
    known: dict[tuple, float] = {}
    errors = []
    for network, task, params, seed in runs:
        exact = _nearest(network, params)
        if exact is None or len(task.input_shape) > 1:  # images take minutes in NumPy
            errors.append(float("nan"))
            continue
        key = (network, task, _bytes(task.replica(seed)), _bytes(exact))
        if key not in known:
            known[key] = _error(network, task, exact, seed)
        errors.append(known[key])
    return errors


def _nearest(network: Network, params: Params) -> Params | None:
    """The discrete weights next to learned ones, if there are any."""
    learned = {name: np.asarray(v, dtype=np.float64) for name, v in params.items()}
    try:
        return network.discretise(learned)
    except ValueError:
        return None


def _error(network: Network, task: Task, params: Params, seed: int) -> float:
    """The mean squared error outside, in double precision."""
    numbers = {**task.replica(seed), **task.shared()}
    with np.errstate(all="ignore"):
        x, t = task.draw("extrapolation", numbers, NumpyKey(0), SAMPLES)
        return float(np.mean((network.compute(params, np.float64(x)) - t) ** 2))


def _bytes(arrays: Mapping[str, Any]) -> tuple[bytes, ...]:
    return tuple(np.asarray(value).tobytes() for value in arrays.values())

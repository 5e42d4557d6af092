"""Which weights of a network can be zero."""

from collections.abc import Iterator

import numpy as np

from .._network import Network
from ._draws import drawn_outputs

NOTHING = 1e-9  # of what matters: a change that is a rounding


def pruned_parameters(
    network: Network,
    draws: dict[str, np.ndarray],
    params: dict[str, np.ndarray],
    x: np.ndarray,
    most: float,
    noise: float,
    level: float,
) -> dict[str, np.ndarray]:
    """Parameters with as many zeros as change the output by no more than `most`.

    What surely is not zero may still be dropped as long as the output changes by less
    than the noise: an interval misses zero in one of twenty cases in which it is zero.

    Args:
        network: the network.
        draws: draws of its parameters, whose intervals say which may be zero.
        params: the parameters to prune.
        x: the rows on which the output must stay as it is.
        most: the root of the mean squared change that is allowed.
        noise: the same for weights whose interval does not hold zero.
        level: the share of the draws inside an interval.
    """
    declared = network.parameters(x.shape[1], 1)
    kept = {name: value.copy() for name, value in params.items()}
    before = drawn_outputs(network, _alone(params), x)[0]

    def change(name: str, index: tuple[int, ...]) -> float:
        """How far the output is from that before, with one more zero."""
        tried = {n: v.copy() for n, v in kept.items()}
        tried[name][index] = 0.0
        return _distance(drawn_outputs(network, _alone(tried), x)[0], before)

    weights = [n for n, p in declared.items() if p.role == "weight"]
    entries = [(n, i) for n in weights for i in np.ndindex(kept[n].shape)]
    near = set(_near_zero(draws, weights, level))
    for entry in sorted(entries, key=lambda e: change(*e)):
        if change(*entry) <= (most if entry in near else min(most, noise)):
            kept[entry[0]][entry[1]] = 0.0
    already = _distance(drawn_outputs(network, _alone(kept), x)[0], before)
    for name in (n for n in declared if n not in weights):
        for index in np.ndindex(kept[name].shape):
            if change(name, index) <= already + NOTHING * most:
                kept[name][index] = 0.0
    return kept


def _near_zero(
    draws: dict[str, np.ndarray], names: list[str], level: float
) -> Iterator[tuple[str, tuple[int, ...]]]:
    """The entries whose interval holds zero."""
    ends = [(1 - level) / 2, (1 + level) / 2]
    for name in names:
        low, high = np.quantile(draws[name], ends, axis=0)
        for index in np.argwhere((low <= 0) & (high >= 0)):
            yield name, tuple(map(int, index))


def _distance(a: np.ndarray, b: np.ndarray) -> float:
    """The root of the mean squared difference; infinite where it is not finite."""
    with np.errstate(all="ignore"):
        size = float(np.sqrt(np.mean((a - b) ** 2)))
    return size if np.isfinite(size) else np.inf


def _alone(params: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """One set of parameters as one draw."""
    return {name: value[None] for name, value in params.items()}

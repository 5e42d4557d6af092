"""What many draws of a network's parameters compute."""

from functools import cache
from typing import Any

import numpy as np

from .._network import Network

MOST_DRAWS, MOST_ROWS = 400, 400  # for which it is looked at which columns matter


def drawn_outputs(
    network: Network, draws: dict[str, np.ndarray], x: np.ndarray
) -> np.ndarray:
    """The output of each draw on each row [draw, row]."""
    from ._sites import float64

    with float64():
        return np.asarray(_computed()(network, draws, x.T))


def drawn_weights(
    network: Network, draws: dict[str, np.ndarray]
) -> dict[str, np.ndarray]:
    """The effective weights of each draw, by name [draw, …]."""
    import jax

    from ._sites import float64

    with float64():
        weights = jax.vmap(network.weights)({n: _array(d) for n, d in draws.items()})
    # JAX sorts dictionaries; the network's order is the one that people know.
    order = network.weights({name: d[0] for name, d in draws.items()})
    return {name: np.asarray(weights[name]) for name in order}


def shares_that_matter(
    network: Network, draws: dict[str, np.ndarray], x: np.ndarray, most: float
) -> list[float]:
    """For each column the share of draws whose output changes when it is shuffled.

    Args:
        network: the network.
        draws: draws of its parameters.
        x: the rows.
        most: the root of the mean squared change that is no change yet.
    """
    count = len(next(iter(draws.values())))
    few = np.linspace(0, count - 1, min(count, MOST_DRAWS)).astype(int)
    draws = {name: d[few] for name, d in draws.items()}
    rows = x[:: -(-len(x) // MOST_ROWS)]
    before = drawn_outputs(network, draws, rows)
    order = np.random.default_rng(0).permutation(len(rows))
    shares = []
    for column in range(x.shape[1]):
        shuffled = rows.copy()
        shuffled[:, column] = rows[order, column]
        with np.errstate(all="ignore"):
            change = drawn_outputs(network, draws, shuffled) - before
            size = np.sqrt(np.mean(change**2, axis=1))
        # What is not finite is a change too.
        shares.append(float(np.mean(~(size <= most))))
    return shares


def _array(value: np.ndarray) -> Any:
    import jax.numpy as jnp

    return jnp.asarray(value)


@cache
def _computed() -> Any:
    """The outputs of draws, compiled once for each network and shape."""
    import jax
    import jax.numpy as jnp

    def computed(network: Network, draws: Any, x: Any) -> Any:
        def one(params: Any) -> Any:
            return network.compute(params, x, xp=jnp)[0]

        return jax.vmap(one)(draws)

    return jax.jit(computed, static_argnums=0)

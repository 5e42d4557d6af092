"""A stack as Equinox's own sequence of layers."""

from itertools import pairwise
from typing import Any

from jaxtyping import PRNGKeyArray

from .._extras import extras
from ..networks import Stack
from ._classes import LAYERS

with extras():
    import equinox as eqx
    import jax

    from ..training._initialise import initialise


def sequential(
    network: Stack,
    in_features: Any,
    out_features: int,
    *,
    key: PRNGKeyArray,
    dtype: Any = None,
) -> eqx.nn.Sequential:
    """A stack as an `equinox.nn.Sequential` of layers.

    Args:
        network: the stack.
        in_features: how many inputs it has.
        out_features: how many outputs it has.
        key: a JAX random key for the parameters.
        dtype: their floating-point format; JAX's default if None.

    Examples:
        >>> import jax
        >>> from arithmax import NAU, NMU, Stack
        >>> from arithmax.equinox import sequential
        >>> net = sequential(Stack((NAU(), NMU()), (2,)), 4, 1, key=jax.random.key(0))
        >>> [type(layer).__name__ for layer in net.layers]
        ['NAU', 'NMU']
    """
    sizes = list(pairwise((in_features, *network.hidden, out_features)))
    keys = jax.random.split(key, len(sizes))
    layers = [
        LAYERS.of(unit, *size, key=k, dtype=dtype)
        for unit, size, k in zip(network.units, sizes, keys, strict=True)
    ]
    if network.starts:
        drawn = initialise(network, in_features, out_features, key=key, dtype=dtype)
        layers = [
            layer.with_parameters(own)
            for layer, (_, own) in zip(layers, network.layers(drawn), strict=True)
        ]
    return eqx.nn.Sequential(layers)

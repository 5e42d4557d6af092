"""Networks of many hidden sizes as one program: weights filled up with zeros.

A padded network has the weights of a small one and zeros beside them, which get no
gradient. It computes what the small one does where a unit ignores an input whose
weights are zero; that is tried out before a program is built.
"""

from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from .._arrays import Params
from .._network import Network
from ..tasks import Task
from ._initialise import initialise
from ._moment import Padding
from ._protocol import Protocol
from ._random import START, stream_key


def padding(network: Network, task: Task, protocol: Protocol) -> Padding | None:
    """What a padded replica needs: which weights are no padding."""
    if network.wide == network:
        return None
    sizes = (task.in_features, task.out_features)
    check_padding(network, *sizes)
    live = {n: np.ones(p.shape, bool) for n, p in network.parameters(*sizes).items()}
    ratio = np.asarray(share_of_padded(network, *sizes), protocol.precision)
    return Padding(pad(network, live, *sizes), ratio)


def pad(
    network: Network, params: Params, in_features: int, out_features: int
) -> Params:
    """Parameters of a stack with zeros up to its padded sizes."""
    shapes = network.wide.parameters(in_features, out_features)
    filled = {}
    for name, value in params.items():
        gap = zip(shapes[name].shape, value.shape, strict=True)
        xp = np if isinstance(value, np.ndarray) else jnp
        filled[name] = xp.pad(value, [(0, wide - own) for wide, own in gap])
    return filled


def cut(network: Network, task: Task, params: Params) -> Params:
    """The parameters of a network without padding."""
    if network.wide == network:
        return params
    declared = network.parameters(task.in_features, task.out_features)
    return {
        name: params[name][tuple(slice(n) for n in parameter.shape)]
        for name, parameter in declared.items()
    }


def starts(
    networks: list[Network], task: Task, protocol: Protocol, seeds: Any
) -> Params:
    """The first parameters of each padded replica, drawn as its network's without."""
    sizes = (task.in_features, task.out_features)
    chosen: Params = {}
    for network in dict.fromkeys(networks):
        here = np.array([other == network for other in networks])

        def one(seed, network=network):
            key = stream_key(seed, START)
            dtype = jnp.dtype(protocol.precision)
            drawn = initialise(network, *sizes, key=key, dtype=dtype)
            return pad(network, drawn, *sizes)

        # Starts may be many, and each would be compiled.
        mapped = jax.vmap(one)
        drawn = mapped(seeds) if network.starts else jax.jit(mapped)(seeds)  # type: ignore[attr-defined]  # of a stack
        for name, value in drawn.items():
            mask = here.reshape((-1,) + (1,) * (value.ndim - 1))
            chosen[name] = jnp.where(mask, value, chosen.get(name, 0))
    return chosen


def share_of_padded(network: Network, in_features: int, out_features: int) -> float:
    """By how much a mean over padded weights is too small."""
    sizes = (in_features, out_features)
    wide = network.wide.parameters(*sizes)
    ratios = {
        np.prod(wide[name].shape) / np.prod(parameter.shape)
        for name, parameter in network.parameters(*sizes).items()
    }
    if len(ratios) > 1:
        raise ValueError(
            f"`padded` (={network!r}) must fill all layers of {network} up by "
            "one factor: stacks of two layers can be padded."
        )
    return float(ratios.pop())


@cache
def check_padding(network: Network, in_features: int, out_features: int) -> None:
    """Padding must change neither the output nor the penalty."""
    sizes = (in_features, out_features)
    rng = np.random.default_rng(0)
    params = {
        name: rng.uniform(0.1, 0.9, parameter.shape)
        for name, parameter in network.parameters(*sizes).items()
    }
    filled = pad(network, params, *sizes)
    x = rng.uniform(0.5, 2.0, (in_features, 8))
    same = np.allclose(
        network.compute(params, x), network.wide.compute(filled, x), rtol=1e-9
    )
    penalty = share_of_padded(network, *sizes) * network.wide.penalty(filled)
    if not same or not np.allclose(network.penalty(params), penalty):
        raise ValueError(
            f"`padded` (={network!r}) would change what {network} computes: one "
            "of its units does not ignore inputs whose parameters are zero. Leave "
            "`padded` out."
        )

"""The noise of one step, drawn from the distributions that a network declares."""

from collections.abc import Callable

import jax.numpy as jnp

from ._arrays import Array
from ._network import Draws, Network
from ._random import NOISE, STEP_NOISE


def step_noise(
    network: Network,
    in_features: int | tuple[int, ...],
    batch: int,
    draw: Callable[[int, tuple[int, ...]], Array],
) -> Draws | None:
    """One array for each piece of noise, features first; None if there is none.

    Args:
        network: the network.
        in_features: how many inputs it has, or their shape.
        batch: how many samples a step has.
        draw: numbers uniform on [0, 1), by stream and shape.
    """
    pieces = network.noise(in_features)
    if not pieces:
        return None
    # All numbers of a kind are one draw: it is cheaper, and a place decides a number.
    each = [p.size for p in pieces if p.each_sample]
    once = [p.size for p in pieces if not p.each_sample]
    rest = {
        True: draw(NOISE, (sum(each), batch)) if each else None,
        False: draw(STEP_NOISE, (sum(once),)) if once else None,
    }
    drawn = []
    for piece in pieces:
        numbers: Array = rest[piece.each_sample]
        u, rest[piece.each_sample] = numbers[: piece.size], numbers[piece.size :]
        shape = (*piece.shape, batch) if piece.each_sample else piece.shape
        drawn.append(piece.distribution.quantile(u.reshape(shape), jnp))
    return tuple(drawn)

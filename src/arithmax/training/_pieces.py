"""A mean over a batch that is computed in pieces, each of them forgotten at once."""

from collections.abc import Callable

import jax
import jax.numpy as jnp

from .._arrays import Array, Params


def mean_in_pieces(
    value: Callable[[Params, Array], Array], count: int
) -> Callable[[Params], Array]:
    """The mean of a function of parameters over pieces of a batch.

    Its slope is added up along with its value: nothing of a piece is kept until all
    have been computed, as a derivative of a loop would.

    Args:
        value: the function, of parameters and the number of a piece.
        count: how many pieces there are.
    """

    def added(one, params):
        """`one(params, i)` of all pieces, as means."""
        if count == 1:
            return one(params, jnp.uint32(0))
        zero = jax.tree.map(
            lambda leaf: jnp.zeros(leaf.shape, leaf.dtype),
            jax.eval_shape(one, params, jnp.uint32(0)),
        )

        def add(i, total):
            return jax.tree.map(jnp.add, total, one(params, jnp.uint32(i)))

        total = jax.lax.fori_loop(0, count, add, zero)
        return jax.tree.map(lambda leaf: leaf / count, total)

    @jax.custom_vjp
    def mean(params: Params) -> Array:
        return added(value, params)

    def forward(params):
        return added(jax.value_and_grad(value), params)

    def backward(slope, change):
        return (jax.tree.map(lambda leaf: change * leaf, slope),)

    mean.defvjp(forward, backward)
    return mean

"""Many steps of every replica as one kernel of a GPU: one warp trains one replica.

The step is the one that all programs have, differentiated as it is; here it is only run
on arrays whose sides are powers of two, and its batch in pieces that fit the registers.
"""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

from .._arrays import Array, Params, as_kernel
from ._filled import filled_up
from ._moment import Numbers, State
from ._padded import Prepared
from ._replica import SETS, Training


def train_steps(
    training: Training,
    state: State,
    numbers: Numbers,
    first: Array,
    error: Array,
    count: int,
    interpret: bool = False,
) -> State:
    """The states of all replicas after so many steps.

    Args:
        training: one replica, with its batch in pieces.
        state: the states of all replicas.
        numbers: their numbers.
        first: the step at which each begins.
        error: their interpolation errors as last measured.
        count: how many steps.
        interpret: whether to compute what the kernel would on any machine.
    """

    def moved(state: State) -> tuple:
        return state.params, state.optimiser, state.restarts

    def one(given, moving, step):
        (numbers, error), (params, optimiser, restarts) = given, moving
        # No step looks at the best parameters.
        before = State(params, optimiser, {}, error, restarts)
        return moved(training.step(before, numbers, step, error))

    after = _repeated(one, (numbers, error), moved(state), first, count, interpret)
    params, optimiser, restarts = after
    return state._replace(params=params, optimiser=optimiser, restarts=restarts)


def measured_errors(
    training: Training, params: Params, numbers: Numbers, interpret: bool = False
) -> dict[str, Array]:
    """The mean squared errors of all replicas on the measured sets.

    Args:
        training: one replica, with its measured sets in pieces.
        params: the parameters of all replicas.
        numbers: their numbers.
        interpret: whether to compute what the kernel would on any machine.
    """
    count = numbers.seed.shape[0]
    errors = {}
    for split in SETS:
        squares = training.squares(split)
        value = squares.value

        def one(given, total, i, value=value):
            params, numbers = given
            return total + value(params, numbers, i)

        parts = jnp.arange(squares.parts, dtype=jnp.uint32) * jnp.uint32(squares.each)
        first = jnp.broadcast_to(parts, (count, squares.parts))
        zero = jnp.zeros(first.shape, training.dtype)
        sums = _repeated(one, (params, numbers), zero, first, squares.each, interpret)
        errors[split] = jnp.mean(sums, axis=1) / squares.each
    return errors


def _repeated(
    one: Callable[..., Any],
    given: Any,
    moving: Any,
    first: Array,
    count: int,
    interpret: bool,
) -> Any:
    """What moves of all replicas, after a step of one was repeated for each.

    Args:
        one: a step: from what is given, what moves and the number of the step to what
            moves then.
        given: what is given, of all replicas.
        moving: what moves, of all replicas, or of several parts of each.
        first: the number of the first step of each.
        count: how many steps.
        interpret: whether to compute what the kernel would on any machine.
    """
    parts = [jax.tree.leaves(part) for part in (given, moving, first)]
    fixed, moved = len(parts[0]), len(parts[1])
    leaves = [leaf for part in parts for leaf in part]
    axes = [1] * fixed + [first.ndim] * (moved + 1)
    kinds = [
        jax.ShapeDtypeStruct(leaf.shape[n:], leaf.dtype)
        for leaf, n in zip(leaves, axes, strict=True)
    ]
    tree = jax.tree.structure((given, moving, first))
    with as_kernel():
        program = jax.make_jaxpr(one)(*jax.tree.unflatten(tree, kinds))

    def kernel(*refs):
        pairs = zip(refs, kinds, strict=False)
        read = [ref[...].astype(kind.dtype) for ref, kind in pairs]
        step, begin = Prepared(program, first=read[:fixed]).called(), read[-1]

        def advance(i, state):
            return tuple(step([*state, begin + jnp.uint32(i)]))

        state = tuple(read[fixed : fixed + moved])
        state = jax.lax.fori_loop(0, count, advance, state)
        for ref, array in zip(refs[len(leaves) :], state, strict=True):
            ref[...] = array.astype(ref.dtype)

    filled = [_filled(leaf, n) for leaf, n in zip(leaves, axes, strict=True)]
    specs = [_block(leaf, n) for leaf, n in zip(filled, axes, strict=True)]
    results = filled[fixed : fixed + moved]
    after = pl.pallas_call(
        kernel,
        grid=first.shape,
        in_specs=specs,
        out_specs=specs[fixed : fixed + moved],
        out_shape=[jax.ShapeDtypeStruct(a.shape, a.dtype) for a in results],
        interpret=interpret,
        compiler_params=None if interpret else _one_warp(),
    )(*filled)
    pairs = zip(after, parts[1], strict=True)
    cut = [a[tuple(map(slice, leaf.shape))].astype(leaf.dtype) for a, leaf in pairs]
    return jax.tree.unflatten(jax.tree.structure(moving), cut)


def _one_warp() -> Any:
    from jax.experimental.pallas import triton

    return triton.CompilerParams(num_warps=1, num_stages=1)


def _filled(leaf: Array, axes: int) -> Array:
    """An array with zeros up to powers of two along all but its first axes."""
    if leaf.dtype == jnp.bool:
        leaf = leaf.astype(jnp.int32)  # a kernel reads no single bits
    return filled_up(leaf, axes)


def _block(leaf: Array, axes: int) -> pl.BlockSpec:
    """What one program of the grid sees of an array: the part of one replica."""
    rest = leaf.shape[axes:]
    shape = (None,) * axes + rest
    return pl.BlockSpec(shape, lambda *place: (*place[:axes], *(0 for _ in rest)))

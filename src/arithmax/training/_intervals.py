"""The steps of an interval: of all replicas side by side, or of each in a kernel."""

import math

import jax
import jax.numpy as jnp

from .._arrays import Array
from ._kernel import train_steps
from ._moment import Numbers, State
from ._replica import Training

UNROLL = 8  # steps that an accelerator runs between two looks at the loop


def step_by_step(
    one: Training, state: State, numbers: Numbers, first: Array, error: Array
) -> State:
    """The replicas after an interval, all of them step by step."""
    step_all = jax.vmap(one.step, in_axes=(0, 0, None, 0))

    def step(state, i):
        state = step_all(state, numbers, first + i, error)
        return restarts(one, state, numbers, first + i), None

    counts = jnp.arange(one.protocol.measuring.interval, dtype=jnp.uint32)
    unroll = 1 if on_cpu() else UNROLL
    return jax.lax.scan(step, state, counts, unroll=unroll)[0]


def in_a_kernel(
    one: Training,
    state: State,
    numbers: Numbers,
    first: Array,
    error: Array,
    gpu: bool,
) -> State:
    """The replicas after an interval, each of them by itself.

    A kernel ends where a replica may be drawn afresh.
    """
    interval, rule = one.protocol.measuring.interval, one.protocol.restart
    count = interval if rule is None else math.gcd(interval, rule.every)

    def some(i, state):
        begin = first + jnp.uint32(count) * i.astype(jnp.uint32)
        each = jnp.full(error.shape, begin)
        state = train_steps(one, state, numbers, each, error, count, not gpu)
        return restarts(one, state, numbers, begin + jnp.uint32(count - 1))

    if count == interval:
        return some(jnp.uint32(0), state)
    return jax.lax.fori_loop(0, interval // count, some, state)


def restarts(one: Training, state: State, numbers: Numbers, step: Array) -> State:
    """Draw the replicas afresh that the rule names, at the steps at which it looks."""
    if one.protocol.restart is None:
        return state
    every = jnp.uint32(one.protocol.restart.every)
    look = ((step + 1) % every == 0) & (step > 0)

    def redraw(state):
        return jax.vmap(one.restarted, in_axes=(0, 0, None))(state, numbers, step)

    return jax.lax.cond(look, redraw, lambda state: state, state)


def on_cpu() -> bool:
    """Whether programs are compiled for a CPU."""
    return jax.default_backend() == "cpu"

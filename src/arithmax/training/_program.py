"""One compiled program: a block of replicas, trained for one interval and measured.

Everything numeric differs between replicas; the program depends on the network, the
structure of task and protocol, and the size of the block alone.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from .._arrays import Array
from .._network import Network
from ..tasks import Task
from ._moment import Numbers, State
from ._protocol import Protocol
from ._replica import Training

UNROLL = 8  # steps that an accelerator runs between two looks at the loop
# Passes of the compiler for a CPU that are left out. The first splits operations over
# all processor cores, where a block is the work of one; the second drops barriers, and
# the inputs of a step would be computed again by each operation that reads them.
LEFT_OUT = ("cpu-parallel-task-assigner", "cse_barrier_expander")
CPU_OPTIONS = {
    "xla_disable_hlo_passes": ",".join(LEFT_OUT),
    "xla_cpu_prefer_vector_width": 512,  # where a processor has such registers
}


class Program(NamedTuple):
    """The compiled functions of one block.

    `shared` are arrays that all replicas share, `targets` those of the measured sets.
    """

    start: Callable[[Numbers], State]
    targets: Callable[[Numbers, dict], dict]
    interval: Callable[[State, Numbers, dict, dict, Array, Array], tuple[State, dict]]
    measure: Callable[[State, Numbers, dict, dict, Array], tuple[State, dict]]


class Configuration:
    """What a program is compiled for; those of one structure are one."""

    def __init__(self, network: Network, task: Task, protocol: Protocol) -> None:
        self.network, self.task, self.protocol = network.wide, task, protocol
        padded = network.wide != network
        self.structure = self.network, padded, task.structure, protocol.structure

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Configuration) and self.structure == other.structure

    def __hash__(self) -> int:
        return hash(self.structure)


@lru_cache(maxsize=64)
def program(of: Configuration) -> Program:
    """The program of a network, a task and a protocol."""

    def training(shared: dict[str, Any]) -> Training:
        return Training(of.network, of.task, of.protocol, shared)

    def start(numbers):
        return jax.vmap(training({}).start)(numbers)

    def targets(numbers, shared):
        return jax.vmap(training(shared).targets)(numbers)

    def measure(state, numbers, shared, targets, eligible):
        one = training(shared).measure
        measured = jax.vmap(one)(state.params, numbers, targets)
        return best_of(state, measured["interpolation"], eligible), measured

    def interval(state, numbers, shared, targets, first, eligible):
        state, measured = measure(state, numbers, shared, targets, eligible)
        one = training(shared)
        step_all = jax.vmap(one.step, in_axes=(0, 0, None, 0))

        def step(state, i):
            state = step_all(state, numbers, first + i, measured["interpolation"])
            if of.protocol.restart is not None:
                state = restarts(one, state, numbers, first + i)
            return state, None

        counts = jnp.arange(of.protocol.measuring.interval, dtype=jnp.uint32)
        unroll = 1 if on_cpu() else UNROLL
        state, _ = jax.lax.scan(step, state, counts, unroll=unroll)
        return state, measured

    return Program(
        jitted(start),
        jitted(targets),
        jitted(interval, donate_argnums=0),
        jitted(measure, donate_argnums=0),
    )


def jitted(function: Callable[..., Any], **options: Any) -> Any:
    """`jax.jit` with what the compiler is asked for on this kind of device."""
    asked = accepted(tuple(CPU_OPTIONS.items())) if on_cpu() else None
    return jax.jit(function, compiler_options=asked, **options)


def on_cpu() -> bool:
    """Whether programs are compiled for a CPU."""
    return jax.default_backend() == "cpu"


@lru_cache
def accepted(options: tuple[tuple[str, Any], ...]) -> dict[str, Any] | None:
    """The options, if this build of the compiler can work with them."""

    def fixed(x):
        return jax.lax.optimization_barrier(x + 1)

    try:
        jax.jit(fixed, compiler_options=dict(options)).lower(1.0).compile()
    except jax.errors.JaxRuntimeError:
        return None  # slower, and as right
    return dict(options)


def best_of(state: State, error: Array, eligible: Array) -> State:
    """The state with the parameters of the least error so far, of eligible steps."""
    better = jnp.isfinite(error) & (error < state.best_error) & eligible

    def chosen(new, old):
        return jnp.where(better.reshape((-1,) + (1,) * (new.ndim - 1)), new, old)

    best = jax.tree.map(chosen, state.params, state.best)
    best_error = jnp.where(better, error, state.best_error)
    return state._replace(best=best, best_error=best_error)


def restarts(one: Training, state: State, numbers: Numbers, step: Array) -> State:
    """Draw the replicas afresh that the rule names, at the steps at which it looks."""
    assert one.protocol.restart is not None
    every = jnp.uint32(one.protocol.restart.every)
    look = ((step + 1) % every == 0) & (step > 0)

    def redraw(state):
        return jax.vmap(one.restarted, in_axes=(0, 0, None))(state, numbers, step)

    return jax.lax.cond(look, redraw, lambda state: state, state)

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
from ._intervals import in_a_kernel, on_cpu, step_by_step
from ._kernel import measured_errors
from ._moment import Numbers, State
from ._protocol import Protocol
from ._replica import Training, batch_pieces

# A GPU runs what does not wait for each other at a time, as one graph of its own.
SIDE_BY_SIDE = {
    "xla_gpu_graph_min_graph_size": 1,
    "xla_gpu_command_buffer_scheduling_mode": "CONCURRENT",
}
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
    `traced` is the interval before it is compiled.
    """

    start: Callable[[Numbers], State]
    targets: Callable[[Numbers, dict], dict]
    interval: Callable[[State, Numbers, dict, dict, Array, Array], tuple[State, dict]]
    measure: Callable[[State, Numbers, dict, dict, Array], tuple[State, dict]]
    traced: Callable[[State, Numbers, dict, dict, Array, Array], tuple[State, dict]]


class Configuration:
    """What a program is compiled for; those of one structure are one."""

    def __init__(self, network: Network, task: Task, protocol: Protocol) -> None:
        self.network, self.task, self.protocol = network.wide, task, protocol
        self.padded = network.wide != network
        self.structure = self.network, self.padded, task.structure, protocol.structure

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Configuration) and self.structure == other.structure

    def __hash__(self) -> int:
        return hash(self.structure)


@lru_cache(maxsize=64)
def program(of: Configuration, kernel: bool = False, gpu: bool = False) -> Program:
    """The program of a network, a task and a protocol.

    Args:
        of: what it is compiled for.
        kernel: whether an interval is a kernel.
        gpu: whether a kernel is one of a GPU: others are computed as if they were.
    """

    def training(shared: dict[str, Any]) -> Training:
        pieces = batch_pieces(of.network, of.task, of.protocol) if kernel else None
        return Training(of.network, of.task, of.protocol, shared, pieces)

    def start(numbers):
        return jax.vmap(training({}).start)(numbers)

    def targets(numbers, shared):
        return {} if kernel else jax.vmap(training(shared).targets)(numbers)

    def measure(state, numbers, shared, targets, eligible):
        one, params = training(shared), state.params
        if kernel:
            errors = measured_errors(one, params, numbers, interpret=not gpu)
        else:
            errors = jax.vmap(one.errors)(params, numbers, targets)
        measured = errors | jax.vmap(one.measure)(params, numbers)
        return best_of(state, measured["interpolation"], eligible), measured

    def interval(state, numbers, shared, targets, first, eligible):
        state, measured = measure(state, numbers, shared, targets, eligible)
        given = training(shared), state, numbers, first, measured["interpolation"]
        after = in_a_kernel(*given, gpu) if kernel else step_by_step(*given)
        return after, measured

    return Program(
        jitted(start),
        jitted(targets),
        jitted(interval, donate_argnums=0),
        jitted(measure, donate_argnums=0),
        interval,
    )


@lru_cache(maxsize=64)
def run_together(programs: tuple[Program, ...]) -> Callable[..., Any]:
    """An interval of several programs as one, which a GPU computes side by side.

    Args:
        programs: the programs.

    Returns:
        A function of a tuple for each argument of `Program.interval`.
    """

    def intervals(*arguments):
        calls = zip(programs, *arguments, strict=True)
        return tuple(one.traced(*rest) for one, *rest in calls)

    return jax.jit(
        intervals,
        donate_argnums=0,
        compiler_options=None if on_cpu() else SIDE_BY_SIDE,
    )


def jitted(function: Callable[..., Any], **options: Any) -> Any:
    """`jax.jit` with what the compiler is asked for on this kind of device."""
    asked = accepted(tuple(CPU_OPTIONS.items())) if on_cpu() else None
    return jax.jit(function, compiler_options=asked, **options)


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

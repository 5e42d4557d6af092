"""One compiled program: a block of replicas, trained for one interval and measured.

Everything numeric differs between replicas; the program depends on the network, the
structure of task and protocol, and the size of the block alone.
"""

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from ._arrays import Array, Params
from ._descent import (
    OPTIMISERS,
    Objective,
    has_turn,
    loss_of,
    penalties,
    penalty_of,
    penalty_strength,
    rested,
    shaped,
)
from ._initialise import draw, initialise
from ._random import (
    DATA,
    NOISE,
    START,
    TEST,
    VALIDATION,
    Key,
    stream_key,
    uniform,
)
from .networks import Stack
from .protocol import Protocol
from .tasks import Task
from .tasks._task import Split
from .units import Uniform, Unit

# The published validation and test sets have seeds of their own.
VALIDATION_SEED, TEST_SEED = 43953907, 8689336
CHUNK = 1000
UNROLL = 8  # steps that an accelerator runs between two looks at the loop
HALF_EPOCH = 500  # iNALU compares halves of its losses, which are stored in such pieces


class State(NamedTuple):
    """What a block carries from step to step; every array has a replica axis first."""

    params: Params
    optimiser: Any
    apart: Any
    best: Params
    best_error: Array
    watch: dict[str, Array]


def configuration(task: Task, protocol: Protocol, seed: int) -> dict[str, Any]:
    """All numbers of one replica, as NumPy arrays."""
    kind = protocol.precision
    cast = {name: _cast(value, kind) for name, value in task.replica(seed).items()}
    cast |= {name: np.asarray(v, kind) for name, v in protocol.numbers.items()}
    return cast | {"seed": np.asarray(seed, np.uint32)}


def _cast(value: Any, precision: str) -> np.ndarray:
    """A number or an array in the format of the run; whole numbers stay whole."""
    whole = isinstance(value, int) or np.issubdtype(np.asarray(value).dtype, np.integer)
    return np.asarray(value, np.int32 if whole else precision)


class Program(NamedTuple):
    """The compiled functions of one block."""

    start: Callable[[dict], State]
    prepare: Callable[[dict], dict]
    interval: Callable[[State, dict, Array, Array], tuple[State, dict]]
    measure: Callable[[State, dict, Array], tuple[State, dict]]


def program(network: Unit, task: Task, protocol: Protocol) -> Program:
    """The program of a network, a task and a protocol."""
    if isinstance(network, Stack) and network.padded:
        network = network.wide
    return _program(
        network, task.structure, protocol.structure, Parts(network, task, protocol)
    )


class Parts:
    """The objects from which a program is built; alike if their structures are."""

    def __init__(self, network: Unit, task: Task, protocol: Protocol) -> None:
        self.network, self.task, self.protocol = network, task, protocol

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Parts)

    def __hash__(self) -> int:
        return 0


@lru_cache(maxsize=64)
def _program(
    network: Unit, task_structure, protocol_structure, parts: Parts
) -> Program:
    task, protocol = parts.task, parts.protocol
    one = partial(train_one, network, task, protocol)
    unroll = 1 if jax.default_backend() == "cpu" else UNROLL

    def start(configurations):
        return jax.vmap(partial(start_one, network, task, protocol))(configurations)

    def prepare(configurations):
        """The numbers of a block, with the targets of its validation and test sets."""
        one_target = partial(targets_of, task, protocol)
        return configurations | {"targets": jax.vmap(one_target)(configurations)}

    def measure(state, configurations, eligible):
        measured = jax.vmap(partial(measure_one, network, task, protocol))(
            state.params, configurations
        )
        error = measured["interpolation"]
        better = jnp.isfinite(error) & (error < state.best_error) & eligible
        best = jax.tree.map(
            lambda new, old: jnp.where(
                better.reshape((-1,) + (1,) * (new.ndim - 1)), new, old
            ),
            state.params,
            state.best,
        )
        best_error = jnp.where(better, error, state.best_error)
        return state._replace(best=best, best_error=best_error), measured

    def interval(state, configurations, first, eligible):
        state, measured = measure(state, configurations, eligible)
        if "error" in state.watch:
            error = measured["interpolation"]
            state = state._replace(watch=state.watch | {"error": error})

        def step(state, i):
            mapped = jax.vmap(one, in_axes=(0, 0, None))
            state = mapped(state, configurations, first + i)
            if protocol.restart != "none":
                state = _restarts(
                    network, task, protocol, state, configurations, first + i
                )
            return state, None

        counts = jnp.arange(protocol.interval, dtype=jnp.uint32)
        state, _ = jax.lax.scan(step, state, counts, unroll=unroll)
        return state, measured

    return Program(
        jax.jit(start),
        jax.jit(prepare),
        jax.jit(interval, donate_argnums=0),
        jax.jit(measure, donate_argnums=0),
    )


def start_one(network: Unit, task: Task, protocol: Protocol, c: dict) -> State:
    """A replica before its first step."""
    key = stream_key(c["seed"], START)
    dtype = jnp.dtype(protocol.precision)
    params = c.get("start") or initialise(
        network, task.in_features, task.out_features, key=key, dtype=dtype
    )
    optimiser = OPTIMISERS[protocol.optimiser]
    own = protocol.penalty_apart and not protocol.slots
    apart = optimiser.start(params) if own else ()
    watch: dict[str, Array] = {}
    if protocol.restart != "none":
        watch |= {
            "count": jnp.zeros((), jnp.uint32),
            "since": jnp.zeros((), jnp.uint32),
        }
    if protocol.restart == "stalled":
        watch |= {"least": jnp.full((), jnp.inf, dtype), "loss": jnp.zeros((), dtype)}
    if protocol.restart == "inalu-benchmark":
        watch["error"] = jnp.zeros((), dtype)
    if protocol.restart.startswith("inalu"):
        pieces = protocol.steps // HALF_EPOCH + 1
        zeros = jnp.zeros((pieces,), dtype)
        watch |= {"sums": zeros, "squares": zeros}
    best = jax.tree.map(jnp.copy, params)
    infinite = jnp.full((), jnp.inf, dtype)
    return State(params, optimiser.start(params), apart, best, infinite, watch)


def samples_of(
    task: Task, protocol: Protocol, c: dict, split: Split, key: Key, size: int
) -> tuple[Array, Array]:
    """Samples of a split; the arrays that replicas share are constants."""
    kind = protocol.precision
    shared = {n: jnp.asarray(_cast(v, kind)) for n, v in task.shared().items()}
    return task.draw(split, c | shared, key, size)


def batch_of(
    task: Task, protocol: Protocol, c: dict, step: Array
) -> tuple[Array, Array]:
    """Inputs and targets of one step, fresh or out of the table."""
    at = step
    if protocol.table:
        at = step % jnp.uint32(protocol.table // protocol.batch)
    dtype = jnp.dtype(protocol.precision)
    key = Key(protocol.random, c["seed"], DATA, at, dtype, fixed=True)
    return samples_of(task, protocol, c, "training", key, protocol.batch)


def train_one(
    network: Unit, task: Task, protocol: Protocol, state: State, c: dict, step: Array
) -> State:
    """One step of one replica."""
    x, t = batch_of(task, protocol, c, step)
    rows = network.noise_features(task.in_features)
    noise = None
    if rows:
        shape = (rows, x.shape[-1])
        noise = uniform(protocol.random, c["seed"], NOISE, step, shape, x.dtype)
    now = step.astype(x.dtype)

    def predict(params):
        return network.compute(params, x, training=True, noise=noise, xp=jnp)

    def total(params):
        loss = loss_of(protocol, predict(params), t, now, c)
        seen = state.watch.get("error", loss)
        extra = penalties(network, protocol, params, seen, now, c)
        return loss + extra, loss

    shape_gradient = partial(shaped, protocol, c, step)
    objective = Objective(total, lambda params: (predict(params) - t).reshape(-1))
    optimiser = OPTIMISERS[protocol.optimiser]
    params, optimised, loss = optimiser.step(
        objective, state.params, state.optimiser, c["learning_rate"], shape_gradient
    )
    apart = state.apart
    if protocol.slots:
        turn = partial(has_turn, protocol, step)
        optimised = rested(state.optimiser, optimised, turn)
        shape_gradient = partial(shaped, protocol, c, step, turns=False)
    if protocol.penalty_apart:
        strength = penalty_strength(loss, now, c)

        def alone(params):
            value = strength * penalty_of(network, protocol, params)
            return value, value

        objective = Objective(alone, lambda params: alone(params)[0][None])
        used = optimised if protocol.slots else apart
        params, after, _ = optimiser.step(
            objective, params, used, c["learning_rate"], shape_gradient
        )
        if protocol.slots:
            optimised = rested(optimised, after, lambda name: strength > 0)
        else:
            apart = after
    watch = watched(protocol, state.watch, loss, step)
    if protocol.project:
        params = network.project(params)
    return state._replace(params=params, optimiser=optimised, apart=apart, watch=watch)


def watched(protocol: Protocol, watch: dict, loss: Array, step: Array) -> dict:
    """What the rule for restarts remembers of the losses."""
    if protocol.restart == "stalled":
        better = loss < watch["least"]
        since = jnp.where(better, step, watch["since"])
        least = jnp.where(better, loss, watch["least"])
        return watch | {"least": least, "since": since, "loss": loss}
    if protocol.restart.startswith("inalu"):
        loss = watch.get("error", loss)
        piece = (step - watch["since"]) // jnp.uint32(HALF_EPOCH)
        sums = watch["sums"].at[piece].add(loss)
        return watch | {
            "sums": sums,
            "squares": watch["squares"].at[piece].add(loss * loss),
        }
    return watch


def _restarts(network, task, protocol, state, configurations, step):
    """Draw the replicas afresh that the rule says, at the steps at which it looks."""
    every = jnp.uint32(protocol.restart_every)
    look = ((step + 1) % every == 0) & (step > 0)

    def redraw(state):
        return jax.vmap(partial(_restart_one, network, task, protocol, step))(
            state, configurations
        )

    return jax.lax.cond(look, redraw, lambda state: state, state)


def _restart_one(network, task, protocol, step, state: State, c: dict) -> State:
    watch = state.watch
    if protocol.restart == "stalled":
        stalled = step - watch["since"] >= c["restart_patience"].astype(jnp.uint32)
        again = stalled & (watch["loss"] > c["restart_above"])
    else:
        again = _inalu_says(watch, step, c)
    again &= step.astype(c["restart_until"].dtype) < c["restart_until"]
    count = watch["count"] + jnp.uint32(1)
    key = stream_key(c["seed"], START)
    key = jax.random.fold_in(key, count)
    fresh = start_one(network, task, protocol, c)
    params = _redrawn(network, task, protocol, key)
    watch = fresh.watch | {"count": count, "since": step + jnp.uint32(1)}
    # The benchmark draws anew and leaves all else as it is, as TensorFlow does.
    if "error" in watch or protocol.slots:
        kept = {n: v for n, v in state.watch.items() if n == "error"}
        new = state._replace(params=params, watch=watch | kept)
    else:
        optimiser = OPTIMISERS[protocol.optimiser]
        apart = optimiser.start(params) if protocol.penalty_apart else ()
        new = state._replace(
            params=params, optimiser=optimiser.start(params), apart=apart, watch=watch
        )
    return jax.tree.map(lambda a, b: jnp.where(again, a, b), new, state)


def _redrawn(network: Unit, task: Task, protocol: Protocol, key) -> Params:
    """iNALU restarts every parameter uniform on [−2, 2], others as they started."""
    sizes = (task.in_features, task.out_features)
    dtype = jnp.dtype(protocol.precision)
    if protocol.restart != "inalu":
        return initialise(network, *sizes, key=key, dtype=dtype)
    declared = network.parameters(*sizes)
    keys = jax.random.split(key, len(declared))
    return {
        name: draw(Uniform(-2.0, 2.0), parameter.shape, key=k, dtype=dtype)
        for k, (name, parameter) in zip(keys, declared.items(), strict=True)
    }


def _inalu_says(watch: dict, step: Array, c: dict) -> Array:
    """Whether the later half of the stored losses is no better than the earlier."""
    stored = step + jnp.uint32(1) - watch["since"]
    half = stored // jnp.uint32(2 * HALF_EPOCH)
    index = jnp.arange(watch["sums"].shape[0], dtype=jnp.uint32)
    count = jnp.maximum(half * jnp.uint32(HALF_EPOCH), jnp.uint32(1))
    count = count.astype(watch["sums"].dtype)
    first = jnp.sum(jnp.where(index < half, watch["sums"], 0.0)) / count
    later = (index >= half) & (index < 2 * half)
    second = jnp.sum(jnp.where(later, watch["sums"], 0.0)) / count
    square = jnp.sum(jnp.where(later, watch["squares"], 0.0)) / count
    deviation = jnp.sqrt(jnp.maximum(square - second * second, 0.0))
    enough = stored.astype(count.dtype) >= c["restart_patience"]
    return enough & (first <= second + deviation) & (second > c["restart_above"])


# The measured sets: the seed and stream of their numbers.
SETS: dict[Split, tuple[int, int]] = {
    "interpolation": (VALIDATION_SEED, VALIDATION),
    "extrapolation": (TEST_SEED, TEST),
}


def in_pieces(task: Task, protocol: Protocol, c: dict, name: Split, function) -> Array:
    """`function` of the inputs, targets and number of each piece of a measured set."""
    rows = task.rows(name)
    size = rows or min(CHUNK, protocol.validation)
    pieces = 1 if rows else protocol.validation // size
    seed, stream = SETS[name]
    dtype = jnp.dtype(protocol.precision)

    def piece(i):
        key = Key(protocol.random, jnp.uint32(seed), stream, i, dtype)
        return function(*samples_of(task, protocol, c, name, key, size), i)

    return jax.lax.map(piece, jnp.arange(pieces, dtype=jnp.uint32))


def targets_of(task: Task, protocol: Protocol, c: dict) -> dict[Split, Array]:
    """The targets of the measured sets [pieces, out, size], which never change."""
    return {
        name: in_pieces(task, protocol, c, name, lambda x, t, i: t) for name in SETS
    }


def measure_one(
    network: Unit, task: Task, protocol: Protocol, params: Params, c: dict
) -> dict[str, Array]:
    """Interpolation and extrapolation error, and sparsity error, of one replica."""

    def error(name):
        def squared(x, t, i):
            difference = network.compute(params, x, xp=jnp) - c["targets"][name][i]
            return jnp.mean(difference * difference)

        return jnp.mean(in_pieces(task, protocol, c, name, squared))

    sparsity = network.sparsity_error(params)
    finite = sum(jnp.sum(value) for value in params.values())
    return {name: error(name) for name in SETS} | {
        "sparsity": jnp.where(jnp.isfinite(finite), sparsity, jnp.nan)
    }

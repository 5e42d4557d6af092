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
import optax

from ._arrays import Array, Params, absolute
from ._initialise import draw, initialise
from ._random import (
    DATA,
    NOISE,
    START,
    TEST,
    VALIDATION,
    samples,
    uniform,
)
from .networks import Stack
from .protocol import Protocol
from .tasks import Task, per_input, quantile_numbers
from .units import INALU, Uniform, Unit

# The published validation and test sets have seeds of their own.
VALIDATION_SEED, TEST_SEED = 43953907, 8689336
CHUNK = 1000
UNROLL = 8  # steps that an accelerator runs between two looks at the loop
HALF_EPOCH = 500  # iNALU compares halves of its losses, which are stored in such pieces


class Objective(NamedTuple):
    """What an optimiser may ask of one step: the loss, or its residuals."""

    total: Callable[[Params], tuple[Array, Array]]
    residuals: Callable[[Params], Array]


class Optimiser(NamedTuple):
    """`start(params)` and `step(objective, params, state, rate, shape)`.

    `shape` is what the protocol does to a gradient (clipping, alternation); an
    optimiser without gradients may ignore it. A step gives parameters, state and loss.
    """

    start: Callable[[Params], Any]
    step: Callable[..., tuple[Params, Any, Array]]


def first_order(transformation: optax.GradientTransformation) -> Optimiser:
    """An optimiser of optax's, with a learning rate that each replica has."""

    def step(objective, params, state, rate, shape):
        gradient, loss = jax.grad(objective.total, has_aux=True)(params)
        updates, state = transformation.update(shape(gradient), state, params)
        return jax.tree.map(lambda p, u: p - rate * u, params, updates), state, loss

    return Optimiser(transformation.init, step)


OPTIMISERS: dict[str, Optimiser] = {
    "adam": first_order(optax.scale_by_adam()),
    # PyTorch and Flux add ε to the root; within it, slopes below 1e-4 stand still.
    "rmsprop": first_order(optax.scale_by_rms(decay=0.9, eps_in_sqrt=False)),
    # TensorFlow adds it within, and starts from ones.
    "tf-rmsprop": first_order(
        optax.scale_by_rms(decay=0.9, eps=1e-10, initial_scale=1.0)
    ),
    "sgd": first_order(optax.identity()),
    "momentum": first_order(optax.trace(decay=0.9)),
}


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
    ranges = {}
    for name in ("interpolation", "extrapolation"):
        sets = per_input(getattr(task, name), task.in_features)
        ranges[name] = np.array([quantile_numbers(n, task.distribution) for n in sets])
    numbers: dict[str, Any] = {**ranges, **task.replica(seed), **protocol.numbers}
    kind = protocol.precision
    cast = {n: np.asarray(v, kind) for n, v in numbers.items() if n != "operation"}
    if "operation" in numbers:
        cast["operation"] = np.asarray(numbers["operation"], np.int32)
    return cast | {"seed": np.asarray(seed, np.uint32)}


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
    key = jax.random.fold_in(jax.random.key(c["seed"]), START)
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


def inputs(task: Task, protocol: Protocol, c: dict, step: Array) -> Array:
    """The inputs [in, batch] of one step, fresh or out of the table."""
    if protocol.table:
        step = step % jnp.uint32(protocol.table // protocol.batch)
    shape = (task.in_features, protocol.batch)
    dtype = jnp.dtype(protocol.precision)
    u = uniform(protocol.random, c["seed"], DATA, step, shape, dtype)
    return samples(task.structure[-1], c["interpolation"], u)


def train_one(
    network: Unit, task: Task, protocol: Protocol, state: State, c: dict, step: Array
) -> State:
    """One step of one replica."""
    x = jax.lax.optimization_barrier(inputs(task, protocol, c, step))
    t = task.target(c, x)
    rows = network.noise_features(task.in_features)
    noise = None
    if rows:
        shape = (rows, protocol.batch)
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


def loss_of(protocol: Protocol, y: Array, t: Array, now: Array, c: dict) -> Array:
    """The loss of one batch."""
    error = y - t
    if protocol.loss == "smooth-l1":
        size = absolute(error, jnp)
        return jnp.mean(jnp.where(size < 1, 0.5 * error * error, size - 0.5))
    squared = jnp.mean(error * error)
    if protocol.loss == "mse":
        return squared
    y, t = y - jnp.mean(y), t - jnp.mean(t)
    tiny = jnp.finfo(y.dtype).tiny
    scale = jnp.sqrt(jnp.sum(y * y) * jnp.sum(t * t) + tiny)
    return jnp.where(now < c["loss_switch"], 1 - jnp.sum(y * t) / scale, squared)


def penalty_strength(loss: Array, now: Array, c: dict) -> Array:
    """The strength of the unit's penalty at this step."""
    ramp = (now - c["penalty_start"]) / (c["penalty_end"] - c["penalty_start"])
    applies = jax.lax.stop_gradient(loss) < c["penalty_below"]
    strength = c["penalty"] * jnp.clip(ramp, 0.0, 1.0)
    return jnp.where(applies, strength, jnp.zeros_like(strength))


def penalties(
    network: Unit, protocol: Protocol, params: Params, loss: Array, now: Array, c: dict
) -> Array:
    """The unit's penalty and the L1 norm, with their strengths."""
    total = jnp.zeros_like(loss)
    if protocol.penalty > 0 and not protocol.penalty_apart:
        penalty = penalty_of(network, protocol, params)
        if "live" in c:  # a mean over all weights, of which some are padding
            penalty = penalty * c["padding"]
        total = total + penalty_strength(loss, now, c) * penalty
    if protocol.l1 > 0:
        growth = c["l1"] * 10.0 ** jnp.floor(now / c["l1_every"])
        norm = l1_norm(params, protocol.l1_of)
        total = total + jnp.minimum(growth, c["l1_end"]) * norm
    return total


def penalty_of(network: Unit, protocol: Protocol, params: Params) -> Array:
    """The unit's own penalty, or iNALU's of all parameters."""
    whose = INALU() if protocol.penalty_of == "inalu" else network
    return whose.penalty(params)


def l1_norm(params: Params, name: str) -> Array:
    """The L1 norm of all parameters, or of those of one name in any layer."""
    chosen = [v for n, v in params.items() if name in ("all", n.split(".")[-1])]
    if not chosen:
        raise ValueError(
            f"`l1_of` (={name!r}) must be 'all' or name a parameter, one of "
            f"{', '.join(dict.fromkeys(n.split('.')[-1] for n in params))}."
        )
    return sum(jnp.sum(absolute(v, jnp)) for v in chosen)


def shaped(
    protocol: Protocol, c: dict, step: Array, gradient: Params, turns: bool = True
) -> Params:
    """A gradient as the protocol clips and masks it, `turns` being its alternation."""
    if "live" in c:
        gradient = {
            name: jnp.where(c["live"][name], g, jnp.zeros_like(g))
            for name, g in gradient.items()
        }
    if protocol.clip_value > 0:
        limit = c["clip_value"]
        gradient = jax.tree.map(lambda g: jnp.clip(g, -limit, limit), gradient)
    if protocol.clip_norm > 0:
        norm = optax.tree.norm(gradient)
        factor = jnp.minimum(1.0, c["clip_norm"] / jnp.maximum(norm, 1e-30))
        gradient = jax.tree.map(lambda g: g * factor, gradient)
    if protocol.alternate and turns:
        gradient = {
            name: jnp.where(has_turn(protocol, step, name), g, jnp.zeros_like(g))
            for name, g in gradient.items()
        }
    return gradient


def has_turn(protocol: Protocol, step: Array, name: str) -> Array:
    """Whether the loss moves a parameter at this step: gates and weights alternate."""
    gates = (step % jnp.uint32(10)) >= jnp.uint32(8)
    return (gates == is_gate(name)) | (not protocol.alternate)


def rested(old: Any, new: Any, moved: Callable[[str], Array]) -> Any:
    """An optimiser's new state, and the old one of parameters that did not move."""

    def chosen(path, before, after):
        names = [key.key for key in path if isinstance(key, jax.tree_util.DictKey)]
        return jnp.where(moved(names[0]), after, before) if names else after

    return jax.tree_util.tree_map_with_path(chosen, old, new)


def is_gate(name: str) -> bool:
    """Whether a parameter belongs to a gate."""
    return name.split(".")[-1].startswith(("G", "g", "b"))


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
    key = jax.random.fold_in(jax.random.key(c["seed"]), START)
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
SETS = {
    "interpolation": (VALIDATION_SEED, VALIDATION),
    "extrapolation": (TEST_SEED, TEST),
}


def in_pieces(task: Task, protocol: Protocol, c: dict, name: str, function) -> Array:
    """`function` of each piece of a measured set: of its inputs and its number."""
    size = min(CHUNK, protocol.validation)
    seed, stream = SETS[name]

    def piece(i):
        shape, dtype = (task.in_features, size), jnp.dtype(protocol.precision)
        u = uniform(protocol.random, jnp.uint32(seed), stream, i, shape, dtype)
        return function(samples(task.structure[-1], c[name], u), i)

    return jax.lax.map(piece, jnp.arange(protocol.validation // size, dtype=jnp.uint32))


def targets_of(task: Task, protocol: Protocol, c: dict) -> dict[str, Array]:
    """The targets of the measured sets [pieces, out, size], which never change."""
    return {
        name: in_pieces(task, protocol, c, name, lambda x, i: task.target(c, x))
        for name in SETS
    }


def measure_one(
    network: Unit, task: Task, protocol: Protocol, params: Params, c: dict
) -> dict[str, Array]:
    """Interpolation and extrapolation error, and sparsity error, of one replica."""

    def error(name):
        def squared(x, i):
            difference = network.compute(params, x, xp=jnp) - c["targets"][name][i]
            return jnp.mean(difference * difference)

        return jnp.mean(in_pieces(task, protocol, c, name, squared))

    sparsity = network.sparsity_error(params)
    finite = sum(jnp.sum(value) for value in params.values())
    return {name: error(name) for name in SETS} | {
        "sparsity": jnp.where(jnp.isfinite(finite), sparsity, jnp.nan)
    }

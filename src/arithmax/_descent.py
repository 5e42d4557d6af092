"""What one step descends: losses, penalties, optimisers, how gradients are shaped."""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import optax

from ._arrays import Array, Params, absolute
from ._network import Network
from .protocol import Protocol
from .units import INALU


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
    network: Network,
    protocol: Protocol,
    params: Params,
    loss: Array,
    now: Array,
    c: dict,
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


def penalty_of(network: Network, protocol: Protocol, params: Params) -> Array:
    """The unit's own penalty, or iNALU's of all parameters."""
    whose: Network = INALU() if protocol.penalty_of == "inalu" else network
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

"""Variational inference of many seeds side by side, as one compiled program.

A posterior is approximated by a normal distribution of the unconstrained sites, with
independent numbers (mean field) or correlated ones (full rank), but for the `points` of
a model, of which it has a value only. Its parameters climb the evidence lower bound by
Adam, with gradients through the draws.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax

from ._model import BayesModel, Data
from ._sites import Sites, float64

START = 0.01  # the spread that every number starts with, before it is constrained
WARM = 0.25  # the share of the steps in which the prior fades in
STEADY = 0.6  # the share of the steps up to which the learning rate stays as it is
MOST = 1000  # draws that estimate the bound in the end
CHUNKS = 20  # in which the steps are run, so that progress can be shown


class Plan(NamedTuple):
    """What a program is compiled for, beside its model and its shapes.

    `particles` draws, half of them mirrored, make one estimate of the bound. With
    `whole` the points of a model are drawn like all other sites.
    """

    steps: int
    particles: int
    batch: int | None
    correlated: bool
    whole: bool = False


class Guide(NamedTuple):
    """A normal distribution: u = mean + exp(log_std) (z + coupling z), z standard."""

    mean: Any
    log_std: Any
    coupling: Any  # strictly lower triangular; None in mean field


class Climb(NamedTuple):
    """A seed on its way."""

    guide: Guide
    momentum: Any


def lower(guide: Guide, drawn: Any) -> Any:
    """The strictly lower triangle of a coupling; points are coupled with nothing."""
    return jnp.tril(guide.coupling, -1) * drawn[:, None] * drawn


def moved(guide: Guide, drawn: Any, z: Any) -> Any:
    """The draw that standard normal numbers stand for."""
    if guide.coupling is not None:
        z = z + lower(guide, drawn) @ z
    return guide.mean + drawn * jnp.exp(guide.log_std) * z


def log_guide(guide: Guide, drawn: Any, u: Any) -> Any:
    """The logarithm of the density of a draw."""
    z = drawn * (u - guide.mean) * jnp.exp(-guide.log_std)
    if guide.coupling is not None:
        both = jnp.eye(u.size) + lower(guide, drawn)
        z = jax.scipy.linalg.solve_triangular(both, z, lower=True, unit_diagonal=True)
    each = -0.5 * z**2 - guide.log_std - 0.5 * jnp.log(2 * jnp.pi)
    return jnp.sum(drawn * each)


def bound(sites: Sites, guide: Guide, z: Any, key: Any, heat: Any = 1.0) -> Any:
    """One draw's estimate of the evidence lower bound.

    Args:
        sites: the sites of the model.
        guide: the distribution.
        z: standard normal numbers.
        key: which rows are drawn, where a batch of them is.
        heat: how much of the prior and of the entropy counts.
    """
    drawn = sites.drawn
    u = moved(guide, drawn, z)
    likelihood, prior = sites.log_joint(u, key)
    # The density's own parameters are held: what this drops is zero on average, and
    # without it gradients have no spread at all where the posterior is normal.
    held = jax.tree.map(jax.lax.stop_gradient, guide)
    return likelihood + heat * (prior - log_guide(held, drawn, u))


def ascent(sites: Sites, plan: Plan, guide: Guide, key: Any, heat: Any) -> Guide:
    """The gradient of the bound, averaged over the draws for which it is finite."""
    half = jax.random.normal(key, (plan.particles // 2, sites.size))
    z = jnp.concatenate([half, -half])
    slope = jax.vmap(
        jax.grad(lambda g, z: bound(sites, g, z, key, heat)), in_axes=(None, 0)
    )
    slopes = slope(guide, z)
    fine = [jnp.isfinite(s).reshape(len(z), -1).all(1) for s in jax.tree.leaves(slopes)]
    good = jnp.stack(fine).all(0)

    def mean(s: Any) -> Any:
        kept = jnp.where(good.reshape(-1, *(1,) * (s.ndim - 1)), s, 0.0)
        return kept.sum(0) / jnp.clip(good.sum(), 1)

    return jax.tree.map(mean, slopes)


def optimiser(plan: Plan, rate: Any) -> optax.GradientTransformation:
    """Adam, whose rate falls to a thousandth in the end, so that spreads settle."""
    steady = int(STEADY * plan.steps)
    fall = optax.cosine_decay_schedule(1.0, max(plan.steps - steady, 1), 1e-3)
    share = optax.join_schedules([optax.constant_schedule(1.0), fall], [steady])
    return optax.chain(
        optax.scale_by_adam(b2=0.99), optax.scale_by_schedule(share), optax.scale(rate)
    )


def begin(sites: Sites, plan: Plan, values: dict[str, Any], rate: Any) -> Climb:
    """A seed before its first step."""
    mean = sites.flat(values)
    n = sites.size
    coupling = jnp.zeros((n, n)) if plan.correlated else None
    guide = Guide(mean, jnp.full((n,), jnp.log(START)), coupling)
    return Climb(guide, optimiser(plan, rate).init(guide))


@partial(jax.jit, static_argnames=("model", "plan"))
def first_climb(
    model: BayesModel, plan: Plan, values: Any, data: Data, rate: Any
) -> Climb:
    """All seeds before their first step."""
    sites = Sites(model, data, plan.batch, plan.whole)
    state = jax.vmap(lambda v: begin(sites, plan, v, rate))(values)
    # Numbers of a weak type would compile `advanced` a second time.
    return jax.tree.map(lambda a: jax.lax.convert_element_type(a, a.dtype), state)


@partial(jax.jit, static_argnames=("model", "plan"))
def advanced(
    model: BayesModel,
    plan: Plan,
    state: Climb,
    keys: Any,
    steps: Any,
    data: Data,
    rate: Any,
) -> Climb:
    """All seeds after some steps, of which the numbers are given."""
    sites = Sites(model, data, plan.batch, plan.whole)
    adam = optimiser(plan, rate)

    def one(state: Climb, key: Any) -> Climb:
        def step(state: Climb, t: Any) -> tuple[Climb, None]:
            heat = jnp.clip(t / (WARM * plan.steps), 0.0, 1.0)
            up = ascent(sites, plan, state.guide, jax.random.fold_in(key, t), heat)
            change, momentum = adam.update(up, state.momentum)
            guide: Any = optax.apply_updates(state.guide, change)
            return Climb(guide, momentum), None

        return jax.lax.scan(step, state, steps)[0]

    return jax.vmap(one)(state, keys)


@partial(jax.jit, static_argnames=("model", "plan", "draws"))
def finished(
    model: BayesModel,
    plan: Plan,
    state: Climb,
    keys: Any,
    data: Data,
    draws: int,
) -> tuple[dict[str, Any], Any]:
    """Draws of each site [seed, draw, …], and the bound of each seed on all rows."""
    sites = Sites(model, data, None, plan.whole)

    def one(guide: Guide, key: Any) -> tuple[dict[str, Any], Any]:
        new = jax.random.fold_in(key, plan.steps)
        z = jax.random.normal(new, (max(draws, MOST), sites.size))
        estimates = jax.lax.map(lambda z: bound(sites, guide, z, key), z[:MOST])
        u = jax.vmap(lambda z: moved(guide, sites.drawn, z))(z[:draws])
        return jax.vmap(sites.values)(u), jnp.mean(estimates)

    return jax.vmap(one)(state.guide, keys)


def climbed(
    model: BayesModel,
    plan: Plan,
    arrays: Data,
    starts: Mapping[int, dict[str, np.ndarray]],
    rate: float,
    watch: Callable[[float], None],
) -> tuple[Climb, Any]:
    """All seeds after their last step, and the keys of their random numbers."""
    sites = next(iter(starts.values()))
    values = {n: jnp.stack([s[n] for s in starts.values()]) for n in sites}
    keys = jax.vmap(jax.random.key)(jnp.asarray(list(starts)))
    state = first_climb(model, plan, values, arrays, rate)
    for steps in chunks(plan.steps):
        state = advanced(model, plan, state, keys, steps, arrays, rate)
        watch((int(steps[-1]) + 1) / plan.steps)
    return state, keys


def inferred(
    model: BayesModel,
    plan: Plan,
    data: dict[str, np.ndarray],
    starts: Mapping[int, dict[str, np.ndarray]],
    rate: float,
    draws: int,
    watch: Callable[[float], None] = lambda done: None,
) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Draws of each site [seed, draw, …], and the evidence lower bound of each seed.

    Args:
        model: the model.
        plan: how it is inferred.
        data: the numbers of a table, as the model wants them.
        starts: a value for each site, for each seed.
        rate: the learning rate.
        draws: how many draws are made.
        watch: hears the share of the steps that is done.
    """
    with float64():
        arrays = {name: jnp.asarray(value) for name, value in data.items()}
        state, keys = climbed(model, plan, arrays, starts, rate, watch)
        found, bounds = finished(model, plan, state, keys, arrays, draws)
        return {n: np.asarray(v) for n, v in found.items()}, np.asarray(bounds)


def solution(
    model: BayesModel,
    plan: Plan,
    arrays: Data,
    starts: Mapping[int, dict[str, np.ndarray]],
    rate: float,
) -> Guide:
    """The distribution of the best seed."""
    state, keys = climbed(model, plan, arrays, starts, rate, lambda done: None)
    _, bounds = finished(model, plan, state, keys, arrays, 1)
    best = jnp.argmax(jnp.where(jnp.isfinite(bounds), bounds, -jnp.inf))
    return jax.tree.map(lambda value: value[best], state.guide)


def chunks(steps: int) -> list[Any]:
    """The numbers of the steps, in pieces of one length and perhaps a shorter one."""
    length = -(-steps // CHUNKS)
    return [jnp.arange(a, min(a + length, steps)) for a in range(0, steps, length)]

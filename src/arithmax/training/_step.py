"""Steps that compose: a descent, a chain of them, a shared state, a state that rests.

A step is a pair of functions, as a transformation of optax is: `start` makes its state
of parameters, `update` takes a step. Functions of this file build steps of steps.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from .._arrays import Array, Params
from .._network import Network
from ._losses import Loss
from ._moment import Moment
from ._optimiser import Optimiser
from ._penalties import Penalty
from ._pieces import mean_in_pieces
from ._transforms import Transform


def unchanged(params: Params) -> Params:
    """Parameters without bounds, where they are."""
    return params


class Objective(NamedTuple):
    """What an optimiser may ask of one step.

    Args:
        total: the value with all penalties, and the loss without them.
        residuals: predictions less targets, in one row.
        project: parameters put back into their bounds, as they are after each step.
        linear: the names of parameters in which the residuals are linear, all others
            being held; none where a penalty depends on parameters, too.
        live: of a padded network, which of its weights are no padding.
    """

    total: Callable[[Params], tuple[Array, Array]]
    residuals: Callable[[Params], Array]
    project: Callable[[Params], Params] = unchanged
    linear: tuple[str, ...] = ()
    live: Params | None = None


class Step(NamedTuple):
    """`start(params)` and `update(moment, params, state, loss)`.

    An update gives parameters, state and loss; `loss` is that of the step before it in
    a chain, or None.
    """

    start: Callable[[Params], Any]
    update: Callable[[Moment, Params, Any, Array | None], tuple[Params, Any, Array]]


def whole(
    network: Network, loss: Loss, penalties: Sequence[Penalty], project: bool = True
) -> Callable[[Moment, Array | None], Objective]:
    """The objective of a loss and penalties.

    Args:
        network: what is trained.
        loss: the loss.
        penalties: what is added to it.
        project: whether parameters are put back into their bounds after a step.
    """
    bounds = network.project if project else unchanged
    linear = () if penalties else network.linear_parameters

    def at(moment: Moment, before: Array | None) -> Objective:
        def total(params):
            value, here = _loss(loss, penalties, moment, params)
            extra = jnp.zeros_like(value)
            for penalty in penalties:
                strength = penalty.strength_at(here, value)
                extra = extra + strength * penalty.value(network, params, here)
            return value + extra, value

        def residuals(params):
            return (moment.predict(params) - moment.target).reshape(-1)

        live = moment.padding.live if moment.padding else None
        return Objective(total, residuals, bounds, linear, live)

    return at


def _loss(
    loss: Loss, penalties: Sequence[Penalty], moment: Moment, params: Params
) -> tuple[Array, Moment]:
    """The loss, and the moment with the inputs of a unit where a penalty looks."""
    pieces = moment.pieces
    if pieces is None or not loss.is_mean or _any_sees(penalties):
        y, here = _seen(penalties, moment, params)
        return loss.value(y, moment.target, moment.now), here

    def one(params, i):
        return loss.value(*pieces.compute(params, i), moment.now)

    return mean_in_pieces(one, pieces.pieces)(params), moment


def _any_sees(penalties: Sequence[Penalty]) -> bool:
    return any(penalty.sees_inputs for penalty in penalties)


def _seen(
    penalties: Sequence[Penalty], moment: Moment, params: Params
) -> tuple[Array, Moment]:
    """Predictions, and the moment with the inputs of a unit where a penalty looks."""
    if _any_sees(penalties):
        return moment.seen(params)
    return moment.predict(params), moment


def alone(
    network: Network, penalty: Penalty
) -> Callable[[Moment, Array | None], Objective]:
    """The objective of a penalty by itself, after a step with a loss."""

    def at(moment: Moment, before: Array | None) -> Objective:
        assert before is not None
        strength = penalty.strength_at(moment, before)

        def total(params):
            _, here = _seen([penalty], moment, params)
            value = strength * penalty.value(network, params, here)
            return value, value

        return Objective(total, lambda params: total(params)[0][None])

    return at


def descend(
    optimiser: Optimiser,
    objective: Callable[[Moment, Array | None], Objective],
    transforms: Sequence[Transform],
) -> Step:
    """One step of an optimiser, with its gradient transformed."""

    def update(moment, params, state, loss):
        def transform(gradient):
            if moment.padding:
                live = moment.padding.live
                gradient = {
                    name: jnp.where(live[name], g, jnp.zeros_like(g))
                    for name, g in gradient.items()
                }
            for part in transforms:
                gradient = part.apply(gradient, moment)
            return gradient

        return optimiser.step(objective(moment, loss), params, state, transform)

    return Step(optimiser.start, update)


def chain(first: Step, *others: Step) -> Step:
    """Steps one after the other, each with its state; the loss is the first one's."""

    def start(params):
        return tuple(step.start(params) for step in (first, *others))

    def update(moment, params, state, loss):
        params, own, loss = first.update(moment, params, state[0], loss)
        states = [own]
        for step, before in zip(others, state[1:], strict=True):
            params, after, _ = step.update(moment, params, before, loss)
            states.append(after)
        return params, tuple(states), loss

    return Step(start, update)


def share(first: Step, *others: Step) -> Step:
    """Steps one after the other with one state; the loss is the first's."""

    def update(moment, params, state, loss):
        params, state, loss = first.update(moment, params, state, loss)
        for step in others:
            params, state, _ = step.update(moment, params, state, loss)
        return params, state, loss

    return Step(first.start, update)


def rest(step: Step, moves: Callable[[Moment, Array | None, str], Array]) -> Step:
    """A step in which the state of a parameter rests while the parameter does.

    Args:
        step: the step.
        moves: whether a parameter moves, given the moment, the loss of the step before
            and its name.
    """

    def update(moment, params, state, loss):
        def chosen(path, before, after):
            names = [key.key for key in path if isinstance(key, jax.tree_util.DictKey)]
            if not names:
                return after
            return jnp.where(moves(moment, loss, names[0]), after, before)

        params, new, value = step.update(moment, params, state, loss)
        return params, jax.tree_util.tree_map_with_path(chosen, state, new), value

    return Step(step.start, update)

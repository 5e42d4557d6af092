"""The mathematics of a Gauss–Newton step: slopes, damping, bounds, linear parameters.

An objective is looked at as a function of one vector, in which the parameters that are
solved for exactly come last.
"""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax.flatten_util import ravel_pytree
from jaxtyping import Float, Shaped

from .._arrays import Array, Params
from ._step import Objective

# jaxtyping checks these in the test run.
Number = Float[Any, ""]
Vector = Float[Any, "n"]
Residuals = Float[Any, "m"]
Slopes = Float[Any, "m n"]
Square = Float[Any, "n n"]

PASSES = 3  # of a step within bounds: those that one meets are held in the next
FAR = 1e30  # beyond all bounds
RIDGE = 1e3  # roundings by which the linear parameters' equations are regularised


class Flat:
    """An objective of one vector, linear parameters last.

    Args:
        objective: the objective.
        params: the parameters of the vector `at`.
        projection: whether linear parameters are to be solved for.
    """

    def __init__(self, objective: Objective, params: Params, projection: bool) -> None:
        last = set(objective.linear if projection else ()) & params.keys()
        if last == params.keys():
            last = set()  # a step or two find them anyway
        self.objective = objective
        self.names = [
            [n for n in params if (n in last) == put] for put in (False, True)
        ]
        self.at, self._unflatten = ravel_pytree(self._halves(params))
        self.count = sum(params[name].size for name in self.names[0])

    def _halves(self, params: Params) -> list[Params]:
        """The parameters that are damped, and those that are solved for."""
        return [{name: params[name] for name in half} for half in self.names]

    def vector(self, params: Params) -> Shaped[Any, "n"]:
        """Parameters, or masks of them, as a vector."""
        return ravel_pytree(self._halves(params))[0]

    def params(self, at: Vector) -> Params:
        """The parameters of a vector."""
        first, last = self._unflatten(at)
        return first | last

    def total(self, at: Vector) -> tuple[Number, Number]:
        """The objective, and the loss without penalties."""
        return self.objective.total(self.params(at))

    def residuals(self, at: Vector) -> Residuals:
        """Residuals whose squares sum up to the mean squared error."""
        r = self.objective.residuals(self.params(at))
        return r / jnp.sqrt(jnp.asarray(r.size, r.dtype))

    def project(self, at: Vector) -> Vector:
        """A vector put back into its bounds."""
        return self.vector(self.objective.project(self.params(at)))

    def room(self) -> tuple[Vector, Vector]:
        """How far each entry may move down, and how far up."""
        far = jnp.full_like(self.at, FAR)
        return self.project(-far) - self.at, self.project(far) - self.at

    def live(self, slopes: Array) -> Array:
        """Slopes [..., n] without those of padding, which then does not move."""
        if self.objective.live is None:
            return slopes
        live = self.vector(self.objective.live)[-slopes.shape[-1] :]
        return jnp.where(jnp.broadcast_to(live, slopes.shape), slopes, 0.0)

    def solved(self, at: Vector) -> Vector:
        """A vector whose linear parameters are the best for its others."""
        if self.count == at.size:
            return at
        first, last = at[: self.count], at[self.count :]

        def residuals(values):
            return self.residuals(jnp.concatenate([first, values]))

        slopes = self.live(jacobian(residuals, last))
        return at.at[self.count :].add(best(slopes, slopes.T @ residuals(last)))


def jacobian(function: Callable[[Vector], Residuals], at: Vector) -> Slopes:
    """The slopes [m, n] of a function, in the direction in which they cost less."""
    rows = jax.eval_shape(function, at).size
    return (jax.jacfwd if at.size <= rows else jax.jacrev)(function)(at)


def solve(gram: Square, damping: Vector, right: Array) -> Array:
    """The solution x of (G + diag(damping)) x = b; NaN if there is none."""
    factor = jax.scipy.linalg.cho_factor(gram + jnp.diag(damping), lower=True)
    return jax.scipy.linalg.cho_solve(factor, right)


def mean_of(gram: Square) -> Number:
    """The mean of the diagonal, without parameters that have no effect."""
    diagonal = jnp.diagonal(gram)
    count = jnp.maximum(jnp.sum(diagonal > 0), 1).astype(gram.dtype)
    return jnp.sum(diagonal) / count + jnp.finfo(gram.dtype).tiny


def best(slopes: Slopes, right: Array) -> Array:
    """−(ΦᵀΦ)⁻¹ b for slopes Φ, with a ridge of some roundings.

    It regularises a change of the parameters, so that it draws them nowhere.
    """
    gram = slopes.T @ slopes
    rounding = RIDGE * jnp.finfo(gram.dtype).eps
    return -solve(gram, rounding * (jnp.diagonal(gram) + 1e-3 * mean_of(gram)), right)


def boxed(
    gram: Square, gradient: Vector, damping: Number, low: Vector, high: Vector
) -> Vector:
    r"""The least of a damped quadratic model within bounds.

    $$ \min_d \; g^\top d + d^\top (G + \mu I)\, d \qquad low \le d \le high $$

    A projected step is no descent where many bounds are met at once. Entries that meet
    one are held there, and the others are solved for again, as often as `PASSES`.

    Args:
        gram: $G$, half of the curvature.
        gradient: $g$.
        damping: $\mu$.
        low: how far each entry may move down, at most 0.
        high: how far each entry may move up, at least 0.
    """

    def again(_, state):
        step, held = state
        right = -0.5 * gradient - gram @ jnp.where(held, step, 0.0)
        others = jnp.where(held[:, None] | held[None], 0.0, gram)
        weight = jnp.where(held, 1.0, damping)
        solution = solve(others, weight, jnp.where(held, 0.0, right))
        step = jnp.where(held, step, solution)
        return jnp.clip(step, low, high), held | (step <= low) | (step >= high)

    held = (low >= 0) & (gradient >= 0) | (high <= 0) & (gradient <= 0)
    return jax.lax.fori_loop(0, PASSES, again, (jnp.zeros_like(low), held))[0]


def projected(slopes: Slopes, count: int) -> tuple[Float[Any, "m k"], Array]:
    r"""Kaufman's Jacobian of variable projection, and how linear parameters follow.

    $$ P = A - \Phi\,(\Phi^\top \Phi)^{-1} \Phi^\top A $$

    Args:
        slopes: $A$ [m, count] beside $\Phi$ [m, n − count].
        count: how many parameters are not linear.

    Returns:
        $P$, and $-(\Phi^\top\Phi)^{-1}\Phi^\top A$ [n − count, count].
    """
    first, last = slopes[:, :count], slopes[:, count:]
    follow = best(last, last.T @ first)
    return first + last @ follow, follow


def damped_step(
    slopes: Slopes,
    gradient: Vector,
    damping: Number,
    count: int,
    room: tuple[Vector, Vector],
) -> tuple[Vector, Number]:
    r"""A damped Gauss–Newton step, and by how much it should lower the objective.

    $$ d = \arg\min_d \; g^\top d + d^\top (P^\top P + \mu\,\gamma I)\, d $$

    $\gamma$ is the mean of the diagonal of $P^\top P$: parameters of arithmetic units
    are all of the size of 1, and are damped alike. Those that are linear are not
    damped, and $P$ is what they leave of the slopes.

    Args:
        slopes: those of residuals whose squares sum up to the loss.
        gradient: that of the whole objective.
        damping: $\mu$.
        count: how many parameters, the first ones, are not linear.
        room: how far each may move down, and how far up.
    """
    own, follow = slopes, None
    right = gradient[:count]
    if count < gradient.size:
        own, follow = projected(slopes, count)
        right = right + follow.T @ gradient[count:]
    gram = own.T @ own
    low, high = (end[:count] for end in room)
    step = boxed(gram, right, damping * mean_of(gram), low, high)
    if follow is not None:
        rest = 0.5 * best(slopes[:, count:], gradient[count:])
        step = jnp.concatenate([step, follow @ step + rest])
    change = slopes @ step
    return step, -(gradient @ step) - change @ change

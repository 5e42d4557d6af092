"""An objective of the fleet as a Gauss–Newton step looks at it.

It is a function of one vector, in which the parameters that are solved for exactly come
last.
"""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax.flatten_util import ravel_pytree
from jaxtyping import Float, Shaped

from .._arrays import Array, Params
from .._gauss_newton import best
from ._step import Objective

# jaxtyping checks these in the test run.
Number = Float[Any, ""]
Vector = Float[Any, "n"]
Residuals = Float[Any, "m"]
Slopes = Float[Any, "m n"]

FAR = 1e30  # beyond all bounds


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
        return at.at[self.count :].add(best(slopes, slopes.T @ residuals(last), solve))


def jacobian(function: Callable[[Vector], Residuals], at: Vector) -> Slopes:
    """The slopes [m, n] of a function, in the direction in which they cost less."""
    rows = jax.eval_shape(function, at).size
    return (jax.jacfwd if at.size <= rows else jax.jacrev)(function)(at)


def solve(matrix: Float[Any, "n n"], right: Array) -> Array:
    """The solution x of A x = b for a positive definite A; NaN if it is not.

    On a processor, replicas are solved one after the other. jaxlib would split a batch
    of large matrices among the threads that programs run in, and wait for them there:
    as many blocks at a time as there are threads would wait for ever.
    """
    one_by_one = jax.custom_batching.sequential_vmap(_cholesky)
    return jax.lax.platform_dependent(matrix, right, cpu=one_by_one, default=_cholesky)


def _cholesky(matrix: Float[Any, "n n"], right: Array) -> Array:
    factor = jax.scipy.linalg.cho_factor(matrix, lower=True)
    return jax.scipy.linalg.cho_solve(factor, right)

"""The sites of a model as one vector of unconstrained numbers."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import jax
import jax.numpy as jnp
from jax.flatten_util import ravel_pytree
from numpyro import handlers
from numpyro.distributions import biject_to

from ._model import BayesModel, Data


@contextmanager
def float64() -> Iterator[None]:
    """Numbers in float64, and JAX's usual rules of promotion."""
    with ExitStack() as stack:
        stack.enter_context(jax.enable_x64(True))
        stack.enter_context(jax.numpy_dtype_promotion("standard"))
        stack.enter_context(jax.numpy_rank_promotion("allow"))
        yield


class Sites:
    """The sites of a model as one vector of unconstrained numbers.

    Args:
        model: the model.
        data: the numbers of a table, as arrays of JAX.
        batch: how many rows each estimate of the likelihood has; all if None.
        whole: whether the points of the model are drawn like all other sites.
    """

    def __init__(
        self, model: BayesModel, data: Data, batch: int | None, whole: bool = False
    ) -> None:
        self.model, self.data, self.batch = model, data, batch
        self.points = () if whole else model.points
        seeded = handlers.seed(model.sample, jax.random.key(0))
        trace = handlers.trace(seeded).get_trace(data, batch)
        self.latent = {
            name: site
            for name, site in sorted(trace.items())
            if site["type"] == "sample" and not site["is_observed"]
        }
        self.bijections = {
            n: biject_to(s["fn"].support) for n, s in self.latent.items()
        }
        zeros = {n: jnp.zeros_like(self._free(n, s)) for n, s in self.latent.items()}
        flat, self.unravel = ravel_pytree(zeros)
        self.size = flat.size
        drawn = {n: z + (n not in self.points) for n, z in zeros.items()}
        self.drawn = ravel_pytree(drawn)[0]  # 1 for what is drawn, 0 for points

    def _free(self, name: str, site: Any) -> Any:
        return self.bijections[name].inv(site["value"])

    def flat(self, values: dict[str, Any]) -> Any:
        """The vector of values of the sites."""
        free = {n: b.inv(jnp.asarray(values[n])) for n, b in self.bijections.items()}
        return ravel_pytree(free)[0]

    def values(self, u: Any) -> dict[str, Any]:
        """The values of the sites that a vector stands for."""
        return {n: self.bijections[n](v) for n, v in self.unravel(u).items()}

    def log_joint(self, u: Any, key: Any) -> tuple[Any, Any]:
        """The logarithms of the likelihood and of the prior density of a vector.

        The density is that of unconstrained numbers, but for points, of which the
        likeliest value must not depend on how they are constrained.
        """
        free = self.unravel(u)
        values = {n: self.bijections[n](v) for n, v in free.items()}
        seeded = handlers.seed(self.model.sample, key)
        fixed = handlers.substitute(seeded, data=values)
        trace = handlers.trace(fixed).get_trace(self.data, self.batch)
        prior = likelihood = 0.0
        for name, site in trace.items():
            if site["type"] == "sample" and name in self.latent:
                prior += jnp.sum(site["fn"].log_prob(site["value"]))
                if name not in self.points:
                    slope = self.bijections[name].log_abs_det_jacobian
                    prior += jnp.sum(slope(free[name], values[name]))
            elif site["type"] == "sample":
                scale = 1.0 if site["scale"] is None else site["scale"]
                likelihood += scale * jnp.sum(site["fn"].log_prob(site["value"]))
        return likelihood, prior

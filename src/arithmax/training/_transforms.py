"""Gradient transforms: what is done to a gradient before an optimiser sees it.

This file is read by the command line and loads no array library.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ._declared import Part, traced

if TYPE_CHECKING:
    from .._arrays import Params
    from ._moment import Moment


class Transform(Part, ABC):
    """A function of a gradient."""

    @abstractmethod
    def apply(self, gradient: "Params", moment: "Moment") -> "Params":
        """The gradient as it is to be used at a step."""


def _check_limit(part: Any) -> None:
    Part.check(part)
    if part.limit == 0:
        raise ValueError(
            f"`limit` (={part.limit}) must be above 0: clipped to zero, nothing would "
            f"move. Leave out {type(part).__name__} to clip nothing."
        )


@dataclass(frozen=True)
class ClipValue(Transform):
    """Every entry of the gradient is clipped."""

    limit: float = traced(1.0)
    """The greatest magnitude of an entry."""

    def check(self) -> None:
        _check_limit(self)

    def apply(self, gradient, moment):
        import jax
        import jax.numpy as jnp

        return jax.tree.map(lambda g: jnp.clip(g, -self.limit, self.limit), gradient)


@dataclass(frozen=True)
class ClipNorm(Transform):
    """The whole gradient is clipped to a norm."""

    limit: float = traced(1.0)
    """The greatest norm."""

    def check(self) -> None:
        _check_limit(self)

    def apply(self, gradient, moment):
        import jax
        import jax.numpy as jnp
        import optax

        norm = optax.tree.norm(gradient)
        factor = jnp.minimum(1.0, self.limit / jnp.maximum(norm, 1e-30))
        return jax.tree.map(lambda g: g * factor, gradient)


TRANSFORMS: dict[str, type[Transform]] = {
    "clip-value": ClipValue,
    "clip-norm": ClipNorm,
}
"""The gradient transforms by the names that the command line uses."""

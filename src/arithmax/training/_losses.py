"""Losses: what is minimised of a batch.

This file is read by the command line and loads no array library.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from ._declared import FROM_ZERO, Part, traced

if TYPE_CHECKING:
    from .._arrays import Array


class Loss(Part, ABC):
    """A number that is small where predictions are near the targets."""

    is_mean: ClassVar[bool] = False
    """Whether it is a mean over samples, so that a batch can be computed in pieces."""

    @abstractmethod
    def value(self, y: "Array", t: "Array", now: "Array") -> "Array":
        """The loss of predictions [out, batch] at a step."""


@dataclass(frozen=True)
class SquaredError(Loss):
    """The mean squared error."""

    is_mean: ClassVar[bool] = True

    def value(self, y, t, now):
        import jax.numpy as jnp

        error = y - t
        return jnp.mean(error * error)


@dataclass(frozen=True)
class SmoothL1(Loss):
    """The squared error near zero and the absolute error beyond 1 (Huber's)."""

    is_mean: ClassVar[bool] = True

    def value(self, y, t, now):
        import jax.numpy as jnp

        from .._arrays import absolute

        error = y - t
        size = absolute(error, jnp)
        return jnp.mean(jnp.where(size < 1, 0.5 * error * error, size - 0.5))


@dataclass(frozen=True)
class CorrelationThenSquaredError(Loss):
    """1 − the correlation with the targets, then the mean squared error."""

    switch: int = traced(750_000, FROM_ZERO)
    """The step from which on it is the squared error."""

    def value(self, y, t, now):
        import jax.numpy as jnp

        squared = SquaredError().value(y, t, now)
        y, t = y - jnp.mean(y), t - jnp.mean(t)
        tiny = jnp.finfo(y.dtype).tiny
        scale = jnp.sqrt(jnp.sum(y * y) * jnp.sum(t * t) + tiny)
        return jnp.where(now < self.switch, 1 - jnp.sum(y * t) / scale, squared)


LOSSES: dict[str, type[Loss]] = {
    "mse": SquaredError,
    "smooth-l1": SmoothL1,
    "correlation-mse": CorrelationThenSquaredError,
}
"""The losses by the names that the command line uses."""

"""Schedules: how the learning rate falls while a run is trained.

This file is read by the command line and loads no array library.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ._declared import FROM_ZERO, Part, traced

if TYPE_CHECKING:
    from .._arrays import Array

SHARE = (0, 1)


def ramp(now: "Array", start: "Array", end: "Array") -> "Array":
    """0 up to a step, 1 from another on, a line between them."""
    import jax.numpy as jnp

    end = jnp.maximum(end, start + 1)
    return jnp.clip((now - start) / (end - start), 0.0, 1.0)


def check_ends(part: Part) -> None:
    """What begins at a step must not end before it."""
    Part.check(part)
    start, end = part.start, part.end  # type: ignore[attr-defined]  # of those that ask
    if end < start:
        raise ValueError(f"`end` (={end}) must not be before `start` (={start}).")


@dataclass(frozen=True)
class Schedule(Part, ABC):
    """A factor of the learning rate: 1 up to a step, `least` from another on."""

    start: int = traced(0, FROM_ZERO)
    """The step at which the learning rate begins to fall."""
    end: int = traced(50_000, FROM_ZERO)
    """The step from which it stays at its least."""
    least: float = traced(0.01, SHARE)
    """Its least, as a share of the optimiser's learning rate."""

    def check(self) -> None:
        check_ends(self)

    def factor(self, now: "Array") -> "Array":
        """What the learning rate is multiplied with at a step."""
        return self.fallen(ramp(now, self.start, self.end))

    @abstractmethod
    def fallen(self, way: "Array") -> "Array":
        """The factor after a share of the way from `start` to `end`."""


@dataclass(frozen=True)
class Exponential(Schedule):
    r"""It falls by the same factor in each step: $\text{least}^{w}$.

    $w$ is the share of the way from `start` to `end`.
    """

    def check(self) -> None:
        Schedule.check(self)
        if self.least == 0:
            raise ValueError(
                f"`least` (={self.least}) must be above 0: no factor leads there. Give "
                "a small number, such as 0.001, or use Cosine."
            )

    def fallen(self, way):
        return self.least**way


@dataclass(frozen=True)
class Cosine(Schedule):
    r"""It falls along half a cosine: $l + (1 - l) (1 + \cos \pi w) / 2$.

    $w$ is the share of the way from `start` to `end`, and $l$ is `least`.
    """

    def fallen(self, way):
        import jax.numpy as jnp

        return self.least + (1 - self.least) * (1 + jnp.cos(jnp.pi * way)) / 2


SCHEDULES: dict[str, type[Schedule]] = {"exponential": Exponential, "cosine": Cosine}
"""The schedules by the names that the command line uses."""

"""Restart rules: when a replica's parameters are drawn afresh.

This file is read by the command line and loads no array library.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from ._declared import COUNT, FROM_ZERO, Part, compiled, traced

if TYPE_CHECKING:
    from .._arrays import Array, Params
    from .._network import Network
    from ._moment import Moment


@dataclass(frozen=True)
class Restart(Part, ABC):
    """A rule that looks at the losses of a replica and may draw it afresh.

    What it remembers is a tuple of arrays of its own: `remember` makes it, `watch`
    updates it in each step, and `is_due` decides.
    """

    every: int = compiled(1_000, COUNT)
    """At which steps to look."""
    until: int = traced(0, FROM_ZERO)
    """The last step at which to look; 0 looks till the end."""

    whole_run: ClassVar[bool] = False
    """Whether its memory grows with the run: the program depends on its length."""

    @property
    def keeps_optimiser(self) -> bool:
        """Whether the optimiser goes on with the state that it has."""
        return False

    @abstractmethod
    def remember(self, steps: int, since: "Array", dtype: Any) -> Any:
        """What is remembered from a step on, of a run of so many steps."""

    @abstractmethod
    def watch(self, memory: Any, loss: "Array", moment: "Moment") -> Any:
        """The memory after a step with this loss."""

    @abstractmethod
    def is_due(self, memory: Any, step: "Array") -> "Array":
        """Whether the parameters are to be drawn afresh after a step."""

    def draw(
        self, network: "Network", sizes: tuple[Any, int], key: Any, dtype: Any
    ) -> "Params":
        """The new parameters: those of another start."""
        from ._initialise import initialise

        return initialise(network, *sizes, key=key, dtype=dtype)

    def check_cell(self, network, task):
        if network.wide != network:
            raise ValueError(
                f"`restart` (={self!r}) must be None for a padded network (={network}):"
                " padding has the starts of its seeds. Leave out `restart` or `padded`."
            )


class Least(NamedTuple):
    """The least loss, since when it is so, and the last loss."""

    least: Any
    since: Any
    loss: Any


@dataclass(frozen=True)
class Stalled(Restart):
    """When the loss has not improved for a number of steps."""

    patience: int = traced(10_000, FROM_ZERO)
    """For how many steps the loss must not have improved."""
    above: float = traced(1.0)
    """Only while the loss is above this."""

    def remember(self, steps, since, dtype):
        import jax.numpy as jnp

        return Least(jnp.full((), jnp.inf, dtype), since, jnp.zeros((), dtype))

    def watch(self, memory, loss, moment):
        import jax.numpy as jnp

        better = loss < memory.least
        least = jnp.where(better, loss, memory.least)
        return Least(least, jnp.where(better, moment.step, memory.since), loss)

    def is_due(self, memory, step):
        import jax.numpy as jnp

        patience = self.patience.astype(jnp.uint32)  # type: ignore[attr-defined]  # an array in a program
        stalled = step - memory.since >= patience
        return stalled & (memory.loss > self.above)


RESTARTS: dict[str, type[Restart]] = {"stalled": Stalled}
"""The restart rules by the names that the command line uses."""

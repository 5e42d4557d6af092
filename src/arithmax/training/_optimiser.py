"""What an optimiser is: a state, and a step down an objective.

This file is read by the command line and loads no array library.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from ._declared import Part

if TYPE_CHECKING:
    from .._arrays import Array, Params
    from ._step import Objective


class Optimiser(Part, ABC):
    """How parameters move: `start` makes a state, `step` takes one step with it."""

    asks: ClassVar[Mapping[str, Any]] = {}
    """Settings of a protocol that suit it; choosing it by name sets them, too."""

    def workspace(self, parameters: int, residuals: int) -> int:
        """Numbers that a step needs at the least, beside a few of each parameter."""
        return 0

    @abstractmethod
    def start(self, params: "Params") -> Any:
        """The state before the first step."""

    @abstractmethod
    def step(
        self,
        objective: "Objective",
        params: "Params",
        state: Any,
        transform: Callable[["Params"], "Params"],
    ) -> tuple["Params", Any, "Array"]:
        """One step down an objective.

        Args:
            objective: its value with the loss, its residuals.
            params: the parameters.
            state: what `start` or the step before gave.
            transform: what the protocol does to a gradient; an optimiser without
                gradients may ignore it.

        Returns:
            Parameters, state and loss.
        """


def updated_by(
    transformation: Any,
    objective: "Objective",
    params: "Params",
    state: Any,
    transform: Callable[["Params"], "Params"],
) -> tuple["Params", Any, "Array"]:
    """What a transformation of optax makes of a gradient, its state, and the loss."""
    import jax

    gradient, loss = jax.grad(objective.total, has_aux=True)(params)
    updates, state = transformation.update(transform(gradient), state, params)
    return updates, state, loss

"""Optimisers: those of optax, each with a learning rate, and one of second order.

This file is read by the command line and loads no array library.
"""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

from ._declared import Part, compiled, traced
from ._levenberg_marquardt import LevenbergMarquardt
from ._optimiser import Optimiser, updated_by

SHARE = (0, 1)


@dataclass(frozen=True)
class FirstOrder(Optimiser):
    """An optimiser that is a transformation of gradients."""

    learning_rate: float = traced(1e-3)
    """The learning rate."""

    @abstractmethod
    def transformation(self) -> Any:
        """The transformation of optax, without the learning rate."""

    def start(self, params):
        return self.transformation().init(params)

    def step(self, objective, params, state, transform):
        import jax

        change = self.transformation()
        updates, state, loss = updated_by(change, objective, params, state, transform)
        rate = self.learning_rate
        return jax.tree.map(lambda p, u: p - rate * u, params, updates), state, loss


@dataclass(frozen=True)
class Adam(FirstOrder):
    """Adam."""

    beta1: float = compiled(0.9, SHARE)
    """How much of the mean gradient remains in each step."""
    beta2: float = compiled(0.999, SHARE)
    """How much of the mean squared gradient remains in each step."""
    epsilon: float = compiled(1e-8)
    """What is added to the root of the mean squared gradient."""

    def check(self) -> None:
        Part.check(self)
        for name in ("beta1", "beta2"):
            if getattr(self, name) == 1:
                raise ValueError(
                    f"`{name}` (={getattr(self, name)}) must be below 1: no gradient "
                    "would count."
                )

    def transformation(self) -> Any:
        import optax

        return optax.scale_by_adam(self.beta1, self.beta2, self.epsilon)


@dataclass(frozen=True)
class RMSProp(FirstOrder):
    """RMSProp, as PyTorch and Flux have it by default.

    TensorFlow's is `RMSProp(epsilon=1e-10, within_root=True, initial=1.0)`. With ε
    within the root, slopes below √ε stand still.
    """

    decay: float = compiled(0.9, SHARE)
    """How much of the mean squared gradient remains in each step."""
    epsilon: float = compiled(1e-8)
    """What is added to the root of the mean squared gradient."""
    within_root: bool = compiled(False)
    """Whether it is added within the root."""
    initial: float = compiled(0.0)
    """The mean squared gradient before the first step."""

    def transformation(self) -> Any:
        import optax

        return optax.scale_by_rms(
            decay=self.decay,
            eps=self.epsilon,
            initial_scale=self.initial,
            eps_in_sqrt=self.within_root,
        )


@dataclass(frozen=True)
class SGD(FirstOrder):
    """Gradient descent."""

    momentum: float = compiled(0.0, SHARE)
    """How much of the last update remains in each step."""

    def transformation(self) -> Any:
        import optax

        return optax.trace(decay=self.momentum) if self.momentum else optax.identity()


OPTIMISERS: dict[str, type[Optimiser]] = {
    "adam": Adam,
    "rmsprop": RMSProp,
    "sgd": SGD,
    "levenberg-marquardt": LevenbergMarquardt,
}
"""The optimisers by the names that the command line uses."""

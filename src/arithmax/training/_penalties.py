"""Penalties: what is added to the loss, each with a strength that may change.

This file is read by the command line and loads no array library.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from .._checks import choose
from ._declared import COUNT, FROM_ZERO, Part, compiled, traced
from ._schedules import check_ends, ramp

if TYPE_CHECKING:
    from .._arrays import Array, Params
    from .._network import Network
    from ._moment import Moment


class Penalty(Part, ABC):
    """A function of the parameters, and how strong it is at a step."""

    sees_inputs: ClassVar[bool] = False
    """Whether it looks at `moment.inputs`, those of the network's last unit."""

    @abstractmethod
    def strength_at(self, moment: "Moment", loss: "Array") -> "Array":
        """How strong it is at a step with this loss."""

    @abstractmethod
    def value(self, network: "Network", params: "Params", moment: "Moment") -> "Array":
        """The penalty of parameters, without its strength."""


def without_padding(penalty: "Array", moment: "Moment") -> "Array":
    """A penalty that is a mean over all weights, of which some may be padding."""
    return penalty * moment.padding.ratio if moment.padding else penalty


@dataclass(frozen=True)
class UnitPenalty(Penalty):
    """The network's published regulariser, which may grow from one step to another."""

    strength: float = traced(1.0)
    """Its greatest strength."""
    start: int = traced(0, FROM_ZERO)
    """The step at which it begins to grow."""
    end: int = traced(0, FROM_ZERO)
    """The step at which it has its full strength."""

    def check(self) -> None:
        check_ends(self)

    def strength_at(self, moment, loss):
        import jax
        import jax.numpy as jnp

        strength = self.strength * ramp(moment.now, self.start, self.end)
        # A loss that is not finite has no penalty beside it.
        finite = jax.lax.stop_gradient(loss) < jnp.inf
        return jnp.where(finite, strength, jnp.zeros_like(strength))

    def value(self, network, params, moment):
        return without_padding(network.penalty(params), moment)


@dataclass(frozen=True)
class Norm(Penalty):
    """A norm of parameters, whose strength grows tenfold at even distances."""

    strength: float = traced(1e-7)
    """Its strength at the start."""
    end: float = traced(1e-5)
    """Its greatest strength."""
    every: int = traced(10_000, COUNT)
    """After how many steps it grows tenfold."""
    of: str = compiled("all")
    """Which parameters: all, or those of a name in any layer, such as W_im."""

    @abstractmethod
    def norm(self, array: "Array") -> "Array":
        """The norm of one parameter, an array."""

    def check(self) -> None:
        Part.check(self)
        if self.end < self.strength:
            raise ValueError(
                f"`end` (={self.end}) must be at least `strength` (={self.strength}): "
                "it is the greatest strength."
            )

    def strength_at(self, moment, loss):
        import jax.numpy as jnp

        growth = self.strength * 10.0 ** jnp.floor(moment.now / self.every)
        return jnp.minimum(growth, self.end)

    def value(self, network, params, moment):
        chosen = {n: v for n, v in params.items() if self.of in ("all", _last(n))}
        return sum(self.norm(_live(n, v, moment)) for n, v in chosen.items())

    def check_cell(self, network, task):
        if self.of == "all":
            return
        declared = network.parameters(task.in_features, task.out_features)
        names = tuple(dict.fromkeys(_last(name) for name in declared))
        choose("of", self.of, ("all", *names))


@dataclass(frozen=True)
class L1(Norm):
    """The L1 norm of parameters, whose strength grows tenfold at even distances."""

    def norm(self, array):
        import jax.numpy as jnp

        from .._arrays import absolute

        return jnp.sum(absolute(array, jnp))


@dataclass(frozen=True)
class ArrayNorms(Norm):
    r"""The Euclidean norms of parameters, array by array: $\sum_k \lVert W_k \rVert_2$.

    What `norm(ps, 1)` is in Julia for a collection `ps` of arrays: it adds up the norms
    of its entries, which are arrays here. It draws a whole array to zero, and no weight
    of it more than in proportion, so that it makes nothing sparse. The scripts of the
    NPU paper's large task have it where the paper has L1. At zero its slope is zero.
    """

    def norm(self, array):
        import jax.numpy as jnp

        squares = jnp.sum(array * array)
        some = squares > 0
        root = jnp.sqrt(jnp.where(some, squares, jnp.ones_like(squares)))
        return jnp.where(some, root, jnp.zeros_like(squares))


def _live(name: str, array: "Array", moment: "Moment") -> "Array":
    """A parameter whose padding is zero."""
    if not moment.padding:
        return array
    import jax.numpy as jnp

    return jnp.where(moment.padding.live[name], array, jnp.zeros_like(array))


def _last(name: str) -> str:
    """The name of a parameter without that of its layer."""
    return name.split(".")[-1]


@dataclass(frozen=True)
class InputPenalty(Penalty):
    """R_z of the NAU/NMU paper: an input that is not used should have no effect.

    The mean of (1 − |w|)(z̄ − e)² over the weights of the last unit, where z̄ is the mean
    of a weight's input over a batch and e is 1 for units that multiply and 0 for units
    that add: what leaves a product or a sum as it is. A unit that learns together with
    a network before it could settle for weights of 0 otherwise.
    """

    sees_inputs: ClassVar[bool] = True
    strength: float = traced(1.0)
    """Its strength."""

    def strength_at(self, moment, loss):
        return self.strength

    def value(self, network, params, moment):
        import jax.numpy as jnp

        from .._arrays import absolute

        unit, own = list(network.layers(params))[-1]
        (weights,) = unit.weights(own).values()
        assert moment.inputs is not None  # since it `sees_inputs`
        means = jnp.mean(moment.inputs.reshape(1, weights.shape[1], -1), axis=2)
        unused = 1 - absolute(weights, jnp)
        penalty = jnp.mean(unused * (means - _neutral(unit)) ** 2)
        return without_padding(penalty, moment)

    def check_cell(self, network, task):
        sizes = task.in_features, task.out_features
        params = {n: p.shape for n, p in network.parameters(*sizes).items()}
        unit, _ = list(network.layers(params))[-1]
        if not weighs_inputs(unit):
            raise ValueError(
                f"`penalties` (with {self}) must be for a unit that either adds or "
                "multiplies and has one weight for each input, such as `NAU()` or "
                f"`NMU()`, not {unit}. Leave it out."
            )


def weighs_inputs(unit: "Network") -> bool:
    """Whether a unit either adds or multiplies, with one weight for each input.

    NPU has two weights for an input, and NMRU has one for its reciprocal too.
    """
    import numpy as np

    if len(getattr(unit, "exact", ())) != 1:
        return False
    inputs, outputs = unit.smallest
    declared = unit.parameters(inputs, outputs)
    zeros = {name: np.zeros(p.shape) for name, p in declared.items()}
    return [w.shape for w in unit.weights(zeros).values()] == [(outputs, inputs)]


def _neutral(unit: "Network") -> float:
    """What an input must be to change nothing: 1 in a product, 0 in a sum."""
    return 1.0 if "product" in unit.exact else 0.0  # type: ignore[attr-defined]  # of a unit


PENALTIES: dict[str, type[Penalty]] = {
    "unit": UnitPenalty,
    "l1": L1,
    "array-norms": ArrayNorms,
    "inputs": InputPenalty,
}
"""The penalties by the names that the command line uses."""

"""The contract of a unit, and what all units share."""

from abc import abstractmethod
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
from jaxtyping import Float

from .._arrays import Array, Namespace, Params, namespace
from .._checks import check_whole, choose, plain
from .._network import Draws, Network
from .._parameters import Parameter
from ._operations import OPERATIONS, Domain, Exactness, Operation, Path
from ._symbolic import Expression, Symbols

# Shapes are checked in the test run: features come first in a formula.
Inputs: TypeAlias = Float[Any, "in *batch"]
Outputs: TypeAlias = Float[Any, "out *batch"]


MOST = 10_000_000  # inputs of a solution, which is stored


class Unit(Network):
    """A layer that computes arithmetic, as pure functions of its parameters.

    A unit is a network with weights, of which some make it exact: it can be set to a
    solution, drawn to the nearest one, and written down as a formula. Every method
    works in the framework of the arrays it is given.
    """

    gates: ClassVar[Literal["inputs", "signs"]] = "inputs"
    """What a parameter `g` lets through: whole inputs, or their signs alone."""

    # What each unit writes.

    @property
    @abstractmethod
    def exact(self) -> dict[Path, Exactness]:
        """Which paths the unit computes exactly, with which weights and inputs."""

    @abstractmethod
    def parameters(self, in_features: int, out_features: int) -> dict[str, Parameter]:
        """Names, shapes, initial distributions and roles of the parameters."""

    @abstractmethod
    def compute(
        self,
        params: Params,
        x: Inputs,
        *,
        training: bool = False,
        noise: Draws | None = None,
        xp: Namespace = None,
    ) -> Outputs:
        """The formula, features first: see `Network.compute`."""

    @abstractmethod
    def weights(self, params: Params) -> Params:
        """The effective weight matrices."""

    @abstractmethod
    def encode(self, w: Array, path: Path | Sequence[Path]) -> Params:
        """Parameters at which the effective weights are `w` [out, in].

        `path` says which path is open, for all outputs or for each.
        """

    @abstractmethod
    def expression(self, params: Params, symbols: Symbols) -> list[Expression]:
        """What the parameters compute, one SymPy expression for each output."""

    # What a unit may add.

    def discretise(self, params: Params) -> Params:
        """The nearest parameters at which the unit is exact."""
        if not self.exact:
            return Network.discretise(self, params)  # which raises
        ((path, exactness),) = self.exact.items()
        (w,) = self.weights(params).values()
        return self.encode(nearest(w, exactness.weights, namespace(w)), path)

    def features(self, params: Params) -> tuple[int, int]:
        """(in_features, out_features), read off the parameters."""
        matrices = (value for value in params.values() if value.ndim == 2)
        out_features, in_features = next(matrices).shape
        return in_features, out_features

    def turns(self, params: Params) -> Array | None:
        """Half turns [out, in] that each negative input adds to a sign cos(πt).

        None where the sign of the result, if it has one, is no cosine.
        """
        return None

    # What all units share.

    @property
    def operations(self) -> dict[str, Domain]:
        """The operations the unit represents exactly, and on which inputs."""
        return {
            op.name: self.exact[op.path].on(op)
            for op in OPERATIONS.values()
            if op.path in self.exact
            and set(op.weights) <= set(self.exact[op.path].weights)
        }

    def solution(self, operation: str, in_features: int = 2) -> Params:
        """Parameters (NumPy, float64) at which the unit computes an operation.

        The operands are the first inputs; the unit ignores the others.
        """
        op: Operation = OPERATIONS[choose("operation", operation, OPERATIONS)]
        if operation not in self.operations:
            can = ", ".join(repr(o) for o in self.operations) or "none"
            raise ValueError(
                f"`operation` (={operation!r}) is not one that {self} represents "
                f"exactly; it represents {can}."
            )
        check_whole("in_features", plain(in_features), len(op.weights), MOST)
        w = np.zeros((1, in_features))
        w[0, : len(op.weights)] = op.weights
        return self.encode(w, op.path)


def check_finite(w: Array, xp: Namespace) -> None:
    """Weights that are not finite have no discrete ones near them."""
    if not bool(xp.all(xp.isfinite(w))):
        raise ValueError(
            "`params` holds weights that are NaN or infinite, near which there are no "
            "discrete ones; this run diverged."
        )


def halves(w: Array, xp: Namespace) -> Array:
    """Each entry of `w` replaced by the nearest multiple of 1/2."""
    check_finite(w, xp)
    return xp.round(2 * w) / 2


def nearest(w: Array, values: Sequence[float], xp: Namespace) -> Array:
    """Each entry of `w` replaced by the nearest of the ascending `values`."""
    check_finite(w, xp)
    result = xp.zeros_like(w) + values[0]
    for low, high in pairwise(values):
        result = xp.where(w >= (low + high) / 2, xp.zeros_like(w) + high, result)
    return result

"""The contract of a unit, and what all units share."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, ClassVar, TypeAlias

import numpy as np
from jaxtyping import Bool, Float

from .._arrays import Array, Namespace, Params, absolute, namespace
from ._checks import check_fields, check_options, check_whole, choose, plain
from ._hazards import Hazard
from ._inputs import check_floating, check_input, check_names, common_namespace
from ._operations import OPERATIONS, Domain, Exactness, Operation, Path
from ._parameters import Distribution, Parameter
from ._symbolic import Expression, Symbols

# Shapes are checked in the test run: features come first in a formula.
Inputs: TypeAlias = Float[Any, "in *batch"]
Outputs: TypeAlias = Float[Any, "out *batch"]


MOST = 10_000_000  # inputs of a solution, which is stored


class Unit(ABC):
    """A layer that computes arithmetic, as pure functions of its parameters.

    A unit is a frozen dataclass: its fields are its hyper-parameters and its `repr` is
    its configuration. It stores no parameters and draws no random numbers. Parameters
    are a dictionary from the names that `parameters` declares to arrays of NumPy, JAX
    or PyTorch, and every method works in the framework of the arrays it is given.
    """

    title: ClassVar[str]
    """The name that the papers use."""

    def __new__(cls, *args: Any, **options: Any) -> "Unit":
        check_options(cls, options)
        return super().__new__(cls)

    def __post_init__(self) -> None:
        check_fields(self)

    # What each unit writes.

    @property
    @abstractmethod
    def exact(self) -> dict[Path, Exactness]:
        """Which paths the unit computes exactly, with which weights and inputs."""

    @abstractmethod
    def parameters(self, in_features: int, out_features: int) -> dict[str, Parameter]:
        """Names, shapes and initial distributions of the parameters."""

    @abstractmethod
    def compute(
        self,
        params: Params,
        x: Inputs,
        *,
        training: bool = False,
        noise: Array | None = None,
        xp: Namespace = None,
    ) -> Outputs:
        """The formula, features first.

        Args:
            params: the parameters.
            x: the inputs, features on the first axis.
            training: whether to compute what the unit computes while it is trained;
                most units compute the same.
            noise: as many numbers as `x` has, drawn from the unit's `noise`; without
                them a unit trains as it computes.
            xp: the array namespace, if the caller knows it.

        Returns:
            The outputs, features on the first axis.
        """

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
        """What the parameters compute, one SymPy expression an output."""

    # What a unit may add.

    def discretise(self, params: Params) -> Params:
        """The nearest parameters at which the unit is exact."""
        if not self.exact:
            raise ValueError(
                f"{self} has no weights at which it is exact. Use a unit that computes "
                "the operation: `arithmax units` lists them."
            )
        ((path, exactness),) = self.exact.items()
        (w,) = self.weights(params).values()
        return self.encode(nearest(w, exactness.weights, namespace(w)), path)

    @property
    def sparse(self) -> bool:
        """Whether `penalty` is zero exactly at the discrete weights."""
        return False

    def penalty(self, params: Params) -> Float[Any, ""]:
        """The published regulariser, without its strength; 0 if there is none."""
        value = next(iter(params.values()))
        xp = namespace(value)
        return xp.zeros_like(xp.sum(value))

    @property
    def noise(self) -> Distribution | None:
        """What training needs drawn afresh for each step, if anything."""
        return None

    def noise_features(self, in_features: int) -> int:
        """How many such numbers each sample of `in_features` inputs needs."""
        return 0 if self.noise is None else in_features

    def project(self, params: Params) -> Params:
        """The hard constraint, to be applied after each step of an optimiser."""
        return dict(params)

    def hazards(
        self, params: Params, x: Float[Any, "in batch"], xp: Namespace
    ) -> dict[Hazard, Bool[Any, "in batch"]]:
        """The inputs, features first, that the unit silently gets wrong."""
        return {}

    def features(self, params: Params) -> tuple[int, int]:
        """(in_features, out_features), read off the parameters."""
        matrices = (value for value in params.values() if value.ndim == 2)
        out_features, in_features = next(matrices).shape
        return in_features, out_features

    # What all units share.

    def apply(
        self,
        params: Params,
        x: Float[Any, "*batch in"],
        *,
        training: bool = False,
        noise: Array | None = None,
    ) -> Float[Any, "*batch out"]:
        """The unit as everybody calls it: [..., in] to [..., out]."""
        xp = common_namespace(params, x)
        self.check(params, x, xp)
        return self.forward(params, x, training=training, noise=noise, xp=xp)

    def forward(
        self,
        params: Params,
        x: Array,
        *,
        training: bool,
        noise: Array | None,
        xp: Namespace,
    ) -> Array:
        """`apply` without its checks, for callers that have made them."""
        if noise is not None:
            noise = noise.reshape(-1, noise.shape[-1]).T
        rows = x if x.ndim == 2 else x.reshape(-1, x.shape[-1])
        y = self.compute(params, rows.T, training=training, noise=noise, xp=xp).T
        return y if x.ndim == 2 else y.reshape(*x.shape[:-1], y.shape[-1])

    def check(self, params: Params, x: Array, xp: Namespace) -> None:
        """`params` must be those of this unit, and `x` must fit them."""
        in_features, _ = self.check_parameters(params)
        for name, value in params.items():
            check_floating(f"params[{name!r}]", value, xp)
        check_input(x, in_features, next(iter(params.values())).dtype, xp)

    def check_parameters(
        self, params: Params, sizes: tuple[int, int] | None = None
    ) -> tuple[int, int]:
        """Names and shapes must be those that the unit declares.

        Args:
            params: the parameters.
            sizes: (in_features, out_features), read off the parameters if None.

        Returns:
            The sizes.
        """
        check_names(params)
        declared = self.parameters(1, 1)
        if set(params) != set(declared):
            raise ValueError(
                f"`params` has the names {sorted(params)}, but {self} has the "
                f"parameters {sorted(declared)}."
            )
        for name, parameter in declared.items():
            if params[name].ndim != len(parameter.shape):
                raise ValueError(
                    f"`params[{name!r}]` has the shape {tuple(params[name].shape)}, "
                    f"but must have {len(parameter.shape)} axes."
                )
        sizes = sizes or self.features(params)
        for name, parameter in self.parameters(*sizes).items():
            if tuple(params[name].shape) != parameter.shape:
                raise ValueError(
                    f"`params[{name!r}]` has the shape {tuple(params[name].shape)}, "
                    f"but {self} with {sizes[0]} inputs and {sizes[1]} outputs needs "
                    f"{parameter.shape}."
                )
        return sizes

    def sparsity_error(self, params: Params) -> Float[Any, ""]:
        """The worst weight's distance from −1, 0 and 1: max min(|w|, |1 − |w||)."""
        worst = None
        for w in self.weights(params).values():
            xp = namespace(w)
            magnitude = absolute(w, xp)
            error = xp.max(xp.minimum(magnitude, absolute(1 - magnitude, xp)))
            worst = error if worst is None else xp.maximum(worst, error)
        return worst

    def diagnose(
        self, params: Params, x: Float[Any, "*batch in"]
    ) -> dict[Hazard, Bool[Any, "*batch in"]]:
        """Which inputs the unit, at these parameters, silently gets wrong, and why.

        Returns:
            For each hazard that occurs, where in `x` it does.
        """
        xp = common_namespace(params, x)
        self.check(params, x, xp)
        columns = x.reshape(-1, x.shape[-1]).T
        found = {Hazard.NOT_FINITE: ~xp.isfinite(columns)}
        found |= self.hazards(params, columns, xp)
        return {
            hazard: where.T.reshape(x.shape)
            for hazard, where in found.items()
            if bool(xp.any(where))
        }

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

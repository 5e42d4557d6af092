"""What can be trained: a small contract below that of a unit."""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias, TypeVar

from jaxtyping import Bool, Float

from ._arrays import Array, Namespace, Params, absolute, move_axis, namespace
from ._checks import check_fields, check_options, shown
from ._hazards import Hazard
from ._inputs import (
    check_axes,
    check_floating,
    check_input,
    check_noise,
    check_shapes,
    common_namespace,
    features_first,
    in_features_of,
)
from ._parameters import Distribution, Parameter, check_entrywise, check_shape

# How many inputs there are, or the shape of an input that is more than a list.
Features: TypeAlias = int | tuple[int, ...]
N = TypeVar("N")  # the class that is made; beartype knows no `Self`
Draws: TypeAlias = tuple[Array, ...]  # one array for each declared piece of noise


@dataclass(frozen=True)
class Noise:
    """Random numbers that a network needs afresh at each step of its training.

    Args:
        shape: the shape of one draw.
        distribution: what each number is drawn from.
        each_sample: whether every sample has a draw, so that `compute` receives
            `[*shape, *batch]`; otherwise one draw `[*shape]` is for the whole batch.

    Examples:
        >>> from arithmax.networks import Noise
        >>> from arithmax.units import Normal
        >>> Noise((3,), Normal(0.0, 1.0))
        Noise(shape=(3,), distribution=Normal(mean=0.0, std=1.0), each_sample=True)
    """

    shape: tuple[int, ...]
    distribution: Distribution
    each_sample: bool = True

    def __post_init__(self) -> None:
        vars(self)["shape"] = check_shape("shape", self.shape)
        check_entrywise("distribution", self.distribution)
        if not isinstance(self.each_sample, bool):
            raise TypeError(
                f"`each_sample` (={shown(self.each_sample)}) must be True or False."
            )

    @property
    def size(self) -> int:
        """How many numbers one draw has."""
        return math.prod(self.shape)


class Network(ABC):
    """Pure functions of parameters: what the fleet and the layers need to train.

    A network is a frozen dataclass: its fields are its hyper-parameters and its `repr`
    is its configuration. It stores no parameters and draws no random numbers.
    Parameters are a dictionary from the names that `parameters` declares to arrays of
    NumPy, JAX or PyTorch. A unit is a network, and so is a stack of units.
    """

    title: ClassVar[str]
    """The name that the papers use."""

    def __new__(cls: type[N], *args: Any, **options: Any) -> N:
        check_options(cls, options)
        return object.__new__(cls)

    def __post_init__(self) -> None:
        check_fields(self)

    # What each network writes.

    @abstractmethod
    def parameters(self, in_features: Any, out_features: int) -> dict[str, Parameter]:
        """Names, shapes, initial distributions and roles of the parameters.

        Args:
            in_features: how many inputs there are; the shape of an input that has
                several axes.
            out_features: how many outputs there are.
        """

    @abstractmethod
    def compute(
        self,
        params: Params,
        x: Any,
        *,
        training: bool = False,
        noise: Draws | None = None,
        xp: Namespace = None,
    ) -> Any:
        """The formula, features first.

        Args:
            params: the parameters.
            x: the inputs `[*in, *batch]`, features on the first axes.
            training: whether to compute what the network computes while it is trained;
                most compute the same.
            noise: one array for each piece that `noise` declares; without them a
                network trains as it computes.
            xp: the array namespace, if the caller knows it.

        Returns:
            The outputs `[out, *batch]`, features on the first axis.
        """

    # What a network may add.

    @property
    def input_axes(self) -> int:
        """How many axes one input has: 1 for a list of numbers, 2 for a grey image."""
        return 1

    @property
    def free_axes(self) -> int:
        """How many first axes of an input may have any length: 1 for a sequence."""
        return 0

    def observe(
        self,
        params: Params,
        x: Any,
        *,
        training: bool = False,
        noise: Draws | None = None,
        xp: Namespace = None,
    ) -> tuple[Any, Any]:
        """What `compute` gives, and the inputs `[*in, *batch]` of the last unit."""
        y = self.compute(params, x, training=training, noise=noise, xp=xp)
        return y, x

    def penalty(self, params: Params) -> Any:
        """The published regulariser, without its strength; 0 if there is none."""
        return _scalar(params, 0.0)

    def project(self, params: Params) -> Params:
        """The hard constraint, to be applied after each step of an optimiser."""
        return dict(params)

    def weights(self, params: Params) -> Params:
        """The effective weight matrices, where there are any."""
        return {}

    def noise(self, in_features: Any) -> tuple[Noise, ...]:
        """What training needs drawn afresh for each step, piece by piece."""
        return ()

    @property
    def linear_parameters(self) -> tuple[str, ...]:
        """The names of parameters in which the outputs are linear within bounds.

        They are linear in all of these together, the others being held: a
        second-order optimiser solves for them exactly.
        """
        return ()

    def sparsity_error(self, params: Params) -> Any:
        """The worst weight's distance from −1, 0 and 1: max min(|w|, |1 − |w||).

        NaN where the network has no weights.
        """
        worst = None
        for w in self.weights(params).values():
            xp = namespace(w)
            magnitude = absolute(w, xp)
            error = xp.max(xp.minimum(magnitude, absolute(1 - magnitude, xp)))
            worst = error if worst is None else xp.maximum(worst, error)
        return _scalar(params, math.nan) if worst is None else worst

    @property
    def sparse(self) -> bool:
        """Whether `penalty` is zero exactly at the discrete weights."""
        return False

    @property
    def operations(self) -> dict[str, Any]:
        """The operations that can be represented exactly, and on which inputs."""
        return {}

    @property
    def last(self) -> "Network":
        """The network that gives the outputs: of a stack, its last layer."""
        return self

    def layers(self, params: Params) -> Iterable[tuple["Network", Params]]:
        """Each layer with its parameters, first to last; a unit is its only one."""
        return [(self, params)]

    @property
    def wide(self) -> "Network":
        """The network whose program trains this one: of a padded stack, a wider one."""
        return self

    def discretise(self, params: Params) -> Params:
        """The nearest parameters at which the network is exact."""
        raise ValueError(
            f"{self} has no weights at which it is exact. Use a unit that computes "
            "the operation: `arithmax units` lists them."
        )

    def expression(self, params: Params, symbols: Any) -> list[Any]:
        """What the parameters compute, one SymPy expression for each output."""
        raise ValueError(f"{self} computes no arithmetic, and has no formula.")

    def hazards(self, params: Params, x: Any, xp: Namespace) -> dict[Hazard, Any]:
        """The inputs, features first, that are silently computed wrong."""
        return {}

    def features(self, params: Params) -> tuple[Any, int] | None:
        """(in_features, out_features), read off the parameters; None if they do not
        tell."""
        return None

    @property
    def smallest(self) -> tuple[Any, int]:
        """The smallest sizes for which `parameters` can be asked for their names."""
        return (1 if self.input_axes == 1 else (1,) * self.input_axes), 1

    # What all networks share.

    def apply(
        self,
        params: Params,
        x: Float[Any, "..."],
        *,
        training: bool = False,
        noise: Draws | None = None,
    ) -> Float[Any, "*batch out"]:
        """The network as everybody calls it: `[*batch, *in]` to `[*batch, out]`.

        Args:
            params: the parameters.
            x: the inputs, features on the last axes.
            training: whether to compute what the network computes while it is trained.
            noise: one array for each piece that `noise` declares, `[*batch, *shape]`,
                or `[*shape]` for one that is drawn once for the batch.
        """
        xp = common_namespace(params, x)
        self.check(params, x, xp)
        if noise is not None:
            declared = self.noise(in_features_of(x, self.input_axes))
            check_noise(self, noise, declared)
            noise = tuple(
                features_first(n, len(p.shape), xp) if p.each_sample else n
                for p, n in zip(declared, noise, strict=True)
            )
        return self.forward(params, x, training=training, noise=noise, xp=xp)

    def forward(
        self,
        params: Params,
        x: Array,
        *,
        training: bool,
        noise: Draws | None,
        xp: Namespace,
    ) -> Array:
        """`apply` without its checks; `noise` has its samples on one last axis."""
        axes = self.input_axes
        first = features_first(x, axes, xp)
        y = self.compute(params, first, training=training, noise=noise, xp=xp).T
        return y if x.ndim == axes + 1 else y.reshape(*x.shape[:-axes], y.shape[-1])

    def check(self, params: Params, x: Array, xp: Namespace) -> None:
        """`params` must be those of this network, and `x` must fit them."""
        sizes = self.check_parameters(params)
        for name, value in params.items():
            check_floating(f"params[{name!r}]", value, xp)
        dtype = next((value.dtype for value in params.values()), None)
        check_input(x, sizes and sizes[0], dtype, xp, self.input_axes, self.free_axes)

    def check_parameters(
        self, params: Params, sizes: tuple[Any, int] | None = None
    ) -> tuple[Any, int] | None:
        """Names and shapes must be those that the network declares.

        Args:
            params: the parameters.
            sizes: (in_features, out_features), read off the parameters if None.

        Returns:
            The sizes; None if they are neither given nor can be read off.
        """
        check_axes(self, params, self.parameters(*(sizes or self.smallest)))
        sizes = sizes or self.features(params)
        if sizes is not None:
            check_shapes(self, params, sizes)
        return sizes

    def diagnose(
        self, params: Params, x: Float[Any, "..."]
    ) -> dict[Hazard, Bool[Any, "..."]]:
        """Which inputs are silently computed wrong at these parameters, and why.

        Returns:
            For each hazard that occurs, where in `x` it does.
        """
        xp = common_namespace(params, x)
        self.check(params, x, xp)
        first = features_first(x, self.input_axes, xp)
        met = {Hazard.NOT_FINITE: ~xp.isfinite(first)}
        met |= self.hazards(params, first, xp)
        return {
            hazard: move_axis(where, -1, 0, xp).reshape(x.shape)
            for hazard, where in met.items()
            if bool(xp.any(where))
        }


def _scalar(params: Params, value: float) -> Any:
    """A number in the framework and format of the parameters."""
    first = next(iter(params.values()), None)
    if first is None:
        return value
    xp = namespace(first)
    zero = xp.zeros_like(xp.sum(first))
    return zero + value if value else zero

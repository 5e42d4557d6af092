"""What a network declares of its parameters: shapes, roles, and how they start.

A declaration is data. JAX (`arithmax.initialise`) and PyTorch (`arithmax.torch`) each
draw from it with their own generators; where uniform numbers are there already, the
`quantile` of a distribution makes its numbers out of them.
"""

import math
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from ._arrays import Array, Namespace, beta_quantile, normal_quantile
from ._checks import Bounds, check_fields, check_whole, choose, plain, shown

INFINITY = math.inf
ANY: Bounds = (None, None)
POSITIVE: Bounds = (1e-30, None)


def _ordered(low: Any, high: Any) -> bool:
    """Whether two are finite floats in order, in words that compilers can trace."""
    return (
        type(low) is float
        and type(high) is float
        and -INFINITY < low <= high < INFINITY
    )


def _check_ends(distribution: "Uniform | Beta", bounds: dict[str, Bounds]) -> None:
    """`low` and `high` must be finite numbers in order."""
    check_fields(distribution, {**bounds, "low": ANY, "high": ANY})
    if distribution.low > distribution.high:
        raise ValueError(
            f"`low` (={distribution.low}) must not exceed `high` "
            f"(={distribution.high})."
        )


@dataclass(frozen=True)
class Uniform:
    """Uniform on [low, high)."""

    low: float
    high: float

    def __post_init__(self) -> None:
        if not _ordered(self.low, self.high):
            _check_ends(self, {})

    def quantile(self, u: Array, xp: Namespace) -> Array:
        """Numbers of this distribution, from numbers uniform on [0, 1)."""
        if (self.low, self.high) == (0.0, 1.0):
            return u
        return self.low + (self.high - self.low) * u


@dataclass(frozen=True)
class Normal:
    """Normal with the given mean and standard deviation."""

    mean: float
    std: float

    def __post_init__(self) -> None:
        if not (_ordered(0.0, self.std) and _ordered(self.mean, self.mean)):
            check_fields(self, {"mean": ANY})

    def quantile(self, u: Array, xp: Namespace) -> Array:
        """Numbers of this distribution, from numbers uniform on [0, 1)."""
        return self.mean + self.std * normal_quantile(u, xp)


@dataclass(frozen=True)
class Beta:
    """Beta(a, b), moved from [0, 1] to [low, high]."""

    a: float
    b: float
    low: float = 0.0
    high: float = 1.0

    def __post_init__(self) -> None:
        _check_ends(self, {"a": POSITIVE, "b": POSITIVE})

    def quantile(self, u: Array, xp: Namespace) -> Array:
        """Numbers of this distribution, from numbers uniform on [0, 1)."""
        return self.low + (self.high - self.low) * beta_quantile(self.a, self.b, u, xp)


@dataclass(frozen=True)
class Constant:
    """Every entry equal to `value`."""

    value: float

    def __post_init__(self) -> None:
        check_fields(self, {"value": ANY})

    def quantile(self, u: Array, xp: Namespace) -> Array:
        """The value, as often as there are numbers `u`."""
        return xp.full_like(u, self.value)


@dataclass(frozen=True)
class Identity:
    """The identity matrix."""

    def quantile(self, u: Array, xp: Namespace) -> Array:
        """There is none, since its entries are not drawn one by one."""
        raise _no_quantiles("distribution", self)


@dataclass(frozen=True)
class Orthogonal:
    """A random matrix with orthonormal rows or columns; a vector is a column."""

    def quantile(self, u: Array, xp: Namespace) -> Array:
        """There is none, since its entries are not drawn one by one."""
        raise _no_quantiles("distribution", self)


Entrywise: TypeAlias = Uniform | Normal | Beta | Constant
Distribution: TypeAlias = Entrywise | Identity | Orthogonal
Role: TypeAlias = Literal["weight", "gate"]


@dataclass(frozen=True)
class Parameter:
    """The shape of one parameter and the distribution it is drawn from.

    Args:
        shape: its shape.
        distribution: what it starts from.
        role: whether it is a weight, or belongs to a gate that chooses between paths;
            some recipes train the two in turns.
    """

    shape: tuple[int, ...]
    distribution: Distribution
    role: Role = "weight"

    def __post_init__(self) -> None:
        vars(self)["shape"] = check_shape("shape", self.shape)
        check_distribution("distribution", self.distribution)
        choose("role", self.role, ("weight", "gate"))


def check_shape(name: str, shape: Any) -> tuple[int, ...]:
    """`shape` as a tuple: whole numbers of at least 1."""
    sizes = plain(shape)
    fits = isinstance(sizes, tuple) and all(type(n) is int and n >= 1 for n in sizes)
    if not fits:
        raise ValueError(
            f"`{name}` (={shown(shape)}) must be a tuple of whole numbers, each at "
            "least 1."
        )
    return sizes


def check_distribution(name: str, value: Any) -> None:
    """`value` must be one of the distributions of this file."""
    if not isinstance(value, Distribution):
        raise TypeError(
            f"`{name}` (={shown(value)}) must be a distribution, such as "
            "`Uniform(-1.0, 1.0)`."
        )


def check_entrywise(name: str, value: Any) -> None:
    """`value` must be a distribution of single numbers, which has quantiles."""
    check_distribution(name, value)
    if not isinstance(value, Entrywise):
        raise _no_quantiles(name, value)


def _no_quantiles(name: str, value: Any) -> ValueError:
    return ValueError(
        f"`{name}` (={value}) draws a matrix as a whole and has no quantiles. Use "
        "`Uniform`, `Normal`, `Beta` or `Constant`."
    )


def check_features(in_features: int, out_features: int) -> None:
    """Both sizes must be whole numbers of at least 1."""
    for name, size in (("in_features", in_features), ("out_features", out_features)):
        check_whole(name, plain(size), 1)


def matrix(
    in_features: int,
    out_features: int,
    distribution: Distribution,
    role: Role = "weight",
) -> Parameter:
    """A matrix [out, in], of weights or of a gate."""
    check_features(in_features, out_features)
    return Parameter((out_features, in_features), distribution, role)


def symmetric(bound: float) -> Uniform:
    """Uniform on [-bound, bound)."""
    return Uniform(-bound, bound)


def glorot_uniform(in_features: int, out_features: int, gain: float = 1.0) -> Uniform:
    """Glorot and Bengio's uniform initialisation ("Xavier")."""
    check_features(in_features, out_features)
    return symmetric(gain * math.sqrt(6 / (in_features + out_features)))


def kaiming_uniform(in_features: int, gain: float = math.sqrt(2)) -> Uniform:
    """He's uniform initialisation, by default for a rectifier."""
    check_features(in_features, 1)
    return symmetric(gain * math.sqrt(3 / in_features))


def prefixed(part: str, values: dict[str, Any]) -> dict[str, Any]:
    """Parameters, or what is said of them, by the names they have as those of a part.

    Examples:
        >>> prefixed("cell", {"W": 1})
        {'cell.W': 1}
    """
    return {f"{part}.{name}": value for name, value in values.items()}


def of_part(part: str, values: dict[str, Any]) -> dict[str, Any]:
    """Those of a part, by the names that the part gives them.

    Examples:
        >>> of_part("cell", {"cell.W": 1, "reader.W": 2})
        {'W': 1}
    """
    start = f"{part}."
    return {n[len(start) :]: v for n, v in values.items() if n.startswith(start)}

"""What a unit declares of its parameters: shapes, and how they start.

A declaration is data. JAX (`arithmax.initialise`) and PyTorch (`arithmax.torch`) each
draw from it with their own generators.
"""

import math
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True)
class Uniform:
    """Uniform on [low, high)."""

    low: float
    high: float


@dataclass(frozen=True)
class Normal:
    """Normal with the given mean and standard deviation."""

    mean: float
    std: float


@dataclass(frozen=True)
class Beta:
    """Beta(a, b), moved from [0, 1] to [low, high]."""

    a: float
    b: float
    low: float = 0.0
    high: float = 1.0


@dataclass(frozen=True)
class Constant:
    """Every entry equal to `value`."""

    value: float


@dataclass(frozen=True)
class Identity:
    """The identity matrix."""


@dataclass(frozen=True)
class Orthogonal:
    """A random matrix with orthonormal rows or columns; a vector is a column."""


Distribution: TypeAlias = Uniform | Normal | Beta | Constant | Identity | Orthogonal


@dataclass(frozen=True)
class Parameter:
    """The shape of one parameter and the distribution it is drawn from."""

    shape: tuple[int, ...]
    distribution: Distribution


def check_features(in_features: int, out_features: int) -> None:
    """Both sizes must be whole numbers of at least 1."""
    for name, size in (("in_features", in_features), ("out_features", out_features)):
        whole = hasattr(size, "__index__") and not isinstance(size, bool)
        if not whole or size < 1:
            raise ValueError(
                f"`{name}` (={size!r}) must be a whole number, at least 1."
            )


def matrix(
    in_features: int, out_features: int, distribution: Distribution
) -> Parameter:
    """A weight matrix [out, in]."""
    check_features(in_features, out_features)
    return Parameter((out_features, in_features), distribution)


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

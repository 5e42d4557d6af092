"""How inputs are distributed: one class per distribution, and their registry.

This file is read by the command line and loads no array library.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from .._arrays import Array, Namespace
from .._checks import check_entries, choose, plain, shown
from ._input_distribution import FAR, Ends, InputDistribution, Numbers, number_columns
from ._normals import MirroredNormalInputs, NormalInputs, TruncatedNormalInputs

DistributionName = Literal[
    "uniform",
    "normal",
    "truncated-normal",
    "mirrored-normal",
    "exponential",
    "benford",
]


@dataclass(frozen=True)
class UniformInputs(InputDistribution):
    """Uniform on low, high; or on two intervals: low, high, low, high."""

    counts: ClassVar[tuple[int, ...]] = (2, 4)
    kind: ClassVar[str] = "uniform"

    @property
    def numbers(self) -> Numbers:
        if len(self.values) == 4:
            return self.values
        low, high = self.values
        middle = low + (high - low) / 2
        return low, middle, middle, high  # one part is two halves

    @staticmethod
    def quantile(numbers: Array, u: Array, xp: Namespace) -> Array:
        a, b, c, d = number_columns(numbers)
        return xp.where(u < 0.5, a + (b - a) * (2 * u), c + (d - c) * (2 * u - 1))

    @staticmethod
    def within(numbers: Array, u: Array, xp: Namespace) -> Array:
        """The quantile function of one interval, which takes half the operations."""
        low, _, _, high = number_columns(numbers)
        return low + (high - low) * u

    @classmethod
    def form(cls, inputs: Sequence[Any]) -> tuple[str, Callable[..., Array]]:
        if all(len(one.values) == 2 for one in inputs):
            return "interval", cls.within
        return cls.kind, cls.quantile

    @property
    def support(self) -> list[Ends]:
        return self.ends

    @property
    def magnitudes(self) -> InputDistribution | None:
        if any(low < 0 < high for low, high in self.ends):
            return None
        folded = [sorted((abs(low), abs(high))) for low, high in self.ends]
        return UniformInputs(tuple(end for part in folded for end in part))

    def moments(self, order: int = 8) -> list[float]:
        import numpy as np

        return [
            float(np.mean([_power_mean(low, high, k) for low, high in self.ends]))
            for k in range(order + 1)
        ]

    def inverse_square(self) -> float:
        import numpy as np

        if any(low <= 0 <= high for low, high in self.ends):
            return math.inf
        return float(np.mean([1 / (low * high) for low, high in self.ends]))


@dataclass(frozen=True)
class ExponentialInputs(InputDistribution):
    """Exponential with a scale, which is its mean."""

    counts: ClassVar[tuple[int, ...]] = (1,)
    kind: ClassVar[str] = "exponential"

    @property
    def numbers(self) -> Numbers:
        return *self.values, 0.0, 0.0, 0.0

    @staticmethod
    def quantile(numbers: Array, u: Array, xp: Namespace) -> Array:
        return -numbers[:, 0:1] * xp.log1p(-u)

    @property
    def support(self) -> list[Ends]:
        return [(0.0, FAR * self.scale)]

    @property
    def scale(self) -> float:
        return self.values[0]


@dataclass(frozen=True)
class BenfordInputs(InputDistribution):
    """Benford's law between low and high: the logarithm is uniform."""

    counts: ClassVar[tuple[int, ...]] = (2,)
    kind: ClassVar[str] = "benford"

    @property
    def numbers(self) -> Numbers:
        return *self.values, 0.0, 0.0

    @staticmethod
    def quantile(numbers: Array, u: Array, xp: Namespace) -> Array:
        a, b = number_columns(numbers)[:2]
        return a * (b / a) ** u

    @property
    def support(self) -> list[Ends]:
        return self.ends

    @property
    def scale(self) -> float:
        return self.values[0]


DISTRIBUTIONS: dict[str, type[InputDistribution]] = {
    "uniform": UniformInputs,
    "normal": NormalInputs,
    "truncated-normal": TruncatedNormalInputs,
    "mirrored-normal": MirroredNormalInputs,
    "exponential": ExponentialInputs,
    "benford": BenfordInputs,
}
"""The distributions by the names that a task's field `distribution` has."""


def _power_mean(low: float, high: float, k: int) -> float:
    """E[xᵏ] of a number that is uniform on [low, high]."""
    return (high ** (k + 1) - low ** (k + 1)) / ((k + 1) * (high - low))


def input_distribution(name: DistributionName, values: Any) -> InputDistribution:
    """The distribution of that name with its numbers.

    Args:
        name: one of `DISTRIBUTIONS`.
        values: the numbers that its class documents.

    Returns:
        The distribution.

    Examples:
        >>> input_distribution("uniform", (2.0, 4.0)).moments(2)[1]
        3.0
    """
    kind = DISTRIBUTIONS[choose("name", name, DISTRIBUTIONS)]
    numbers = plain(values)
    check_entries("values", numbers, float)
    distribution = kind(tuple(map(float, numbers)))
    if reason := distribution.lacks(name):
        raise ValueError(f"`values` (={shown(values)}) must have {reason}.")
    return distribution

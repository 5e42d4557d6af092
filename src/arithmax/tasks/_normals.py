"""Normal distributions of inputs: whole, truncated, or with either sign."""

import math
from dataclasses import dataclass
from typing import ClassVar

from .._arrays import Array, Namespace, is_jax
from ._input_distribution import (
    FAR,
    Ends,
    InputDistribution,
    Numbers,
    number_columns,
    pairs,
)


class AnyNormal(InputDistribution):
    """What normal distributions share: a mean, a deviation, perhaps two bounds."""

    @property
    def numbers(self) -> Numbers:
        """Mean, deviation, and the probabilities of the bounds."""
        if len(self.values) == 2:
            return *self.values, 0.0, 1.0
        from scipy.special import ndtr

        mean, std, *ends = self.values
        low, high = (float(ndtr((end - mean) / std)) for end in ends)
        return mean, std, low, high

    @property
    def ends(self) -> list[Ends]:
        return pairs(self.values[2:])

    @property
    def bounds(self) -> list[Ends]:
        """The interval in which numbers lie before any is mirrored."""
        mean, std = self.values[:2]
        return self.ends or [(mean - FAR * std, mean + FAR * std)]

    @property
    def scale(self) -> float:
        return self.values[1]

    @property
    def share(self) -> float:
        if not self.ends:
            return 1.0
        mean, std, *ends = self.values
        low, high = (math.erf((end - mean) / std / math.sqrt(2)) for end in ends)
        return (high - low) / 2


@dataclass(frozen=True)
class NormalInputs(AnyNormal):
    """Normal with a mean and a standard deviation."""

    counts: ClassVar[tuple[int, ...]] = (2,)
    kind: ClassVar[str] = "normal"

    @staticmethod
    def quantile(numbers: Array, u: Array, xp: Namespace) -> Array:
        return _normal_quantile(numbers, u, xp)

    @property
    def support(self) -> list[Ends]:
        return self.bounds


@dataclass(frozen=True)
class TruncatedNormalInputs(AnyNormal):
    """Normal between two bounds: mean, standard deviation, low, high."""

    counts: ClassVar[tuple[int, ...]] = (4,)
    kind: ClassVar[str] = "normal"

    @staticmethod
    def quantile(numbers: Array, u: Array, xp: Namespace) -> Array:
        return _normal_quantile(numbers, u, xp)

    @property
    def support(self) -> list[Ends]:
        return self.bounds


@dataclass(frozen=True)
class MirroredNormalInputs(AnyNormal):
    """Normal, truncated or not, with either sign; the same two or four numbers."""

    counts: ClassVar[tuple[int, ...]] = (2, 4)
    kind: ClassVar[str] = "mirrored-normal"

    @staticmethod
    def quantile(numbers: Array, u: Array, xp: Namespace) -> Array:
        x = _normal_quantile(numbers, xp.where(u < 0.5, 2 * u, 2 * u - 1), xp)
        return xp.where(u < 0.5, -x, x)

    @property
    def support(self) -> list[Ends]:
        return self.bounds + [(-high, -low) for low, high in self.bounds]


def _normal_quantile(numbers: Array, u: Array, xp: Namespace) -> Array:
    a, b, c, d = number_columns(numbers)
    if is_jax(xp):
        from jax.scipy.special import ndtri

        tiny = xp.finfo(u.dtype).eps / 2  # u = 0 would be drawn as −∞
        return a + b * ndtri(c + (d - c) * (u * (1 - tiny) + tiny / 2))
    from scipy.special import ndtri as scipy_ndtri

    return a + b * scipy_ndtri(c + (d - c) * u)

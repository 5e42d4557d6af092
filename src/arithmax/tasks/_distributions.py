"""How inputs are distributed: one class per distribution, in the array API.

A distribution turns a uniform number into an input by its quantile function, which
takes four numbers per input. They are traced, so that tasks whose ranges differ share
one compiled program. This file is read by the command line and loads no array library.
"""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias

from .._arrays import Array, Namespace, is_jax

Numbers: TypeAlias = tuple[float, ...]
Ends: TypeAlias = tuple[float, float]
DistributionName = Literal[
    "uniform",
    "normal",
    "truncated-normal",
    "mirrored-normal",
    "exponential",
    "benford",
]

FAR = 17.0  # no draw is further out, in standard deviations or scales
RARE = 1e-6  # the least share of a normal distribution that can be cut out of it
SIMULATED = 200_000  # samples of a mean that has no closed form here


@dataclass(frozen=True)
class InputDistribution(ABC):
    """A distribution of one input, given by the numbers that a user writes."""

    values: Numbers
    """The numbers, in the order that the class documents."""

    counts: ClassVar[tuple[int, ...]]
    """How many numbers there may be."""
    kind: ClassVar[str]
    """The quantile function; distributions of one kind share a compiled program."""

    @property
    @abstractmethod
    def numbers(self) -> Numbers:
        """The four numbers that `quantile` takes."""

    @staticmethod
    @abstractmethod
    def quantile(numbers: Array, u: Array, xp: Namespace) -> Array:
        """Inputs [in, batch] from uniform numbers `u`; `numbers` are [in, 4]."""

    @property
    @abstractmethod
    def support(self) -> list[Ends]:
        """The intervals in which a drawn number can lie."""

    @property
    def ends(self) -> list[Ends]:
        """The intervals among the given numbers."""
        return pairs(self.values)

    @property
    def scale(self) -> float:
        """The number that must be positive."""
        return 1.0

    @property
    def share(self) -> float:
        """Which part of the untruncated distribution is drawn from."""
        return 1.0

    @property
    def magnitude(self) -> float:
        """The greatest magnitude that a drawn number can have."""
        return max(abs(end) for part in self.support for end in part)

    @property
    def magnitudes(self) -> "InputDistribution | None":
        """The distribution of |x|, where it is one of the same class."""
        return None

    def lacks(self, name: str) -> str:
        """What a distribution of that name needs and the numbers lack, if anything."""
        of = f"for `distribution` (={name!r})"
        if len(self.values) not in self.counts:
            return f"{' or '.join(map(str, self.counts))} numbers {of}"
        if any(low >= high for low, high in self.ends):
            return "each low below its high"
        if self.scale <= 0:
            return f"a positive spread, scale and bounds {of}"
        if self.share < RARE:
            return (
                f"bounds nearer to the mean {of}: between them almost nothing is drawn"
            )
        return ""

    def moments(self, order: int = 8) -> list[float]:
        """E[xᵏ], k = 0 … order; simulated where a class has no closed form."""
        import numpy as np

        x = self._simulated()
        return [float(np.mean(x**k)) for k in range(order + 1)]

    def inverse_square(self) -> float:
        """E[1/x²]; infinity where it has no value."""
        import numpy as np

        return float(np.mean(self._simulated() ** -2))

    def _simulated(self) -> Array:
        import numpy as np

        u = np.random.default_rng(0).uniform(size=(1, SIMULATED))
        return self.quantile(np.array([self.numbers]), u, np)[0]


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
        a, b, c, d = columns(numbers)
        return xp.where(u < 0.5, a + (b - a) * (2 * u), c + (d - c) * (2 * u - 1))

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
        a, b = columns(numbers)[:2]
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


def columns(numbers: Array) -> list[Array]:
    """The four numbers of each input, each as [in, 1]."""
    return [numbers[:, i : i + 1] for i in range(4)]


def pairs(values: Numbers) -> list[Ends]:
    """Numbers as intervals."""
    return [(values[i], values[i + 1]) for i in range(0, len(values) - 1, 2)]


def _power_mean(low: float, high: float, k: int) -> float:
    """E[xᵏ] of a number that is uniform on [low, high]."""
    return (high ** (k + 1) - low ** (k + 1)) / ((k + 1) * (high - low))


def _normal_quantile(numbers: Array, u: Array, xp: Namespace) -> Array:
    a, b, c, d = columns(numbers)
    if is_jax(xp):
        from jax.scipy.special import ndtri

        tiny = xp.finfo(u.dtype).eps / 2  # u = 0 would be drawn as −∞
        return a + b * ndtri(c + (d - c) * (u * (1 - tiny) + tiny / 2))
    from scipy.special import ndtri as scipy_ndtri

    return a + b * scipy_ndtri(c + (d - c) * u)


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
    return DISTRIBUTIONS[name](tuple(map(float, values)))

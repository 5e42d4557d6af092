"""What a distribution of inputs is: numbers, a quantile function, moments.

A distribution turns a uniform number into an input by its quantile function, which
takes four numbers per input. They are traced, so that tasks whose ranges differ share
one compiled program. This file is read by the command line and loads no array library.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

from .._arrays import Array, Namespace

Numbers: TypeAlias = tuple[float, ...]
Ends: TypeAlias = tuple[float, float]
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

    @classmethod
    def form(cls, inputs: Sequence[Any]) -> tuple[str, Callable[..., Array]]:
        """A quantile function that serves all these inputs, after its name."""
        return cls.kind, cls.quantile

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


def number_columns(numbers: Array) -> list[Array]:
    """The four numbers of each input, each as [in, 1]."""
    return [numbers[:, i : i + 1] for i in range(4)]


def pairs(values: Numbers) -> list[Ends]:
    """Numbers as intervals."""
    return [(values[i], values[i + 1]) for i in range(0, len(values) - 1, 2)]

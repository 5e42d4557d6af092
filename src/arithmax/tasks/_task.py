"""What a task is: where numbers come from, what the target is, when it is solved."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import fields
from typing import Any, ClassVar, Literal

from ..units._checks import Bounds, check_fields, check_options
from ._domains import Numbers, check_domain, check_ranges, magnitude, sets_of

# Inputs are drawn from a distribution with these numbers:
#   uniform           low, high            or two parts: low, high, low, high
#   normal            mean, standard deviation
#   truncated-normal  mean, standard deviation, low, high
#   mirrored-normal   the same two or four, with either sign
#   exponential       scale
#   benford           low, high            (uniform logarithm)
Distribution = Literal[
    "uniform",
    "normal",
    "truncated-normal",
    "mirrored-normal",
    "exponential",
    "benford",
]


RANGES = ("interpolation", "extrapolation")


class Task(ABC):
    """A function to learn from samples of its inputs.

    A task is a frozen dataclass. What differs between replicas (ranges, operation,
    offsets) comes out of `replica` as numbers, so that tasks of one `structure` are
    trained by one program.
    """

    title: ClassVar[str]
    later: ClassVar[tuple[str, ...]] = ()
    """Fields that came later: at their defaults they are no part of a run's name."""
    bounds: ClassVar[Mapping[str, Bounds]] = {}
    """The least and the greatest number that a field may be."""
    distribution: Distribution
    interpolation: Any
    extrapolation: Any

    def __new__(cls, *args: Any, **options: Any) -> "Task":
        check_options(cls, options)
        return super().__new__(cls)

    def __post_init__(self) -> None:
        check_fields(self, self.bounds)
        self.check_sizes()
        for name in RANGES:
            numbers = getattr(self, name)
            check_ranges(name, numbers, self.distribution, self.in_features)
            for function, inputs in self.partial_functions.items():
                sets = sets_of(numbers)
                used = sets if inputs is None or len(sets) == 1 else sets[inputs]
                check_domain(name, numbers, used, self.distribution, function)
            vars(self)[name] = _floats(numbers)  # (1, 2) is (1.0, 2.0) in a run's name

    def check_sizes(self) -> None:
        """The sizes of the task must suit each other."""
        return  # many have but one

    @property
    def partial_functions(self) -> dict[str, slice | None]:
        """Functions that are not defined everywhere, and their inputs; None is all."""
        return {}

    def largest(self, name: str) -> float:
        """The greatest magnitude of inputs and targets on one of `RANGES`."""
        sets = sets_of(getattr(self, name))
        greatest = max(magnitude(values, self.distribution) for values in sets)
        return max(greatest, self.largest_target(greatest))

    def largest_target(self, greatest: float) -> float:
        """The greatest magnitude of targets of inputs up to the `greatest`.

        Quotients have none where inputs come near zero, and are left out.
        """
        return 0.0

    @property
    @abstractmethod
    def in_features(self) -> int:
        """How many inputs there are."""

    @property
    @abstractmethod
    def out_features(self) -> int:
        """How many outputs there are."""

    @property
    @abstractmethod
    def structure(self) -> tuple:
        """What a compiled program depends on: all but numbers."""

    @property
    @abstractmethod
    def operations(self) -> tuple[str, ...]:
        """The operations of `arithmax.units` that a network must represent."""

    @abstractmethod
    def replica(self, seed: int) -> dict[str, Any]:
        """The numbers of one replica, as NumPy arrays, without the ranges."""

    @abstractmethod
    def target(self, replica: dict[str, Any], x: Any) -> Any:
        """The target [out, batch] of inputs [in, batch], in JAX."""

    @abstractmethod
    def threshold(self, epsilon: float, rule: str) -> float:
        """The extrapolation error below which the task counts as solved."""

    def limits(self) -> dict[str, float]:
        """The errors that the literature asks for, by name.

        A run's row has the first step at which it was below each.
        """
        limits = {"flat_1e5": 1e-5}
        for name, epsilon in (("eps_1e4", 1e-4), ("eps_1e5", 1e-5)):
            try:
                limits[name] = self.threshold(epsilon, "authors")
            except ValueError:  # there is none on such ranges
                continue
        return limits

    def __str__(self) -> str:
        named = [
            (f.name, getattr(self, f.name))
            for f in fields(self)  # type: ignore[arg-type]  # tasks are dataclasses
            if f.name not in self.later or getattr(self, f.name) != f.default
        ]
        parts = ", ".join(f"{name}={value!r}" for name, value in named)
        return f"{type(self).__name__}({parts})"


def quantile_numbers(numbers: Numbers, distribution: str) -> Numbers:
    """Four numbers from which `samples` makes an input out of one uniform number."""
    from scipy.stats import norm

    if distribution == "uniform" and len(numbers) == 2:
        low, high = numbers
        middle = low + (high - low) / 2
        return low, middle, middle, high  # one part is two halves
    if "normal" in distribution and len(numbers) == 2:
        return *numbers, 0.0, 1.0
    if "normal" in distribution:
        mean, std, low, high = numbers
        ends = norm.cdf([(low - mean) / std, (high - mean) / std])
        return mean, std, float(ends[0]), float(ends[1])
    return (*numbers, *(0.0,) * (4 - len(numbers)))


def _floats(numbers: Any) -> Any:
    """Numbers, or tuples of them, as floats."""
    if isinstance(numbers, tuple):
        return tuple(map(_floats, numbers))
    return float(numbers)

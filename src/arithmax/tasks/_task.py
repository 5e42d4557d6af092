"""What a task is: where numbers come from, what the target is, when it is solved."""

from abc import ABC, abstractmethod
from dataclasses import fields
from typing import Any, ClassVar, Literal, TypeAlias

from ..units._checks import check_fields, check_options

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
Numbers: TypeAlias = tuple[float, ...]
COUNTS = {
    "uniform": (2, 4),
    "normal": (2,),
    "truncated-normal": (4,),
    "mirrored-normal": (2, 4),
    "exponential": (1,),
    "benford": (2,),
}


class Task(ABC):
    """A function to learn from samples of its inputs.

    A task is a frozen dataclass. What differs between replicas (ranges, operation,
    offsets) comes out of `replica` as numbers, so that tasks of one `structure` are
    trained by one program.
    """

    title: ClassVar[str]
    later: ClassVar[tuple[str, ...]] = ()
    """Fields that came later: at their defaults they are no part of a run's name."""
    distribution: Distribution
    interpolation: Any
    extrapolation: Any

    def __new__(cls, *args: Any, **options: Any) -> "Task":
        check_options(cls, options)
        return super().__new__(cls)

    def __post_init__(self) -> None:
        check_fields(self)
        for name in ("interpolation", "extrapolation"):
            check_ranges(name, getattr(self, name), self.distribution, self.in_features)

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


def per_input(numbers: Any, in_features: int) -> tuple[Numbers, ...]:
    """The numbers of each input, from one set for all or one set for each."""
    if numbers and isinstance(numbers[0], tuple | list):
        return tuple(tuple(map(float, n)) for n in numbers)
    return (tuple(map(float, numbers)),) * in_features


def check_ranges(name: str, numbers: Any, distribution: str, in_features: int) -> None:
    """The numbers must be what the distribution needs."""
    sets = per_input(numbers, in_features)
    if len(sets) != in_features:
        raise ValueError(
            f"`{name}` (={numbers!r}) must be one set of numbers, or one for each of "
            f"the {in_features} inputs."
        )
    for values in sets:
        if len(values) not in COUNTS[distribution]:
            need = " or ".join(map(str, COUNTS[distribution]))
            raise ValueError(
                f"`{name}` (={numbers!r}) must have {need} numbers for `distribution` "
                f"(={distribution!r})."
            )
        ordered = values[2:] if "-normal" in distribution else values
        pairs = [ordered[i : i + 2] for i in range(0, len(ordered) - 1, 2)]
        if distribution != "normal" and any(low >= high for low, high in pairs):
            raise ValueError(
                f"`{name}` (={numbers!r}) must have each low below its high."
            )
        spread = values[1] if "normal" in distribution else values[0]
        positive = "normal" in distribution or distribution in (
            "exponential",
            "benford",
        )
        if positive and spread <= 0:
            raise ValueError(
                f"`{name}` (={numbers!r}) must have a positive spread, scale and "
                f"bounds for `distribution` (={distribution!r})."
            )


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

"""A sum or a product of some of the inputs, the others to be ignored."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from ...tasks import FormulaTask

Range = tuple[float, float]
UNROLLED = 32  # inputs up to which a product is written out: a kernel has no other


@dataclass(frozen=True)
class Among(FormulaTask):
    """The sum or the product of k neighbours among n inputs.

    Where they begin is drawn once by each seed. Which inputs they are is a number of a
    replica, so that all k share one compiled program. The threshold is that of the
    single module task with k operands in place of two: every weight is wrong by ε.
    """

    title: ClassVar[str] = "Some of many"
    distribution = "uniform"
    operation: Literal["add", "mul"] = "mul"
    """The operation between the relevant inputs."""
    input_size: int = 10
    """How many inputs there are."""
    relevant: int = 2
    """How many of them matter."""
    interpolation: Range = (1.0, 2.0)
    """The range to train on."""
    extrapolation: Range = (2.0, 6.0)
    """The range to be right on."""

    def check_sizes(self) -> None:
        if not 1 <= self.relevant <= self.input_size:
            raise ValueError(
                f"`relevant` (={self.relevant}) must be between 1 and `input_size` "
                f"(={self.input_size})."
            )
        wide = self.operation == "mul" and self.input_size > UNROLLED
        if wide and min(*self.interpolation, *self.extrapolation) <= 0:
            raise ValueError(
                f"`interpolation` (={self.interpolation}) and `extrapolation` "
                f"(={self.extrapolation}) must be positive for a product of more than "
                f"{UNROLLED} inputs, which is computed by logarithms."
            )

    @property
    def in_features(self) -> int:
        return self.input_size

    @property
    def out_features(self) -> int:
        return 1

    @property
    def operations(self) -> tuple[str, ...]:
        return (self.operation,)

    @property
    def structure(self) -> tuple:
        return type(self), self.operation, self.input_size, self.kind

    def choices(self, seed: int) -> dict[str, Any]:
        places = self.input_size - self.relevant + 1
        first = int(np.random.RandomState(seed).randint(0, places))
        mask = np.zeros(self.input_size)
        mask[first : first + self.relevant] = 1.0
        return {"mask": mask}

    def target(self, replica: Mapping[str, Any], x: Any) -> Any:
        mask = replica["mask"][:, None]
        if self.operation == "add":
            return (mask * x).sum(axis=0, keepdims=True)
        factors = mask * x + (1 - mask)
        if self.input_size > UNROLLED:
            xp = x.__array_namespace__()
            return xp.exp(xp.log(factors).sum(axis=0, keepdims=True))
        total = factors[:1]
        for i in range(1, self.input_size):
            total = total * factors[i : i + 1]
        return total

    def largest_target(self, greatest: float) -> float:
        k = self.relevant
        return k * greatest if self.operation == "add" else greatest**k

    def threshold(self, epsilon: float = 1e-4, rule: str = "exact") -> float:
        (inputs,) = self.given("extrapolation")
        _, mean, square = inputs.moments()[:3]
        n, k = self.input_size, self.relevant
        if self.operation == "add":
            return epsilon**2 * (n * (square - mean**2) + (n * mean) ** 2)
        return (k * epsilon) ** 2 * square**k

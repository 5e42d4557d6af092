"""Tasks that are given functions of one or two variables."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from .._arrays import Array, namespace
from .._checks import WORD, Bounds, choose
from ._distributions import DistributionName
from ._domains import power
from ._formula import FormulaTask
from ._keys import NumpyKey
from ._targets import FUNCTIONS
from ._task import Split, check_rule
from ._thresholds import no_threshold

REPRESENTED = {"add", "sub", "mul", "div", "square", "sqrt"}
SAMPLES = 200_000  # of which a threshold is the mean


@dataclass(frozen=True)
class Functions(FormulaTask):
    """One or more functions of (x₁) or (x₁, x₂), each an output.

    `("add", "mul", "div", "sqrt")` is (x, y) → (x + y, xy, x/y, √x). There may be more
    `inputs`, which a network has to ignore.
    """

    title: ClassVar[str] = "Functions"
    functions: tuple[str, ...] = ("identity",)
    """The functions, one per output."""
    interpolation: Any = (0.1, 2.0)
    """The range to train on, for all inputs or for each."""
    extrapolation: Any = (0.1, 4.0)
    """The range to be right on, for all inputs or for each."""
    distribution: DistributionName = "uniform"
    """How inputs are distributed."""
    inputs: int = 0
    """How many inputs there are; 0 has as many as the functions need."""

    bounds: ClassVar[Mapping[str, Bounds]] = {"inputs": (0, WORD)}

    def check_sizes(self) -> None:
        if not self.functions:
            raise ValueError("`functions` (=()) must name at least one function.")
        for name in self.functions:
            choose("functions", name, FUNCTIONS)
        if self.inputs and self.inputs < self.arity:
            raise ValueError(
                f"`inputs` (={self.inputs}) must be at least {self.arity} for "
                f"`functions` (={self.functions}), or 0."
            )

    @property
    def partial_functions(self) -> dict[str, slice | None]:
        return {f: slice(0, 1) for f in ("sqrt", "log") if f in self.functions}

    def largest(self, split: Split) -> float:
        first = self.given("interpolation" if split == "training" else split)[0]
        high = max(end for _, end in first.support)
        grown = power(math.e, high) if "exp" in self.functions else 0.0
        return max(grown, FormulaTask.largest(self, split))

    def largest_target(self, greatest: float) -> float:
        squared = power(greatest, 2)
        table = {"square": squared, "mul": squared}
        table |= {"add": 2 * greatest, "sub": 2 * greatest}
        return max(table.get(name, 0.0) for name in self.functions)

    @property
    def arity(self) -> int:
        """How many inputs the functions need."""
        return max(FUNCTIONS[name].arity for name in self.functions)

    @property
    def in_features(self) -> int:
        return self.inputs or self.arity

    @property
    def out_features(self) -> int:
        return len(self.functions)

    @property
    def structure(self) -> tuple:
        return ("functions", self.functions, self.in_features, self.kind)

    @property
    def operations(self) -> tuple[str, ...]:
        return tuple(name for name in self.functions if name in REPRESENTED)

    def target(self, replica: Mapping[str, Any], x: Array) -> Array:
        xp = namespace(x)
        first, second = x[0], x[self.arity - 1]
        rows = [FUNCTIONS[name].compute(first, second, xp) for name in self.functions]
        return xp.stack(rows)

    def threshold(self, epsilon: float = 1e-5, rule: str = "exact") -> float:
        """The mean squared error of functions that are wrong by a factor 1 − ε."""
        import numpy as np

        check_rule(epsilon, rule)
        divisor = self.given("extrapolation")[: self.arity][-1]
        divided = {"div", "reciprocal"} & set(self.functions)
        if divided and any(low <= 0 <= high for low, high in divisor.support):
            raise no_threshold(self.extrapolation)
        _, rows = self.draw("extrapolation", self.replica(0), NumpyKey(0), SAMPLES)
        return float(epsilon**2 * np.mean(rows**2))

"""Tasks that are given functions of one or two variables."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from ..units._checks import WORD, Bounds, choose
from ._domains import power, sets_of, support
from ._task import Distribution, Task
from ._thresholds import check_rule, no_threshold, sampled

# How many inputs each function takes. The functions themselves are in `_apply`, since
# this file is read by the command line, which loads no array library.
ARITY = {
    "identity": 1,
    "square": 1,
    "sqrt": 1,
    "reciprocal": 1,
    "exp": 1,
    "log": 1,
    "sin": 1,
    "add": 2,
    "sub": 2,
    "mul": 2,
    "div": 2,
}
REPRESENTED = {"add", "sub", "mul", "div", "square", "sqrt"}


def _apply(name: str, x: Any, y: Any, xp: Any) -> Any:
    table = {
        "identity": lambda: x,
        "square": lambda: x * x,
        "sqrt": lambda: xp.sqrt(x),
        "reciprocal": lambda: 1 / x,
        "exp": lambda: xp.exp(x),
        "log": lambda: xp.log(x),
        "sin": lambda: xp.sin(x),
        "add": lambda: x + y,
        "sub": lambda: x - y,
        "mul": lambda: x * y,
        "div": lambda: x / y,
    }
    return table[name]()


@dataclass(frozen=True)
class Functions(Task):
    """One or more functions of (x₁) or (x₁, x₂), each an output.

    `("add", "mul", "div", "sqrt")` is (x, y) → (x + y, xy, x/y, √x). There may be more
    `inputs`, which a network has to ignore.
    """

    title: ClassVar[str] = "Functions"
    later: ClassVar[tuple[str, ...]] = ("inputs",)
    functions: tuple[str, ...] = ("identity",)
    """The functions, one an output."""
    interpolation: Any = (0.1, 2.0)
    """The range to train on, for all inputs or for each."""
    extrapolation: Any = (0.1, 4.0)
    """The range to be right on, for all inputs or for each."""
    distribution: Distribution = "uniform"
    """How inputs are distributed."""
    inputs: int = 0
    """How many inputs there are; 0 has as many as the functions need."""

    bounds: ClassVar[Mapping[str, Bounds]] = {"inputs": (0, WORD)}

    def check_sizes(self) -> None:
        if not self.functions:
            raise ValueError("`functions` (=()) must name at least one function.")
        for name in self.functions:
            choose("functions", name, ARITY)
        if self.inputs and self.inputs < self.arity:
            raise ValueError(
                f"`inputs` (={self.inputs}) must be at least {self.arity} for "
                f"`functions` (={self.functions}), or 0."
            )

    @property
    def partial_functions(self) -> dict[str, slice | None]:
        return {f: slice(0, 1) for f in ("sqrt", "log") if f in self.functions}

    def largest(self, name: str) -> float:
        first = sets_of(getattr(self, name))[0]
        high = max(end for _, end in support(first, self.distribution))
        grown = power(math.e, high) if "exp" in self.functions else 0.0
        return max(grown, Task.largest(self, name))

    def largest_target(self, greatest: float) -> float:
        squared = power(greatest, 2)
        table = {"square": squared, "mul": squared}
        table |= {"add": 2 * greatest, "sub": 2 * greatest}
        return max(table.get(name, 0.0) for name in self.functions)

    @property
    def arity(self) -> int:
        """How many inputs the functions need."""
        return max(ARITY[name] for name in self.functions)

    @property
    def in_features(self) -> int:
        return self.inputs or self.arity

    @property
    def out_features(self) -> int:
        return len(self.functions)

    @property
    def structure(self) -> tuple:
        kind = self.distribution.removeprefix("truncated-")
        return ("functions", self.functions, self.in_features, kind)

    @property
    def operations(self) -> tuple[str, ...]:
        return tuple(name for name in self.functions if name in REPRESENTED)

    def replica(self, seed: int) -> dict[str, Any]:
        return {}

    def target(self, replica: dict[str, Any], x: Any) -> Any:
        import jax.numpy as jnp

        second = x[self.arity - 1]
        rows = [_apply(name, x[0], second, jnp) for name in self.functions]
        return jnp.stack(rows)

    def threshold(self, epsilon: float = 1e-5, rule: str = "exact") -> float:
        """The mean squared error of functions that are wrong by a factor 1 − ε."""
        import numpy as np

        check_rule(epsilon, rule)
        divisor = sets_of(self.extrapolation)[: self.arity][-1]
        parts = support(divisor, self.distribution)
        divided = {"div", "reciprocal"} & set(self.functions)
        if divided and any(low <= 0 <= high for low, high in parts):
            raise no_threshold(self.extrapolation)
        x = sampled(self.extrapolation, self.in_features, self.distribution)
        second = x[self.arity - 1]
        rows = np.stack([_apply(name, x[0], second, np) for name in self.functions])
        return float(epsilon**2 * np.mean(rows**2))

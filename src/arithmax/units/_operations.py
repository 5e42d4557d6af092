"""The arithmetic that the literature tests, and where a unit can do it exactly.

Every operation is a sum Σ wᵢxᵢ or a product Π xᵢ^wᵢ with known weights. A unit states
which of the two it computes (`Exactness` per path), with which weights, on which
inputs; which operations it can represent follows from that.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

Path: TypeAlias = Literal["sum", "product"]


@dataclass(frozen=True)
class Domain:
    """Inputs on which a unit is exact: an interval, perhaps without zero."""

    text: str
    low: float = -math.inf
    high: float = math.inf
    zero: bool = True

    def __contains__(self, x: float) -> bool:
        return self.low <= x <= self.high and (self.zero or x != 0)


REALS = Domain("all reals")
NONZERO = Domain("x ≠ 0", zero=False)
POSITIVE = Domain("x > 0", low=0.0, zero=False)
ABOVE_ONE = Domain("x ≥ 1", low=1.0)


@dataclass(frozen=True)
class Exactness:
    """How exactly a unit computes one path.

    `weights` are the values that a discrete weight can take, `domain` the inputs on
    which the unit then gives the true result (a negative power cannot take 0, nor a
    fractional one a negative number: see `on`), `error` what it adds to the magnitude
    of each input, and `limit` the largest magnitude that it can return. Inputs of
    weight 0 may be any of the domain, or of `ignored` where that is less.
    """

    weights: tuple[float, ...]
    domain: Domain
    error: float = 0.0
    limit: float = math.inf
    ignored: Domain | None = None

    def on(self, operation: "Operation") -> Domain:
        """The inputs on which the unit computes `operation` exactly."""
        domain = self._operands(operation)
        if self.ignored is None:
            return domain
        return replace(domain, text=f"{domain.text}; {self.ignored.text} if ignored")

    def _operands(self, operation: "Operation") -> Domain:
        weights = operation.weights
        if operation.path == "sum":
            return self.domain
        if any(w != int(w) for w in weights):
            return self.domain if self.domain.low >= 0 else POSITIVE
        if any(w < 0 for w in weights) and 0.0 in self.domain:
            return NONZERO if self.domain == REALS else replace(self.domain, zero=False)
        return self.domain


BINARY = (0.0, 1.0)
TERNARY = (-1.0, 0.0, 1.0)
# Powers may be any multiple of 1/2; these are the ones that the literature tests.
POWERS = (-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0)


@dataclass(frozen=True)
class Operation:
    """An operation of the literature: its path, its weights and the function."""

    name: str
    symbol: str
    path: Path
    weights: tuple[float, ...]
    function: Callable[..., Any]


OPERATIONS: dict[str, Operation] = {
    op.name: op
    for op in (
        Operation("add", "x₁ + x₂", "sum", (1, 1), lambda x, y: x + y),
        Operation("sub", "x₁ − x₂", "sum", (1, -1), lambda x, y: x - y),
        Operation("mul", "x₁ × x₂", "product", (1, 1), lambda x, y: x * y),
        Operation("div", "x₁ ÷ x₂", "product", (1, -1), lambda x, y: x / y),
        Operation("square", "x₁²", "product", (2,), lambda x: x * x),
        Operation("sqrt", "√x₁", "product", (0.5,), lambda x: x**0.5),
    )
}

"""Tasks that are given functions of one or two variables."""

from dataclasses import dataclass
from typing import Any, ClassVar

from ..units._checks import choose
from ._task import Distribution, Numbers, Task
from ._thresholds import sampled

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

    `("add", "mul", "div", "sqrt")` is (x, y) → (x + y, xy, x/y, √x).
    """

    title: ClassVar[str] = "Functions"
    functions: tuple[str, ...] = ("identity",)
    """The functions, one an output."""
    interpolation: Numbers = (0.1, 2.0)
    """The range to train on."""
    extrapolation: Numbers = (0.1, 4.0)
    """The range to be right on."""
    distribution: Distribution = "uniform"
    """How inputs are distributed."""

    def __post_init__(self) -> None:
        if not self.functions:
            raise ValueError("`functions` (=()) must name at least one function.")
        for name in self.functions:
            choose("functions", name, ARITY)
        Task.__post_init__(self)

    @property
    def in_features(self) -> int:
        return max(ARITY[name] for name in self.functions)

    @property
    def out_features(self) -> int:
        return len(self.functions)

    @property
    def structure(self) -> tuple:
        kind = self.distribution.removeprefix("truncated-")
        return ("functions", self.functions, kind)

    @property
    def operations(self) -> tuple[str, ...]:
        return tuple(name for name in self.functions if name in REPRESENTED)

    def replica(self, seed: int) -> dict[str, Any]:
        return {}

    def target(self, replica: dict[str, Any], x: Any) -> Any:
        import jax.numpy as jnp

        rows = [_apply(name, x[0], x[-1], jnp) for name in self.functions]
        return jnp.stack(rows)

    def threshold(self, epsilon: float = 1e-5, rule: str = "exact") -> float:
        """The mean squared error of functions that are wrong by a factor 1 − ε."""
        import numpy as np

        x = sampled(self.extrapolation, self.in_features, self.distribution)
        rows = np.stack([_apply(name, x[0], x[-1], np) for name in self.functions])
        return float(epsilon**2 * np.mean(rows**2))

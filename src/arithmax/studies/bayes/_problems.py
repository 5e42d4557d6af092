"""The problems of the draft's dropped experiments, and tables of them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from ...networks import Stack
from ...units import Linear, RealNaiveNPU, Uniform

ROWS, FRESH = 500, 2000  # of a table, and of what it is judged by
NOISE = 0.01  # of the spread of the target
Rows = Float[np.ndarray, "row column"]
Targets = Float[np.ndarray, " row"]


@dataclass(frozen=True)
class Problem:
    """A function of some of its inputs, and where they are drawn from.

    Args:
        name: what it is called.
        inputs: how many inputs there are.
        relevant: the places of those that the function depends on.
        truth: the function, of inputs [row, column].
        trained: the range of the inputs of a table, all uniform.
        beyond: the range outside, next to it.
        operation: that of the paper's large task with the same settings of L1.
        short: what a plot calls it; its name if empty.
    """

    name: str
    inputs: int
    relevant: frozenset[int]
    truth: Callable[[Rows], Targets]
    trained: tuple[float, float]
    beyond: tuple[float, float]
    operation: str
    short: str = ""

    @property
    def label(self) -> str:
        """What a plot calls it, with the number of inputs."""
        return f"{self.short or self.name}, {self.inputs}"

    @property
    def network(self) -> Stack:
        """Sums, as many as inputs, and one product of powers of them.

        That is the network of the authors' scripts: their sums are not clipped, their
        power unit is the real one without a gate, and both layers start small and
        positive, so that no sum is negative.
        """
        small = ("W", Uniform(0.0, 0.1))
        return Stack(
            (Linear(bias=False), RealNaiveNPU()), (self.inputs,), starts=(small,)
        )

    def table(self, seed: int) -> tuple[Rows, Targets]:
        """Noisy rows: inputs and targets. Each seed has another table."""
        rng = np.random.default_rng([0, seed, self.inputs])
        x = rng.uniform(*self.trained, (ROWS, self.inputs))
        y = self.truth(x)
        return x, y + NOISE * y.std() * rng.standard_normal(ROWS)

    def fresh(self, span: tuple[float, float]) -> tuple[Rows, Targets]:
        """Rows of a range that are in no table, with targets free of noise."""
        x = np.random.default_rng(1).uniform(*span, (FRESH, self.inputs))
        return x, self.truth(x)


def relative_error(y: Targets, target: Targets) -> float:
    """The root of the mean squared error over that of the mean squared target."""
    with np.errstate(all="ignore"):
        error = np.sqrt(np.mean((y - target) ** 2) / np.mean(target**2))
    return float(error) if np.isfinite(error) else float("inf")


def problems() -> tuple[Problem, ...]:
    """All problems, the small ones first."""
    return (*small(), *large(10), *large(20))


def small() -> tuple[Problem, ...]:
    """Those of four inputs."""
    return (
        Problem("x₁/x₂", 4, frozenset({0, 1}), quotient, (1.0, 3.0), (3.0, 6.0), "÷"),
        Problem(
            "(x₁+x₂)(x₁+…+x₄)",
            4,
            frozenset(range(4)),
            product_of_sums,
            (0.0, 2.0),
            (2.0, 4.0),
            "×",
            short="ab",
        ),
        Problem("√x₁", 4, frozenset({0}), root, (0.0, 3.0), (3.0, 6.0), "√"),
    )


def quotient(x: Rows) -> Targets:
    """x₁/x₂."""
    return x[:, 0] / x[:, 1]


def product_of_sums(x: Rows) -> Targets:
    """(x₁ + x₂)(x₁ + x₂ + x₃ + x₄)."""
    return x[:, :2].sum(1) * x.sum(1)


def root(x: Rows) -> Targets:
    """√x₁."""
    return np.sqrt(x[:, 0])


def large(inputs: int) -> tuple[Problem, ...]:
    """a + b, ab, 1/a and √a: a sums the first half, b as many that overlap."""
    half = inputs // 2
    first = range(half)
    second = range(half - round(half / 4), 2 * half - round(half / 4))
    both, one = frozenset(first) | frozenset(second), frozenset(first)
    low, high = (0.0, 2.0), (2.0, 4.0)
    return (
        Problem("a + b", inputs, both, added(first, second), low, high, "+"),
        Problem("ab", inputs, both, multiplied(first, second), low, high, "×"),
        Problem("1/a", inputs, one, power(first, -1.0), (1.0, 3.0), (3.0, 6.0), "÷"),
        Problem("√a", inputs, one, power(first, 0.5), low, high, "√"),
    )


def added(first: Sequence[int], second: Sequence[int]) -> Callable[[Rows], Targets]:
    """The sum of two sums."""
    return lambda x: x[:, first].sum(1) + x[:, second].sum(1)


def multiplied(
    first: Sequence[int], second: Sequence[int]
) -> Callable[[Rows], Targets]:
    """The product of two sums."""
    return lambda x: x[:, first].sum(1) * x[:, second].sum(1)


def power(first: Sequence[int], exponent: float) -> Callable[[Rows], Targets]:
    """A power of a sum."""
    return lambda x: x[:, first].sum(1) ** exponent

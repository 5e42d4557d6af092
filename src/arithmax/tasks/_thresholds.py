"""When a task counts as solved: the error of a solution whose weights are ε wrong.

The rule is Madsen and Johansen's. In the ideal first layer every 1 becomes 1 − ε and
every 0 becomes ε; the second layer stays exact; the threshold is the mean squared error
of the result on the extrapolation range. Where the error is a polynomial of the inputs
its mean follows from their moments; elsewhere it is simulated.
"""

from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from itertools import product
from math import comb, isinf
from typing import Any

from .._arrays import Array
from ._input_distribution import SIMULATED, InputDistribution
from ._targets import combined, powers_of

SAMPLES = 1_000_000
PIECE = 50_000  # of which so many are in memory at a time


@dataclass(frozen=True)
class Blocks:
    """How many inputs belong to which sums: (in sum 1, in sum 2, …) → count."""

    counts: tuple[tuple[tuple[bool, ...], int], ...]

    @staticmethod
    def of(rows: list[list[int]], in_features: int) -> "Blocks":
        counts: dict[tuple[bool, ...], int] = defaultdict(int)
        for i in range(in_features):
            counts[tuple(i in row for row in rows)] += 1
        return Blocks(tuple(sorted(counts.items())))


def sum_moments(one: list[float], count: int) -> list[float]:
    """E[(x₁ + … + xₙ)ᵏ] of independent inputs with equal moments."""
    total = [1.0] + [0.0] * (len(one) - 1)
    for _ in range(count):
        total = [
            sum(comb(k, j) * total[j] * one[k - j] for j in range(k + 1))
            for k in range(len(one))
        ]
    return total


@cache
def subsets_threshold(
    asked: str | tuple[float, ...],
    blocks: Blocks,
    inputs: InputDistribution,
    epsilon: float,
) -> float:
    """The threshold for sums of subsets and an operation, or powers, of them."""
    sums = len(blocks.counts[0][0])
    if asked in ("add", "sub", "mul", "square") and sums <= 2:
        return _polynomial(str(asked), blocks, inputs, epsilon)
    return _simulated(asked, blocks, inputs, epsilon)


def _polynomial(
    operation: str, blocks: Blocks, inputs: InputDistribution, epsilon: float
) -> float:
    """Exact, from moments: each block's sum is one variable."""
    ideal, wrong = [], []
    for k in range(len(blocks.counts[0][0])):
        inside = [member[k] for member, _ in blocks.counts]
        ideal.append(_linear([float(i) for i in inside]))
        wrong.append(_linear([1 - epsilon if i else epsilon for i in inside]))
    error = _subtract(_combine(operation, wrong), _combine(operation, ideal))
    squared = _multiply(error, error)
    one = inputs.moments()
    tables = [sum_moments(one, count) for _, count in blocks.counts]
    total = 0.0
    for exponents, coefficient in squared.items():
        for table, exponent in zip(tables, exponents, strict=True):
            coefficient *= table[exponent]
        total += coefficient
    return total


def _linear(coefficients: list[float]) -> dict[tuple[int, ...], float]:
    size = len(coefficients)
    return {
        tuple(int(i == j) for j in range(size)): c for i, c in enumerate(coefficients)
    }


def _multiply(p: dict, q: dict) -> dict:
    result: dict[tuple[int, ...], float] = defaultdict(float)
    for (e, c), (f, d) in product(p.items(), q.items()):
        result[tuple(a + b for a, b in zip(e, f, strict=True))] += c * d
    return result


def _subtract(p: dict, q: dict) -> dict:
    keys = set(p) | set(q)
    return {key: p.get(key, 0.0) - q.get(key, 0.0) for key in keys}


def _combine(operation: str, sums: list[dict]) -> dict:
    if operation == "square":
        return _multiply(sums[0], sums[0])
    if len(sums) == 1:
        return sums[0]
    if operation == "mul":
        return _multiply(sums[0], sums[1])
    second = sums[1] if operation == "sub" else {k: -v for k, v in sums[1].items()}
    return _subtract(sums[0], second)


def _simulated(
    asked: str | tuple[float, ...],
    blocks: Blocks,
    inputs: InputDistribution,
    epsilon: float,
) -> float:
    """By simulation of a million samples, in pieces."""
    import numpy as np

    counts = [count for _, count in blocks.counts]
    inside = np.array([member for member, _ in blocks.counts])  # [blocks, sums]
    weights = np.where(inside, 1 - epsilon, epsilon)
    ends = np.cumsum(counts)[:-1]
    total = 0.0
    rng = np.random.default_rng(0)
    for _ in range(SAMPLES // PIECE):
        draws = simulated((inputs,) * sum(counts), PIECE, rng)
        sums = np.stack([part.sum(0) for part in np.split(draws, ends)])  # [blocks, n]
        ideal, wrong = inside.T.astype(float) @ sums, weights.T @ sums
        error = _evaluated(asked, wrong) - _evaluated(asked, ideal)
        total += float(np.sum(error**2))
    return total / SAMPLES


def _evaluated(asked: str | tuple[float, ...], sums: Array) -> Array:
    """An operation between sums [K, n], or the product of powers of them."""
    import numpy as np

    if isinstance(asked, tuple):
        return powers_of(sums, np.array(asked), np)[0]
    return combined(asked, sums, np)


def simulated(inputs: tuple[InputDistribution, ...], size: int, rng: Any) -> Array:
    """Inputs [in, size] in NumPy, drawn as the fleet draws them."""
    import numpy as np

    known = {distribution: distribution.numbers for distribution in set(inputs)}
    numbers = np.array([known[distribution] for distribution in inputs])
    return inputs[0].quantile(numbers, rng.uniform(size=(len(inputs), size)), np)


@cache
def single_module_threshold(
    operation: str, inputs: tuple[InputDistribution, ...], epsilon: float
) -> float:
    """The single module task's thresholds, as its authors' script has them.

    Sums are wrong by ε Σ|x| over all inputs, products and quotients by a factor
    (1 ± ε)², whatever the other inputs.
    """
    import numpy as np

    if operation in ("add", "sub"):
        return epsilon**2 * _square_of_magnitudes(inputs)
    if operation not in ("mul", "div"):
        x = np.abs(simulated(inputs, SIMULATED, np.random.default_rng(0)))
        return float(epsilon**2 * np.mean(combined(operation, x, np) ** 2))
    first, second = (distribution.moments()[2] for distribution in inputs[:2])
    if operation == "mul":
        return 4 * epsilon**2 * first * second
    inverse = inputs[1].inverse_square()
    if isinf(inverse):
        raise no_threshold(inputs[1].values)
    return 4 * epsilon**2 * first * inverse


def _square_of_magnitudes(inputs: tuple[InputDistribution, ...]) -> float:
    """E[(Σ|x|)²], from moments where each |x| has a distribution of its class."""
    import numpy as np

    folded = [distribution.magnitudes for distribution in inputs]
    if not all(folded):
        x = np.abs(simulated(inputs, SIMULATED, np.random.default_rng(0)))
        return float(np.mean(np.sum(x, axis=0) ** 2))
    moments = [distribution.moments() for distribution in folded if distribution]
    means = [m[1] for m in moments]
    variance = sum(m[2] - m[1] * m[1] for m in moments)
    return variance + sum(means) ** 2


def no_threshold(numbers: Any) -> ValueError:
    """The error for quotients by numbers near zero."""
    return ValueError(
        f"`extrapolation` (={numbers}) contains zero, where the error of a quotient "
        "has no mean. Give a flat `threshold` or another range."
    )

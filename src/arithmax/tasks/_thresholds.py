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
from math import comb
from typing import Any

from ..units._checks import check_number, choose
from ._domains import Numbers, per_input
from ._task import quantile_numbers

SAMPLES = 1_000_000
EPSILON = (1e-30, 1)  # the square of a smaller one is no number


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


def check_rule(epsilon: float, rule: str) -> None:
    """What every task's `threshold` is asked for."""
    check_number("epsilon", epsilon, *EPSILON)
    choose("rule", rule, ("exact", "authors"))


def moments(numbers: Numbers, distribution: str, order: int = 8) -> list[float]:
    """E[xᵏ] of one input, k = 0 … order."""
    import numpy as np

    if distribution == "uniform":
        return [
            float(np.mean([_power_mean(low, high, k) for low, high in _parts(numbers)]))
            for k in range(order + 1)
        ]
    x = sampled(numbers, 1, distribution)[0]
    return [float(np.mean(x**k)) for k in range(order + 1)]


def _power_mean(low: float, high: float, k: int) -> float:
    """E[xᵏ] of a number that is uniform on [low, high]."""
    return (high ** (k + 1) - low ** (k + 1)) / ((k + 1) * (high - low))


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
    operation: str | tuple[float, ...],
    blocks: Blocks,
    numbers: Numbers,
    distribution: str,
    epsilon: float,
) -> float:
    """The threshold for sums of subsets and an operation, or powers, of them."""
    sums = len(blocks.counts[0][0])
    if operation in ("add", "sub", "mul", "square") and sums <= 2:
        return _polynomial(operation, blocks, numbers, distribution, epsilon)
    return _simulated(operation, blocks, numbers, distribution, epsilon)


def _polynomial(operation, blocks, numbers, distribution, epsilon) -> float:
    """Exact, from moments: each block's sum is a variable of its own."""
    ideal, wrong = [], []
    for k in range(len(blocks.counts[0][0])):
        inside = [member[k] for member, _ in blocks.counts]
        ideal.append(_linear([float(i) for i in inside]))
        wrong.append(_linear([1 - epsilon if i else epsilon for i in inside]))
    error = _subtract(_combine(operation, wrong), _combine(operation, ideal))
    squared = _multiply(error, error)
    one = moments(numbers, distribution)
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


def _simulated(operation, blocks, numbers, distribution, epsilon) -> float:
    """By simulation of a million samples, in pieces."""
    import numpy as np

    counts = [count for _, count in blocks.counts]
    inside = np.array([member for member, _ in blocks.counts])  # [blocks, sums]
    weights = np.where(inside, 1 - epsilon, epsilon)
    total, done = 0.0, 0
    rng = np.random.default_rng(0)
    while done < SAMPLES:
        size = min(50_000, SAMPLES - done)
        draws = sampled(numbers, sum(counts), distribution, size, rng)
        ends = np.cumsum(counts)[:-1]
        sums = np.stack([part.sum(0) for part in np.split(draws, ends)])  # [blocks, n]
        ideal, wrong = inside.T.astype(float) @ sums, weights.T @ sums
        error = evaluate(operation, wrong) - evaluate(operation, ideal)
        total, done = total + float(np.sum(error**2)), done + size
    return total / SAMPLES


def evaluate(operation: str | tuple[float, ...], sums: Any) -> Any:
    """The operation between sums [K, n], or the product of their powers, in NumPy."""
    import numpy as np

    if isinstance(operation, tuple):
        return np.prod(sums ** np.array(operation)[:, None], axis=0)
    first, rest = sums[0], sums[1:]
    return {
        "add": lambda: first + rest.sum(0),
        "sub": lambda: first - rest.sum(0),
        "mul": lambda: first * rest.prod(0),
        "div": lambda: first / rest.prod(0),
        "square": lambda: first**2,
        "sqrt": lambda: np.sqrt(first),
    }[operation]()


def sampled(
    numbers: Any,
    in_features: int,
    distribution: str,
    size: int = 200_000,
    rng: Any = None,
) -> Any:
    """Inputs [in, size] in NumPy, drawn as the fleet draws them."""
    import numpy as np
    from scipy.stats import norm

    rng = rng or np.random.default_rng(0)
    q = np.array(
        [quantile_numbers(n, distribution) for n in per_input(numbers, in_features)]
    )[:, :, None]
    u = rng.uniform(size=(in_features, size))
    if distribution == "uniform":
        first = q[:, 0] + (q[:, 1] - q[:, 0]) * 2 * u
        second = q[:, 2] + (q[:, 3] - q[:, 2]) * (2 * u - 1)
        return np.where(u < 0.5, first, second)
    if distribution == "mirrored-normal":
        u, sign = np.where(u < 0.5, 2 * u, 2 * u - 1), np.where(u < 0.5, -1.0, 1.0)
        ends = q[:, 2] + (q[:, 3] - q[:, 2]) * u
        return sign * (q[:, 0] + q[:, 1] * norm.ppf(ends))
    if "normal" in distribution:
        return q[:, 0] + q[:, 1] * norm.ppf(q[:, 2] + (q[:, 3] - q[:, 2]) * u)
    if distribution == "exponential":
        return -q[:, 0] * np.log1p(-u)
    return q[:, 0] * (q[:, 1] / q[:, 0]) ** u


@cache
def single_module_threshold(
    operation: str,
    numbers: Any,
    in_features: int,
    distribution: str,
    epsilon: float,
) -> float:
    """The single module task's thresholds, as its authors' script has them.

    Sums are wrong by ε Σ|x| over all inputs, products and quotients by a factor
    (1 ± ε)², whatever the other inputs.
    """
    import numpy as np

    given = per_input(numbers, in_features)
    plain = distribution == "uniform" and not any(map(_crosses_zero, given))
    if operation in ("add", "sub") and plain:
        sets = [_magnitudes(n) for n in given]
        means = [sum(moments(n, distribution)[1:2]) for n in sets]
        squares = [moments(n, distribution)[2] for n in sets]
        variance = sum(s - m * m for s, m in zip(squares, means, strict=True))
        return epsilon**2 * (variance + sum(means) ** 2)
    if operation not in ("mul", "div"):
        x = np.abs(sampled(numbers, in_features, distribution))
        plain_sum = operation in ("add", "sub")
        y = np.sum(x, axis=0) if plain_sum else evaluate(operation, x)
        return float(epsilon**2 * np.mean(y**2))
    first, second = (moments(n, distribution) for n in given[:2])
    if operation == "mul":
        return 4 * epsilon**2 * first[2] * second[2]
    inverse = _inverse_square(given[1], distribution)
    return 4 * epsilon**2 * first[2] * inverse


def _parts(numbers: Numbers) -> list[Numbers]:
    """The parts of a uniform range."""
    return [numbers[i : i + 2] for i in range(0, len(numbers), 2)]


def _crosses_zero(numbers: Numbers) -> bool:
    return any(low < 0 < high for low, high in _parts(numbers))


def _magnitudes(numbers: Numbers) -> Numbers:
    """The range of |x|, for parts that do not cross zero."""
    folded = [sorted((abs(low), abs(high))) for low, high in _parts(numbers)]
    return tuple(v for part in folded for v in part)


def _inverse_square(numbers: Numbers, distribution: str) -> float:
    """E[1/x²]."""
    import numpy as np

    if distribution == "uniform":
        if any(low <= 0 <= high for low, high in _parts(numbers)):
            raise no_threshold(numbers)
        return float(np.mean([1 / (low * high) for low, high in _parts(numbers)]))
    return float(np.mean(sampled(numbers, 1, distribution)[0] ** -2))


def no_threshold(numbers: Any) -> ValueError:
    """What is said of quotients by numbers near zero."""
    return ValueError(
        f"`extrapolation` (={numbers}) contains zero, where the error of a quotient "
        "has no mean. Give a flat `threshold` or another range."
    )

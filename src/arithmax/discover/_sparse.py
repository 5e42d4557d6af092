"""Tables with noise: which few of many monomials make up y, by their t-values."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from ._library import Library, laurent, outer_power, polynomial, size_of_polynomial
from ._linear_algebra import powered
from ._nodes import UNIT, Node, Sum, product_of, raised
from ._numbers import ONE, Number
from ._stage import Stage
from ._table import Sample

LARGEST = 14  # terms that are looked at
SIZES = 3  # how many of the best numbers of terms are proposed
ROUNDS = 4  # of weighting a ratio by its denominator


@dataclass(frozen=True)
class Sparse(Stage):
    """y^q = a few monomials of a list: least squares on all, then the least certain
    are left out one by one.

    Args:
        powers: the q that are tried.
        most: how many monomials a list may have.
    """

    name: ClassVar[str] = "sparse regression"
    powers: tuple[Fraction, ...] = tuple(map(Fraction, (1, 2, -1)))
    most: int = 320

    def propose(self, table: Sample, rng: np.random.Generator) -> Iterator[Node]:
        most = min(self.most, int(0.4 * table.rows))
        for library in libraries(table, most):
            values = library.values(table.columns)
            if not np.isfinite(values).all():
                continue
            for q in self.powers:
                target = powered(table, q)
                if target is None:
                    continue
                weight = table.weight * errors_of(table.y, q)
                for kept, numbers in selected(values, target[0], weight):
                    yield outer_power(library.sum(kept, numbers), q)


@dataclass(frozen=True)
class SparseRatio(Stage):
    """y^q = P / Q, each a few monomials: [P − y (Q − 1)] / Q₀ is fitted to y / Q₀,
    where Q₀ is the denominator of the round before (Sanathanan and Koerner).

    Args:
        powers: the q that are tried.
        most: how many columns there may be.
        degree: the highest degree of P and Q.
    """

    name: ClassVar[str] = "sparse ratio"
    powers: tuple[Fraction, ...] = tuple(map(Fraction, (1, 2)))
    most: int = 160
    degree: int = 4

    def propose(self, table: Sample, rng: np.random.Generator) -> Iterator[Node]:
        most = min(self.most, table.rows // 4)
        for p in range(1, self.degree + 1):
            for q in range(1, self.degree + 1):
                size = size_of_polynomial(table.width, p)
                if size + size_of_polynomial(table.width, q) > most:
                    continue
                for exponent in self.powers:
                    yield from self._ratios(table, p, q, exponent)

    def _ratios(self, table: Sample, p: int, q: int, exponent) -> Iterator[Node]:
        target = powered(table, exponent)
        if target is None:
            return
        y, width = target[0], table.width
        top, bottom = polynomial(width, p), polynomial(width, q)
        bottom = bottom.chosen(np.arange(1, len(bottom)))
        below = bottom.values(table.columns)
        matrix = np.c_[top.values(table.columns), -y[:, None] * below]
        base = table.weight * errors_of(table.y, exponent)
        weight = denominator_weights(matrix, below, y, base)
        if weight is None:
            return
        for kept, numbers in selected(matrix, y, weight):
            above = kept < len(top)
            if not above.any() or above.all():
                continue
            numerator = top.sum(kept[above], numbers[above])
            others = bottom.sum(kept[~above] - len(top), numbers[~above])
            denominator = Sum((ONE, *others.coefficients), (UNIT, *others.terms))
            ratio = product_of(numerator, raised(denominator, Number.of(-1)))
            yield outer_power(ratio, exponent)


def denominator_weights(
    matrix: np.ndarray, below: np.ndarray, y: np.ndarray, base: np.ndarray
) -> np.ndarray | None:
    """The weights 1/Q of the rows, Q being fitted again and again."""
    weight = base
    for _ in range(ROUNDS):
        scaled = matrix * weight[:, None]
        size = np.linalg.norm(scaled, axis=0) + 1e-300
        found = np.linalg.lstsq(scaled / size, y * weight, rcond=1e-9)[0] / size
        q = 1.0 + below @ found[-below.shape[1] :]
        if not np.isfinite(q).all():
            return None
        size = np.abs(q)
        weight = base / np.maximum(size, 0.02 * np.median(size))
    return weight


def libraries(table: Sample, most: int) -> Iterator[Library]:
    """Polynomials and sums with negative powers, as large as the rows allow."""
    width = table.width
    degrees = [d for d in range(2, 11) if size_of_polynomial(width, d) <= most]
    for degree in sorted({*degrees[:2], *degrees[-1:]}):
        yield polynomial(width, degree)
    low = [-2 if nonzero else 0 for nonzero in table.nonzero]
    if any(low) and width <= 8:
        fitting = [laurent(low, [2] * width, d) for d in (2, 3, 4)]
        yield from [library for library in fitting if len(library) <= most][-2:]


def errors_of(y: np.ndarray, q: Fraction) -> np.ndarray:
    """The weights that make errors of y^q errors of y."""
    if q == 1:
        return np.ones_like(y)
    weight = np.abs(y) ** (1.0 - float(q)) / abs(float(q))
    return np.minimum(weight, 30 * np.median(weight))


def selected(
    values: np.ndarray, target: np.ndarray, weight: np.ndarray
) -> list[tuple[np.ndarray, np.ndarray]]:
    """The best few columns, for the best few numbers of them.

    Returns:
        Indices and coefficients, the best first by the extended criterion
        n log(error) + k (log n + 2 log m).
    """
    scaled, right = values * weight[:, None], target * weight
    size = np.linalg.norm(scaled, axis=0)
    if not (np.isfinite(size).all() and np.isfinite(right).all()):
        return []
    usable = np.flatnonzero(size > 0)
    scaled, size = scaled[:, usable] / size[usable], size[usable]
    rows, count = scaled.shape
    each = math.log(rows) + 2.0 * math.log(count)

    def judged(kept: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        numbers, error = _fit(scaled[:, kept], right)
        return rows * math.log(error + 1e-300) + each * len(kept), kept, numbers

    likely = sorted(map(judged, _path(scaled, right)), key=lambda e: e[0])[: 2 * SIZES]
    found = [judged(_swapped(scaled, right, kept)) for _, kept, _ in likely]
    found.sort(key=lambda entry: entry[0])
    return [(usable[k], numbers / size[k]) for _, k, numbers in found[:SIZES]]


def _fit(matrix: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, float]:
    numbers = np.linalg.lstsq(matrix, right, rcond=1e-12)[0]
    residual = right - matrix @ numbers
    return numbers, float(residual @ residual)


def _path(scaled: np.ndarray, right: np.ndarray) -> list[np.ndarray]:
    """Backward elimination: the columns that are left, for each small number."""
    triangle = np.asarray(np.linalg.qr(np.c_[scaled, right], mode="r"))
    count = scaled.shape[1]
    corner = triangle[:count, :count]
    diagonal = np.abs(np.diag(corner))
    independent = diagonal > 1e-10
    kept = np.flatnonzero(independent)
    left = np.c_[scaled[:, kept], right]
    triangle = np.asarray(np.linalg.qr(left, mode="r"))
    k = len(kept)
    inverse = np.linalg.inv(triangle[:k, :k])
    cover = inverse @ inverse.T
    numbers = inverse @ triangle[:k, k]
    found = []
    while len(kept) > 1:
        if len(kept) <= LARGEST:
            found.append(kept)
        spread = np.maximum(np.diag(cover), 1e-300)  # rounding may have left it at 0
        weakest = int(np.argmin(numbers**2 / spread))
        column, corner_value = cover[:, weakest], spread[weakest]
        numbers = np.delete(numbers - column * numbers[weakest] / corner_value, weakest)
        cover = cover - np.outer(column, column) / corner_value
        cover = np.delete(np.delete(cover, weakest, 0), weakest, 1)
        kept = np.delete(kept, weakest)
    return found


def _swapped(scaled: np.ndarray, right: np.ndarray, kept: np.ndarray) -> np.ndarray:
    """One column for another while that lowers the error."""
    error = _fit(scaled[:, kept], right)[1]
    for _ in range(2):
        changed = False
        for place in range(len(kept)):
            others = np.delete(kept, place)
            best = _best_addition(scaled, right, others)
            trial = np.append(others, best)
            lower = _fit(scaled[:, trial], right)[1]
            if best not in kept and lower < error * (1 - 1e-6):
                kept, error, changed = trial, lower, True
        if not changed:
            break
    return kept


def _best_addition(scaled: np.ndarray, right: np.ndarray, kept: np.ndarray) -> int:
    """The column that lowers the error most beside those that are there."""
    basis = np.linalg.qr(scaled[:, kept])[0] if len(kept) else scaled[:, :0]
    left = scaled - basis @ (basis.T @ scaled)
    residual = right - basis @ (basis.T @ right)
    size = (left**2).sum(0)
    gain = (left.T @ residual) ** 2 / np.where(size > 1e-10, size, np.inf)
    gain[kept] = -1.0
    return int(np.argmax(gain))

"""Lists of monomials, and their values on the rows of a table."""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from ._nodes import Node, Product, Sum, monomial, to_power
from ._numbers import Number


@dataclass(frozen=True, eq=False)
class Library:
    """Monomials of the columns.

    Args:
        exponents: one row for each monomial, one entry for each column, in units of
            1/`denominator`.
        denominator: 1 for whole exponents, 2 for halves.
    """

    exponents: np.ndarray
    denominator: int = 1

    def __len__(self) -> int:
        return len(self.exponents)

    def values(self, columns: np.ndarray) -> np.ndarray:
        """The monomials [row, monomial]."""
        tables = [self._powers(column, i) for i, column in enumerate(columns)]
        result = np.ones((len(self), columns.shape[1]))
        for i, powers in enumerate(tables):
            for exponent, each in powers.items():
                result[self.exponents[:, i] == exponent] *= each
        return result.T

    def _powers(self, column: np.ndarray, i: int) -> dict[int, np.ndarray]:
        used = set(self.exponents[:, i].tolist()) - {0}
        with np.errstate(all="ignore"):
            return {e: to_power(column, e / self.denominator) for e in used}

    def node(self, index: int) -> Product:
        """One monomial as a node."""
        row = self.exponents[index]
        numbers = [Number.of(Fraction(int(e), self.denominator)) for e in row]
        return monomial(numbers, range(len(row)))

    def sum(self, indices: np.ndarray, values: np.ndarray) -> Sum:
        """Σ value · monomial, the coefficients free."""
        numbers = tuple(Number(float(value)) for value in values)
        return Sum(numbers, tuple(self.node(int(i)) for i in indices))

    def degrees(self) -> np.ndarray:
        """The sum of the sizes of the exponents of each monomial."""
        return np.abs(self.exponents).sum(1)

    def chosen(self, indices: np.ndarray) -> "Library":
        return Library(self.exponents[indices], self.denominator)


def polynomial(width: int, degree: int) -> Library:
    """All monomials up to a total degree, lowest first."""
    rows = [
        _row(width, chosen) for d in range(degree + 1) for chosen in _picks(width, d)
    ]
    return Library(np.array(rows, dtype=np.int64).reshape(len(rows), width))


def _picks(width: int, degree: int) -> Iterator[tuple[int, ...]]:
    return itertools.combinations_with_replacement(range(width), degree)


def _row(width: int, chosen: tuple[int, ...]) -> list[int]:
    return [chosen.count(i) for i in range(width)]


def laurent(
    lowest: Sequence[int], highest: Sequence[int], degree: int, denominator: int = 1
) -> Library:
    """Monomials whose exponents lie between bounds and whose sizes sum to a degree.

    Args:
        lowest: the least exponent of each column, in units of 1/`denominator`.
        highest: the greatest.
        degree: the most that the sizes of exponents sum to, in the same units.
        denominator: 1 for whole exponents, 2 for halves.
    """
    rows = [[]]
    for low, high in zip(lowest, highest, strict=True):
        rows = [
            [*row, e]
            for row in rows
            for e in range(low, high + 1)
            if sum(map(abs, row)) + abs(e) <= degree
        ]
    rows.sort(key=lambda row: sum(map(abs, row)))
    return Library(np.array(rows, dtype=np.int64), denominator)


def size_of_polynomial(width: int, degree: int) -> int:
    """How many monomials there are up to a degree."""
    result = 1
    for i in range(1, degree + 1):
        result = result * (width + i) // i
    return result


def outer_power(node: Node, q: Fraction) -> Node:
    """What y is if y^q is `node`."""
    return node if q == 1 else Product((Number.of(1 / q),), (node,))

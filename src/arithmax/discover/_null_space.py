"""Tables without noise: a ratio of sums lies in the null space of [Φ, −y Φ]."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from ._library import Library, outer_power, polynomial, size_of_polynomial
from ._linear_algebra import EXACT, powered
from ._nodes import Node, product_of, raised
from ._numbers import Number
from ._stage import Stage
from ._table import Table

RANK = 1e-11  # singular values below this, relative to the largest, are zero
SMALL = (1e-4, 1e-6, 1e-8)


@dataclass(frozen=True)
class NullSpace(Stage):
    """y^q = P / Q for polynomials P and Q, of rising degrees.

    Args:
        powers: the q that are tried.
        most: how many columns the matrix may have.
        degree: the highest degree; 5 for more than two columns.
    """

    name: ClassVar[str] = "null space"
    powers: tuple[Fraction, ...] = tuple(map(Fraction, (1, 2)))
    most: int = 260
    degree: int = 8

    def propose(self, table: Table, rng: np.random.Generator) -> Iterator[Node]:
        most = min(self.most, int(0.6 * table.rows))
        width = table.width
        highest = self.degree if width <= 2 else min(self.degree, 5)
        pairs = [
            (size_of_polynomial(width, p) + size_of_polynomial(width, q), p, q)
            for p in range(highest + 1)
            for q in range(1, highest + 1)
        ]
        for size, p, q in sorted(pairs):
            if size <= most:
                for exponent in self.powers:
                    target = powered(table, exponent)
                    if target is not None:
                        found = _ratio(table, target, width, p, q)
                        if found is not None:
                            yield outer_power(found, exponent)


def _ratio(table: Table, target, width: int, p: int, q: int) -> Node | None:
    """P / Q with polynomials of these degrees, if there is one."""
    top, bottom = polynomial(width, p), polynomial(width, q)
    y, held_y = target
    matrix = _matrix(top, bottom, table.columns, y)
    scale = np.linalg.norm(matrix, axis=0)
    scale[scale == 0] = 1.0
    degrees = np.concatenate([top.degrees(), bottom.degrees()])
    triangle = np.asarray(np.linalg.qr(matrix / scale, mode="r"))
    vector = _null_vector(triangle, degrees)
    if vector is None:
        return None
    kept, vector = _sparse(triangle, vector)
    vector = vector / scale[kept]
    above = kept < len(top)
    if above.sum() == 0 or above.sum() == len(kept):
        return None
    numerator = top.sum(kept[above], vector[above])
    denominator = bottom.sum(kept[~above] - len(top), vector[~above])
    node = product_of(numerator, raised(denominator, Number.of(-1)))
    return node if _holds(node, table, held_y) else None


def _matrix(top: Library, bottom: Library, columns, y: np.ndarray) -> np.ndarray:
    return np.c_[top.values(columns), -y[:, None] * bottom.values(columns)]


def _null_vector(triangle: np.ndarray, degrees: np.ndarray) -> np.ndarray | None:
    """The null vector with zeros for as many of the highest degrees as possible."""
    _, sizes, vectors = np.linalg.svd(triangle)
    null = vectors[sizes < RANK * sizes[0]]
    if not len(null):
        return None
    order = np.argsort(-degrees, kind="stable")
    for index in order:
        if len(null) == 1:
            break
        pivot = int(np.abs(null[:, index]).argmax())
        if abs(null[pivot, index]) > 1e-6:
            ratio = null[:, index] / null[pivot, index]
            null = np.delete(null - ratio[:, None] * null[pivot], pivot, axis=0)
            null /= np.linalg.norm(null, axis=1, keepdims=True)
    return null[0]


def _sparse(triangle: np.ndarray, vector: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The entries that matter, and the null vector of those columns alone."""
    every = np.arange(len(vector))
    best = every, vector
    for small in SMALL:
        kept = every[np.abs(vector) > small * np.abs(vector).max()]
        _, sizes, vectors = np.linalg.svd(triangle[:, kept])
        if sizes[-1] < 10 * RANK * sizes[0]:
            return kept, vectors[-1]
    return best


def _holds(node: Node, table: Table, held_y: np.ndarray) -> bool:
    with np.errstate(all="ignore"):
        error = np.abs(node.value(table.held_columns) - held_y)
    size = np.abs(held_y) + 1e-3 * np.std(held_y)
    return bool(np.quantile(np.nan_to_num(error / size, nan=1.0), 0.95) < EXACT)

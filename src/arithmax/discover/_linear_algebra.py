"""Tables without noise: a formula that is linear in its constants is solved for."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from ._library import Library, laurent, outer_power, polynomial, size_of_polynomial
from ._nodes import Node, to_power
from ._stage import Stage
from ._table import Table

EXACT = 1e-9  # relative error on held-out rows
THRESHOLDS = (1e-3, 1e-5, 1e-7, 1e-9, 0.0)
LARGEST = 20  # terms


@dataclass(frozen=True)
class LinearAlgebra(Stage):
    """y^q is a sum of monomials from a list: polynomials, then negative and half
    powers.

    Args:
        powers: the q that are tried.
        most: how many monomials a list may have.
        degree: the highest degree of polynomials.
    """

    name: ClassVar[str] = "linear algebra"
    powers: tuple[Fraction, ...] = tuple(map(Fraction, (1, 2, -1, -2, "1/2")))
    most: int = 300
    degree: int = 10

    def propose(self, table: Table, rng: np.random.Generator) -> Iterator[Node]:
        most = min(self.most, int(0.45 * table.rows))
        for library in self.libraries(table, most):
            values = library.values(table.columns)
            held = library.values(table.held_columns)
            if not (np.isfinite(values).all() and np.isfinite(held).all()):
                continue
            for q in self.powers:
                target = powered(table, q)
                if target is not None:
                    found = exact_sum(values, target[0], held, target[1])
                    if found is not None:
                        yield outer_power(library.sum(*found), q)

    def libraries(self, table: Table, most: int) -> Iterator[Library]:
        width = table.width
        for degree in range(1, self.degree + 1):
            if size_of_polynomial(width, degree) > most:
                break
            if degree < 5 or width == 1:
                yield polynomial(width, degree)
        low = [-2 if nonzero else 0 for nonzero in table.nonzero]
        for degree in (2, 3, 4):
            if any(low) and width <= 8:
                library = laurent(low, [2] * width, degree)
                if len(library) <= most:
                    yield library
        low = [-4 if p else 0 for p in table.positive]
        high = [4 if p else 0 for p in table.nonnegative]
        for degree in (3, 4, 6):
            if any(high) and width <= 6:
                library = laurent(low, high, degree, 2)
                if len(library) <= most:
                    yield library
        for degree in range(5, self.degree + 1):
            if 1 < width and size_of_polynomial(width, degree) <= most:
                yield polynomial(width, degree)


def powered(table: Table, q: Fraction) -> tuple[np.ndarray, np.ndarray] | None:
    """y^q on both parts of the table; None where that loses the sign or is infinite."""
    ys = np.concatenate([table.y, table.held_y])
    one_sign = (ys >= 0).all()
    if q == 1:
        return table.y, table.held_y
    if q == -1 and (ys != 0).all():
        return 1 / table.y, 1 / table.held_y
    if one_sign and (q > 0 or (ys > 0).all()):
        return to_power(table.y, float(q)), to_power(table.held_y, float(q))
    return None


def exact_sum(
    values: np.ndarray, target: np.ndarray, held: np.ndarray, held_target: np.ndarray
) -> tuple[np.ndarray, np.ndarray] | None:
    """The few monomials, and their coefficients, whose sum is the target.

    Returns:
        Indices and coefficients; None if no sum gives the held-out targets.
    """
    scale = np.linalg.norm(values, axis=0)
    scale[scale == 0] = 1.0
    scaled, others = values / scale, held / scale
    size = np.abs(held_target) + 1e-3 * np.std(held_target)

    def fits(kept: np.ndarray) -> np.ndarray | None:
        found = np.linalg.lstsq(scaled[:, kept], target, rcond=1e-15)[0]
        error = np.abs(others[:, kept] @ found - held_target) / size
        return found if np.quantile(error, 0.95) < EXACT else None

    every = np.arange(values.shape[1])
    if (found := fits(every)) is None:
        return None
    kept = _few(every, found, fits)
    if kept is None or len(kept) > LARGEST:
        return None
    found = fits(kept)
    return None if found is None else (kept, found / scale[kept])


def _few(every: np.ndarray, found: np.ndarray, fits) -> np.ndarray | None:
    """The monomials with large coefficients, fewer while the fit stays exact."""
    sizes = np.abs(found) / np.abs(found).max()
    for threshold in THRESHOLDS:
        kept = every[sizes > threshold]
        again = fits(kept)
        if again is not None:
            return _eliminated(kept, again, fits)
    return None


def _eliminated(kept: np.ndarray, found: np.ndarray, fits) -> np.ndarray:
    """One at a time, the smallest first, while what is left fits."""
    if len(kept) > 60:
        return kept
    for index in kept[np.argsort(np.abs(found))]:
        fewer = kept[kept != index]
        if len(fewer) and fits(fewer) is not None:
            kept = fewer
    return kept

"""Small networks NPU → NAU → NPU → NAU: many starts at once, second order.

A layout says how many terms there are, and how many sums each is multiplied by:

    z = Σ_t C_t · x^{a_t} · Π_f (1 + Σ_k c_fk · x^{w_fk})^{e_f}.

The coefficients C are solved for exactly inside (variable projection), all others take
Levenberg–Marquardt steps. Every array has the restarts as its first axis, so that a
step of all of them is a few products of matrices.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

import numpy as np

from ._nodes import UNIT, Node, Product, Sum, monomial, product_of, raised
from ._numbers import ONE, Number

Factor: TypeAlias = tuple[int, Fraction]  # how many terms beside the 1, and the power
Layout: TypeAlias = tuple[tuple[Factor, ...], ...]  # the factors of each term

LARGEST_EXPONENT = 6.0
TINY = 1e-9


@dataclass(frozen=True, eq=False)
class Logarithms:
    """log |x| and sign x of the rows that a network is fitted to.

    Args:
        logs: log |x| less its mean, [column, row].
        means: what was taken away.
        signs: the signs of the columns, [column, row].
        mixed: which columns have both signs, or zeros.
        target: what is fitted, [row].
        weight: the square root of what each row counts.
    """

    logs: np.ndarray
    means: np.ndarray
    signs: np.ndarray
    mixed: np.ndarray
    target: np.ndarray
    weight: np.ndarray


@dataclass(frozen=True)
class Start:
    """Where restarts begin: [restart, monomial, column] and [restart, monomial].

    The monomials are those of the terms, then those of the sums, factor by factor.
    """

    exponents: np.ndarray
    coefficients: np.ndarray  # of the monomials inside sums only


class PowerNetworks:
    """All restarts of one layout.

    Args:
        layout: terms and their factors.
        data: the rows.
        start: where the restarts begin.
    """

    def __init__(self, layout: Layout, data: Logarithms, start: Start) -> None:
        self.layout, self.data = layout, data
        self.w, self.c = start.exponents.copy(), start.coefficients.copy()
        self.odd = (np.round(self.w) % 2 == 1) & data.mixed
        self.terms = len(layout)
        self.owner = owners(layout)
        self.errors = np.full(len(self.w), np.inf)
        self.C = np.zeros((len(self.w), self.terms))

    def descend(self, steps: int) -> None:
        """Levenberg–Marquardt steps of all restarts, each with its own damping."""
        damping = np.full(len(self.w), 1e-2)
        self.errors, self.C, matrix, residual = self._system(self.w, self.c)
        for _ in range(steps):
            step = _steps(matrix, residual, damping)
            w, c = self._moved(step)
            errors, big_c, new_matrix, new_residual = self._system(w, c)
            better = errors < self.errors
            damping = np.clip(np.where(better, damping * 0.3, damping * 4), 1e-9, 1e6)
            for mine, new in (
                (self.w, w),
                (self.c, c),
                (self.errors, errors),
                (self.C, big_c),
                (matrix, new_matrix),
                (residual, new_residual),
            ):
                mine[better] = new[better]
            if not better.any() and (damping > 1e5).all():
                break

    def keep(self, count: int) -> None:
        """Only the restarts with the smallest errors."""
        best = np.sort(np.argsort(self.errors, kind="stable")[:count])
        for name in ("w", "c", "odd", "errors", "C"):
            setattr(self, name, getattr(self, name)[best])

    def _moved(self, step: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        count = self.c.shape[1]
        c = self.c + np.clip(step[:, :count], -10.0, 10.0)
        w = self.w + np.clip(step[:, count:], -1.0, 1.0).reshape(self.w.shape)
        return np.clip(w, -LARGEST_EXPONENT, LARGEST_EXPONENT), c

    def _monomials(self, w: np.ndarray) -> np.ndarray:
        """[restart, monomial, row]"""
        values = np.exp(np.clip(w @ self.data.logs, -60, 60))
        if self.data.mixed.any():
            for i in np.flatnonzero(self.data.mixed):
                odd = self.odd[:, :, i, None]
                values *= np.where(odd, self.data.signs[i], 1.0)
        return values

    def _system(self, w: np.ndarray, c: np.ndarray):
        """Errors, solved coefficients, projected slopes and residuals."""
        data, terms = self.data, self.terms
        values = self._monomials(w)
        phi = values[:, :terms].copy()
        inner = c[:, :, None] * values[:, terms:]
        pulls = np.zeros_like(inner)  # d log φ / d inner monomial, for each of them
        for term, places, exponent in self.owner:
            total = 1.0 + inner[:, places].sum(1)
            raised_, pull = _power(total, float(exponent))
            phi[:, term] *= raised_
            pulls[:, places] = pull[:, None]
        phi *= data.weight
        target = data.target * data.weight
        big_c, basis = _solved(phi, target)
        scaled = big_c[:, :, None] * phi
        residual = target - scaled.sum(1)
        errors = (residual**2).sum(1)
        slopes = self._slopes(values, scaled, pulls, inner)
        slopes = slopes - (slopes @ basis.transpose(0, 2, 1)) @ basis
        errors = np.where(np.isfinite(errors), errors, np.inf)
        slopes[~np.isfinite(errors)] = 0.0
        return errors, big_c, slopes, np.where(np.isfinite(residual), residual, 0.0)

    def _slopes(self, values, scaled, pulls, inner) -> np.ndarray:
        """[restart, parameter, row]: the inner coefficients, then all exponents."""
        terms, logs = self.terms, self.data.logs
        outer = np.empty_like(values)
        outer[:, :terms] = scaled
        by_coefficient = np.empty_like(inner)
        for term, places, _ in self.owner:
            chain = scaled[:, term, None] * pulls[:, places]
            by_coefficient[:, places] = chain * values[:, terms:][:, places]
            outer[:, terms:][:, places] = chain * inner[:, places]
        by_exponent = outer[:, :, None, :] * logs
        flat = by_exponent.reshape(len(values), -1, logs.shape[1])
        return np.concatenate([by_coefficient, flat], axis=1)

    def node(self, restart: int) -> Node:
        """The formula that a restart has come to."""
        w, c = self.w[restart], self.c[restart].copy()
        big_c = self.C[restart].copy()
        shift = np.exp(np.clip(-(w @ self.data.means), -300, 300))
        big_c *= shift[: self.terms]
        c *= shift[self.terms :]
        nodes = [self._monomial(restart, m) for m in range(len(w))]
        factors: list[list[Node]] = [[nodes[t]] for t in range(self.terms)]
        for term, places, exponent in self.owner:
            numbers = (ONE, *(Number(float(c[p])) for p in places))
            parts = (UNIT, *(nodes[self.terms + p] for p in places))
            factors[term].append(raised(Sum(numbers, parts), Number.of(exponent)))
        return Sum(
            tuple(Number(float(each)) for each in big_c),
            tuple(product_of(*parts) for parts in factors),
        )

    def _monomial(self, restart: int, index: int) -> Product:
        numbers = []
        for i, exponent in enumerate(self.w[restart, index]):
            if self.data.mixed[i]:
                odd = bool(self.odd[restart, index, i])
                numbers.append(Number.of(2 * round((exponent - odd) / 2) + odd))
            else:
                numbers.append(Number(float(exponent)))
        return monomial(numbers, range(len(numbers)))


def owners(layout: Layout) -> list[tuple[int, np.ndarray, Fraction]]:
    """For each sum: the term that it belongs to, the places of its monomials, its
    power."""
    found, place = [], 0
    for term, factors in enumerate(layout):
        for count, exponent in factors:
            found.append((term, np.arange(place, place + count), exponent))
            place += count
    return found


def _power(total: np.ndarray, exponent: float) -> tuple[np.ndarray, np.ndarray]:
    """total ^ exponent, and e / total; roots of what is not positive are nearly 0."""
    if exponent.is_integer():
        safe = np.where(np.abs(total) < TINY, TINY, total)
        return safe**exponent, exponent / safe
    inside = total > TINY
    safe = np.where(inside, total, TINY)
    return safe**exponent, np.where(inside, exponent / safe, 0.0)


def _solved(phi: np.ndarray, target: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Least-squares coefficients of φ [restart, term, row], and an orthonormal basis
    of its rows."""
    size = np.sqrt((phi**2).sum(2, keepdims=True)) + 1e-300
    unit = np.where(np.isfinite(phi / size), phi / size, 0.0)
    if unit.shape[1] == 1:
        big_c = (unit @ target)[:, :, None] / size
        return big_c[:, :, 0], unit
    values, vectors = np.linalg.eigh(unit @ unit.transpose(0, 2, 1))
    kept = values > 1e-11 * values[:, -1:]
    inverse = np.where(kept, 1 / np.sqrt(np.where(kept, values, 1.0)), 0.0)
    basis = (vectors * inverse[:, None]).transpose(0, 2, 1) @ unit
    across = (vectors * inverse[:, None]) @ (basis @ target)[:, :, None]
    return across[:, :, 0] / size[:, :, 0], basis


def _steps(matrix: np.ndarray, residual: np.ndarray, damping: np.ndarray) -> np.ndarray:
    """(J Jᵀ + λ D) step = J r for each restart."""
    normal = matrix @ matrix.transpose(0, 2, 1)
    diagonal = np.einsum("rpp->rp", normal).copy()
    floor = 1e-12 * diagonal.max(1, keepdims=True) + 1e-300
    scale = np.sqrt(np.maximum(diagonal, floor))
    normal /= scale[:, :, None] * scale[:, None, :]
    index = np.arange(normal.shape[1])
    normal[:, index, index] += damping[:, None] + 1e-12
    right = (matrix @ residual[:, :, None])[:, :, 0] / scale
    return np.linalg.solve(normal, right[:, :, None])[:, :, 0] / scale

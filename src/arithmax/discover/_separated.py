"""Divide and conquer: columns that only multiply the rest are divided out first."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar

import numpy as np

from ._library import polynomial, size_of_polynomial
from ._mapped import substituted
from ._monomial import log_fit
from ._nodes import Node, Product, Sum, Variable, monomial, product_of, to_power
from ._numbers import Number
from ._stage import Stage
from ._table import Table
from ._verify import independent, normal_deviate

EXPONENTS = tuple(Fraction(i, 2) for i in range(-10, 11))
SEPARABLE = 3.0  # standard deviations of what the column still explains
WIDEST = 12


@dataclass(frozen=True)
class Separated(Stage):
    """y = x_i^a · g(the others): what `stages` propose for g, times the powers.

    A column is divided out if, with some exponent, no smooth function of it and the
    others explains more of y / x_i^a than one of the others alone.

    Args:
        stages: what looks for g.
    """

    name: ClassVar[str] = "separated powers"
    stages: tuple[Stage, ...] = ()

    def propose(self, table: Table, rng: np.random.Generator) -> Iterator[Node]:
        powers = power_columns(table)
        if not powers or len(powers) == table.width:
            return
        kept = [i for i in range(table.width) if i not in powers]
        rest = divided(table, powers, kept)
        columns: list[Node] = [Variable(i) for i in kept]
        outer = monomial([Number.of(e) for e in powers.values()], list(powers))
        for stage in self.stages:
            for node in stage.propose(rest, rng):
                yield distributed(substituted(node, columns), outer)


def power_columns(table: Table) -> dict[int, Fraction]:
    """The columns that only multiply the rest, with their exponents.

    The one whose power leaves the smallest error is divided out first, and the others
    are looked at again.
    """
    found: dict[int, Fraction] = {}
    kept = list(range(table.width))
    if table.width > WIDEST or table.rows < 3 * table.width:
        return found
    while len(kept) > 1:
        rest = divided(table, found, kept)
        powers = _surest(rest)
        if powers is None:
            break
        found[kept.pop(powers[0])] = powers[1]
    return found


def _surest(table: Table) -> tuple[int, Fraction] | None:
    """The column that can be divided out with the smallest error, and its exponent."""
    fit = log_fit(table, 1.0)
    best, chosen = np.inf, None
    for index in np.flatnonzero(table.positive).tolist():
        near = 0.0 if fit is None else float(fit[0][index])
        tried = {e: _remaining(table, index, e) for e in EXPONENTS if abs(e - near) < 1}
        if not tried:
            continue
        exponent = min(tried, key=lambda e: tried[e][0])
        error, beyond = tried[exponent]
        if beyond < SEPARABLE and exponent != 0 and error < best:
            best, chosen = error, (index, exponent)
    return chosen


def _remaining(table: Table, index: int, exponent: Fraction) -> tuple[float, float]:
    """The error of x^a · g(others), and what the column explains beyond chance."""
    outer = to_power(table.columns[index], float(exponent))
    others = np.delete(table.columns, index, axis=0)
    logarithm = np.log(table.columns[index])
    weight = table.weight * outer
    return explained(table, smooth(others), logarithm, weight, len(others) + 1)


def explained(
    table: Table, rest: np.ndarray, own: np.ndarray, weight: np.ndarray, linear: int
) -> tuple[float, float]:
    """What the rows of `rest` leave of y, and what a column explains of that.

    Args:
        table: the rows.
        rest: a basis, of which the first `linear` are a constant and straight lines.
        own: the column.
        weight: what the basis is multiplied by.
        linear: how many of the basis may depend on the column.

    Returns:
        The sum of squares that is left, and the explained part as a normal deviate.
    """
    own = _scaled(own)
    start = independent(rest, weight)
    lines = rest[:linear]
    more = np.concatenate([lines * own, rest[:1] * own**2, rest[:1] * own**3])
    basis = independent(more, weight, start)
    target = table.y * table.weight
    residual = target - start.T @ (start @ target)
    whole = float(residual @ residual)
    gained = float(np.sum((basis @ residual) ** 2))
    left = table.rows - len(start) - len(basis)
    if len(basis) < 1 or left < 5:
        return whole, 0.0
    ratio = gained / len(basis) / (max(whole - gained, 1e-300) / left)
    return whole, normal_deviate(ratio, len(basis), left)


def _scaled(column: np.ndarray) -> np.ndarray:
    return (column - column.mean()) / (column.std() + 1e-300)


def smooth(columns: np.ndarray) -> np.ndarray:
    """Polynomials of the columns: a constant, then they themselves, then the rest."""
    scaled = np.array([_scaled(column) for column in columns])
    width = len(columns)
    degree = max(d for d in (1, 2, 3, 4) if size_of_polynomial(width, d) <= 130)
    return polynomial(width, degree).values(scaled).T


def divided(table: Table, powers: dict[int, Fraction], kept: list[int]) -> Table:
    """The table of y / Π x_i^a_i over the columns that are left."""

    def outer(x: np.ndarray) -> np.ndarray:
        result = np.ones(len(x))
        for index, exponent in powers.items():
            result = result * to_power(x[:, index], float(exponent))
        return result

    here, there = outer(table.x), outer(table.held_x)
    weight = table.weight * here
    return replace(
        table,
        x=table.x[:, kept],
        y=table.y / here,
        weight=weight / np.sqrt(np.mean(weight**2)),
        held_x=table.held_x[:, kept],
        held_y=table.held_y / there,
        names=tuple(table.names[i] for i in kept),
    )


def distributed(node: Node, outer: Product) -> Node:
    """node · outer: each term of a sum takes part in it."""
    if isinstance(node, Sum):
        return Sum(node.coefficients, tuple(product_of(t, outer) for t in node.terms))
    return product_of(node, outer)

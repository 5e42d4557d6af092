"""Unit-free sums first: monomials times powers of 1 ± x_i/x_j and the like."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from ._nodes import UNIT, Node, Product, Sum, Variable, monomial, product_of, raised
from ._numbers import ONE, Number
from ._refit import predicted
from ._stage import Stage
from ._table import Sample

EXPONENTS = tuple(map(Fraction, (-2, -1, "-1/2", "1/2", 1, 2)))
WIDEST = 12
FIRST, PROPOSED = 20, 5  # factors that get a second one; what the judge sees


@dataclass(frozen=True)
class UnitFree(Stage):
    """y = C · x^a · (1 ± u)^e · (1 ± v)^f with u and v powers, products or ratios of
    columns, and no constants inside.

    log |y| is linear in a, e and f, so that thousands of such formulas are compared by
    one projection. Few constants make them likely where noise hides others.

    Args:
        second: whether pairs of factors are looked at.
    """

    name: ClassVar[str] = "unit-free sums"
    second: bool = True

    def propose(self, table: Sample, rng: np.random.Generator) -> Iterator[Node]:
        rows = (table.x != 0).all(1) & (table.y != 0)
        one_sign = abs(table.y.sum()) > 0.95 * np.abs(table.y).sum()
        if table.width > WIDEST or not one_sign or rows.sum() < 4 * table.width:
            return
        sums = [s for s in inner_sums(table) if _is_positive(s, table)]
        if not sums:
            return
        target, factors, exponents = _projected(table, sums, rows)
        singles = _singles(target, factors)
        for _, chosen in singles[:PROPOSED]:
            yield self._node(table, exponents, sums, chosen)
        if self.second:
            pairs = _pairs(target, factors, singles)
            for _, chosen in pairs[:PROPOSED]:
                yield self._node(table, exponents, sums, chosen)

    def _node(self, table, exponents, sums, chosen) -> Node:
        factors = [raised(sums[i], Number.of(e)) for i, e in chosen]
        a = exponents(chosen)
        numbers = [Number(float(e)) for e in a[:-1]]
        numbers = [
            n if positive else Number.of(round(n.value))
            for n, positive in zip(numbers, table.positive, strict=True)
        ]
        outer = monomial(numbers, range(table.width))
        sign = float(np.sign(table.y.sum()))
        scale = sign * float(np.exp(np.clip(a[-1], -300, 300)))
        return Sum((Number(scale),), (product_of(outer, *factors),))


def inner_sums(table: Sample) -> Iterator[Sum]:
    """1 ± u for every u, without those that are the same up to a monomial."""
    width = table.width
    for p in (1, 2):
        power = Number.of(p)
        for i in range(width):
            yield from _with_signs(Product((power,), (Variable(i),)))
        for i, j in itertools.combinations(range(width), 2):
            pair = Variable(i), Variable(j)
            yield from _with_signs(Product((power, power), pair))
            yield from _with_signs(Product((power, Number.of(-p)), pair))


def _with_signs(u: Product) -> Iterator[Sum]:
    yield Sum((ONE, ONE), (UNIT, u))
    yield Sum((ONE, Number.of(-1)), (UNIT, u))
    yield Sum((Number.of(-1), ONE), (UNIT, u))


def _is_positive(node: Sum, table: Sample) -> bool:
    both = predicted(node, table.columns), predicted(node, table.held_columns)
    return all(bool((value > 0).all()) for value in both)


def _projected(table: Sample, sums: list[Sum], rows: np.ndarray):
    """log |y| and the logs of the sums without what monomials explain.

    Returns:
        Both, and a function from chosen sums to the exponents of the monomial.
    """
    logs = np.log(np.abs(table.x[rows]))
    y = np.log(np.abs(table.y[rows]))
    values = np.array([np.log(predicted(s, table.columns)[rows]) for s in sums])
    weight = table.weight[rows] * np.exp(y - y.max())
    matrix = np.c_[logs, np.ones(len(logs))] * weight[:, None]
    basis, triangle = np.linalg.qr(matrix)
    target, factors = y * weight, values * weight
    inverse = np.linalg.pinv(triangle)

    def exponents(chosen) -> np.ndarray:
        left = target - sum(float(e) * factors[i] for i, e in chosen)
        return inverse @ (basis.T @ left)

    def project(rows_: np.ndarray) -> np.ndarray:
        return rows_ - (rows_ @ basis) @ basis.T

    return project(target), project(factors), exponents


def _singles(target: np.ndarray, factors: np.ndarray) -> list:
    """Errors of one factor with each exponent, the smallest first."""
    e = np.array([float(x) for x in EXPONENTS])
    errors = (
        target @ target
        - 2 * e * (factors @ target)[:, None]
        + e**2 * (factors**2).sum(1)[:, None]
    )
    order = np.argsort(errors, axis=None)[: FIRST * 4]
    found = []
    for flat in order:
        i, k = divmod(int(flat), len(EXPONENTS))
        found.append((float(errors[i, k]), ((i, EXPONENTS[k]),)))
    return found[:FIRST]


def _pairs(target: np.ndarray, factors: np.ndarray, singles: list) -> list:
    """The same for two factors, of which the first is one of the best."""
    found = []
    for _, ((i, e),) in singles:
        rest = target - float(e) * factors[i]
        for error, ((j, f),) in _singles(rest, factors)[:PROPOSED]:
            if i < j:
                found.append((error, ((i, e), (j, f))))
    return sorted(found, key=lambda entry: entry[0])

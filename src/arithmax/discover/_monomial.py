"""A constant, and one monomial: least squares on logarithms."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ._nodes import UNIT, Node, Sum, monomial
from ._numbers import Number
from ._stage import Stage
from ._table import Table

MIXED, ROWS = 10, 200  # columns and rows of which signs are compared


@dataclass(frozen=True)
class ConstantFormula(Stage):
    """y = C: what every other formula must beat."""

    name: ClassVar[str] = "constant"

    def propose(self, table: Table, rng: np.random.Generator) -> Iterator[Node]:
        yield Sum((Number(float(np.mean(table.y))),), (UNIT,))


@dataclass(frozen=True)
class Monomial(Stage):
    """y = C · x^a: log |y| is linear in log |x|, and signs tell odd exponents."""

    name: ClassVar[str] = "monomial"

    def propose(self, table: Table, rng: np.random.Generator) -> Iterator[Node]:
        for weighting in (0.0, 1.0, 0.5):
            found = log_fit(table, weighting)
            if found is None:
                return
            yield as_monomial(table, *found)


def log_fit(table: Table, weighting: float) -> tuple[np.ndarray, float] | None:
    """Exponents and log |C| of log |y| = log |C| + a · log |x|.

    Args:
        table: the rows; those with a zero are left out.
        weighting: rows count |y| to this power; 1 makes errors those of y.
    """
    used = (table.x != 0).all(1) & (table.y != 0)
    if used.sum() <= table.width + 1:
        return None
    logs = np.log(np.abs(table.x[used]))
    target = np.log(np.abs(table.y[used]))
    weight = table.weight[used] * np.exp(weighting * (target - target.max()))
    matrix = np.c_[logs, np.ones(len(logs))] * weight[:, None]
    values = np.linalg.lstsq(matrix, target * weight, rcond=1e-12)[0]
    return values[:-1], float(values[-1])


def as_monomial(table: Table, exponents: np.ndarray, log_scale: float) -> Node:
    """C · x^a; columns with negative values get whole exponents of the right parity."""
    odd = odd_columns(table)
    numbers = []
    for index, exponent in enumerate(exponents):
        if table.positive[index]:
            numbers.append(Number(float(exponent)))
        else:
            numbers.append(Number.of(_nearest(float(exponent), bool(odd[index]))))
    sign = np.prod(np.sign(table.x[:, odd]), axis=1) * np.sign(table.y)
    scale = np.exp(min(log_scale, 700.0)) * (1.0 if sign.sum() >= 0 else -1.0)
    return Sum((Number(float(scale)),), (monomial(numbers, range(table.width)),))


def odd_columns(table: Table) -> np.ndarray:
    """The columns whose sign the sign of the target follows: those whose product of
    signs agrees with it on most rows."""
    mixed = np.flatnonzero(~table.positive)[:MIXED]
    signs = np.sign(table.x[:ROWS, mixed])
    target = np.sign(table.y[:ROWS])
    choices = np.array(list(itertools.product((False, True), repeat=len(mixed))), bool)
    products = np.where(choices[:, None, :], signs, 1.0).prod(2)
    agreement = np.abs(products @ target) - 1e-9 * choices.sum(1)
    odd = np.zeros(table.width, bool)
    odd[mixed[choices[int(agreement.argmax())]]] = True
    return odd


def _nearest(value: float, odd: bool) -> int:
    whole = 2 * round((value - odd) / 2) + odd
    return int(whole)

"""exp, log, sin and cos of columns as further columns."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ._mapped import mapped, substituted
from ._nodes import Function, Node, Sum, Variable, monomial
from ._numbers import ONE, Number
from ._stage import Stage
from ._table import Table

FREQUENCIES = 60  # that are tried for each column
STEEPEST = 30.0  # the most that an exponent of e may vary over the rows
IMPROVED = 0.5  # the share of the error that a wave must leave to be looked at


@dataclass(frozen=True)
class Functions(Stage):
    """Formulas of the columns and one kind of function of them.

    A power of the column exp(x) is exp(w x), and so `stages` find rates; frequencies
    are tried one by one, and fitted afterwards.

    Args:
        stages: what looks for formulas in the wider table.
        widest: the most columns that a table may have.
    """

    name: ClassVar[str] = "functions"
    stages: tuple[Stage, ...] = ()
    widest: int = 6

    def propose(self, table: Table, rng: np.random.Generator) -> Iterator[Node]:
        if table.width > self.widest:
            return
        columns = [Variable(i) for i in range(table.width)]
        for features in self.features(table):
            nodes = [*columns, *features]
            wider = mapped(table, nodes)
            if wider is not None and features:
                for stage in self.stages:
                    for node in stage.propose(wider, rng):
                        yield substituted(node, nodes)

    def features(self, table: Table) -> Iterator[list[Node]]:
        """Further columns, one kind after the other."""
        spread = np.ptp(table.columns, axis=1)
        gentle = [i for i in range(table.width) if spread[i] < STEEPEST]
        yield [_of("exp", i) for i in gentle]
        yield [_of("exp", i, 2) for i in gentle if spread[i] < 6.0]
        yield [_of("log", i) for i in range(table.width) if table.positive[i]]
        yield [_of(f, i) for i in gentle for f in ("sin", "cos")]
        waves = frequencies(table)
        yield [_wave(f, i, w) for i, w in waves.items() for f in ("sin", "cos")]


def _of(name: str, index: int, degree: int = 1) -> Node:
    inner = monomial((Number.of(degree),), (index,))
    return Function(name, Sum((ONE,), (inner,)))


def _wave(name: str, index: int, frequency: float) -> Node:
    inner = monomial((ONE,), (index,))
    return Function(name, Sum((Number(frequency),), (inner,)))


def frequencies(table: Table) -> dict[int, float]:
    """For each column the frequency of which a wave explains most, if it explains
    much of what straight lines leave."""
    found: dict[int, float] = {}
    base = np.c_[np.ones(table.rows), table.x, table.x**2] * table.weight[:, None]
    basis = np.linalg.qr(base)[0]
    target = table.y * table.weight
    left = target - basis @ (basis.T @ target)
    whole = float(left @ left)
    for index, column in enumerate(table.columns):
        span = float(np.ptp(column)) + 1e-300
        tried = np.linspace(1.0, 20.0 * np.pi, FREQUENCIES) / span
        errors = [_left(column, w, basis, left, table.weight) for w in tried]
        best = int(np.argmin(errors))
        if errors[best] < IMPROVED * whole:
            found[index] = float(tried[best])
    return found


def _left(column, frequency, basis, left, weight) -> float:
    waves = np.c_[np.sin(frequency * column), np.cos(frequency * column)]
    waves = waves * weight[:, None]
    waves = waves - basis @ (basis.T @ waves)
    numbers = np.linalg.lstsq(waves, left, rcond=1e-9)[0]
    residual = left - waves @ numbers
    return float(residual @ residual)

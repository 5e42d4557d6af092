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
FINER = 5  # rounds in which a frequency is looked at more closely
WAVES = 2  # columns whose waves are looked at


@dataclass(frozen=True)
class FunctionsOfColumns(Stage):
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
    """The frequencies of waves that explain most, for the columns that they explain
    most of.

    A wave may be multiplied by a straight line of the other columns.
    """
    lines = np.c_[np.ones(table.rows), table.x]
    found: dict[int, tuple[float, float]] = {}
    for index, column in enumerate(table.columns):
        span = float(np.ptp(column)) + 1e-300
        step = 20.0 * np.pi / FREQUENCIES / span
        best = min(
            ((_left(table, column, k * step, lines), k * step) for k in _HALF_STEPS),
        )
        for _ in range(FINER):
            step /= 4
            near = (best[1] + k * step for k in (-3, -2, -1, 1, 2, 3))
            best = min(best, *((_left(table, column, w, lines), w) for w in near))
        found[index] = best
    order = sorted(found, key=lambda i: found[i])[:WAVES]
    return {i: found[i][1] for i in order}


_HALF_STEPS = np.arange(1, FREQUENCIES + 1) - 0.5


def _left(table: Table, column, frequency: float, lines: np.ndarray) -> float:
    """What straight lines, and straight lines times a wave, leave of the target."""
    angle = frequency * column[:, None]
    matrix = np.c_[lines, lines * np.sin(angle), lines * np.cos(angle)]
    weighted = matrix * table.weight[:, None]
    target = table.y * table.weight
    numbers = np.linalg.lstsq(weighted, target, rcond=1e-9)[0]
    residual = target - weighted @ numbers
    return float(residual @ residual)

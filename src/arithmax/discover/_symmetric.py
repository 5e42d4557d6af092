"""Divide and conquer: pairs of columns that occur together only."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

import numpy as np

from ._mapped import mapped, substituted
from ._nodes import Node, Product, Sum, Variable
from ._numbers import ONE, Number
from ._separated import explained, smooth
from ._stage import Stage
from ._table import Table

MINUS = Number.of(-1)
TOGETHER = 3.0  # standard deviations of what the pair explains beyond its combination
WIDEST = 10

Pair: TypeAlias = tuple[int, int]


@dataclass(frozen=True)
class Symmetric(Stage):
    """y = g(x_i ∘ x_j, the others) with ∘ one of − + × ÷: what `stages` propose for g.

    A pair is replaced by its combination if no smooth function of the pair explains
    more of y than one of the combination; then the next pair is looked for.

    Args:
        stages: what looks for g.
    """

    name: ClassVar[str] = "symmetric pairs"
    stages: tuple[Stage, ...] = ()

    def propose(self, table: Table, rng: np.random.Generator) -> Iterator[Node]:
        if not 2 < table.width <= WIDEST or table.rows < 60:
            return
        nodes: list[Node] = [Variable(i) for i in range(table.width)]
        reduced = table
        while reduced.width > 1 and (found := _pair(reduced)) is not None:
            (i, j), combined = found
            kept = [k for k in range(reduced.width) if k not in (i, j)]
            parts = [*(Variable(k) for k in kept), combined]
            nodes = [substituted(part, nodes) for part in parts]
            smaller = mapped(reduced, parts)
            if smaller is None:
                break
            reduced = smaller
        if reduced is not table:
            for stage in self.stages:
                for node in stage.propose(reduced, rng):
                    yield substituted(node, nodes)


def _pair(table: Table) -> tuple[Pair, Node] | None:
    """The pair that is surest to occur together only, and its combination."""
    best, chosen = TOGETHER, None
    for i, j in itertools.combinations(range(table.width), 2):
        for combined in pair_combinations(i, j, table):
            off = _beyond(table, i, j, combined)
            if off < best:
                best, chosen = off, ((i, j), combined)
    return chosen


def pair_combinations(i: int, j: int, table: Table) -> Iterator[Node]:
    """x_i − x_j, x_i + x_j, x_i x_j and x_i / x_j."""
    pair = Variable(i), Variable(j)
    yield Sum((ONE, MINUS), pair)
    yield Sum((ONE, ONE), pair)
    yield Product((ONE, ONE), pair)
    if table.nonzero[j]:
        yield Product((ONE, MINUS), pair)


def _beyond(table: Table, i: int, j: int, combined: Node) -> float:
    """What x_i explains beyond the combination and the others, as a normal deviate."""
    others = np.delete(table.columns, (i, j), axis=0)
    column = np.asarray(combined.value(table.columns))
    rest = smooth(np.concatenate([column[None], others]))
    own = table.columns[i]
    return explained(table, rest, own, table.weight, 2 + len(others))[1]

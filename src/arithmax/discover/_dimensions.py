"""Units: which products of columns have none, and which have those of the target."""

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, TypeAlias

import numpy as np

from .._checks import shown
from ._mapped import mapped, substituted
from ._nodes import Node, Sum, monomial
from ._numbers import Number
from ._separated import distributed, divided
from ._stage import Stage
from ._table import Sample

Dimension: TypeAlias = dict[str, Fraction]  # the exponent of each unit
TOKEN = re.compile(r"\s*([*/·]|\^|\*\*|[A-Za-zµΩ°%]+|[-+]?\d+(?:/\d+|\.\d+)?|[()])")
DERIVED = {
    "N": "kg*m/s^2",
    "J": "kg*m^2/s^2",
    "W": "kg*m^2/s^3",
    "Pa": "kg/(m*s^2)",
    "Hz": "1/s",
    "C": "A*s",
    "V": "kg*m^2/(A*s^3)",
    "Ω": "kg*m^2/(A^2*s^3)",
    "F": "A^2*s^4/(kg*m^2)",
    "T": "kg/(A*s^2)",
    "Wb": "kg*m^2/(A*s^2)",
    "H": "kg*m^2/(A^2*s^2)",
}
"""Units that are products of others; any other word is a unit of its own."""


def dimension(text: str) -> Dimension:
    """The exponents of the units in "kg*m/s^2"; "" and "1" have none.

    Examples:
        >>> from arithmax.discover._dimensions import dimension
        >>> sorted((unit, str(e)) for unit, e in dimension("N*s/m^(1/2)").items())
        [('kg', '1'), ('m', '1/2'), ('s', '-1')]
    """
    if not isinstance(text, str):
        raise TypeError(
            f'`units` (with {shown(text)}) must be text such as "kg*m/s^2" or "".'
        )
    reader = _Reader(text)
    found = reader.product()
    if reader.rest:
        raise reader.error()
    return {unit: e for unit, e in found.items() if e != 0}


class _Reader:
    """A descent over products, quotients, powers and brackets."""

    def __init__(self, text: str) -> None:
        self.text, self.rest = text, []
        place = 0
        stripped = text.replace("**", "^").strip()
        while place < len(stripped):
            match = TOKEN.match(stripped, place)
            if match is None:
                raise self.error()
            self.rest.append(match.group(1))
            place = match.end()

    def error(self) -> ValueError:
        return ValueError(
            f"`units` (with {self.text!r}) must be products of units such as "
            '"kg*m/s^2", "1/s" or "".'
        )

    def product(self) -> Dimension:
        found = self._power() if self.rest else {}
        while self.rest and self.rest[0] != ")":
            sign = {"*": 1, "·": 1, "/": -1}.get(self.rest[0], 0)
            if sign:
                self.rest.pop(0)
            found = product_dimension(found, self._power(), sign or 1)
        return found

    def _power(self) -> Dimension:
        if not self.rest:
            raise self.error()
        token = self.rest.pop(0)
        if token == "(":
            base = self.product()
            self._expect(")")
        elif token[0].isdigit():
            base = {}
        elif token[0].isalpha() or token[0] in "µΩ°%":
            base = dimension(DERIVED[token]) if token in DERIVED else _unit(token)
        else:
            raise self.error()
        if self.rest and self.rest[0] == "^":
            self.rest.pop(0)
            exponent = self._number()
            return {unit: e * exponent for unit, e in base.items()}
        return base

    def _number(self) -> Fraction:
        bracket = bool(self.rest) and self.rest[0] == "("
        if bracket:
            self.rest.pop(0)
        try:
            found = Fraction(self.rest.pop(0))
            if bracket and self.rest and self.rest[0] == "/":
                self.rest.pop(0)
                found /= Fraction(self.rest.pop(0))
        except (IndexError, ValueError, ZeroDivisionError):
            raise self.error() from None
        if bracket:
            self._expect(")")
        return found

    def _expect(self, token: str) -> None:
        if not self.rest or self.rest.pop(0) != token:
            raise self.error()


def _unit(word: str) -> Dimension:
    return {} if word in ("rad", "%") else {word: Fraction(1)}


def product_dimension(a: Dimension, b: Dimension, sign: int = 1) -> Dimension:
    """The dimension of a product, or of a quotient where `sign` is −1."""
    return {
        unit: a.get(unit, Fraction(0)) + sign * b.get(unit, Fraction(0))
        for unit in {**a, **b}
    }


@dataclass(frozen=True)
class Dimensions(Stage):
    """y = x^a · g(π₁, π₂, …), where x^a has the units of y and each π none.

    Args:
        units: the units of each column, then those of the target, as text.
        stages: what looks for g.
    """

    name: ClassVar[str] = "dimension analysis"
    units: tuple[str, ...] = ()
    stages: tuple[Stage, ...] = ()

    def propose(self, table: Sample, rng: np.random.Generator) -> Iterator[Node]:
        if len(self.units) != table.width + 1:
            return
        particular, groups = groups_of([dimension(u) for u in self.units])
        if particular is None or not all(table.positive[i] for i in particular):
            return
        outer = monomial([Number.of(e) for e in particular.values()], list(particular))
        nodes: list[Node] = [
            monomial([Number.of(e) for e in group.values()], list(group))
            for group in groups
        ]
        if not nodes:
            yield Sum((Number(1.0),), (outer,))
            return
        rest = mapped(divided(table, particular, list(range(table.width))), nodes)
        if rest is not None:
            for stage in self.stages:
                for node in stage.propose(rest, rng):
                    yield distributed(substituted(node, nodes), outer)


def groups_of(
    dimensions: Sequence[Dimension],
) -> tuple[dict[int, Fraction] | None, list[dict[int, Fraction]]]:
    """Exponents of a product of columns with the units of the target, and those of
    independent products without units.

    The product is None if no product of powers of columns has the units of the target.
    """
    *columns, target = dimensions
    units = sorted({unit for each in dimensions for unit in each})
    matrix = [
        [each.get(unit, Fraction(0)) for each in columns] + [target.get(unit, 0)]
        for unit in units
    ]
    rows, pivots = _reduced([[Fraction(e) for e in row] for row in matrix])
    width = len(columns)
    solvable = width not in pivots
    particular = {
        p: rows[k][width] for k, p in enumerate(pivots) if solvable and rows[k][width]
    }
    free = [i for i in range(width) if i not in pivots]
    groups = []
    for index in free:
        group = {p: -rows[k][index] for k, p in enumerate(pivots) if p < width}
        group = {p: e for p, e in group.items() if e != 0}
        groups.append({index: Fraction(1), **group})
    return (particular if solvable else None), groups


def _reduced(rows: list[list[Fraction]]) -> tuple[list[list[Fraction]], list[int]]:
    """The reduced echelon form, and the columns of its leading ones."""
    pivots: list[int] = []
    if not rows:
        return rows, pivots
    for column in range(len(rows[0])):
        start = len(pivots)
        chosen = next((r for r in range(start, len(rows)) if rows[r][column]), None)
        if chosen is None:
            continue
        rows[start], rows[chosen] = rows[chosen], rows[start]
        lead = rows[start][column]
        rows[start] = [e / lead for e in rows[start]]
        for r in itertools.chain(range(start), range(start + 1, len(rows))):
            factor = rows[r][column]
            rows[r] = [
                a - factor * b for a, b in zip(rows[r], rows[start], strict=True)
            ]
        pivots.append(column)
    return rows, pivots

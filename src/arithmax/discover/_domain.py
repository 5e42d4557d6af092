"""Where a formula is defined, and what is answered where it is not.

A root of a negative number, a division by zero and a logarithm of either have no real
value. What is answered there is a choice, and it is made by name:

| domain | a number below zero under a root or logarithm | a division by zero |
|---|---|---|
| `"error"` | an error that names the rows and the part | the same |
| `"nan"` | NaN | NaN |
| `"abs"` | the root or logarithm of its absolute value | NaN |
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Int

from .._checks import choose
from ._formula import Formula
from ._nodes import Columns, Function, Node, Product, raised
from ._printing import infix

DOMAINS = ("error", "nan", "abs")
"""What can be answered where a formula is undefined."""
NAMED = 5  # rows that a message names


class DomainHazard(StrEnum):
    """What is wrong with a part of a formula on a row, as a sentence."""

    NEGATIVE_ROOT = "the number under a root or a fractional power is below zero"
    DIVISION_BY_ZERO = "the number that is divided by is zero"
    NEGATIVE_LOGARITHM = "the number under a logarithm is below zero"
    LOGARITHM_OF_ZERO = "the number under a logarithm is zero"
    TOO_LARGE = "the number is larger than a float can hold"

    @property
    def negative(self) -> bool:
        """Whether the absolute value would have been defined."""
        return self in (self.NEGATIVE_ROOT, self.NEGATIVE_LOGARITHM)


class DomainAnswer(StrEnum):
    """What a hazard did to the answer of a row, as a sentence."""

    UNDEFINED = "the answer is NaN"
    ABSOLUTE = "its absolute value was taken"
    VANISHED = "the answer is finite all the same"


@dataclass(frozen=True, eq=False)
class DomainCase:
    """One part of a formula, and the rows that are outside its domain.

    Args:
        hazard: what is wrong.
        part: the part that has no value, such as `sqrt(a - b)`.
        argument: what it is computed from, such as `a - b`.
        rows: the positions of the rows.
        numbers: the value of `argument` on each of them.
        undefined: on which of them the whole formula has no value.
        mixed: whether `argument` is above zero on some rows and below on others.
    """

    hazard: DomainHazard
    part: str
    argument: str
    rows: Int[np.ndarray, " case"]
    numbers: Float[np.ndarray, " case"]
    undefined: Bool[np.ndarray, " case"]
    mixed: bool

    def answers(self, domain: str) -> list[DomainAnswer]:
        """What was answered on each row."""
        taken = domain == "abs" and self.hazard.negative
        finite = DomainAnswer.ABSOLUTE if taken else DomainAnswer.VANISHED
        return [DomainAnswer.UNDEFINED if u else finite for u in self.undefined]


def domain_values(
    formula: Formula, x: Float[np.ndarray, "row column"], domain: str = "nan"
) -> Float[np.ndarray, " row"]:
    """What a formula gives on each row, and what is answered where it is undefined.

    Args:
        formula: the formula.
        x: the columns, in the order of its names.
        domain: `"error"`, `"nan"` or `"abs"` (see `DOMAINS`).

    Returns:
        One number for each row; NaN where there is none.

    Raises:
        ValueError: the domain is `"error"`, and the formula is undefined on a row.

    Examples:
        >>> import numpy as np
        >>> from fractions import Fraction
        >>> from arithmax.discover import Formula, Number, monomial
        >>> root = Formula(monomial((Number.of(Fraction(1, 2)),), (0,)), ("a",))
        >>> x = np.array([[4.0], [-4.0]])
        >>> domain_values(root, x), domain_values(root, x, "abs")
        (array([ 2., nan]), array([2., 2.]))
    """
    choose("domain", domain, DOMAINS)
    values = formula.evaluate(x, signless=domain == "abs")
    if domain == "error" and np.isnan(values).any():
        cases = domain_cases(formula, x, domain)
        raise ValueError(_refusal(next(c for c in cases if c.undefined.any())))
    return values


def domain_cases(
    formula: Formula, x: Float[np.ndarray, "row column"], domain: str = "nan"
) -> tuple[DomainCase, ...]:
    """Every part of a formula that has no value on some rows, and what came of it.

    A part may be infinite and the formula still have its limit, as 1/(1/a + 1/b) has at
    a = 0: such rows are listed, and are not `undefined`.

    Args:
        formula: the formula.
        x: the columns, in the order of its names.
        domain: as in `domain_values`.

    Examples:
        >>> import numpy as np
        >>> from arithmax.discover import Formula, Number, monomial
        >>> inverse = Formula(monomial((Number.of(-1),), (0,)), ("a",))
        >>> [case] = domain_cases(inverse, np.array([[4.0], [0.0]]))
        >>> case.rows, case.part, str(case.hazard)
        (array([1]), '1/a', 'the number that is divided by is zero')
    """
    choose("domain", domain, DOMAINS)
    signless = domain == "abs"
    undefined = np.isnan(formula.evaluate(x, signless))
    columns = list(np.ascontiguousarray(x.T))
    with np.errstate(all="ignore"):
        found = [
            _case(each, formula.identifiers, undefined)
            for node in formula.root.walk()
            for each in _hazards(node, columns, signless)
            if each.where.any()
        ]
    once = {(case.hazard, case.part): case for case in found}  # parts may be repeated
    return tuple(once.values())


class _Hazardous(NamedTuple):
    """What is wrong with a part of a formula, and where."""

    hazard: DomainHazard
    part: Node
    argument: Node
    numbers: np.ndarray
    where: np.ndarray


def _case(
    found: _Hazardous, names: tuple[str, ...], undefined: np.ndarray
) -> DomainCase:
    rows, numbers = np.flatnonzero(found.where), found.numbers
    return DomainCase(
        found.hazard,
        infix(found.part, names),
        infix(found.argument, names),
        rows,
        numbers[rows],
        undefined[rows],
        bool((numbers < 0).any() and (numbers > 0).any()),
    )


def _hazards(node: Node, columns: Columns, signless: bool) -> Iterator[_Hazardous]:
    """What breaks a rule in a node, and where it is too large though nothing does."""
    sound = np.ones(len(columns[0]), dtype=bool)
    for found in _broken(node, columns, signless):
        sound &= ~found.where
        yield found
    for child in node.children():
        sound &= np.isfinite(_value(child, columns, signless))
    numbers = _value(node, columns, signless)
    large = sound & ~np.isfinite(numbers)
    yield _Hazardous(DomainHazard.TOO_LARGE, node, node, numbers, large)


def _broken(node: Node, columns: Columns, signless: bool) -> Iterator[_Hazardous]:
    """The rules of powers and logarithms."""
    if isinstance(node, Product):
        for exponent, factor in zip(node.exponents, node.factors, strict=True):
            part, numbers = raised(factor, exponent), _value(factor, columns, signless)
            if not float(exponent.value).is_integer():
                yield _Hazardous(
                    DomainHazard.NEGATIVE_ROOT, part, factor, numbers, numbers < 0
                )
            if exponent.value < 0:
                yield _Hazardous(
                    DomainHazard.DIVISION_BY_ZERO, part, factor, numbers, numbers == 0
                )
    if isinstance(node, Function) and node.name == "log":
        inner = node.argument
        numbers = _value(inner, columns, signless)
        yield _Hazardous(
            DomainHazard.NEGATIVE_LOGARITHM, node, inner, numbers, numbers < 0
        )
        yield _Hazardous(
            DomainHazard.LOGARITHM_OF_ZERO, node, inner, numbers, numbers == 0
        )


def _value(node: Node, columns: Columns, signless: bool) -> np.ndarray:
    return np.broadcast_to(node.value(columns, signless), columns[0].shape)


def _refusal(case: DomainCase) -> str:
    """Why `domain="error"` raises."""
    bad = np.flatnonzero(case.undefined)
    rows = case.rows[bad]
    shown = ", ".join(map(str, rows[:NAMED]))
    more = f" and {len(rows) - NAMED} more" if len(rows) > NAMED else ""
    word = "row" if len(rows) == 1 else "rows"
    first = float(case.numbers[bad[0]])
    others = '"nan" or "abs"' if case.hazard.negative else '"nan"'
    return (
        f"`X` ({word} {shown}{more}) must lie where the formula is defined: in "
        f"`{case.part}`, {case.hazard} (`{case.argument}` is {first!r} in row "
        f"{rows[0]}). Leave out such rows, or choose `domain` {others}."
    )

"""A formula as a list of instructions, which every framework carries out in order.

Exponents that are whole or one half are instructions of their own, so that negative
numbers have whole powers in every framework; other constants are looked up.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from ..discover import Formula, Function, Node, Number, Product, Sum, Variable

HALF = Fraction(1, 2)


class Instruction(NamedTuple):
    """One operation.

    `operation` is what is done: `column`, `number` and `whole` give a column, a
    constant of the formula and a whole number, by `number`; `add` and `multiply` take
    two operands; `sqrt`, `sin`, `cos`, `exp` and `log` take one; `whole_power` has the
    exponent as its `number`, and `power` its place among the constants.
    `operands` are the places of earlier results.
    """

    operation: str
    operands: tuple[int, ...] = ()
    number: int | None = None


def lowered(formula: Formula) -> tuple[Instruction, ...]:
    """What is to be done, in order; the last result is that of the formula.

    Examples:
        >>> from arithmax.readout import parse
        >>> from arithmax.readout._instructions import lowered
        >>> for each in lowered(parse("0.5*v**2", ["m", "v"])):
        ...     print(*each)
        number () 0
        column () 1
        whole_power (1,) 2
        multiply (0, 2) None
    """
    writer = _Writer()
    writer.node(formula.root, iter(range(len(formula.numbers))))
    return tuple(writer.done)


def carry_out(
    program: Sequence[Instruction], operations: Mapping[str, Callable[..., Any]]
) -> Any:
    """The last result of a program, in whatever the operations compute with."""
    results: list[Any] = []
    for operation, operands, number in program:
        given = [results[place] for place in operands]
        given += [] if number is None else [number]
        results.append(operations[operation](*given))
    return results[-1]


class _Writer:
    def __init__(self) -> None:
        self.done: list[Instruction] = []

    def add(self, operation: str, *operands: int, number: int | None = None) -> int:
        self.done.append(Instruction(operation, operands, number))
        return len(self.done) - 1

    def node(self, node: Node, places: Iterator[int]) -> int:
        """The place of the result; `places` are those of the constants, in order."""
        if isinstance(node, Variable):
            return self.add("column", number=node.index)
        if isinstance(node, Function):
            return self.add(node.name, self.node(node.argument, places))
        if isinstance(node, Sum):
            return self._sum(node, places)
        assert isinstance(node, Product)
        return self._product(node, places)

    def _sum(self, node: Sum, places: Iterator[int]) -> int:
        pairs = zip(node.coefficients, node.terms, strict=True)
        parts = [self._term(c, term, places) for c, term in pairs]
        return self._joined("add", parts, 0)

    def _term(self, coefficient: Number, term: Node, places: Iterator[int]) -> int:
        place = next(places)
        if coefficient.is_exactly(1):
            return self.node(term, places)
        number = self.add("number", number=place)
        if term == Product():
            return number
        return self.add("multiply", number, self.node(term, places))

    def _product(self, node: Product, places: Iterator[int]) -> int:
        pairs = zip(node.exponents, node.factors, strict=True)
        return self._joined("multiply", [self._power(*p, places) for p in pairs], 1)

    def _power(self, exponent: Number, factor: Node, places: Iterator[int]) -> int:
        place = next(places)
        base = self.node(factor, places)
        if exponent.whole and exponent.exact:
            return self._whole(base, int(exponent.exact[0]))
        if exponent.is_exactly(HALF) or exponent.is_exactly(-HALF):
            root = self.add("sqrt", base)
            return root if exponent.value > 0 else self._whole(root, -1)
        return self.add("power", base, number=place)

    def _whole(self, base: int, exponent: int) -> int:
        if exponent == 1:
            return base
        return self.add("whole_power", base, number=exponent)

    def _joined(self, operation: str, parts: Sequence[int], empty: int) -> int:
        if not parts:
            return self.add("whole", number=empty)
        result = parts[0]
        for part in parts[1:]:
            result = self.add(operation, result, part)
        return result

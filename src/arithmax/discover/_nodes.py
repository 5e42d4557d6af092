"""What formulas are made of: sums of products of powers of sums.

A `Sum` is what a NAU computes, a `Product` what an NPU computes; alternating they give

    y = Σ_t C_t · x^{a_t} · Π_f (Σ_k c_fk · x^{w_fk})^{e_f},

and any depth of it. A `Function` (sin, cos, exp, log) may stand around a node. Nodes
are immutable; their constants are `Number`s, listed in the order in which they are
read.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from ._numbers import ONE, Number

Column: TypeAlias = np.ndarray  # one number for each row
Columns: TypeAlias = Sequence[Column] | np.ndarray  # one column after the other
Slopes: TypeAlias = list[Any]  # a column, or one number, for each free number
FUNCTIONS: dict[str, tuple[Callable, Callable]] = {
    "sin": (np.sin, np.cos),
    "cos": (np.cos, lambda v: -np.sin(v)),
    "exp": (np.exp, np.exp),
    "log": (np.log, lambda v: 1 / v),
}
"""Each function and its derivative."""


class Node(ABC):
    """A part of a formula: a function of the columns of a table."""

    @abstractmethod
    def value(self, columns: Columns, signless: bool = False) -> Column | float:
        """What it is on each row.

        Args:
            columns: the inputs, one array each.
            signless: whether roots and logarithms are those of absolute values.
        """

    @abstractmethod
    def slopes(self, columns: Columns) -> tuple[Any, Slopes]:
        """The value, and its derivative with respect to every free number."""

    @abstractmethod
    def children(self) -> tuple["Node", ...]:
        """The nodes right below."""

    @abstractmethod
    def numbers(self) -> Iterator[Number]:
        """All constants of it and below, in order."""

    @abstractmethod
    def replaced(self, numbers: Iterator[Number]) -> "Node":
        """The same with other constants, taken in order."""

    def variables(self) -> set[int]:
        """The columns that occur."""
        return set().union(*(child.variables() for child in self.children()))

    def free(self) -> bool:
        """Whether a fit may change anything."""
        return any(number.free for number in self.numbers())

    def walk(self) -> Iterator["Node"]:
        """This node and all below."""
        yield self
        for child in self.children():
            yield from child.walk()


@dataclass(frozen=True)
class Variable(Node):
    """A column of the table."""

    index: int

    def value(self, columns: Columns, signless: bool = False) -> Column:
        return columns[self.index]

    def slopes(self, columns: Columns) -> tuple[Any, Slopes]:
        return columns[self.index], []

    def children(self) -> tuple[Node, ...]:
        return ()

    def numbers(self) -> Iterator[Number]:
        return iter(())

    def replaced(self, numbers: Iterator[Number]) -> "Variable":
        return self

    def variables(self) -> set[int]:
        return {self.index}


@dataclass(frozen=True)
class Sum(Node):
    """Σ coefficient · term; the term of a constant is the empty product."""

    coefficients: tuple[Number, ...]
    terms: tuple[Node, ...]

    def value(self, columns: Columns, signless: bool = False) -> Any:
        pairs = zip(self.coefficients, self.terms, strict=True)
        return sum((c.value * t.value(columns, signless) for c, t in pairs), 0.0)

    def slopes(self, columns: Columns) -> tuple[Any, Slopes]:
        total, found = 0.0, []
        for coefficient, term in zip(self.coefficients, self.terms, strict=True):
            value, below = term.slopes(columns)
            total = total + coefficient.value * value
            found += [value] if coefficient.free else []
            found += [coefficient.value * slope for slope in below]
        return total, found

    def children(self) -> tuple[Node, ...]:
        return self.terms

    def numbers(self) -> Iterator[Number]:
        for coefficient, term in zip(self.coefficients, self.terms, strict=True):
            yield coefficient
            yield from term.numbers()

    def replaced(self, numbers: Iterator[Number]) -> "Sum":
        pairs = [(next(numbers), term.replaced(numbers)) for term in self.terms]
        return Sum(tuple(c for c, _ in pairs), tuple(t for _, t in pairs))


@dataclass(frozen=True)
class Product(Node):
    """Π factor ^ exponent; the empty product is 1."""

    exponents: tuple[Number, ...] = ()
    factors: tuple[Node, ...] = ()

    def value(self, columns: Columns, signless: bool = False) -> Any:
        pairs = zip(self.exponents, self.factors, strict=True)
        result: Any = 1.0
        for exponent, factor in pairs:
            result = result * to_power(
                factor.value(columns, signless), exponent.value, signless
            )
        return result

    def slopes(self, columns: Columns) -> tuple[Any, Slopes]:
        below = [factor.slopes(columns) for factor in self.factors]
        powers = [
            to_power(value, e.value)
            for (value, _), e in zip(below, self.exponents, strict=True)
        ]
        found = []
        for j, (exponent, (value, inner)) in enumerate(
            zip(self.exponents, below, strict=True)
        ):
            if not exponent.free and not inner:
                continue
            others: Any = 1.0
            for i, other in enumerate(powers):
                others = others * other if i != j else others
            if exponent.free:
                size = np.abs(value)
                logarithm = np.log(np.where(size == 0.0, 1.0, size))
                found.append(others * powers[j] * logarithm)
            if inner:
                outer = others * exponent.value * to_power(value, exponent.value - 1)
                found += [outer * slope for slope in inner]
        result: Any = 1.0
        for each in powers:
            result = result * each
        return result, found

    def children(self) -> tuple[Node, ...]:
        return self.factors

    def numbers(self) -> Iterator[Number]:
        for exponent, factor in zip(self.exponents, self.factors, strict=True):
            yield exponent
            yield from factor.numbers()

    def replaced(self, numbers: Iterator[Number]) -> "Product":
        pairs = [(next(numbers), factor.replaced(numbers)) for factor in self.factors]
        return Product(tuple(e for e, _ in pairs), tuple(f for _, f in pairs))


@dataclass(frozen=True)
class Function(Node):
    """sin, cos, exp or log of a node."""

    name: str
    argument: Node

    def value(self, columns: Columns, signless: bool = False) -> Any:
        inner = self.argument.value(columns, signless)
        if signless and self.name == "log":
            inner = np.abs(inner)
        return FUNCTIONS[self.name][0](inner)

    def slopes(self, columns: Columns) -> tuple[Any, Slopes]:
        value, below = self.argument.slopes(columns)
        function, derivative = FUNCTIONS[self.name]
        outer = derivative(value) if below else 0.0
        return function(value), [outer * slope for slope in below]

    def children(self) -> tuple[Node, ...]:
        return (self.argument,)

    def numbers(self) -> Iterator[Number]:
        return self.argument.numbers()

    def replaced(self, numbers: Iterator[Number]) -> "Function":
        return Function(self.name, self.argument.replaced(numbers))


def number_kinds(node: Node) -> Iterator[str]:
    """ "coefficient" or "exponent" for each of `node.numbers()`, in the same order."""
    kind = "coefficient" if isinstance(node, Sum) else "exponent"
    for child in node.children():
        if not isinstance(node, Function):
            yield kind
        yield from number_kinds(child)


UNIT = Product()  # the term of a constant


def to_power(base: Any, exponent: float, signless: bool = False) -> Any:
    """base ^ exponent; quick for the exponents that formulas have."""
    if exponent == 1.0:
        return base
    if exponent == 2.0:
        return base * base
    if exponent == -1.0:
        return 1.0 / base
    if float(exponent).is_integer():
        return _whole_power(base, int(exponent))
    if signless:
        base = np.abs(base)
    if exponent == 0.5:
        return np.sqrt(base)
    if exponent == -0.5:
        return 1.0 / np.sqrt(base)
    return np.power(base, exponent)


def _whole_power(base: Any, exponent: int) -> Any:
    """By squaring: several times quicker than `np.power` up to |exponent| of 10."""
    if abs(exponent) > 16:
        return np.power(base, float(exponent))
    result, square, left = 1.0, base, abs(exponent)
    while left:
        if left & 1:
            result = result * square
        left >>= 1
        square = square * square if left else square
    return 1.0 / result if exponent < 0 else result


def monomial(exponents: Sequence[Number], indices: Sequence[int]) -> Product:
    """Π x_i ^ a_i over the exponents that are not known to be zero."""
    pairs = [
        (exponent, Variable(index))
        for exponent, index in zip(exponents, indices, strict=True)
        if not exponent.is_exactly(0)
    ]
    return Product(tuple(e for e, _ in pairs), tuple(v for _, v in pairs))


def raised(node: Node, exponent: Number) -> Product:
    """node ^ exponent."""
    return Product((exponent,), (node,))


def product_of(*nodes: Node) -> Product:
    """The product of nodes, those that are products being opened."""
    exponents: list[Number] = []
    factors: list[Node] = []
    for node in nodes:
        if isinstance(node, Product):
            exponents += node.exponents
            factors += node.factors
        else:
            exponents.append(ONE)
            factors.append(node)
    return Product(tuple(exponents), tuple(factors))

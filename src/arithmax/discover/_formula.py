"""A formula: what is computed, printed, fitted again and exported."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ._identifiers import identifiers
from ._nodes import Function, Node, Product, Sum, Variable
from ._numbers import Number
from ._printing import complexity, infix
from ._refit import predicted, refitted
from ._simplify import as_sum


@dataclass(frozen=True)
class Formula:
    """y = Σ_t C_t · x^{a_t} · Π_f (Σ_k c_fk · x^{w_fk})^{e_f}, to any depth.

    Args:
        root: what is computed: sums of products of powers of columns and sums.
        names: the names of all columns of the table, used or not.

    Examples:
        >>> import numpy as np
        >>> from arithmax.discover import Formula, Number, Sum, monomial
        >>> half = Number.of(1) , Number.of(2)
        >>> energy = Formula(Sum((Number(0.5),), (monomial(half, (0, 1)),)), ("m", "v"))
        >>> str(energy), energy.complexity
        ('0.5*m*v**2', 7)
        >>> energy.evaluate(np.array([[2.0, 3.0]]))
        array([9.])
    """

    root: Node
    names: tuple[str, ...]

    def __repr__(self) -> str:
        return f"Formula({str(self)!r})"

    def __str__(self) -> str:
        return infix(self.root, self.identifiers)

    @cached_property
    def identifiers(self) -> tuple[str, ...]:
        """The names of all columns as the formula is written with them."""
        return identifiers(self.names)

    def evaluate(self, x: Any, signless: bool = False) -> np.ndarray:
        """What the formula gives on each row of `x` [row, column]; NaN where it is
        undefined.

        Args:
            x: the columns, in the order of `names`.
            signless: whether roots and logarithms are those of absolute values.
        """
        columns = np.ascontiguousarray(np.asarray(x, dtype=np.float64).T)
        with np.errstate(all="ignore"):
            value = np.broadcast_to(
                self.root.value(columns, signless), columns[0].shape
            )
        return np.where(np.isfinite(value), value, np.nan)

    @cached_property
    def complexity(self) -> int:
        """How many variables, constants and operations there are."""
        return complexity(self.root)

    @cached_property
    def variables(self) -> tuple[str, ...]:
        """The names of the columns that occur."""
        return tuple(self.names[i] for i in sorted(self.root.variables()))

    @property
    def numbers(self) -> tuple[Number, ...]:
        """All constants, in the order in which they are read."""
        return tuple(self.root.numbers())

    @property
    def coefficients(self) -> tuple[Number, ...]:
        """What terms are multiplied by, with standard errors."""
        sums = (node for node in self.root.walk() if isinstance(node, Sum))
        return tuple(c for node in sums for c in node.coefficients)

    @property
    def exponents(self) -> tuple[Number, ...]:
        """What factors are raised to, with standard errors."""
        products = (node for node in self.root.walk() if isinstance(node, Product))
        return tuple(e for node in products for e in node.exponents)

    def simplified(self) -> "Formula":
        """The same function in its plain form."""
        return Formula(as_sum(self.root), self.names)

    def refit(self, x: Any, y: Any, weight: Any = None) -> "Formula":
        """The formula with its free constants fitted to other rows.

        Args:
            x: the columns [row, column].
            y: the targets [row].
            weight: what each row counts; the squared error is multiplied by it.
        """
        columns = np.ascontiguousarray(np.asarray(x, dtype=np.float64).T)
        root = None if weight is None else np.sqrt(np.asarray(weight, np.float64))
        target = np.asarray(y, dtype=np.float64)
        return Formula(refitted(self.root, columns, target, root)[0], self.names)

    def freed(self) -> "Formula":
        """The same formula, of which a fit may change every coefficient."""
        return Formula(_freed(self.root), self.names)

    def sympy(self, symbols: Sequence[Any] | None = None) -> Any:
        """The formula as a SymPy expression.

        Args:
            symbols: one expression for each column; real symbols with the names of the
                columns if None.
        """
        import sympy

        if symbols is None:
            symbols = [sympy.Symbol(name, real=True) for name in self.names]
        return _sympy(self.root, symbols, sympy)


def _freed(node: Node) -> Node:
    if isinstance(node, Sum):
        return Sum(
            tuple(Number(c.value) for c in node.coefficients),
            tuple(map(_freed, node.terms)),
        )
    if isinstance(node, Product):
        return Product(node.exponents, tuple(map(_freed, node.factors)))
    if isinstance(node, Function):
        return Function(node.name, _freed(node.argument))
    return node


def _number(number: Number, sympy: Any) -> Any:
    if number.exact is None:
        return sympy.Float(number.value, 17)
    fraction, pi = number.exact
    return sympy.Rational(fraction.numerator, fraction.denominator) * sympy.pi**pi


def _sympy(node: Node, symbols: Sequence[Any], sympy: Any) -> Any:
    if isinstance(node, Variable):
        return symbols[node.index]
    if isinstance(node, Function):
        return getattr(sympy, node.name)(_sympy(node.argument, symbols, sympy))
    if isinstance(node, Sum):
        pairs = zip(node.coefficients, node.terms, strict=True)
        parts = [_number(c, sympy) * _sympy(t, symbols, sympy) for c, t in pairs]
        return sympy.Add(*parts)
    assert isinstance(node, Product)
    pairs = zip(node.exponents, node.factors, strict=True)
    return sympy.Mul(
        *(_sympy(f, symbols, sympy) ** _number(e, sympy) for e, f in pairs)
    )


__all__ = ["Formula", "predicted"]

"""A formula from a SymPy expression."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from .._checks import shown
from .._extras import extras
from ..discover import Formula, Function, Node, Number, Variable
from ._arguments import column_names, finite_array
from ._build import (
    added,
    as_number,
    constant_node,
    exact_number,
    finite_number,
    formula_of,
    multiplied,
    raised_to,
)

HALF, MINUS = Number.of(Fraction(1, 2)), Number.of(-1)


def from_sympy(expression: Any, names: Sequence[str], x: Any = None) -> Formula:
    """The formula that a SymPy expression is.

    Sums, products, powers by constants, sin, cos, exp, log, numbers and π. The
    magnitude |a| is √a², the sign of a is a/√a², and max(a, b) is (a + b + |a − b|)/2,
    unless `x` says what they are on the rows of a table: then |a| is a where a is
    nowhere negative, and so on. Rational numbers are exact, floats may be fitted again.

    Args:
        expression: a SymPy expression of symbols that have the names of columns.
        names: the names of all columns.
        x: rows [row, column] on which the formula is to hold.

    Returns:
        The formula.

    Raises:
        ValueError: the expression has a part that formulas do not have.

    Examples:
        >>> import sympy
        >>> from arithmax.readout import from_sympy
        >>> m, v = sympy.symbols("m v")
        >>> print(from_sympy(3 * m * v**2, ["m", "v"]))
        3*m*v**2
        >>> print(from_sympy(abs(m), ["m"]), "|", from_sympy(abs(m), ["m"], x=[[2.0]]))
        sqrt(m**2) | m
    """
    with extras():
        import sympy
    names = column_names(names)
    if not isinstance(expression, sympy.Expr):  # SymPy would evaluate a text as code
        raise TypeError(
            f"`expression` (={shown(expression)}) must be a SymPy expression. Read a "
            "text with `parse`."
        )
    columns = None if x is None else finite_array("x", x, 2).T
    reader = _Reader(sympy, {name: i for i, name in enumerate(names)}, columns)
    return formula_of(reader.node(expression), names)


class _Reader:
    def __init__(self, sympy: Any, places: dict[str, int], columns: Any) -> None:
        self.sympy, self.places, self.columns = sympy, places, columns
        self.calls: dict[str, Callable[..., Node]] = {
            "Abs": self._magnitude,
            "sign": self._sign,
            "Max": self._largest,
            "Min": self._smallest,
            "re": self._real_part,
        }

    def node(self, expression: Any) -> Node:
        sympy, kind = self.sympy, type(expression).__name__
        if expression.is_Number or expression.is_NumberSymbol:
            return constant_node(self._number(expression))
        if expression.is_Symbol:
            return self._column(expression)
        if expression.is_Add:
            return added(map(self.node, expression.args))
        if expression.is_Mul:
            return multiplied(map(self.node, expression.args))
        if isinstance(expression, sympy.exp) or kind in ("sin", "cos", "log"):
            name = "exp" if isinstance(expression, sympy.exp) else kind
            if len(expression.args) == 1:
                return Function(name, self.node(expression.args[0]))
        elif expression.is_Pow:
            return self._power(*expression.args)
        elif kind in self.calls:
            return self.calls[kind](*map(self.node, expression.args))
        raise ValueError(
            f"`expression` has {shown(str(expression))}, which no formula has. "
            "Formulas have sums, products, powers by constants, sin, cos, exp and log."
        )

    def _number(self, expression: Any) -> Number:
        if expression.is_Rational:
            fraction = Fraction(int(expression.p), int(expression.q))
            return exact_number(fraction)
        if expression == self.sympy.pi:
            return Number.of(1, pi=1)
        return finite_number(float(expression))

    def _column(self, symbol: Any) -> Node:
        if symbol.name in self.places:
            return Variable(self.places[symbol.name])
        known = ", ".join(self.places) or "none"
        raise ValueError(
            f"`expression` has {shown(symbol.name)}, which is no column; the columns "
            f"are {known}."
        )

    def _power(self, base: Any, exponent: Any) -> Node:
        number = None
        if exponent.is_number and exponent.is_real:
            number = as_number(self.node(exponent)) or finite_number(float(exponent))
        if number is None:
            raise ValueError(
                f"`expression` has the exponent {shown(str(exponent))}, which is no "
                "real constant, as those of formulas are."
            )
        return raised_to(self.node(base), number)

    def _values(self, node: Node) -> np.ndarray:
        """What a node is on the rows; NaN if there are none."""
        if self.columns is None or not self.columns.shape[1]:
            return np.array(np.nan)
        with np.errstate(all="ignore"):
            return np.asarray(node.value(self.columns))

    def _real_part(self, a: Node) -> Node:
        if np.isfinite(self._values(a)).all():
            return a
        raise ValueError(
            "`expression` has a real part of what may be complex, as no formula has. "
            "Give rows `x` on which it is real."
        )

    def _side(self, node: Node) -> int:
        """1 or −1 where a node has this sign on all rows; 0 if that is not known."""
        value = self._values(node)
        if (value >= 0).all():
            return 1
        return -1 if (value <= 0).all() else 0

    def _magnitude(self, a: Node) -> Node:
        if side := self._side(a):
            return a if side > 0 else multiplied([constant_node(MINUS), a])
        return raised_to(raised_to(a, Number.of(2)), HALF)

    def _sign(self, a: Node) -> Node:
        if side := self._side(a):
            return constant_node(Number.of(side))
        size = raised_to(a, Number.of(2))
        return multiplied([a, raised_to(size, Number.of(Fraction(-1, 2)))])

    def _largest(self, a: Node, *others: Node) -> Node:
        for b in others:
            a = self._of_two(a, b, Number.of(1))
        return a

    def _smallest(self, a: Node, *others: Node) -> Node:
        for b in others:
            a = self._of_two(a, b, MINUS)
        return a

    def _of_two(self, a: Node, b: Node, direction: Number) -> Node:
        """(a + b ± |a − b|)/2"""
        difference = added([a, multiplied([constant_node(MINUS), b])])
        if side := self._side(difference) * round(direction.value):
            return a if side > 0 else b
        size = multiplied([constant_node(direction), self._magnitude(difference)])
        return multiplied([constant_node(HALF), added([a, b, size])])

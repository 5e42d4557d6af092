"""A printed formula, read back: a list of what is allowed, and nothing is evaluated."""

import ast
import warnings
from collections.abc import Iterator, Sequence
from fractions import Fraction

from .._checks import shown
from ..discover import Formula, Function, Node, Number, Variable, identifiers
from ._arguments import column_names
from ._build import (
    ONE,
    added,
    as_number,
    constant_node,
    finite_number,
    formula_of,
    multiplied,
    raised_to,
)

LONGEST = 100_000  # characters
DEEPEST = 100  # brackets in brackets
MINUS = Number.of(-1)
FUNCTIONS = ("sin", "cos", "exp", "log")


def parse(text: str, names: Sequence[str]) -> Formula:
    """The formula that a text is, in the notation in which formulas are printed.

    Sums, products, quotients, powers by constants, `sin`, `cos`, `exp`, `log`, `sqrt`,
    `pi`, numbers and names of columns; anything else is an error. Whole numbers and
    fractions of them are exact, decimals may be fitted again.

    Args:
        text: what `str(formula)` gave, or was written by hand.
        names: the names of all columns. In the text they stand as
            `arithmax.discover.identifiers` writes them.

    Returns:
        A formula that computes what the text says.

    Raises:
        ValueError: the text is no formula; the message quotes the part that is none.

    Examples:
        >>> from arithmax.readout import parse
        >>> energy = parse("m*v**2/2", ["m", "v"])
        >>> energy.coefficients[0].exact, energy.variables
        ((Fraction(1, 2), 0), ('m', 'v'))
        >>> parse("__import__('os')", ["m"])
        Traceback (most recent call last):
        ValueError: `text` has "__import__('os')", which is no part of a formula. ...
    """
    names = column_names(names)
    if not isinstance(text, str):
        raise TypeError(f"`text` (={shown(text)}) must be a string.")
    if len(text) > LONGEST:
        raise ValueError(
            f"`text` ({len(text)} characters) must have at most {LONGEST}."
        )
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # on odd code, which is refused below
            tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ValueError(
            f"`text` (={shown(text)}) must be a formula such as '0.5*m*v**2'; check "
            "its signs and brackets, and that it is not too deep."
        ) from None
    columns = {name: i for i, name in enumerate(identifiers(names))}
    return formula_of(_Reader(text.strip(), columns).node(tree, 0), names)


class _Reader:
    def __init__(self, text: str, columns: dict[str, int]) -> None:
        self.text, self.columns = text, columns

    def node(self, tree: ast.expr, depth: int) -> Node:
        if depth > DEEPEST:
            raise ValueError(f"`text` has more than {DEEPEST} brackets in brackets.")
        return self._node(tree, depth + 1)

    def _node(self, tree: ast.expr, depth: int) -> Node:
        match tree:
            case ast.Constant(value=bool()):
                pass
            case ast.Constant(value=int() | float()):
                return constant_node(self._literal(tree))
            case ast.Name(id="pi"):
                return constant_node(Number.of(1, pi=1))
            case ast.Name():
                return self._column(tree)
            case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=operand):
                sign = ONE if isinstance(tree.op, ast.UAdd) else MINUS
                return multiplied([constant_node(sign), self.node(operand, depth)])
            case ast.BinOp(op=ast.Add() | ast.Sub()):
                return added(self._spine(tree, (ast.Add, ast.Sub), depth))
            case ast.BinOp(op=ast.Mult() | ast.Div()):
                return multiplied(self._spine(tree, (ast.Mult, ast.Div), depth))
            case ast.BinOp(op=ast.Pow(), left=base, right=exponent):
                number = self._exponent(exponent, depth)
                return raised_to(self.node(base, depth), number)
            case ast.Call(func=ast.Name(id=name), args=[argument], keywords=[]):
                return self._call(tree, name, argument, depth)
        raise self._error(tree, "is no part of a formula")

    def _spine(self, tree: ast.expr, ops: tuple, depth: int) -> Iterator[Node]:
        """The operands of a chain of signs, which may be longer than Python's stack."""
        chain: list[tuple[ast.operator | None, ast.expr]] = []
        while isinstance(tree, ast.BinOp) and isinstance(tree.op, ops):
            chain.append((tree.op, tree.right))
            tree = tree.left
        for op, operand in [(None, tree), *reversed(chain)]:
            node = self.node(operand, depth)
            if isinstance(op, ast.Sub):
                node = multiplied([constant_node(MINUS), node])
            yield raised_to(node, MINUS) if isinstance(op, ast.Div) else node

    def _literal(self, tree: ast.Constant) -> Number:
        value = tree.value
        if isinstance(value, float):
            return finite_number(value)
        assert isinstance(value, int)
        if value.bit_length() > 1000:
            raise self._error(tree, "is larger than 1e300")
        return Number.of(value)

    def _column(self, tree: ast.Name) -> Node:
        if tree.id in self.columns:
            return Variable(self.columns[tree.id])
        known = ", ".join(self.columns) or "none"
        raise self._error(tree, f"is no column; the columns are {known}", "")

    def _exponent(self, tree: ast.expr, depth: int) -> Number:
        node = self.node(tree, depth)
        number = as_number(node)
        if number is None and not node.variables():
            number = finite_number(float(node.value(())))
        if number is None:
            raise self._error(tree, "is no constant, as an exponent must be", "")
        return number

    def _call(self, tree: ast.expr, name: str, argument: ast.expr, depth: int) -> Node:
        if name not in (*FUNCTIONS, "sqrt"):
            raise self._error(tree, "is no part of a formula")
        inner = self.node(argument, depth)
        if name == "sqrt":
            return raised_to(inner, Number.of(Fraction(1, 2)))
        return Function(name, inner)

    def _error(self, tree: ast.expr, words: str, remedy: str | None = None):
        part = ast.get_source_segment(self.text, tree) or self.text
        if remedy is None:
            remedy = (
                "Formulas have + - * / **, numbers, pi, names of columns, "
                f"{', '.join(FUNCTIONS)} and sqrt."
            )
        return ValueError(f"`text` has {shown(part)}, which {words}. {remedy}".strip())

"""`--hold-out "x > 5 and y <= 2"`: which rows a condition on columns is true of.

The text is read by the grammar below and never evaluated as code:

    either      = both { "or" both }
    both        = single { "and" single }
    single      = "not" single | "(" either ")" | comparison
    comparison  = value ( "<" | "<=" | ">" | ">=" | "==" | "!=" ) value …
    value       = number | column
"""

import operator
import re
from collections.abc import Callable
from typing import Any

from .._checks import shown
from ..tasks import Columns, check_column

ARGUMENT = "hold_out"
EXAMPLE = '"x > 5 and y <= 2"'
DEEPEST = 50  # brackets and negations inside each other
COMPARISONS = {
    "<=": operator.le,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    ">": operator.gt,
}
TOKEN = re.compile(
    r"(?P<number>[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?(?!\w))"
    r"|(?P<word>[^\W\d]\w*)"
    r"|`(?P<quoted>[^`]+)`"
    r"|(?P<sign><=|>=|==|!=|<|>|\(|\))"
)
WORDS = ("and", "or", "not")
Token = tuple[str, str]  # its kind, and its text


def rows_of(text: str, columns: Columns) -> Any:
    """Which rows a condition is true of.

    Args:
        text: the condition; a name that is no plain word stands in `backquotes`.
        columns: the table.

    Returns:
        True or False for each row [row].

    Examples:
        >>> import numpy as np
        >>> from arithmax.cli._condition import rows_of
        >>> class Two:
        ...     names = ["x", "the mass"]
        ...     def numbers(self, name):
        ...         return np.array([1.0, 6.0, 7.0] if name == "x" else [0.0, 3.0, 9.0])
        ...     def words(self, name):
        ...         return []
        >>> rows_of("x > 5 and not `the mass` == 9", Two())
        array([False,  True, False])
    """
    return _Reader(text, columns).all()


class _Reader:
    def __init__(self, text: str, columns: Columns) -> None:
        self.text, self.columns = text, columns
        self.tokens = _tokens(text)
        self.at = 0

    def all(self) -> Any:
        rows = self.either(0)
        if self.at < len(self.tokens):
            raise self.wrong(f"has {self.tokens[self.at][1]!r} where it could end")
        return rows

    def either(self, depth: int) -> Any:
        rows = self.both(depth)
        while self.taken("or"):
            rows = rows | self.both(depth)
        return rows

    def both(self, depth: int) -> Any:
        rows = self.single(depth)
        while self.taken("and"):
            rows = rows & self.single(depth)
        return rows

    def single(self, depth: int) -> Any:
        if depth > DEEPEST:
            raise self.wrong(f"has more than {DEEPEST} brackets inside each other")
        if self.taken("not"):
            return ~self.single(depth + 1)
        if self.taken("("):
            rows = self.either(depth + 1)
            if not self.taken(")"):
                raise self.wrong("lacks a ')'")
            return rows
        return self.comparison()

    def comparison(self) -> Any:
        left, rows = self.value(), None
        while compare := self.compared():
            right = self.value()
            here = compare(left, right)
            left, rows = right, here if rows is None else rows & here
        if rows is None or isinstance(rows, bool):
            raise self.wrong("has a value that is compared with no column")
        return rows

    def value(self) -> Any:
        kind, text = self.next()
        if kind == "number":
            return float(text)
        if kind in ("word", "quoted"):
            return self.columns.numbers(
                check_column(ARGUMENT, text, self.columns.names)
            )
        raise self.wrong(f"has {text!r} where a column or a number must be")

    def compared(self) -> Callable | None:
        if self.at < len(self.tokens) and self.tokens[self.at][0] == "sign":
            found = COMPARISONS.get(self.tokens[self.at][1])
            self.at += found is not None
            return found
        return None

    def taken(self, text: str) -> bool:
        """Whether the next token is this word or sign, which is then behind us."""
        here = self.at < len(self.tokens) and self.tokens[self.at] in (
            ("sign", text),
            ("operator", text),
        )
        self.at += here
        return here

    def next(self) -> Token:
        if self.at == len(self.tokens):
            raise self.wrong("ends where a column or a number must be")
        self.at += 1
        return self.tokens[self.at - 1]

    def wrong(self, what: str) -> ValueError:
        return _wrong(self.text, what)


def _tokens(text: str) -> list[Token]:
    found, at = list[Token](), 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        if not (match := TOKEN.match(text, at)):
            raise _wrong(text, f"has {text[at]!r}, which is not understood")
        kind = str(match.lastgroup)
        word = match[kind]
        found.append(("operator" if kind == "word" and word in WORDS else kind, word))
        at = match.end()
    return found


def _wrong(text: str, what: str) -> ValueError:
    return ValueError(
        f"`{ARGUMENT}` (={shown(text)}) {what}. Write a condition on columns, such as "
        f"{EXAMPLE}, with < <= > >= == != and, or, not and brackets; names that are "
        "no plain words stand in `backquotes`."
    )

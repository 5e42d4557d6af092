"""A formula from JSON: every field is looked at; errors say which one is wrong."""

import json
import math
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from .._checks import is_finite, shown
from ..discover import Formula, Function, Node, Number, Product, Sum, Variable
from ._json import FORMAT, VERSION

DEEPEST = 100  # nodes in nodes
FUNCTIONS = ("sin", "cos", "exp", "log")
FRACTION = re.compile(r"-?[0-9]{1,400}(/[0-9]{1,400})?")


def from_json(text: str | bytes) -> Formula:
    """The formula of a JSON document that `to_json` wrote.

    Args:
        text: the document.

    Returns:
        The formula, with the same constants, standard errors and names, bit for bit.

    Raises:
        ValueError: it is no such document; the message names the field.

    Examples:
        >>> from arithmax.readout import from_json
        >>> from_json('{"format": "arithmax.formula", "version": 9}')
        Traceback (most recent call last):
        ValueError: `version` (=9) must be 1; a later version of arithmax wrote this.
    """
    document = _object("the document", _loaded(text))
    if document.get("format") != FORMAT:
        raise _wrong("format", document.get("format"), f"must be {FORMAT!r}")
    if document.get("version") != VERSION or document["version"] is True:
        words = f"must be {VERSION}; a later version of arithmax wrote this"
        raise _wrong("version", document.get("version"), words)
    _check_fields("the document", document, "format version names text root")
    names = document["names"]
    if not isinstance(names, list) or not all(isinstance(n, str) for n in names):
        raise _wrong("names", names, "must be a list of strings")
    return Formula(_Reader(len(names)).node("root", document["root"]), tuple(names))


def _loaded(text: Any) -> Any:
    if not isinstance(text, str | bytes):
        raise TypeError(f"`text` (={shown(text)}) must be a string of JSON.")
    try:
        return json.loads(text, parse_constant=_constant, object_pairs_hook=_pairs)
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise ValueError(
            f"`text` (={shown(text)}) is no JSON: {error}. Read a file that `to_json` "
            "wrote."
        ) from None
    except RecursionError:
        raise _too_deep() from None


def _constant(name: str) -> Any:
    raise ValueError(f"`text` has {name}, which is no JSON. Numbers must be finite.")


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"`text` has the field {twice!r} twice in one object.")
    return made


def _too_deep() -> ValueError:
    return ValueError(f"`root` has more than {DEEPEST} nodes in nodes.")


def _wrong(path: str, value: Any, words: str) -> ValueError:
    return ValueError(f"`{path}` (={shown(value)}) {words}.")


def _object(path: str, value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _wrong(path, value, "must be an object in braces")
    return value


def _check_fields(path: str, value: dict[str, Any], fields: str) -> None:
    expected = fields.split()
    if missing := [name for name in expected if name not in value]:
        raise ValueError(f"`{path}` must have the field {missing[0]!r}.")
    if others := [name for name in value if name not in expected]:
        raise ValueError(
            f"`{path}` has the field {shown(others[0])}; its fields are "
            f"{', '.join(expected)}."
        )


class _Reader:
    def __init__(self, columns: int) -> None:
        self.columns = columns
        self.kinds: dict[str, Callable[[str, dict[str, Any], int], Node]] = {
            "variable": self._variable,
            "function": self._function,
            "sum": self._sum,
            "product": self._product,
        }

    def node(self, path: str, value: Any, depth: int = 0) -> Node:
        if depth > DEEPEST:
            raise _too_deep()
        kinds = [kind for kind in self.kinds if kind in _object(path, value)]
        if len(kinds) != 1:
            words = f"must have one of the fields {', '.join(self.kinds)}"
            raise _wrong(path, value, words)
        return self.kinds[kinds[0]](path, value, depth + 1)

    def _variable(self, path: str, value: dict[str, Any], depth: int) -> Node:
        _check_fields(path, value, "variable")
        index = _whole(f"{path}.variable", value["variable"])
        if not 0 <= index < self.columns:
            words = f"must be at least 0 and below {self.columns}, which `names` has"
            raise _wrong(f"{path}.variable", index, words)
        return Variable(index)

    def _function(self, path: str, value: dict[str, Any], depth: int) -> Node:
        _check_fields(path, value, "function argument")
        name = value["function"]
        if name not in FUNCTIONS:
            words = f"must be one of {', '.join(FUNCTIONS)}"
            raise _wrong(f"{path}.function", name, words)
        return Function(name, self.node(f"{path}.argument", value["argument"], depth))

    def _sum(self, path: str, value: dict[str, Any], depth: int) -> Node:
        pairs = self._list(path, value, ("sum", "coefficient", "term"), depth)
        return Sum(tuple(n for n, _ in pairs), tuple(t for _, t in pairs))

    def _product(self, path: str, value: dict[str, Any], depth: int) -> Node:
        pairs = self._list(path, value, ("product", "exponent", "factor"), depth)
        return Product(tuple(n for n, _ in pairs), tuple(t for _, t in pairs))

    def _list(
        self, path: str, value: dict[str, Any], words: tuple[str, str, str], depth: int
    ) -> list[tuple[Number, Node]]:
        kind, constant, below = words
        _check_fields(path, value, kind)
        if not isinstance(value[kind], list):
            raise _wrong(f"{path}.{kind}", value[kind], "must be a list")
        pairs = []
        for i, entry in enumerate(value[kind]):
            place = f"{path}.{kind}[{i}]"
            _check_fields(place, _object(place, entry), f"{constant} {below}")
            number = _number(f"{place}.{constant}", entry[constant])
            pairs.append((number, self.node(f"{place}.{below}", entry[below], depth)))
        return pairs


def _whole(path: str, value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise _wrong(path, value, "must be a whole number")
    return value


def _number(path: str, value: Any) -> Number:
    _check_fields(path, _object(path, value), "value exact error")
    if not is_finite(value["value"]):
        raise _wrong(f"{path}.value", value["value"], "must be a finite number")
    constant, error = float(value["value"]), _error(f"{path}.error", value["error"])
    if value["exact"] is None:
        return Number(constant, None, error)
    exact = _exact(f"{path}.exact", value["exact"])
    if not math.isclose(constant, _value(*exact), rel_tol=1e-12):
        words = f"must be the number that {path}.exact says"
        raise _wrong(f"{path}.value", constant, words)
    return Number(constant, exact, error)


def _error(path: str, value: Any) -> float:
    if value is None or value == "infinite":
        return math.nan if value is None else math.inf
    if not is_finite(value) or value < 0:
        raise _wrong(path, value, 'must be a number of at least 0, null or "infinite"')
    return float(value)


def _exact(path: str, value: Any) -> tuple[Fraction, int]:
    _check_fields(path, _object(path, value), "fraction pi")
    fraction, pi = value["fraction"], _whole(f"{path}.pi", value["pi"])
    if not isinstance(fraction, str) or not FRACTION.fullmatch(fraction):
        words = "must be a fraction such as '3/4' or '2'"
        raise _wrong(f"{path}.fraction", fraction, words)
    if abs(pi) > 100:
        raise _wrong(f"{path}.pi", pi, "must be at least -100 and at most 100")
    try:
        return Fraction(fraction), pi
    except ZeroDivisionError:
        raise _wrong(f"{path}.fraction", fraction, "must not divide by 0") from None


def _value(fraction: Fraction, pi: int) -> float:
    try:
        return float(fraction) * math.pi**pi
    except OverflowError:
        return math.inf

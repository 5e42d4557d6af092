"""Errors that name the argument, its value and the remedy."""

import dataclasses
import difflib
import math
import types
import typing
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from numbers import Real
from typing import Any, TypeAlias

Bounds: TypeAlias = tuple[float | None, float | None]  # the least and the most
WORD = 2**32 - 1  # the most that seeds, steps and sizes are counted to
LONG = 120  # characters of a value from which a message shows its beginning only


def shown(value: Any) -> str:
    """`value` as a message shows it, however long or odd it is."""
    try:
        text = repr(value)
    except Exception:  # Python refuses to write an integer of many digits
        return f"<{type(value).__name__} that cannot be shown>"
    return text if len(text) <= LONG else f"{text[:LONG]}…"


def plain(value: Any) -> Any:
    """Numbers and arrays of NumPy as Python's, and lists as tuples.

    A run is named by the `repr` of its settings, so that equal ones must look alike.
    """
    if isinstance(value, tuple | list):
        return tuple(map(plain, value))
    return plain(value.tolist()) if hasattr(value, "tolist") else value


def choose(argument: str, value: Any, choices: Iterable[str | None]) -> Any:
    """`value` if it is one of `choices`; otherwise an error naming the nearest."""
    choices = list(choices)
    if isinstance(value, str | None) and value in choices:
        return value
    near = difflib.get_close_matches(str(value), map(str, choices), n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    listed = ", ".join(repr(c) for c in choices)
    raise ValueError(f"`{argument}` (={shown(value)}) must be one of {listed}.{hint}")


def position_of(argument: str, value: Any, names: Sequence[str]) -> int:
    """Which of some names is meant: by its name, or by its position from 0 on."""
    at = plain(value)
    if not isinstance(at, int) or isinstance(at, bool):
        return list(names).index(choose(argument, at, names))
    check_whole(argument, at, 0, len(names) - 1)
    return at


def check_options(cls: type, options: Iterable[str]) -> None:
    """Every option must be a field of the dataclass `cls`."""
    fields = [f.name for f in dataclasses.fields(cls)]
    for option in options:
        if option not in fields:
            near = difflib.get_close_matches(option, fields, n=1)
            hint = f" Did you mean `{near[0]}`?" if near else ""
            known = ", ".join(f"`{f}`" for f in fields) or "none"
            raise TypeError(
                f"`{option}` is not an option of {cls.__name__}; its options are "
                f"{known}.{hint}"
            )


def check_count(cls: type, values: tuple) -> None:
    """There must be no more values than the dataclass `cls` has options."""
    known = [f.name for f in dataclasses.fields(cls) if f.init]
    if len(values) > len(known):
        names = ", ".join(f"`{name}`" for name in known) or "none"
        raise TypeError(
            f"`{cls.__name__}` (given {shown(values)}) must have at most {len(known)} "
            f"values; its options are {names}."
        )


def check_hashable(name: str, value: Any) -> None:
    """`value` must be able to name a run and its program."""
    try:
        hash(value)
    except TypeError:
        raise TypeError(
            f"`{name}` (={shown(value)}) must be hashable, since it names a run and "
            "its program: use numbers, strings or tuples of them."
        ) from None


@cache
def _annotations(cls: type) -> tuple[tuple[str, tuple, tuple[str, ...]], ...]:
    """Each field of a dataclass, what it may be, and the words it may be one of."""
    found = []
    hints = typing.get_type_hints(cls)
    for field in dataclasses.fields(cls):
        kind = hints[field.name]
        union = typing.get_origin(kind) in (typing.Union, types.UnionType)
        kinds = typing.get_args(kind) if union else (kind,)
        words = [a for k in kinds for a in typing.get_args(k) if isinstance(a, str)]
        found.append((field.name, kinds, tuple(words)))
    return tuple(found)


def check_fields(thing: Any, bounds: Mapping[str, Bounds] | None = None) -> None:
    """Every field must hold a value that its annotation and its bounds allow.

    Values of NumPy become Python's. A number without bounds must not be negative if
    it may be fractional, and may be any if it is whole.
    """
    bounds = bounds or {}
    for name, kinds, words in _annotations(type(thing)):
        value = vars(thing)[name]
        if type(value) not in (str, bool, int, float):
            value = vars(thing)[name] = plain(value)
        if value is None and type(None) in kinds:
            continue
        if words:
            choose(name, value, (None, *words) if type(None) in kinds else words)
        elif bool in kinds and not isinstance(value, bool):
            raise TypeError(f"`{name}` (={shown(value)}) must be True or False.")
        elif int in kinds:
            check_whole(name, value, *bounds.get(name, (None, None)))
        elif float in kinds:
            vars(thing)[name] = check_number(name, value, *bounds.get(name, (0, None)))
        elif str in kinds and not isinstance(value, str):
            raise TypeError(f"`{name}` (={shown(value)}) must be a string.")
        elif typing.get_origin(kinds[0]) is tuple:
            check_entries(name, value, typing.get_args(kinds[0])[0])


def within(value: float, least: float | None, most: float | None) -> bool:
    """Whether a number lies between two others, of which each may be missing."""
    return (least is None or value >= least) and (most is None or value <= most)


def said(least: float | None, most: float | None) -> str:
    """The bounds of a number in words."""
    ends = {"at least": least, "at most": most}
    words = [f"{word} {end}" for word, end in ends.items() if end is not None]
    return f", {' and '.join(words)}" if words else ""


def check_whole(
    name: str, value: Any, least: float | None = None, most: float | None = None
) -> None:
    """`value` must be a whole number between two others."""
    whole = isinstance(value, int) and not isinstance(value, bool)
    if not whole or not within(value, least, most):
        raise ValueError(
            f"`{name}` (={shown(value)}) must be a whole number{said(least, most)}."
        )


def check_number(
    name: str, value: Any, least: float | None = 0, most: float | None = None
) -> float:
    """`value`, which must be a finite number between two others."""
    if not is_finite(value) or not within(value, least, most):
        raise ValueError(
            f"`{name}` (={shown(value)}) must be a finite number{said(least, most)}."
        )
    return float(value)


def is_finite(value: Any) -> bool:
    """Whether `value` is a number that a float can hold."""
    try:
        number = isinstance(value, Real) and not isinstance(value, bool)
        return number and math.isfinite(float(value))
    except OverflowError:  # a whole number of more than 308 digits
        return False


ENTRIES = {
    int: (lambda v: isinstance(v, int) and not isinstance(v, bool), "whole numbers"),
    float: (is_finite, "finite numbers"),
    str: (lambda v: isinstance(v, str), "strings"),
}


def check_entries(name: str, value: Any, kind: type) -> None:
    """`value` must be a tuple whose entries are all of a kind."""
    fits, words = ENTRIES.get(kind, (lambda v: True, "values"))
    if not isinstance(value, tuple) or not all(map(fits, value)):
        raise TypeError(f"`{name}` (={shown(value)}) must be a tuple of {words}.")

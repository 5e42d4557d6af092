"""Errors that name the argument, its value and the remedy."""

import dataclasses
import difflib
import math
import types
import typing
from collections.abc import Iterable
from numbers import Real
from typing import Any


def choose(argument: str, value: Any, choices: Iterable[str | None]) -> Any:
    """`value` if it is one of `choices`; otherwise an error naming the nearest."""
    choices = list(choices)
    if value in choices:
        return value
    near = difflib.get_close_matches(str(value), map(str, choices), n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    listed = ", ".join(repr(c) for c in choices)
    raise ValueError(f"`{argument}` (={value!r}) must be one of {listed}.{hint}")


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


def check_fields(unit: Any) -> None:
    """Every field must hold a value that its annotation allows."""
    for name, kind in typing.get_type_hints(type(unit)).items():
        if name not in {f.name for f in dataclasses.fields(unit)}:
            continue
        value = vars(unit)[name]
        union = typing.get_origin(kind) in (typing.Union, types.UnionType)
        kinds = typing.get_args(kind) if union else (kind,)
        if value is None and type(None) in kinds:
            continue
        literals = [a for k in kinds for a in typing.get_args(k) if isinstance(a, str)]
        if literals:
            choose(name, value, literals)
        elif bool in kinds and not isinstance(value, bool):
            raise TypeError(f"`{name}` (={value!r}) must be True or False.")
        elif float in kinds:
            check_number(name, value)


def check_number(name: str, value: Any) -> None:
    """`value` must be a finite number that is not negative."""
    number = isinstance(value, Real) and not isinstance(value, bool)
    if not number or not math.isfinite(float(value)) or value < 0:
        raise ValueError(f"`{name}` (={value!r}) must be a finite number, at least 0.")

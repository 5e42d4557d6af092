"""The unit that `--unit` names, with its options or from a file."""

import ast
from collections.abc import Callable
from typing import Any, TypeAlias

from .._own_code import own_file
from ..units import Unit, unit_name
from ..units import unit as unit_of

# What a unit changes in the protocol of a task: nothing, if it is the package's.
Settings: TypeAlias = Callable[[Any], dict[str, Any]]


def given_unit(text: str) -> tuple[Unit, Settings]:
    """`nalu:tied=false`, or `FILE.py:NAME`, as a unit and the settings it brings."""
    if own_file(text) is not None:
        from ..benchmark import user_unit

        loaded = user_unit(text)
        return loaded.unit, loaded.recipe
    return _registered(text), lambda task: {}


def _registered(text: str) -> Unit:
    name, colon, rest = text.partition(":")
    unit_name("unit", name)  # an error that names the argument
    options: dict[str, Any] = {}
    for part in rest.split(",") if colon else ():
        option, equals, value = (word.strip() for word in part.partition("="))
        if not option or not equals or not value or option in options:
            raise ValueError(
                f"`unit` (={text!r}) must have its options as name=value, each once, "
                "such as nalu:tied=false,gate_bias=true."
            )
        options[option] = value_of(value)
    return unit_of(name, **options)


def value_of(text: str) -> Any:
    """`false`, `none`, `1e-5` as Python has them; all else is a string."""
    try:
        return ast.literal_eval(text.capitalize())
    except (ValueError, SyntaxError):
        return text

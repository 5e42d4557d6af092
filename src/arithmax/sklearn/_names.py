"""Names of columns as formulas can be written with them."""

import keyword
import re
from collections.abc import Sequence
from typing import Any

from ..discover import FUNCTIONS

RESERVED = {"pi", "sqrt", *FUNCTIONS}  # what the text of a formula uses by itself


def symbols(names: Sequence[Any]) -> tuple[str, ...]:
    """Each name as one that Python and SymPy read as a variable, none twice.

    Examples:
        >>> from arithmax.sklearn._names import symbols
        >>> symbols(["mass", "flow rate (m/s)", "lambda", "pi", "2a", "2 a"])
        ('mass', 'flow_rate_m_s', 'lambda_', 'pi_', '_2a', '_2_a')
        >>> symbols(["a b", "a-b"])
        ('a_b', 'a_b_2')
    """
    found: list[str] = []
    for position, name in enumerate(names):
        plain, number = _identifier(str(name), position), 2
        unique = plain
        while unique in found:
            unique, number = f"{plain}_{number}", number + 1
        found.append(unique)
    return tuple(found)


def _identifier(name: str, position: int) -> str:
    if name.isidentifier():
        plain = name
    else:
        plain = re.sub(r"\W+", "_", name).strip("_") or f"x{position}"
        plain = plain if plain.isidentifier() else f"_{plain}"
    taken = keyword.iskeyword(plain) or plain in RESERVED
    return f"{plain}_" if taken else plain


def column_names(table: Any) -> list[Any] | None:
    """The names of the columns of a data frame or a series; None for an array."""
    if (columns := getattr(table, "columns", None)) is not None:
        return list(columns)
    name = getattr(table, "name", None)
    return None if name is None else [name]

"""Messages for arguments that every reader and writer of formulas has."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from .._checks import shown
from ..discover import Formula


def check_formula(formula: Any) -> Formula:
    """`formula`, which must be one."""
    if not isinstance(formula, Formula):
        raise TypeError(
            f"`formula` (={shown(formula)}) must be a formula: that of a discovery or "
            "a reading, or one that `parse` makes of a text."
        )
    return formula


def column_names(names: Any, columns: int | None = None) -> tuple[str, ...]:
    """The names of columns as a tuple; there must be so many, if that is known."""
    several = isinstance(names, Iterable) and not isinstance(names, str)
    made = tuple(names) if several else ()
    right = several and all(isinstance(name, str) for name in made)
    if not right or columns not in (None, len(made)):
        count = "a list of strings" if columns is None else f"{columns} strings"
        raise ValueError(
            f"`names` (={shown(names)}) must be {count}, one for each column."
        )
    return made


def finite_array(name: str, value: Any, axes: int) -> np.ndarray:
    """`value` as finite float64 numbers with so many axes, from any framework."""
    try:
        array = as_array(value)
    except (TypeError, ValueError):
        array = np.array(np.nan)
    if array.ndim != axes or not np.isfinite(array).all():
        shape = "[row, column]" if axes == 2 else "[row]"
        raise ValueError(
            f"`{name}` (shape {np.shape(value)}) must be finite numbers {shape}. Drop "
            "rows that are NaN or infinite."
        )
    return array


def as_array(value: Any) -> np.ndarray:
    """An array of NumPy, JAX or PyTorch as one of NumPy in float64."""
    if hasattr(value, "detach"):  # PyTorch
        value = value.detach().cpu().double().numpy()
    return np.asarray(value, dtype=np.float64)

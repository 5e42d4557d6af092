"""What a search is given: checked before any work is done."""

from typing import Any, NamedTuple

import numpy as np

from .._checks import check_whole, shown
from ..tasks import as_inputs, as_targets

FEWEST = 3  # rows: with fewer nothing can be told apart


class GivenRows(NamedTuple):
    """Inputs [row, column], targets [row], names, and what each row counts."""

    x: np.ndarray
    y: np.ndarray
    names: tuple[str, ...]
    weight: np.ndarray | None


def given_rows(x: Any, y: Any, names: Any, weight: Any, seed: Any) -> GivenRows:
    """The rows as arrays; an error says which argument is wrong, and what helps."""
    x, y = inputs_and_target(x, y, "x", "y")
    check_whole("seed", seed, 0)
    return GivenRows(x, y, given_names(names, x.shape[1]), given_weight(weight, len(x)))


def check_rows(rows: int) -> None:
    """A target that varies needs some rows."""
    if rows < FEWEST:
        raise ValueError(
            f"`x` (with {rows} rows) must have at least {FEWEST} rows, which tell "
            "formulas apart."
        )


def inputs_and_target(
    x: Any, y: Any, x_name: str, y_name: str
) -> tuple[np.ndarray, np.ndarray]:
    """Finite inputs of two axes, and one target for each row."""
    inputs = np.asarray(as_inputs(x, x_name))
    if inputs.ndim != 2:
        raise ValueError(
            f"`{x_name}` (of shape {inputs.shape}) must have one row for each "
            "measurement and one column for each input."
        )
    targets = np.asarray(as_targets(y, len(inputs), y_name))
    if targets.shape[1] != 1:
        raise ValueError(
            f"`{y_name}` (of shape {targets.shape}) must have one target for each row. "
            "Search for a formula of each target by itself."
        )
    return inputs, targets[:, 0]


def given_names(names: Any, width: int) -> tuple[str, ...]:
    """One name for each column, x1, x2, … if none are given."""
    if names is None:
        return tuple(f"x{i + 1}" for i in range(width))
    listed = tuple(names) if hasattr(names, "__iter__") else ()
    if len(listed) != width or not all(isinstance(n, str) and n for n in listed):
        raise ValueError(
            f"`names` (={shown(names)}) must hold {width} strings, one for each column."
        )
    if len(set(listed)) < width:
        raise ValueError(f"`names` (={shown(names)}) must hold each name once.")
    return tuple(map(str, listed))


def given_weight(weight: Any, rows: int) -> np.ndarray | None:
    """What each row counts: none below zero, and not all zero."""
    if weight is None:
        return None
    try:
        found = np.asarray(weight, np.float64)
    except (TypeError, ValueError):
        found = np.full(1, np.nan)
    if found.shape != (rows,) or not np.isfinite(found).all() or (found < 0).any():
        raise ValueError(
            f"`sample_weight` (={shown(weight)}) must hold {rows} finite numbers of at "
            "least 0, one for each row."
        )
    if not found.any():
        raise ValueError(
            f"`sample_weight` (={shown(weight)}) must be above 0 for some rows."
        )
    return found


def given_outside(outside: Any, width: int) -> tuple[np.ndarray, np.ndarray] | None:
    """Inputs and targets of rows outside, with as many columns as the others."""
    if outside is None:
        return None
    if not isinstance(outside, tuple | list) or len(outside) != 2:
        raise TypeError(
            f"`outside` (={shown(outside)}) must be a pair of inputs and targets, or "
            "None."
        )
    x, y = inputs_and_target(outside[0], outside[1], "outside[0]", "outside[1]")
    if x.shape[1] != width:
        raise ValueError(
            f"`outside[0]` (of shape {x.shape}) must have {width} columns, as `x` has."
        )
    return x, y

"""The rows that the estimator is given, checked and taken apart by target."""

from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float
from sklearn.base import BaseEstimator
from sklearn.utils import check_array
from sklearn.utils.validation import _check_sample_weight, validate_data

from ._names import frame_names
from ._rows import farthest

# Types of data frames that hold no numbers; others are tried, as scikit-learn does.
TEXTS = ("str", "category", "categorical", "date", "time", "duration")


LARGEST = 1e100  # squares of sums of powers of larger numbers overflow


class Given(NamedTuple):
    """The rows of one target, and those outside, which decide nothing."""

    x: Float[np.ndarray, "row column"]
    y: Float[np.ndarray, " row"]
    weight: Float[np.ndarray, " row"]
    outside: tuple[np.ndarray, np.ndarray] | None


def training_rows(model: BaseEstimator, X: Any, y: Any) -> tuple[Any, Any]:
    """Inputs [row, column] and targets [row] or [row, target] as floats.

    The model learns the number and the names of the columns.
    """
    check_numeric("X", X)
    checked: Any = validate_data(
        model,
        X,
        y,
        dtype=np.float64,
        multi_output=True,
        y_numeric=True,
        ensure_min_samples=2,
    )
    x, targets = checked[0], np.asarray(checked[1], dtype=np.float64)
    check_size("X", x)
    check_size("y", targets)
    return x, targets


def check_size(name: str, numbers: Float[np.ndarray, "..."]) -> None:
    """Numbers must be such that their squares are numbers too."""
    size = float(np.abs(numbers).max())
    if size > LARGEST or (name == "y" and 0 < size < 1 / LARGEST):
        raise ValueError(
            f"`{name}` (of which the largest is {size!r}) must lie between 1e-100 and "
            "1e100 in magnitude. Choose another unit of measurement."
        )


def new_rows(model: BaseEstimator, X: Any) -> Float[np.ndarray, "row column"]:
    """Inputs with the columns that the model was fitted to."""
    check_numeric("X", X)
    checked: Any = validate_data(model, X, reset=False, dtype=np.float64)
    return checked


def by_target(
    x: Float[np.ndarray, "row column"],
    targets: Float[np.ndarray, "row target"],
    weight: Float[np.ndarray, " row"],
    outside: tuple[np.ndarray, np.ndarray] | None,
    share: float,
) -> list[Given]:
    """The rows of each target.

    Args:
        x: the inputs.
        targets: the targets.
        weight: what each row counts.
        outside: rows that decide nothing.
        share: the share of the others, farthest from their middle, that join them;
            they then count nothing.
    """
    used = np.flatnonzero(weight > 0)
    far = used[farthest(x[used], share)] if share else used[:0]
    weight = weight.copy()
    weight[far] = 0.0
    if (weight > 0).sum() < 2:
        raise ValueError(
            f"`extrapolation` (={share!r} of {len(used)} rows) must leave at least 2 "
            "rows to search on. Give a smaller share, or None."
        )
    apart = [outside] if outside is not None else []
    apart += [(x[far], targets[far])] if far.size else []
    both = [np.concatenate(parts) for parts in zip(*apart, strict=True)]
    return [
        Given(x, targets[:, k], weight, (both[0], both[1][:, k]) if both else None)
        for k in range(targets.shape[1])
    ]


def check_numeric(name: str, table: Any) -> None:
    """The columns of a data frame must hold numbers."""
    columns, kinds = frame_names(table), getattr(table, "dtypes", None)
    if columns is None or kinds is None or not hasattr(table, "columns"):
        return
    for column, kind in zip(columns, kinds, strict=True):
        if str(kind).lower().startswith(TEXTS):
            raise ValueError(
                f"`{name}` (with column {column!r} of type {kind}) must hold numbers. "
                "Leave the column out, or turn it into numbers."
            )


def weights_of(
    sample_weight: Any, x: Float[np.ndarray, "row column"]
) -> Float[np.ndarray, " row"]:
    """What each row counts."""
    weight = _check_sample_weight(sample_weight, x, dtype=np.float64)
    if (weight < 0).any():
        row = int(np.flatnonzero(weight < 0)[0])
        raise ValueError(
            f"`sample_weight` (={float(weight[row])!r} in row {row}) must not be "
            "negative. Give 0 to rows that shall not count."
        )
    if (used := int((weight > 0).sum())) < 2:
        raise ValueError(
            f"`sample_weight` (above 0 in {used} of {len(weight)} rows) must leave at "
            "least 2 rows that count."
        )
    return weight


def outside_rows(
    model: BaseEstimator, x: Any, y: Any, targets: Float[np.ndarray, "row target"]
) -> tuple[np.ndarray, np.ndarray] | None:
    """The rows outside that were given to `fit`; None if there are none."""
    if x is None and y is None:
        return None
    if x is None or y is None:
        missing, given = ("X", "y") if x is None else ("y", "X")
        raise ValueError(
            f"`{missing}_outside` (=None) must be given with `{given}_outside`: inputs "
            "and targets belong together."
        )
    inputs = new_rows(model, x)
    checked: Any = check_array  # its annotations are narrower than what it takes
    truth = checked(y, ensure_2d=False, dtype=np.float64, input_name="y_outside")
    truth = truth.reshape(len(truth), -1)
    if truth.shape != (len(inputs), targets.shape[1]):
        raise ValueError(
            f"`y_outside` (with {truth.shape[0]} rows and {truth.shape[1]} targets) "
            f"must have {len(inputs)} rows, as `X_outside` has, and "
            f"{targets.shape[1]} targets, as `y` has."
        )
    return inputs, truth

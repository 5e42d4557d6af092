"""Rows that a user gave as arrays: checked, named, and cut into splits."""

import hashlib
from typing import Any

from .._arrays import Array
from .._checks import shown
from ._splits import EXTRAPOLATION, HELD_OUT, TRAINING
from ._task import Split


class Table:
    """Inputs [row, ...], targets [row, output] and the split of each row."""

    def __init__(
        self,
        x: Array,
        y: Array,
        labels: Array,
        input_names: tuple[str, ...],
        target_names: tuple[str, ...],
    ) -> None:
        self.x, self.y, self.labels = x, y, labels
        self.input_names, self.target_names = input_names, target_names

    def digest(self) -> str:
        """What tells this table from every other."""
        hashed = hashlib.sha256()
        for array in (self.x, self.y, self.labels):
            hashed.update(f"{array.shape} {array.dtype.str}".encode())
            hashed.update(array.tobytes())
        return hashed.hexdigest()[:16]

    def splits(self) -> dict[Split, tuple[Array, Array]]:
        """Inputs and targets of each split, features first, for reading only."""
        outside = EXTRAPOLATION if (self.labels == EXTRAPOLATION).any() else HELD_OUT
        return {
            "training": self._rows(TRAINING),
            "interpolation": self._rows(HELD_OUT),
            "extrapolation": self._rows(outside),
        }

    def _rows(self, label: int) -> tuple[Array, Array]:
        import numpy as np

        here = self.labels == label
        cut = [np.moveaxis(array[here], 0, -1).copy() for array in (self.x, self.y)]
        for array in cut:
            array.setflags(write=False)
        return cut[0], cut[1]


def as_inputs(x: Any, argument: str = "x", names: Any = None) -> Array:
    """Inputs as an array [row, ...] of finite numbers."""
    found = _numbers(argument, x)
    if found.ndim < 2:
        raise ValueError(
            f"`{argument}` (of shape {found.shape}) must be a table [row, input]. "
            "`x.reshape(-1, 1)` makes one of a single input."
        )
    _check(argument, found, names)
    return found


def as_targets(y: Any, rows: int, argument: str = "y", names: Any = None) -> Array:
    """Targets as an array [row, output] of finite numbers."""
    found = _numbers(argument, y)
    if found.ndim == 1:
        found = found[:, None]
    if found.ndim != 2 or len(found) != rows:
        raise ValueError(
            f"`{argument}` (of shape {found.shape}) must have the shape [row] or [row, "
            f"output], with one target for each of {rows} rows."
        )
    _check(argument, found, names)
    return found


def checked_names(
    x: Array, y: Array, names: Any, targets: Any
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names of inputs and outputs, given or made up."""
    count, outputs = x.shape[1] if x.ndim == 2 else 0, y.shape[1]
    made = ("y",) if outputs == 1 else tuple(f"y{i + 1}" for i in range(outputs))
    own = tuple(f"x{i + 1}" for i in range(count))
    inputs = own if names is None else _names("names", names, count)
    outs = made if targets is None else _names("targets", targets, outputs)
    for name in outs:
        if name in inputs:
            argument = "names" if targets is None else "targets"
            raise ValueError(
                f"`{argument}` (with {name!r}) must name inputs and targets "
                "differently. Rename one."
            )
    return inputs, outs


def _names(argument: str, given: Any, count: int) -> tuple[str, ...]:
    if isinstance(given, str) or not hasattr(given, "__iter__"):
        raise TypeError(f"`{argument}` (={shown(given)}) must be a list of names.")
    listed = tuple(given)
    if not all(isinstance(name, str) and name.strip() for name in listed):
        raise TypeError(
            f"`{argument}` (={shown(given)}) must hold strings that are not empty."
        )
    if len(listed) != count:
        raise ValueError(
            f"`{argument}` (={shown(given)}) must hold {count} names, one per column."
        )
    for name in listed:
        if listed.count(name) > 1:
            raise ValueError(
                f"`{argument}` (with {name!r} again) must hold each name once."
            )
    return tuple(map(str, listed))


def _numbers(argument: str, given: Any) -> Array:
    import numpy as np

    if np.ma.is_masked(given):
        raise ValueError(
            f"`{argument}` (a masked array) must hold no masked values. Remove their "
            "rows, or fill them."
        )
    try:
        found = np.asarray(given)
        if found.dtype.kind not in "biufO":
            raise TypeError
        return found.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        raise TypeError(
            f"`{argument}` (={shown(given)}) must be an array of real numbers, all "
            "rows of one length."
        ) from None


def _check(argument: str, found: Array, names: Any) -> None:
    """There must be rows and columns, and finite numbers in them."""
    import numpy as np

    if not found.size:
        raise ValueError(
            f"`{argument}` (of shape {found.shape}) must have at least one row and one "
            "column."
        )
    wrong = np.argwhere(~np.isfinite(found))
    if len(wrong):
        row, *place = map(int, wrong[0])
        column = names[place[0]] if names else place[0] if len(place) == 1 else place
        raise ValueError(
            f"`{argument}` (with {found[tuple(wrong[0])]} in row {row}, column "
            f"{column!r}) must hold finite numbers. Remove or correct the row; "
            f"{len(set(wrong[:, 0].tolist()))} of {len(found)} rows have such values."
        )

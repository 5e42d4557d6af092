"""Which rows of a table are trained on, held out, or kept for extrapolation."""

from collections.abc import Sequence
from numbers import Real
from typing import Any

from .._arrays import Array
from .._checks import shown

TRAINING, HELD_OUT, EXTRAPOLATION = range(3)
SPLIT_NAMES = ("training", "held_out", "extrapolation")


def labelled(x: Array, held_out: Any, extrapolation: Any, seed: int) -> Array:
    """The split of each row: 0 is training, 1 held out, 2 extrapolation.

    Rows that a user names come first. A share of the others is then kept for
    extrapolation, those farthest from the mean in standardised inputs, and a share is
    held out at random.

    Args:
        x: the inputs [row, ...].
        held_out: a share of all rows, a mask, or row numbers.
        extrapolation: the same, or None: no rows of its own.
        seed: what rows are held out with.

    Returns:
        A whole number per row.
    """
    import numpy as np

    count = x.shape[0]
    labels = np.zeros(count, np.int8)
    named = [("held_out", HELD_OUT, held_out)]
    named += [("extrapolation", EXTRAPOLATION, extrapolation)]
    shares = {}
    for name, label, value in named:
        if value is None or isinstance(value, Real):
            shares[name] = _counted(name, value, count)
            continue
        rows = _rows(name, value, count)
        taken = rows[labels[rows] != TRAINING]
        if taken.size:
            raise ValueError(
                f"`{name}` (with row {taken[0]}) must not hold rows of `held_out`. "
                "Leave each row in one of the two."
            )
        labels[rows] = label
    far = _farthest(x, labels == TRAINING, shares.get("extrapolation", 0))
    labels[far] = EXTRAPOLATION
    free = np.flatnonzero(labels == TRAINING)
    order = np.random.default_rng(seed).permutation(free)
    labels[order[: shares.get("held_out", 0)]] = HELD_OUT
    return labels


def from_words(argument: str, column: str, words: Sequence[str]) -> Array:
    """The split of each row, from a column that names it."""
    import numpy as np

    for row, word in enumerate(words):
        if word not in SPLIT_NAMES:
            raise ValueError(
                f"`{argument}` (={column!r}) has {shown(word)} in row {row}. Each row "
                f"must be one of {', '.join(map(repr, SPLIT_NAMES))}."
            )
    return np.array([SPLIT_NAMES.index(word) for word in words], np.int8)


def check_labels(labels: Array) -> None:
    """There must be rows to train on, and others to choose the best step by."""
    counts = {name: int((labels == k).sum()) for k, name in enumerate(SPLIT_NAMES)}
    if not counts["held_out"]:
        raise ValueError(
            f"`held_out` (with 0 of {len(labels)} rows) must hold at least one row. "
            "Give a larger share, or rows."
        )
    if not counts["training"]:
        raise ValueError(
            f"`held_out` (with {counts['held_out']} rows) and `extrapolation` (with "
            f"{counts['extrapolation']}) leave none of {len(labels)} rows to train on. "
            "Give smaller shares, or more rows."
        )


def _counted(name: str, share: Any, count: int) -> int:
    """How many rows a share of them is."""
    if share is None or (share == 0 and not isinstance(share, bool)):
        return 0
    if isinstance(share, bool) or not 0 < share < 1:
        raise ValueError(
            f"`{name}` (={shown(share)}) must be a share between 0 and 1, a mask with "
            "True or False for each row, or row numbers."
        )
    rows = round(float(share) * count)
    if not rows:
        raise ValueError(
            f"`{name}` (={shown(share)}) of {count} rows is no row. Give a larger "
            "share, or more rows."
        )
    return rows


def outermost(x: Array, share: float) -> Array:
    """Which rows are farthest from the mean, in standardised inputs.

    Args:
        x: the inputs [row, ...].
        share: of all rows.

    Returns:
        True or False for each row.
    """
    import numpy as np

    far = np.zeros(len(x), bool)
    far[_farthest(x, ~far, _counted("share", share, len(x)))] = True
    return far


def _rows(name: str, value: Any, count: int) -> Array:
    """Rows that a mask or a list names."""
    import numpy as np

    try:
        given = np.asarray(value)
    except ValueError:  # lists of different lengths
        given = np.asarray(None)
    if given.ndim == 1 and not given.size:
        return np.zeros(0, np.int64)
    if given.ndim != 1 or given.dtype.kind not in "biu":
        raise TypeError(
            f"`{name}` (={shown(value)}) must be a share between 0 and 1, a mask with "
            "True or False for each row, or row numbers."
        )
    if given.dtype.kind == "b":
        if len(given) != count:
            raise ValueError(
                f"`{name}` (a mask of {len(given)}) must have one entry for each of "
                f"{count} rows."
            )
        return np.flatnonzero(given)
    wrong = given[(given < 0) | (given >= count)]
    if wrong.size:
        raise ValueError(
            f"`{name}` (with row {wrong[0]}) must hold row numbers from 0 to "
            f"{count - 1}."
        )
    unique, counts = np.unique(given, return_counts=True)
    if len(unique) < len(given):
        raise ValueError(
            f"`{name}` (with row {unique[counts > 1][0]} again) must hold each row "
            "once."
        )
    return given.astype(np.int64)


def _farthest(x: Array, free: Array, count: int) -> Array:
    """Of the free rows those farthest from the mean, in standardised inputs."""
    import numpy as np

    flat = x.reshape(len(x), -1)
    flat = flat / np.maximum(np.abs(flat).max(0), np.finfo(float).tiny)  # no overflow
    spread = flat.std(0)
    scores = (flat - flat.mean(0)) / np.where(spread > 0, spread, 1.0)
    distance = np.where(free, np.sum(scores**2, axis=1), -1.0)
    order = np.argsort(-distance, kind="stable")
    return order[: min(count, int(free.sum()))]

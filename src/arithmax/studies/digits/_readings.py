"""What networks read off images: one number, whose scale nobody told them."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .._evaluate import Trained
from .._study import Computed, columns
from ._weights import Reader, readers, some_of_each, tested, typical

EACH = 50  # test images of each digit that are read
PAIRS = 20  # of which so many are stored one by one


class Scale(NamedTuple):
    """How readings depend on the digit.

    Args:
        slope: of the line through readings against digits; its sign is the reader's.
        offset: the reading of that line at the digit 0.
        power: the slope of logarithms: of readings that are a power of the digit, the
            exponent.
        correlation: of readings and digits.
        told_apart: the share of images whose reading is nearest to the mean reading of
            their digit.
    """

    slope: float
    offset: float
    power: float
    correlation: float
    told_apart: float


def scale(readings: np.ndarray, digits: np.ndarray) -> Scale:
    """How readings depend on the digit; NaN where that has no meaning.

    Args:
        readings: one number for each image.
        digits: what is on it.
    """
    none = float("nan")
    if not np.isfinite(readings).all() or np.ptp(readings) == 0:
        return Scale(none, none, none, none, none)
    slope, offset = np.polyfit(digits, readings, 1)
    positive = (digits > 0) & (readings != 0)
    logs = np.log(digits[positive]), np.log(np.abs(readings[positive]))
    power = np.polyfit(*logs, 1)[0] if np.unique(logs[0]).size > 1 else none
    together = np.corrcoef(digits, readings)[0, 1]
    kinds = np.unique(digits)
    means = np.array([readings[digits == d].mean() for d in kinds])
    nearest = kinds[np.abs(readings[:, None] - means).argmin(axis=1)]
    apart = np.mean(nearest == digits)
    return Scale(*map(float, (slope, offset, power, together, apart)))


def readings(trained: Trained, shown: Sequence[str]) -> Computed:
    """Tables of what is read: of each digit and seed, one by one, and as pictures.

    Tables that cannot be made, since weights or images are not here, are left out.

    Args:
        trained: all runs.
        shown: the models that images are shown with.
    """
    tables: dict[str, list[tuple[Any, ...]]] = {n: [] for n in NAMES}
    for runs in trained.arms():
        labels = tuple(runs.arm.labels.values())
        for reader in readers(runs, trained):
            if (held := tested(reader.task)) is None:
                break
            images, digits = some_of_each(held, EACH)
            values = reader.read(images)[0].astype(np.float64)
            kept = digits.astype(np.float64)
            key = (*labels, reader.row["seed"])
            tables["readings"] += _by_digit(key, values, kept)
            tables["pairs"] += _pairs(key, values, kept)
            tables["readers"].append((*key, *scale(values, kept)))
        if runs.arm.labels["model"] in shown:
            tables["digits"] += _pictures(labels, typical(runs, trained))
    tables["scales"] = _ranges(tables["readers"])
    made = {n: columns(NAMES[n], rows) for n, rows in tables.items() if rows}
    return Computed(made)


KEY = ("images", "model", "seed")
RANGES = ("least slope", "greatest slope", "least power", "greatest power")
NAMES = {
    "readings": (*KEY, "digit", "reading", "sd", "low", "high", "the digit itself"),
    "pairs": (*KEY, "digit", "reading"),
    "readers": (*KEY, *Scale._fields),
    "digits": (*KEY, "digit", "image", "reading", "answer"),
    "scales": ("images", "model", "seeds", *RANGES, "told apart"),
}


def _by_digit(key: tuple, values: np.ndarray, digits: np.ndarray) -> list[tuple]:
    """Mean and spread of the readings of each digit; seeds are named for a legend."""
    rows = []
    for digit in np.unique(digits):
        own = values[digits == digit]
        mean, sd = float(own.mean()), float(own.std(ddof=1)) if own.size > 1 else 0.0
        band = (mean, sd, mean - sd, mean + sd)
        rows.append((*key[:2], f"seed {key[2]}", int(digit), *band, int(digit)))
    return rows


def _pairs(key: tuple, values: np.ndarray, digits: np.ndarray) -> list[tuple]:
    """Some readings one by one, with four digits."""
    at = [np.flatnonzero(digits == d)[:PAIRS] for d in np.unique(digits)]
    chosen = np.concatenate(at)
    return [(*key, int(digits[k]), float(f"{values[k]:.4g}")) for k in chosen]


def _pictures(labels: tuple, reader: Reader | None) -> list[tuple]:
    """One image of each digit, what is read off it, and what is answered to it."""
    held = tested(reader.task) if reader else None
    if reader is None or held is None:
        return []
    images, digits = some_of_each(held, 1)
    values, answers = reader.read(images)[0], reader.results(images[None])[0]
    rows = zip(digits, images, values, answers, strict=True)
    return [
        (*labels, reader.row["seed"], int(d), i.tobytes().hex(), float(v), float(a))
        for d, i, v, a in rows
    ]


def _ranges(found: list[tuple]) -> list[tuple]:
    """Between which ends the scales of an arm's seeds lie."""
    rows = []
    for labels in dict.fromkeys(row[:2] for row in found):
        own = [Scale(*row[3:]) for row in found if row[:2] == labels]
        known = [s for s in own if not np.isnan(s.slope)]
        if not known:
            continue
        slopes, powers = [s.slope for s in known], [s.power for s in known]
        ranges = (min(slopes), max(slopes), min(powers), max(powers))
        apart = float(np.mean([s.told_apart for s in known]))
        rows.append((*labels, len(known), *ranges, apart))
    return rows

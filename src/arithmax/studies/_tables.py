"""Rows of computed tables, and intervals of measured figures."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.special import bdtr

from ..statistics import Interval
from ._study import columns as columns


def ends(interval: Interval) -> tuple[float, float, float]:
    """The columns of an interval: value, low and high."""
    return interval.value, interval.low, interval.high


def exact(value: Any) -> Interval:
    """A figure without doubt, as an interval without width."""
    return Interval(float(value), float(value), float(value))


def estimate(samples: np.ndarray) -> Interval:
    """The mean of independent samples ± 1.96 standard errors."""
    mean = float(samples.mean())
    half = 1.96 * float(samples.std(ddof=1)) / math.sqrt(samples.size)
    return Interval(mean, mean - half, mean + half)


def mean(values: Sequence[float] | np.ndarray) -> Interval:
    """The mean over runs ± 1.96 standard errors, without width where there are none."""
    values = np.asarray(values, dtype=np.float64)
    if values.size > 1 and np.isfinite(values).all():
        return estimate(values)
    return exact(values.mean())


def central_range(values: np.ndarray) -> Interval:
    """The median run, and the ends between which 95 of 100 runs lie."""
    low, middle, high = np.quantile(values, [0.025, 0.5, 0.975])
    return Interval(float(middle), float(low), float(high))


def ranked(
    values: Sequence[float] | np.ndarray, share: float = 1.0, level: float = 0.95
) -> Interval:
    """The middle of the least `share` of values, with an interval from their ranks.

    With a share of 1 that is the median, with ½ the median of the better half. The
    interval is that of the quantile, whatever the distribution of these positive
    numbers; of few it has no upper end.
    """
    x = np.sort(np.asarray(values, dtype=np.float64))
    kept, count, q = x[: max(1, round(share * x.size))], x.size, share / 2
    chance = bdtr(np.arange(count + 1), count, q)  # that so many are below it
    below, above = np.searchsorted(chance, [(1 - level) / 2, (1 + level) / 2])
    low = float(x[below - 1]) if below > 0 else 0.0
    high = float(x[above]) if above < count else float("inf")
    return Interval(float(np.median(kept)), low, high)


def histogram(
    name: str, values: np.ndarray, edges: np.ndarray
) -> list[tuple[Any, ...]]:
    """A histogram as rows: the name, the middle of the bar, how many values it has."""
    counts, _ = np.histogram(values, edges)
    middles = (edges[1:] + edges[:-1]) / 2
    return [(name, m, int(c)) for m, c in zip(middles, counts, strict=True)]

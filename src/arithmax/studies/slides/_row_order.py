"""How the NAU/NMU paper read "solved at" from its logs, and averaged it.

The measurements of all runs are the rows of one table. R's `merge()` gives each row the
threshold of its task, and sorts rows by task on the way, with a Shell sort. That sort
is not stable: rows of one run are rows with equal keys, and some of them change places.
The script then takes the first row of each run that is below the threshold, and fits a
gamma distribution whose variance stays where the fit began.
"""

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...statistics import Interval, Range
from .._published import figures_file, row_with

INTERVAL = 1000  # steps from one measurement to the next
MEASUREMENTS = 5001  # of a run that was not stopped
CHI2 = 3.841458820694124  # the 95 % quantile with one degree of freedom
# Table 2 and its appendix, in the order in which the names of the runs are sorted.
MODELS = ("Linear", "NAC+", "NAC•", "NALU", "NAC•,σ")
MODELS += ("ReLU", "ReLU6", "NAU", "NMU", "NAC•,NMU")
OPERATIONS = ("add", "div", "mul", "sqrt", "square", "sub")

Run = tuple[str, str, int]  # model, operation, seed


def gaps(rows: int) -> Iterator[int]:
    """The distances at which R's Shell sort compares: ..., 40, 13, 4, 1."""
    gap = 1
    while gap <= rows // 9:
        gap = 3 * gap + 1
    while gap:
        yield gap
        gap //= 3


def shell_order(keys: np.ndarray) -> np.ndarray:
    """The order in which a Shell sort leaves rows with these keys (0 to 126).

    Rows that are a gap apart form chains. One pass sorts every chain by insertion,
    which keeps equal keys of a chain in order, but not those of different chains.
    """
    order = np.arange(len(keys))
    keys = keys.astype(np.int8)
    for gap in gaps(len(keys)):
        padding = np.full(-len(keys) % gap, 127, np.int8)  # stays at the end
        chains = np.concatenate([keys, padding]).reshape(-1, gap).T
        places = np.argsort(chains, axis=1, kind="stable")
        places = (places * gap + np.arange(gap)[:, None]).T.ravel()[: len(keys)]
        order, keys = order[places], keys[places]
    return order


def merged(keys: Sequence[int], lengths: Sequence[int]) -> list[np.ndarray]:
    """The measurements of each run, in the order in which `merge()` leaves them.

    Args:
        keys: where the task of each run stands in the sorted table.
        lengths: how many measurements each run has.
    """
    order = shell_order(np.repeat(keys, lengths))
    ends = np.cumsum(lengths)
    run = np.repeat(np.arange(len(lengths)), lengths)[order]
    measurement = order - (ends - np.asarray(lengths))[run]
    return np.split(measurement[np.argsort(run, kind="stable")], ends[:-1])


def reported(rows: np.ndarray, solved: int) -> int:
    """The measurement that is found first, if all from `solved` on are solved."""
    return int(rows[np.argmax(rows >= solved)])


def out_of_order(rows: np.ndarray, taken: int) -> bool:
    """Whether a measurement from before the one that was taken comes after it."""
    at = int(np.argmax(rows == taken))
    return bool((rows[at:] < taken).any())


def held(values: ArrayLike) -> Interval:
    """The most likely gamma mean, and its interval, for the variance of the sample.

    The authors search mean and variance in steps and steps², from the moments of the
    sample. The variance is some 10¹¹, the likelihood's slope along it next to nothing,
    and the search leaves it alone: the mean alone is fitted, and is not the sample's.
    Values that are all alike are not fitted: they have an interval without width.
    """
    from scipy.optimize import brentq, minimize_scalar

    x = np.asarray(values, dtype=float)
    if np.ptp(x) == 0:
        return Interval(*[float(x[0])] * 3)
    variance, scale = x.var(ddof=1), math.log(x.mean())
    mean, log_mean = x.mean(), np.log(x).mean()

    def cost(t: float) -> float:
        rate = math.exp(t) / variance
        shape = math.exp(t) * rate
        height = shape * math.log(rate) - math.lgamma(shape)
        return -len(x) * (height + (shape - 1) * log_mean - rate * mean)

    bounds = (scale - 3, scale + 3)
    options = {"xatol": 1e-8}
    found: Any = minimize_scalar(cost, bounds=bounds, method="bounded", options=options)

    def beyond(t: float) -> float:
        return 2 * (cost(t) - found.fun) - CHI2

    ends: list[Any] = [brentq(beyond, found.x, scale + far) for far in (-6, 6)]
    return Interval(*(math.exp(t) for t in (found.x, *ends)))


def table_runs() -> list[Run]:
    """The 6,000 runs of the authors' table; seeds are sorted as text."""
    seeds = sorted(range(100), key=str)
    return [(m, o, s) for m in MODELS for o in OPERATIONS for s in seeds]


def table_rows() -> dict[Run, np.ndarray]:
    """The measurements of every run of the table as the script saw them."""
    runs = table_runs()
    stopped = {
        (row["model"], row["operation"], row["seed"]): row["measurements"]
        for row in figures_file("slides", "stopped")["rows"]
    }
    keys = [OPERATIONS.index(operation) for _, operation, _ in runs]
    lengths = [stopped.get(run, MEASUREMENTS) for run in runs]
    return dict(zip(runs, merged(keys, lengths), strict=True))


def simulated(name: str) -> list[dict[str, Any]]:
    """What `benchmarks/row_order.py` found: of `table`, `range` or `gate`."""
    return figures_file("slides", "row-order")[name]


def simulated_cell(name: str, **labels: Any) -> dict[str, Any]:
    """What was found of the cell with these labels."""
    row = row_with(simulated(name), **labels)
    assert row is not None, (name, labels)
    return row


def figure(stored: Sequence[Any]) -> Interval | Range:
    """A mean as the file has it: with its interval, if it has one."""
    value, low, high = stored
    return Range(value, value, value) if low is None else Interval(value, low, high)


SHUFFLED = (
    "the authors' script reads steps from rows out of order, and its fit then moves "
    "the mean (see How success is measured). {steps} treated so have means from "
    "{least:.3g} to {most:.3g}, depending on which runs were stopped early, which is "
    "not published; {verdict}"
)


def shuffled(printed: float, row: dict[str, Any], true: float, what: str) -> str:
    """Why a printed mean is not that of its runs, and how much of it is explained.

    Nothing is said where the simulation moves no steps.

    Args:
        printed: the mean.
        row: what was simulated.
        true: the mean of the steps that were put in.
        what: the name of these steps.
    """
    least, _, most = row["simulated"]
    if most < 1.05 * true:
        return ""
    verdict = "the printed mean is among these"
    if printed > most:
        share = (most - true) / (printed - true)
        verdict = f"up to {share:.0%} of the difference, the rest is not explained"
    elif printed < least:
        verdict = "the printed mean is less"
    return SHUFFLED.format(steps=what, least=least, most=most, verdict=verdict)

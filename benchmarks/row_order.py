"""What the NAU/NMU paper's way to read "solved at" does to its means, simulated.

    python benchmarks/row_order.py

The measurements of all runs are the rows of one table. R's `merge()` gives each row the
threshold of its task, and sorts rows by task on the way, with a Shell sort. That sort
is not stable: rows of one run are rows with equal keys, and some of them change places.
The script then takes the first row of each run that is below the threshold, and fits a
gamma distribution whose variance stays where the fit began.

Writes `row-order.json` beside the studies of the slides. Of table 2 everything is
known, and the simulation is exact. Of the figures of input ranges, subsets and overlaps
and of the table of gates only means are published: there our own steps, or the printed
median, stand for the authors', and NALU's runs are stopped as often as in table 2, at
random. The figures of subsets and overlaps have a model more, the gated one, which was
left out: where its runs stood among the others is not known.
"""

import csv
import json
import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq, minimize_scalar

from arithmax.results import read
from arithmax.statistics import Interval, Range, steps
from arithmax.studies import evaluate, study
from arithmax.studies.slides import published_rows

ROOT = Path(__file__).parents[1]
STEPS = ROOT / "tests" / "studies" / "slides" / "published-runs.csv"
OUT = ROOT / "src" / "arithmax" / "studies" / "slides" / "row-order.json"
DRAWS = 20
RANGES = ("U[-2,-1]", "U[-2,2]", "U[0,1]", "U[0.1,0.2]", "U[1,2]", "U[1.1,1.2]")
RANGES += ("U[10,20]",)
SUBSETS = ("0.05", "0.1", "0.25", "0.5")
OVERLAPS = ("0.0", "0.1", "0.25", "0.5", "0.75", "1.0")

INTERVAL = 1000  # steps from one measurement to the next
MEASUREMENTS = 5001  # of a run that was not stopped
CHI2 = 3.841458820694124  # the 95 % quantile with one degree of freedom
# Table 2 and its appendix, in the order in which the names of the runs are sorted.
MODELS = ("Linear", "NAC+", "NAC•", "NALU", "NAC•,σ")
MODELS += ("ReLU", "ReLU6", "NAU", "NMU", "NAC•,NMU")
OPERATIONS = ("add", "div", "mul", "sqrt", "square", "sub")

Run = tuple[str, str, int]  # model, operation, seed

Steps = dict[tuple[str, str], dict[int, float]]  # of each cell, by seed
Best = dict[tuple[str, str, int], int]  # which row of a run was the best, from 1


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
        for row in published_rows("stopped")
    }
    keys = [OPERATIONS.index(operation) for _, operation, _ in runs]
    lengths = [stopped.get(run, MEASUREMENTS) for run in runs]
    return dict(zip(runs, merged(keys, lengths), strict=True))


def rounded(mean: Interval | Range) -> list[float | None]:
    """Four digits of the value and its ends, where it has an interval."""
    ends = (mean.low, mean.high) if isinstance(mean, Interval) else (math.nan,) * 2
    figures = (mean.value, *ends)
    return [float(f"{x:.4g}") if math.isfinite(x) else None for x in figures]


def published_steps() -> tuple[Steps, Best]:
    """When the authors' runs were solved and best, as their file says."""
    cells: Steps = defaultdict(dict)
    best: Best = {}
    with STEPS.open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            model, operation, seed = row["model"], row["operation"], int(row["seed"])
            cells[model, operation][seed] = float(row["solved_at"])
            best[model, operation, seed] = int(row["best_step"])
    return cells, best


def of_table() -> list[dict[str, Any]]:
    """Which of the published steps were read from rows out of order, by cell."""
    rows = table_rows()
    cells, best = published_steps()
    return [of_cell(*cell, solved, rows, best) for cell, solved in cells.items()]


def of_cell(model, operation, solved, rows, best) -> dict[str, Any]:
    """One cell: the steps that were moved, and the means with and without them."""

    def taken(seed):
        return int(solved[seed] // INTERVAL)

    def measured(seed):
        return rows[model, operation, seed]

    moved = [s for s in solved if out_of_order(measured(s), taken(s))]
    others = {seed: step for seed, step in solved.items() if seed not in moved}
    middle = int(np.median(list(others.values())) // INTERVAL)
    early = [step for seed, step in others.items() if seed < 50]
    return {
        "model": model,
        "operation": operation,
        "solved": len(solved),
        "moved": [
            [s, int(solved[s]), reported(measured(s), middle) * INTERVAL] for s in moved
        ],
        "impossible": [s for s in solved if best[model, operation, s] - 1 < taken(s)],
        "others": rounded(steps(list(others.values()))),
        "first_fifty": rounded(steps(early)) if early else None,
        "held": rounded(held(list(solved.values()))),
    }


def frame(models, keys, seeds, true: Steps, rng) -> dict[tuple[str, str], Interval]:
    """The printed mean of each cell, if runs are solved at the `true` steps."""
    names = sorted(range(seeds), key=str)
    runs = [(model, key, seed) for model in models for key in keys for seed in names]
    lengths = [stopped(model, rng) for model, *_ in runs]
    rows = merged([keys.index(key) for _, key, _ in runs], lengths)
    read_at: dict[tuple[str, str], list[float]] = defaultdict(list)
    for (model, key, seed), measurements in zip(runs, rows, strict=True):
        step = true.get((model, key), {}).get(seed)
        if step is not None and len(measurements) == MEASUREMENTS:
            found = reported(measurements, int(step // INTERVAL))
            read_at[model, key].append(float(found * INTERVAL))
    return {cell: held(values) for cell, values in read_at.items()}


def stopped(model: str, rng) -> int:
    """How many measurements a run has."""
    known = [row["measurements"] for row in published_rows("stopped")]
    if model.startswith("NALU") and rng.random() < len(known) / 600:
        return int(rng.choice(known))
    return MEASUREMENTS


def spread(draws: list[dict[tuple[str, str], Interval]], cell) -> list[float]:
    """The least, the middle and the largest mean of the draws."""
    values = [draw[cell].value for draw in draws]
    return [float(f"{v:.3g}") for v in (min(values), np.median(values), max(values))]


def our_steps(name: str, label: str) -> Steps:
    """When our runs of a figure were solved; where they are fewer, twice."""
    cells: Steps = {}
    for found in evaluate(study(name), read(ROOT / "results")).arm_runs:
        own = {
            r["seed"]: r["solved_at"] for r in found.rows if r["outcome"] == "solved"
        }
        if own and not found.reduced:
            labels, count = found.arm.labels, len(found.arm.cell.seeds)
            steps_of = {s: own[s % count] for s in range(50) if s % count in own}
            cells[str(labels["model"]), str(labels[label])] = steps_of
    return cells


def of_figure(name: str, label: str, keys: Sequence[str]) -> list[dict[str, Any]]:
    """A figure along one setting, with our runs in place of the authors'."""
    models = ("NAC•", "NALU", "NAC•,σ", "NMU", "NAC•,NMU")
    true = our_steps(name, label)
    draws = [
        frame(models, keys, 50, true, np.random.default_rng(draw))
        for draw in range(DRAWS)
    ]
    return [
        {
            "model": model,
            label: key,
            "ours": round(float(np.mean(list(true[model, key].values())))),
            "simulated": spread(draws, (model, key)),
        }
        for model, key in true
    ]


def of_gates() -> list[dict[str, Any]]:
    """The table of gates, with every run solved at the printed median."""
    models = ("NALU shared", "NALU separate", "Gated NAU/NMU")
    rows = {(row["model"], row["operation"]): row for row in published_rows("gate")}
    draws = []
    for draw in range(DRAWS):
        rng = np.random.default_rng(draw)
        true: Steps = {}
        for cell, row in rows.items():
            solved = rng.choice(100, row["solved"], replace=False)
            true[cell] = {int(seed): row["median"] for seed in solved}
        draws.append(frame(models, ("add", "mul"), 100, true, rng))
    return [
        {"model": model, "operation": key, "simulated": spread(draws, (model, key))}
        for model, key in rows
    ]


def main() -> None:
    """Simulate, and write one line per cell."""
    parts = {
        "table": of_table(),
        "input-range": of_figure("input-range", "range", RANGES),
        "gate": of_gates(),
        "subset-ratio": of_figure("subset-ratio", "ratio", SUBSETS),
        "overlap-ratio": of_figure("overlap-ratio", "ratio", OVERLAPS),
    }
    lines = [
        f'  "{name}": [\n'
        + ",\n".join(f"    {json.dumps(row, ensure_ascii=False)}" for row in rows)
        + "\n  ]"
        for name, rows in parts.items()
    ]
    OUT.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()

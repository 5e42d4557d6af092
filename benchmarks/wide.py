"""Wide tables, the layout not given: how many are found again, in how many seconds.

    OMP_NUM_THREADS=1 python benchmarks/wide.py --json docs/data/wide.json

Inputs are even on [1, 2]; every sum is of a quarter of them, drawn by the seed; noise
is relative to the deviation of y. A table counts as found if `discover` gives the same
function: relative errors below 1e-9 on [1, 6]. Its seconds are those of the processor.
"""

import argparse
import json
import platform
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import process_time

import numpy as np

from arithmax.discover import discover

FORMULAS: dict[str, Callable] = {
    "ratio of two sums": lambda u, v, w: u / v,
    "product of two sums": lambda u, v, w: u * v,
    "sum minus product of sums": lambda u, v, w: w - u * v,
    "sum plus product of sums": lambda u, v, w: w + u * v,
    "product of three sums": lambda u, v, w: u * v * w,
}
CELLS = ((100, 0.0, 20), (100, 0.01, 20), (300, 0.0, 10))  # inputs, noise, seeds
WIDER = 6.0


def drawn(formula: Callable, inputs: int, rows: int, noise: float, seed: int):
    """A table, and the same function on a wider box."""
    rng = np.random.default_rng(seed)
    forms = np.zeros((3, inputs))
    for form in forms:
        form[rng.choice(inputs, inputs // 4, replace=False)] = 1
    x, wider = rng.uniform(1, 2, (rows, inputs)), rng.uniform(1, WIDER, (200, inputs))
    y, truth = (formula(*(forms @ each.T)) for each in (x, wider))
    return x, y + noise * y.std() * rng.standard_normal(rows), wider, truth


def measured(formula: Callable, inputs: int, rows: int, noise: float, seeds: int):
    """Tables found, and the median and the largest number of seconds."""
    found, seconds = 0, []
    for seed in range(seeds):
        x, y, wider, truth = drawn(formula, inputs, rows, noise, seed)
        before = process_time()
        formula_found = discover(x, y, seed=seed).formula
        seconds.append(process_time() - before)
        value = formula_found.evaluate(wider)
        found += bool(np.all(np.abs(value / truth - 1) < 1e-9))
    return {
        "found": found,
        "tables": seeds,
        "median_seconds": round(median(seconds), 3),
        "most_seconds": round(max(seconds), 3),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--rows", type=int, default=1000)
    options = parser.parse_args()
    cells = []
    for inputs, noise, seeds in CELLS:
        for name, formula in FORMULAS.items():
            cell = measured(formula, inputs, options.rows, noise, seeds)
            cells.append({"formula": name, "inputs": inputs, "noise": noise, **cell})
            print(cells[-1], flush=True)
    if options.json:
        about = {"rows": options.rows, "machine": platform.machine(), "cells": cells}
        options.json.write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

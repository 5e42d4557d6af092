"""What the NAU/NMU paper's way to read "solved at" does to its means, simulated.

    python benchmarks/row_order.py

Writes `src/arithmax/studies/row-order.json`. Of table 2 everything is known, and the
simulation is exact. Of the figure of input ranges and of the table of gates only means
are published: there our own steps, or the printed median, stand for the authors', and
NALU's runs are stopped as often as in table 2, at random.
"""

import csv
import json
import math
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np

from arithmax.results import read
from arithmax.statistics import Interval, Range, steps
from arithmax.studies import _row_order as order
from arithmax.studies import evaluate, study
from arithmax.studies._madsen_johansen import data

ROOT = Path(__file__).parents[1]
STEPS = ROOT / "tests" / "data" / "published-steps.csv"
OUT = ROOT / "src" / "arithmax" / "studies" / "row-order.json"
DRAWS = 20
RANGES = ("U[-2,-1]", "U[-2,2]", "U[0,1]", "U[0.1,0.2]", "U[1,2]", "U[1.1,1.2]")
RANGES += ("U[10,20]",)

Steps = dict[tuple[str, str], dict[int, float]]  # of each cell, by seed
Best = dict[tuple[str, str, int], int]  # which row of a run was the best, from 1


def rounded(mean: Interval | Range) -> list[float | None]:
    """Four digits of the value and its ends, where it has an interval."""
    ends = (mean.low, mean.high) if isinstance(mean, Interval) else (math.nan,) * 2
    figures = (mean.value, *ends)
    return [float(f"{x:.4g}") if math.isfinite(x) else None for x in figures]


def published_rows() -> tuple[Steps, Best]:
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
    rows = order.table_rows()
    cells, best = published_rows()
    return [of_cell(*cell, solved, rows, best) for cell, solved in cells.items()]


def of_cell(model, operation, solved, rows, best) -> dict[str, Any]:
    """One cell: the steps that were moved, and the means with and without them."""

    def taken(seed):
        return int(solved[seed] // order.INTERVAL)

    def measured(seed):
        return rows[model, operation, seed]

    moved = [s for s in solved if order.out_of_order(measured(s), taken(s))]
    others = {seed: step for seed, step in solved.items() if seed not in moved}
    middle = int(np.median(list(others.values())) // order.INTERVAL)
    early = [step for seed, step in others.items() if seed < 50]
    return {
        "model": model,
        "operation": operation,
        "solved": len(solved),
        "moved": [
            [s, int(solved[s]), order.reported(measured(s), middle) * order.INTERVAL]
            for s in moved
        ],
        "impossible": [s for s in solved if best[model, operation, s] - 1 < taken(s)],
        "others": rounded(steps(list(others.values()))),
        "first_fifty": rounded(steps(early)) if early else None,
        "held": rounded(order.held(list(solved.values()))),
    }


def frame(models, keys, seeds, true: Steps, rng) -> dict[tuple[str, str], Interval]:
    """The printed mean of each cell, if runs are solved at the `true` steps."""
    names = sorted(range(seeds), key=str)
    runs = [(model, key, seed) for model in models for key in keys for seed in names]
    lengths = [stopped(model, rng) for model, *_ in runs]
    rows = order.merged([keys.index(key) for _, key, _ in runs], lengths)
    read_at: dict[tuple[str, str], list[float]] = defaultdict(list)
    for (model, key, seed), measurements in zip(runs, rows, strict=True):
        step = true.get((model, key), {}).get(seed)
        if step is not None and len(measurements) == order.MEASUREMENTS:
            found = order.reported(measurements, int(step // order.INTERVAL))
            read_at[model, key].append(float(found * order.INTERVAL))
    return {cell: order.held(values) for cell, values in read_at.items()}


def stopped(model: str, rng) -> int:
    """How many measurements a run has."""
    known = [row["measurements"] for row in data("stopped")]
    if model.startswith("NALU") and rng.random() < len(known) / 600:
        return int(rng.choice(known))
    return order.MEASUREMENTS


def spread(draws: list[dict[tuple[str, str], Interval]], cell) -> list[float]:
    """The least, the middle and the largest mean of the draws."""
    values = [draw[cell].value for draw in draws]
    return [float(f"{v:.3g}") for v in (min(values), np.median(values), max(values))]


def our_steps() -> Steps:
    """When our runs of the figure of ranges were solved; 25 seeds stand for 50."""
    cells: Steps = {}
    for found in evaluate(study("input-range"), read(ROOT / "results")).found:
        own = {
            r["seed"]: r["solved_at"] for r in found.rows if r["outcome"] == "solved"
        }
        if own and not found.reduced:
            labels = found.arm.labels
            steps_of = {s: own[s % 25] for s in range(50) if s % 25 in own}
            cells[str(labels["model"]), str(labels["range"])] = steps_of
    return cells


def of_ranges() -> list[dict[str, Any]]:
    """The figure of input ranges, with our runs in place of the authors'."""
    models = ("NAC•", "NALU", "NAC•,σ", "NMU", "NAC•,NMU")
    true = our_steps()
    draws = [
        frame(models, RANGES, 50, true, np.random.default_rng(draw))
        for draw in range(DRAWS)
    ]
    return [
        {
            "model": model,
            "range": key,
            "ours": round(float(np.mean(list(true[model, key].values())))),
            "simulated": spread(draws, (model, key)),
        }
        for model, key in true
    ]


def of_gates() -> list[dict[str, Any]]:
    """The table of gates, with every run solved at the printed median."""
    models = ("NALU shared", "NALU separate", "Gated NAU/NMU")
    rows = {(row["model"], row["operation"]): row for row in data("gate")}
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
    parts = {"table": of_table(), "range": of_ranges(), "gate": of_gates()}
    lines = [
        f'  "{name}": [\n'
        + ",\n".join(f"    {json.dumps(row, ensure_ascii=False)}" for row in rows)
        + "\n  ]"
        for name, rows in parts.items()
    ]
    OUT.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()

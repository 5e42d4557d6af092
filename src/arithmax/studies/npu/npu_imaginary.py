"""What the NPU's imaginary weights buy, and what penalising them does."""

from typing import Any

import numpy as np

from ...statistics import Interval
from ...tasks import Functions
from ...training import L1, Cell
from .._evaluate import ArmRuns, Trained
from .._learned import solved
from .._sheet import sheet
from .._study import Arm, Computed, Study
from .._tables import columns, mean
from ._runs import BATCH, UNITS, beside, run

SHEET = sheet("npu", "npu-imaginary")
POSITIVE, SIGNED = "xy and x/y, positive", "xy and x/y, both signs"
BESIDE = "x₁ beside |x₂| < 0.05"
TASKS = {
    POSITIVE: Functions(("mul", "div"), (0.1, 2.0), (2.0, 4.0)),
    SIGNED: Functions(("mul", "div"), (-2.0, -0.1, 0.1, 2.0), (-4.0, -2.0, 2.0, 4.0)),
    BESIDE: beside(0.05),
}
NONE, FREE, STRONG = "none", "free", "L1 1"
STRENGTHS = {"L1 0.001": 1e-3, "L1 0.01": 1e-2, "L1 0.1": 0.1, STRONG: 1.0}
SOLVED, STRICT = 1e-2, 1e-4  # by how much a run may be off


def cell(task: str, unit: str, W_im: str) -> Cell:
    """One layer, with or without imaginary weights, and their penalty."""
    # A penalty keeps weights moving by the length of a step: 1 % off is solved here.
    settings: dict[str, Any] = {"seeds": 100, "criterion__epsilon": SOLVED}
    if task == BESIDE:
        settings["batches__size"] = BATCH
    if strength := STRENGTHS.get(W_im):
        settings["penalties"] = (L1(strength, strength, of="W_im"),)
    base = UNITS[f"Real{unit}" if W_im == NONE else unit]
    return run(unit, base, TASKS[task], **settings)


def gain(one: ArmRuns, other: ArmRuns) -> Interval | None:
    """By how much more often an arm is solved than another, seed by seed."""
    first, second = (
        {
            row["seed"]: float(right)
            for row, right in zip(f.rows, solved(f), strict=True)
        }
        for f in (one, other)
    )
    both = sorted(first.keys() & second.keys())
    return mean([first[s] - second[s] for s in both]) if both else None


def sizes(runs: ArmRuns, trained: Trained) -> tuple[Any, ...]:
    """Solved runs, at a stricter measure too, and how large imaginary weights are."""
    weights = (trained.weights(row).get("W_im", np.zeros(1)) for row in runs.rows)
    largest = np.array([float(np.abs(w).max()) for w in weights])
    right = largest[solved(runs)]
    error = float(np.median([row["interpolation"] for row in runs.rows]))
    bound = runs.arm.cell.task.threshold(STRICT, "exact")
    strict = sum(row["extrapolation"] < bound for row in runs.rows)
    middle = float(np.median(right)) if right.size else None
    size = float(np.median(largest))
    return len(runs.rows), len(right), strict, error, size, middle


def equal(trained: Trained) -> tuple[int, int]:
    """Seeds on positive inputs, and those in which NPU and RealNPU learn the same."""
    free, real = (
        {
            row["seed"]: trained.weights(row)
            for row in trained.arm(task=POSITIVE, unit="NPU", W_im=w_im).rows
        }
        for w_im in (FREE, NONE)
    )
    same = [
        np.array_equal(free[seed]["W_re"], real[seed]["W"])
        and np.array_equal(free[seed]["g"], real[seed]["g"])
        for seed in free.keys() & real.keys()
    ]
    return len(same), sum(same)


def compute(trained: Trained) -> Computed:
    """Sizes of imaginary weights, and what they and their penalty add."""
    figures: dict[str, Interval] = {}
    for unit in ("NPU", "NaiveNPU"):
        for key, more, less in (("helps", FREE, NONE), ("penalty", STRONG, FREE)):
            one, other = (
                trained.arm(task=SIGNED, unit=unit, W_im=w) for w in (more, less)
            )
            if (added := gain(one, other)) is not None:
                figures[SHEET.claim(key, unit=unit)] = added
    rows = [(*f.arm.labels.values(), *sizes(f, trained)) for f in trained.arms()]
    names = ("task", "unit", "W_im", "seeds", "solved", "to 0.01 %", "error within")
    names += ("largest |W_im|", "of solved runs")
    tables = {
        "sizes": columns(names, rows),
        "same": columns(("seeds", "equal to the last bit"), [equal(trained)]),
    }
    return Computed(tables, figures)


def study() -> Study:
    """Section 3.1 of the draft."""
    pairs = [(POSITIVE, "NPU"), (SIGNED, "NPU"), (SIGNED, "NaiveNPU")]
    kinds = {POSITIVE: (NONE, FREE)}
    grid = [
        {"task": task, "unit": unit, "W_im": w_im}
        for task, unit in (*pairs, (BESIDE, "NaiveNPU"))
        for w_im in kinds.get(task, (NONE, FREE, *STRENGTHS))
    ]
    return SHEET.study([Arm(labels, cell(**labels)) for labels in grid], compute)

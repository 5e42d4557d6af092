"""Division: mixed signs, other distributions, and divisors near zero."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...tasks import SingleModule
from .._criteria import criteria_table, totals_table
from .._evaluate import ArmRuns, Trained
from .._grid import combinations, without_zero
from .._sheet import sheet
from .._study import Arm, Computed, Published, Study, Table
from .._tables import columns, exact
from ._near_zero import (
    EPS,
    HIGHS,
    NEAR_ZERO,
    POWERS,
    PUBLISHED,
    limit,
    near_zero,
    on_our_samples,
    on_their_samples,
)
from ._runs import RANGES, UNITS, able, cell

SHEET = sheet("primer", "division")
SIGNS, KINDS, ZERO = "mixed signs", "distribution", "near zero"
LESS, MORE = (-6.0, -2.0), (2.0, 6.0)
# What inputs are drawn from: to train on, and to be right on.
MIXED: dict[str, tuple[Any, Any]] = {
    "x₁, x₂ in [-2, 2)": RANGES["[-2, 2)"],
    "x₁ in [-2, -0.1), x₂ in [0.1, 2)": (((-2.0, -0.1), (0.1, 2.0)), (LESS, MORE)),
    "x₁ in [0.1, 2), x₂ in [-2, -0.1)": (((0.1, 2.0), (-2.0, -0.1)), (MORE, LESS)),
    "x₁ in [-2, -1), x₂ in [1, 2)": (((-2.0, -1.0), (1.0, 2.0)), (LESS, MORE)),
    "x₁ in [1, 2), x₂ in [-2, -1)": (((1.0, 2.0), (-2.0, -1.0)), (MORE, LESS)),
}
TINY = 2.0**-24  # the mean of a normal of which no number that is drawn is zero
NORMAL = "truncated-normal"
DISTRIBUTIONS: dict[str, tuple[Any, Any, Any]] = {
    "Benford on [10, 100)": ((10.0, 100.0), (100.0, 1000.0), "benford"),
    "N(-1, 3) on [-5, 10)": (
        (-1.0, 3.0, -5.0, 10.0),
        (-10.0, 3.0, -15.0, -5.0),
        NORMAL,
    ),
    "N(1, 3) on [-10, 5)": ((1.0, 3.0, -10.0, 5.0), (10.0, 3.0, 5.0, 15.0), NORMAL),
    "N(0, 1) on [-5, 5)": ((TINY, 1.0, -5.0, 5.0), (10.0, 1.0, 5.0, 15.0), NORMAL),
    "U[-50, 50)": (without_zero(50.0), (-100.0, -50.0, 50.0, 100.0), "uniform"),
    "U[-100, 100)": (without_zero(100.0), (-200.0, -100.0, 100.0, 200.0), "uniform"),
}
SLACK = 1.01  # how much worse than the solution a run is that found it


def zero_table(arm_runs: list[ArmRuns]) -> Table:
    """Near zero: the error of the solution, and of what was learned."""
    rows = []
    for f in arm_runs:
        unit, _, text = map(str, f.arm.labels.values())
        name, high = text.removesuffix(")").split(", U[0, ")
        best = on_our_samples(f.arm.cell, name)
        errors = [row["extrapolation"] for row in f.rows]
        good = sum(e <= SLACK * best + EPS for e in errors)
        theirs = (
            limit(unit, name, float(high)),
            on_their_samples(UNITS[unit], name, float(high)),
        )
        middle = float(np.median(np.nan_to_num(errors, nan=np.inf)))
        rows.append((unit, text, *theirs, best, middle, len(errors), good))
    names = ("unit", "inputs", "solution, published", "on their samples")
    names += ("on ours", "learned, median", "seeds", "as good as the solution")
    return columns(names, rows)


def curve_table() -> Table:
    """The error of the solution on smaller and smaller ranges, ours and published."""
    units = {theirs: UNITS[ours] for ours, theirs in NEAR_ZERO.items()}
    rows = []
    for r in PUBLISHED["rows"]:
        error = on_their_samples(units[r["unit"]], r["function"], r["high"])
        rows.append((f"{r['unit']}, {r['function']}", r["high"], error, r["error"]))
    return columns(("unit", "range", "error", "published"), rows)


def compared() -> Iterator[tuple[str, str, str]]:
    """Every solved unit and function whose error is compared, and the claim's name."""
    for unit, theirs in NEAR_ZERO.items():
        for name in POWERS:
            yield unit, name, SHEET.claim("error", unit=theirs, function=name)


def compute(trained: Trained) -> Computed:
    """All criteria from the same runs, and the errors of solutions near zero."""
    near = trained.arms(**{"set-up": ZERO})
    two = [f for f in trained.arms() if f.arm.labels["set-up"] != ZERO]
    tables = {
        "criteria": criteria_table(two),
        "totals": totals_table(two, "inputs"),
        "solutions": curve_table(),
        "zero": zero_table(near),
    }
    figures = {
        claim: exact(on_their_samples(UNITS[unit], name, HIGHS[-1]))
        for unit, name, claim in compared()
    }
    return Computed(tables, figures)


def arms() -> Iterator[Arm]:
    """Every unit that divides, and near zero those of the paper."""
    for setup, listed in ((SIGNS, MIXED), (KINDS, DISTRIBUTIONS)):
        for name, numbers in listed.items():
            task = SingleModule("div", 2, *numbers)
            for unit in able("div"):
                labels = {"unit": unit, "set-up": setup, "inputs": name}
                yield Arm(labels, cell(unit, task))
    for chosen in combinations(unit=NEAR_ZERO, name=POWERS, high=HIGHS):
        text = f"{chosen['name']}, U[0, {chosen['high']:g})"
        labels = {"unit": chosen["unit"], "set-up": ZERO, "inputs": text}
        yield Arm(labels, near_zero(**chosen))


def study() -> Study:
    """The division paper beyond the nine ranges."""
    note = PUBLISHED["source"]
    claims = {
        claim: Published(
            limit(unit, name, HIGHS[-1]),
            note=note,
            reason=SHEET.texts.get(unit, ""),
        )
        for unit, name, claim in compared()
    }
    return SHEET.study(arms(), compute, claims)

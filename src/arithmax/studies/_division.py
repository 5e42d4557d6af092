"""Division: mixed signs, other distributions, and divisors near zero."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..protocol import Cell, published
from ..statistics import Interval
from ..tasks import Functions, SingleModule
from ..units import Params, Unit
from ._criteria import criteria_table, totals_table
from ._evaluate import Found, Trained
from ._plots import Grid, Lines, Measured, Seeds
from ._primer import RANGES, SEEDS, UNITS, able, cell, data, without_zero
from ._study import Arm, Computed, Published, Study, Table, columns

PAPER = (
    "B. Mistry, K. Farrahi and J. Hare, Exploring the Learning Mechanisms of Neural "
    "Division Modules, TMLR 2022"
)
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
DISTRIBUTIONS: dict[str, tuple[str, Any, Any]] = {
    "Benford on [10, 100)": ("benford", (10.0, 100.0), (100.0, 1000.0)),
    "N(-1, 3) on [-5, 10)": (
        "truncated-normal",
        (-1.0, 3.0, -5.0, 10.0),
        (-10.0, 3.0, -15.0, -5.0),
    ),
    "N(1, 3) on [-10, 5)": (
        "truncated-normal",
        (1.0, 3.0, -10.0, 5.0),
        (10.0, 3.0, 5.0, 15.0),
    ),
    "N(0, 1) on [-5, 5)": (
        "truncated-normal",
        (TINY, 1.0, -5.0, 5.0),
        (10.0, 1.0, 5.0, 15.0),
    ),
    "U[-50, 50)": ("uniform", without_zero(50.0), (-100.0, -50.0, 50.0, 100.0)),
    "U[-100, 100)": ("uniform", without_zero(100.0), (-200.0, -100.0, 100.0, 200.0)),
}
# Functions near zero: how many inputs there are, and the powers that solve them.
POWERS = {
    "[a] → 1/a": (-1.0,),
    "[a, b] → 1/a": (-1.0, 0.0),
    "[a, b] → a/b": (1.0, -1.0),
}
HIGHS = (1.0, 1e-1, 1e-2, 1e-3, 1e-4)
# The division paper's three by its published names: its RealNPU is the modified one.
NEAR_ZERO = {"RealNPU (modified)": "RealNPU", "NRU": "NRU", "NMRU": "NMRU"}
EPS = float(np.finfo(np.float32).eps)
AUTHORS_TEST = 8689336  # the seed of the authors' test set of 10,000 samples
SLACK = 1.01  # how much worse than the solution a run is that found it
REASONS = {
    "RealNPU (modified)": "",
    "NRU": "both are the rounding of a power in float32: PyTorch's gives the published "
    "digits on these samples, NumPy's rounds otherwise",
    "NMRU": "the authors' code computes W z + 1 − W from left to right, which rounds a "
    "small z off at 1; in that order ours gives the published digits. Here it is W z + "
    "(1 − W), which is exact at W = 1",
}
ABOUT = """
The division paper asks what makes x₁ ÷ x₂ hard, beyond the nine ranges of
`single-module`: operands of different signs, other distributions than uniform ones (the
two truncated normals around ±1 and the one around 0 have divisors near zero, and are
tested far from it), and divisors near zero. It finds that robustness depends on signs
for RealNPU and NRU, on magnitude for the NMRU and on the distribution for every unit,
and prints no numbers that could be read back; what was published as numbers are the
errors of solved units near zero. Every unit that can represent a quotient is run on the
first two, with its authors' recipe, 25 seeds and 50,000 steps.

Near zero a perfect unit has an error of its own. The RealNPU adds the machine epsilon
to every magnitude, so that with the weights of the solution its squared error on U[0,
10⁻⁴) is 10¹². The table has the published errors, ours on the authors' own samples, and
ours on the samples of the fleet. These differ because such a mean has no limit: it is
the work of the smallest divisor drawn; and because the fleet computes targets from the
inputs that a unit sees, the authors from inputs before they are rounded to float32. The
three units of the paper are trained on [a] → 1/a (5,000 steps), [a, b] → 1/a and [a, b]
→ a/b (50,000), and tested on the range they train on. Their threshold is the published
error of the solution plus 1.2·10⁻⁷, as in the paper; since it depends on the samples,
the table also counts the runs that are as good as the solution on the same samples.

Benford's numbers are drawn with a uniform logarithm here, and as integers of two and
three digits in the paper. As in `single-module`, no divisor is exactly zero; the normal
around 0 has its mean at 6·10⁻⁸ for that.
"""


def tasks() -> Iterator[tuple[str, str, SingleModule]]:
    """The tasks of two uniform or other inputs, with their labels."""
    for name, (inner, outer) in MIXED.items():
        yield SIGNS, name, SingleModule("div", 2, inner, outer)
    for name, (kind, inner, outer) in DISTRIBUTIONS.items():
        yield KINDS, name, SingleModule("div", 2, inner, outer, kind)  # type: ignore[arg-type]  # a literal


def function(name: str, high: float) -> Functions:
    """A quotient of numbers between zero and `high`, of which none is zero."""
    numbers = (high * 2.0**-24, high)
    size = len(POWERS[name])
    first = "div" if name.endswith("a/b") else "reciprocal"
    inputs = 0 if size == 1 else size
    return Functions((first,), numbers, numbers, inputs=inputs)


def limit(unit: str, name: str, high: float) -> float:
    """The published error of the solution."""
    wanted = {"unit": NEAR_ZERO[unit], "function": name, "high": high}
    rows = data("division-by-zero")
    return next(r["error"] for r in rows if wanted.items() <= r.items())


def near_zero(unit: str, name: str, high: float) -> Cell:
    """The paper's run of a unit near zero."""
    changes: dict[str, Any] = {"threshold": limit(unit, name, high) + EPS}
    if len(POWERS[name]) == 1:
        changes |= {"steps": 5_000, "l1": 0.0, "l1_end": 0.0}
    network, protocol = published(UNITS[unit], SingleModule("div"), **changes)
    return Cell(network, function(name, high), protocol, tuple(range(SEEDS)))


def solution(unit: Unit, name: str) -> Params:
    """The weights that solve a function near zero, in float32."""
    powers = np.array([POWERS[name]])
    found = unit.encode(powers, "product")
    return {key: np.asarray(value, np.float32) for key, value in found.items()}


def on_their_samples(unit: Unit, name: str, high: float) -> float:
    """The squared error of the solution on the authors' test set."""
    rng = np.random.RandomState(AUTHORS_TEST)
    x = rng.uniform(0.0, high, (10_000, len(POWERS[name]))).T
    target = np.prod(x ** np.array(POWERS[name])[:, None], axis=0).astype(np.float32)
    y = unit.compute(solution(unit, name), x.astype(np.float32))[0]
    return float(np.mean((y.astype(float) - target) ** 2))


def on_our_samples(cell: Cell, name: str) -> float:
    """The squared error of the solution as the fleet measures it."""
    import jax

    from .._program import configuration, measure_one, targets_of

    task, protocol = cell.task, cell.protocol

    def measured(numbers, params):
        targets = targets_of(task, protocol, numbers)
        numbers = numbers | {"targets": targets}
        found = measure_one(cell.network, task, protocol, params, numbers)
        return found["extrapolation"]

    numbers = configuration(task, protocol, 0)
    return float(jax.jit(measured)(numbers, solution(cell.network, name)))


def zero_table(found: list[Found]) -> Table:
    """Near zero: the error of the solution, and of what was learned."""
    rows = []
    for f in found:
        unit, _, text = f.arm.labels.values()
        name, high = str(text).split(", U[0, ")
        best = on_our_samples(f.arm.cell, name)
        errors = [row["extrapolation"] for row in f.rows]
        good = sum(e <= SLACK * best + EPS for e in errors)
        theirs = (
            limit(str(unit), name, float(high[:-1])),
            on_their_samples(f.arm.cell.network, name, float(high[:-1])),
        )
        middle = float(np.median(np.nan_to_num(errors, nan=np.inf)))
        rows.append((unit, text, *theirs, best, middle, len(errors), good))
    names = ("unit", "inputs", "solution, published", "on their samples")
    names += ("on ours", "learned, median", "seeds", "as good as the solution")
    return columns(names, rows)


def curve_table() -> Table:
    """The error of the solution on smaller and smaller ranges, ours and published."""
    units = {theirs: UNITS[ours] for ours, theirs in NEAR_ZERO.items()}
    rows = [
        (
            f"{r['unit']}, {r['function']}",
            r["high"],
            on_their_samples(units[r["unit"]], r["function"], r["high"]),
            r["error"],
        )
        for r in data("division-by-zero")
    ]
    return columns(("unit", "range", "error", "published"), rows)


def claim(unit: str, name: str) -> str:
    """The name of the published error of a solution on the smallest range run."""
    return f"error of a solved {NEAR_ZERO[unit]}, {name} on U[0, 1e-4)"


def compute(trained: Trained) -> Computed:
    """All criteria from the same runs, and the errors of solutions near zero."""
    run = [f for f in trained.found if f.rows]
    two = [f for f in run if f.arm.labels["set-up"] != ZERO]
    tables = {
        "criteria": criteria_table(two),
        "totals": totals_table(two, "inputs"),
        "solutions": curve_table(),
        "zero": zero_table([f for f in run if f.arm.labels["set-up"] == ZERO]),
    }
    figures = {}
    for unit in NEAR_ZERO:
        for name in POWERS:
            error = on_their_samples(UNITS[unit], name, HIGHS[-1])
            figures[claim(unit, name)] = Interval(error, error, error)
    return Computed(tables, figures)


def arms() -> Iterator[Arm]:
    """Every unit that divides, and near zero those of the paper."""
    for setup, name, own in tasks():
        for unit in able("div"):
            yield Arm({"unit": unit, "set-up": setup, "inputs": name}, cell(unit, own))
    for unit in NEAR_ZERO:
        for name in POWERS:
            for high in HIGHS:
                text = f"{name}, U[0, {high:g})"
                labels = {"unit": unit, "set-up": ZERO, "inputs": text}
                yield Arm(labels, near_zero(unit, name, high))


def division() -> Study:
    """The division paper beyond the nine ranges."""
    return Study(
        "division",
        "Division: mixed signs, other distributions, divisors near zero",
        f"{PAPER}; set-ups from its scripts (nalm-division), errors of solutions from "
        "divBy0_test_errors.csv (nalm-robust-nmu)",
        ABOUT,
        tuple(arms()),
        compute=compute,
        claims={
            claim(unit, name): Published(
                limit(unit, name, HIGHS[-1]),
                note=data("source")["zero"],
                reason=REASONS[unit],
            )
            for unit in NEAR_ZERO
            for name in POWERS
        },
        shown={
            "totals": "All five sign set-ups, and all six distributions, together.",
            "zero": "Near zero: mean squared errors of the solution and of runs.",
        },
        plots=(
            Grid("Success rates, %.", "unit", "inputs"),
            Lines(
                "The error of solved units on U[0, x); dashed as published.",
                "solutions",
                "range",
                "error",
                "unit",
                dashed="published",
                log_x=True,
                log_y=True,
            ),
            Measured("Success rate.", "success", "inputs", "unit"),
            Seeds(
                "Mixed signs by the NRU.", "inputs", {"unit": "NRU", "set-up": SIGNS}
            ),
            Seeds("Distributions, NMRU.", "inputs", {"unit": "NMRU", "set-up": KINDS}),
        ),
    )

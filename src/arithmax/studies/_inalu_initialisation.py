"""iNALU's experiment 3: from which means its parameters should start."""

from itertools import product
from typing import Any

from ..statistics import Interval, success_rate
from ._evaluate import Found, Trained
from ._inalu import (
    CODE,
    OPERATIONS,
    PAPER,
    SYMBOLS,
    cell,
    complete,
    data,
    network,
    rate,
    solved,
    usual,
)
from ._inalu_function import HIDDEN, sums
from ._plots import Grid, Heat
from ._study import Arm, Computed, Published, Study, columns

SEEDS = 10
CHANGES = {"steps": 201_000, "restart": "none"}
MEANS, DEVIATIONS = (-1, 0, 1), (0.1, 0.5)
TRAINED, TESTED = (0.0, 1.0, -2.0, 2.0), (10.0, 1.0)
# The labels of a setting, by the names in the data.
NAMES = {"G": "mean G", "M": "mean M̂", "W": "mean Ŵ", "sd": "deviation"}
MAPS = ("+, ours", "+, published", "−, ours", "−, published")
MAPS += ("×, ours", "×, ours within")
RUNS = 1074 // 2  # published runs of × and of ÷; those of + and − are counted


def settings() -> list[dict[str, float]]:
    """The 54 starts: means of G, M̂ and Ŵ, and their deviation."""
    grid = product(MEANS, MEANS, MEANS, DEVIATIONS)
    return [{"G": g, "M": m, "W": w, "sd": sd} for g, m, w, sd in grid]


def labels(operation: str, start: dict[str, float]) -> dict[str, Any]:
    """What tells an arm from the others."""
    return {"operation": SYMBOLS[operation]} | {NAMES[k]: v for k, v in start.items()}


def arms() -> tuple[Arm, ...]:
    """Every operation from every start, with the published count."""
    counted = {
        tuple(labels(r["operation"], {k: r[k] for k in NAMES}).values()): r
        for r in data("initialisation")
    }
    made = []
    for operation in OPERATIONS:
        task = sums(operation, "mirrored-normal", TRAINED, TESTED)
        for start in settings():
            own = labels(operation, start)
            row = counted.get(tuple(own.values()))
            unit = network("iNALU (iw)", HIDDEN, one_program=True, **start)
            theirs = {"success": rate(row["extrapolation"], row["runs"])} if row else {}
            made.append(Arm(own, cell(unit, task, SEEDS, **CHANGES), theirs))
    return tuple(made)


def claim(operation: str, name: str, value: float, measure: str) -> str:
    """The name of a rate over all starts that have one thing in common."""
    where = f"{NAMES[name]} = {value:g}" if name else "all starts"
    return f"{SYMBOLS[operation]}, {where}: solved in {measure}".replace("-", "−")


def claims() -> dict[str, Published]:
    """Published rates over all starts with one mean, or one deviation."""
    made = {}
    for operation, name in product(("add", "sub"), ("M", "W", "sd")):
        for value in DEVIATIONS if name == "sd" else MEANS:
            rows = [
                r
                for r in data("initialisation")
                if r["operation"] == operation and r[name] == value
            ]
            total = sum(r["extrapolation"] for r in rows)
            said = claim(operation, name, value, "extrapolation")
            made[said] = rate(total, sum(r["runs"] for r in rows))
    for operation in ("mul", "div"):
        made[claim(operation, "", 0, "extrapolation")] = rate(0, RUNS)
    for r in data("initialisation-rates"):
        runs = RUNS // (2 if r["parameter"] == "sd" else 3)
        note = "a published rate; the runs behind it are taken to be equally many"
        name = claim("mul", r["parameter"], r["value"], "interpolation")
        made[name] = rate(round(r["interpolation"] * runs), runs, note)
    return made


def _of(trained: Trained, operation: str, name: str, value: float) -> list[Found]:
    """The arms of an operation whose starts have one thing in common."""
    return [
        f
        for f in trained.found
        if f.arm.labels["operation"] == SYMBOLS[operation]
        and (not name or f.arm.labels[NAMES[name]] == value)
    ]


def figures(trained: Trained) -> dict[str, Interval]:
    """Our rates over all starts with one thing in common, where all runs are there."""
    values = {"": (0,), "M": MEANS, "W": MEANS, "G": MEANS, "sd": DEVIATIONS}
    made = {}
    for operation, name in product(OPERATIONS, values):
        for value in values[name]:
            own = _of(trained, operation, name, value)
            if complete(own):
                runs = sum(len(f.rows) for f in own)
                for measure in ("extrapolation", "interpolation"):
                    total = sum(solved(f, measure) for f in own)
                    said = claim(operation, name, value, measure)
                    made[said] = success_rate(total, runs)
    return made


def maps(trained: Trained) -> list[tuple[Any, ...]]:
    """Rates over the means of M̂ and Ŵ, over all else: ours, and published."""
    made = []
    for operation, m, w in product(OPERATIONS, MEANS, MEANS):
        own = [
            f
            for f in _of(trained, operation, "M", m)
            if f.rows and f.arm.labels[NAMES["W"]] == w
        ]
        runs = sum(len(f.rows) for f in own)
        symbol, place = SYMBOLS[operation], (str(m), str(w))
        if runs:
            for measure, said in (("extrapolation", ""), ("interpolation", " within")):
                share = 100 * sum(solved(f, measure) for f in own) / runs
                made.append((f"{symbol}, ours{said}", *place, share))
        rows = [
            r
            for r in data("initialisation")
            if (r["operation"], r["M"], r["W"]) == (operation, m, w)
        ]
        if rows:
            share = sum(r["extrapolation"] for r in rows) / sum(r["runs"] for r in rows)
            made.append((f"{symbol}, published", *place, 100 * share))
    return [row for name in MAPS for row in made if row[0] == name]


def tables(trained: Trained) -> Computed:
    """Counts start by start, by the mean of each parameter, and as maps."""
    rows = []
    for found in (f for f in trained.found if f.rows):
        place = tuple(found.arm.labels.values())
        theirs = found.arm.published.get("success")
        inside, outside = (solved(found, m) for m in ("interpolation", "extrapolation"))
        share = 100 * theirs.value if theirs else None
        rows.append((*place, len(found.rows), outside, share, inside, usual(found)))
    ours = figures(trained)
    wanted = claims()
    listed = [
        (name, i.value, i.low, i.high, wanted[name].value if name in wanted else None)
        for name, i in ours.items()
    ]
    counted = ("seeds", "solved", "published, in %", "solved within", "ε = 1e-4")
    means = ("starts", "rate", "low", "high", "published")
    names = ("map", "mean M̂", "mean Ŵ", "solved, in %")
    return Computed(
        {
            "starts": columns((*trained.study.labels, *counted), rows),
            "means": columns(means, listed),
            "maps": columns(names, maps(trained)),
        },
        {name: i for name, i in ours.items() if name in wanted},
    )


ABOUT = """
The start of iNALU decides whether it learns at all. a ∘ b of two sums of a hundred
inputs as in `inalu-function`, from 54 starts: Ŵ, M̂ and G are normal around −1, 0 or 1
each, with a deviation of 0.1 or 0.5. The paper takes from this the start of its other
experiments, M̂ around −1 and Ŵ around 1; the Primer's benchmark starts M̂ around ½, on
the side on which nothing is solved.

**What was chosen.** This experiment's script is not published; its plan and its results
are. The plan has 201 epochs, inputs from N(0, 1) cut at ±2 to train on, and “mean 10,
deviation 1” to test on; we take from the results that those have both signs: a network
that answers 0 there has an error of about 7,500 for + and for −, which is 75 × 101, and
of 1.3 × 10⁷ for ×. Files are named after a loss “rsme”; by the same reckoning (58
within the training range, which is 75 × 0.774) it is the mean squared error, and is
taken as that. Restarts would forget the start; runs that end at 58 have had none, and
ours have none. Which iNALU it was is not said: here it is the one with independent
weights. All else is as in `inalu-function`, so 201,000 steps. Of 4,320 planned runs the
files hold half, between 5 and 16 of each start and operation; here there are 10.
**Solved** is an error below 10⁻⁵ after the last step. No published run solves × in
extrapolation by that, though most end at 1.5 × 10⁻⁴, of answers around 3,500: their
weights must have been wrong by some 10⁻⁶, where the penalty of the published script
leaves no more than float32 does.

**What to look for.** Which mean decides. Published it is that of M̂: for + 87 % of all
runs are solved from −1, 31 % from 0 and none from 1. A failed run from M̂ = 1 ends in
the product: its error is e⁴⁰, the square of where iNALU cuts its exponent. Ours say the
same in milder terms: sums are solved in two of three runs from −1, in two of five from
0, and in one of ten from 1. × is solved by most of ours outside too, within 10⁻⁵; it
takes Ŵ away from 0, on either side.
"""


def inalu_initialisation() -> Study:
    """Experiment 3, the influence of the start."""
    return Study(
        "inalu-initialisation",
        "From where iNALU's parameters should start",
        f"{PAPER}, experiment 3; {CODE}",
        ABOUT.strip(),
        arms(),
        compute=tables,
        claims=claims(),
        shown={
            "means": "Rates over all starts that have one mean, or one deviation, in "
            "common, with their 95 % interval, and published.",
            "starts": "Solved runs of each start: in extrapolation, within the "
            "training range (“within”), and by a criterion that knows the range.",
        },
        plots=(
            Heat(
                "Solved in extrapolation, and × within the training range, over the "
                "means of M̂ and Ŵ, all else together.",
                *("maps", "mean M̂", "mean Ŵ", "solved, in %", "map"),
                across=2,
                limits=(0.0, 100.0),
            ),
            Grid("Solved, in %.", "mean M̂", "mean Ŵ"),
        ),
    )

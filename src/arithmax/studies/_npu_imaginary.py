"""What the NPU's imaginary weights buy, and what penalising them does."""

from typing import Any

import numpy as np

from ..protocol import Cell
from ..statistics import Interval
from ..tasks import Functions
from ..units import NPU, NaiveNPU, RealNaiveNPU, RealNPU, Unit
from ._evaluate import Found, Trained
from ._npu import DRAFT, mean, run
from ._npu_surfaces import BATCH, beside
from ._plots import Measured, Seeds
from ._study import Arm, Computed, Published, Study, columns

POSITIVE, SIGNED = "xy and x/y, positive", "xy and x/y, both signs"
BESIDE = "x₁ beside |x₂| < 0.05"
TASKS = {
    POSITIVE: Functions(("mul", "div"), (0.1, 2.0), (2.0, 4.0)),
    SIGNED: Functions(("mul", "div"), (-2.0, -0.1, 0.1, 2.0), (-4.0, -2.0, 2.0, 4.0)),
    BESIDE: beside(0.05),
}
NONE, FREE = "none", "free"
STRENGTHS = {"L1 0.001": 1e-3, "L1 0.01": 1e-2, "L1 0.1": 0.1, "L1 1": 1.0}
COMPLEX: dict[str, Unit] = {"NPU": NPU(), "NaiveNPU": NaiveNPU()}
REAL: dict[str, Unit] = {"NPU": RealNPU(), "NaiveNPU": RealNaiveNPU()}
SEEDS = 100
SOLVED, STRICT = 1e-2, 1e-4  # by how much a run may be off
HELPS = "both signs: what free W_im add to the success rate of the {}"
PENALTY = "both signs: what L1 1 on W_im adds to the success rate of the {}"


def cell(task: str, unit: str, w_im: str) -> Cell:
    """One layer, with or without imaginary weights, and their penalty."""
    # A penalty keeps weights moving by the length of a step: 1 % off is solved here.
    settings: dict[str, Any] = {"seeds": SEEDS, "epsilon": SOLVED}
    if task == BESIDE:
        settings["batch"] = BATCH
    if w_im in STRENGTHS:
        strength = STRENGTHS[w_im]
        settings |= {"l1": strength, "l1_end": strength, "l1_of": "W_im"}
    own = REAL[unit] if w_im == NONE else COMPLEX[unit]
    return run(unit, own, TASKS[task], **settings)


def solved(found: Found) -> dict[int, bool]:
    """Which seeds were solved."""
    return {row["seed"]: row["outcome"] == "solved" for row in found.rows}


def gain(one: Found, other: Found) -> Interval | None:
    """By how much more often an arm is solved than another, seed by seed."""
    first, second = solved(one), solved(other)
    both = sorted(first.keys() & second.keys())
    return mean([float(first[s]) - float(second[s]) for s in both]) if both else None


def largest(params: dict[str, Any]) -> float:
    """The largest imaginary weight."""
    return float(np.abs(params["W_im"]).max()) if "W_im" in params else 0.0


def sizes(found: Found, trained: Trained) -> tuple[Any, ...]:
    """Solved runs, at a stricter measure too, and how large imaginary weights are."""
    found_sizes = [largest(trained.weights(row)) for row in found.rows]
    right = [
        s
        for s, row in zip(found_sizes, found.rows, strict=True)
        if row["outcome"] == "solved"
    ]
    error = float(np.median([row["interpolation"] for row in found.rows]))
    middle = float(np.median(right)) if right else None
    bound = found.arm.cell.task.threshold(STRICT, "exact")
    strict = sum(row["extrapolation"] < bound for row in found.rows)
    size = float(np.median(found_sizes))
    return len(found.rows), len(right), strict, error, size, middle


def equal(trained: Trained) -> tuple[int, int]:
    """Seeds on positive inputs, and those in which NPU and RealNPU learn the same."""
    one = trained.arm(task=POSITIVE, unit="NPU", W_im=FREE)
    other = trained.arm(task=POSITIVE, unit="NPU", W_im=NONE)
    real = {row["seed"]: trained.weights(row) for row in other.rows}
    own = {row["seed"]: trained.weights(row) for row in one.rows if row["seed"] in real}
    same = (
        np.array_equal(w["W_re"], real[seed]["W"])
        and np.array_equal(w["g"], real[seed]["g"])
        for seed, w in own.items()
    )
    return len(own), sum(same)


def imaginary(trained: Trained) -> Computed:
    """Sizes of imaginary weights, and what they and their penalty add."""
    rows = [
        (*found.arm.labels.values(), *sizes(found, trained))
        for found in trained.found
        if found.rows
    ]
    names = ("task", "unit", "W_im", "seeds", "solved", "to 0.01 %", "error within")
    figures: dict[str, Interval] = {}
    for unit in COMPLEX:
        arms = {w: trained.arm(task=SIGNED, unit=unit, W_im=w) for w in (NONE, FREE)}
        strong = trained.arm(task=SIGNED, unit=unit, W_im="L1 1")
        added = {
            HELPS.format(unit): gain(arms[FREE], arms[NONE]),
            PENALTY.format(unit): gain(strong, arms[FREE]),
        }
        figures |= {name: i for name, i in added.items() if i is not None}
    more = ("largest |W_im|", "of solved runs")
    tables = {
        "sizes": columns((*names, *more), rows),
        "same": columns(("seeds", "equal to the last bit"), [equal(trained)]),
    }
    return Computed(tables, figures)


def _claims() -> dict[str, Published]:
    helps = "“an additional dimension that helps to avoid regions with an uninformative"
    helps += " gradient signal”, read as: it does not harm"
    strong = "“we recommend to strongly regularize the imaginary part”, read as: that "
    strong += "does not harm"
    harm = "an L1 penalty that is strong enough to bring W_im to zero does so from the "
    harm += "first step, and takes with it what W_im buys: at strength 1 the units are "
    harm += "solved as often as those without W_im. A weak one leaves W_im where it was"
    claims = {HELPS.format(u): Published(0.5, 0.0, 1.0, helps) for u in COMPLEX}
    for unit in COMPLEX:
        claims[PENALTY.format(unit)] = Published(0.5, 0.0, 1.0, strong, harm)
    return claims


ABOUT = """
The draft makes the NPU's weights complex because that “provides an additional dimension
that helps to avoid regions with an uninformative gradient signal”, and recommends “to
strongly regularize the imaginary part”, since in the end only real powers are wanted.
It shows neither. Here single layers are trained without imaginary weights (the RealNPU
and the RealNaiveNPU), with free ones, and with an L1 penalty of four strengths on W_im
alone (the script of its first figure has 0.1), 100 seeds, 20,000 steps of Adam at
0.005. Numbers of both signs are uniform on ±[0.1, 2]. A run is solved if it is as right
as one whose powers are off by 0.01, since an L1 penalty keeps weights trembling by the
length of a step.

**On positive inputs W_im buys nothing.** It starts at zero, and there ∂y/∂W_im =
−exp(W_re log r) sin(0) log r is zero: it never moves, in no seed, with or without
penalty. Wherever the paper trains on positive numbers, its NPU is its RealNPU, and what
its table A2 reads out of their difference is the luck of twenty seeds. (Weights and
gates of both are equal to the last bit, but for a seed that another order of rounding
tells apart.)

**On both signs it buys a factor of about three**, from about one seed in twenty to one
in five; most seeds still fail. A weak penalty changes nothing, one that is strong
enough to remove W_im removes what it buys. In solved runs W_im has gone to zero by
itself: there is nothing that a penalty would have to do.

**Beside an irrelevant input near zero it costs digits.** To one per cent the NaiveNPU
is as often right with imaginary weights as without. But those of the needless input
hardly have a gradient and stay near 0.01; at the measure of `npu-small-inputs`, 10⁻⁵,
few of these runs are right. Here a weak penalty helps: 0.001 takes them away and spares
the rest. A strong one, trembling, spoils all.
"""


def npu_imaginary() -> Study:
    """Section 3.1 of the draft."""
    pairs = [(POSITIVE, "NPU"), (SIGNED, "NPU"), (SIGNED, "NaiveNPU")]
    kinds = {POSITIVE: (NONE, FREE)}
    arms = [
        Arm({"task": task, "unit": unit, "W_im": w_im}, cell(task, unit, w_im))
        for task, unit in (*pairs, (BESIDE, "NaiveNPU"))
        for w_im in kinds.get(task, (NONE, FREE, *STRENGTHS))
    ]
    return Study(
        "npu-imaginary",
        "What imaginary weights buy, and what penalising them does",
        f"{DRAFT}, sections 3 and 3.1; Neural Power Units, NeurIPS 2020, table A2",
        ABOUT.strip(),
        tuple(arms),
        compute=imaginary,
        claims=_claims(),
        shown={
            "same": "Positive inputs: seeds in which the NPU, whose W_im is free, and "
            "the RealNPU end with equal weights and gates.",
            "sizes": "Runs without imaginary weights (the RealNPU and RealNaiveNPU), "
            "with free ones, and with an L1 penalty on them alone: seeds right to 1 % "
            "(solved) and to 0.01 %, median error within the training range, "
            "and median of the largest imaginary weight of a run.",
        },
        plots=(
            Measured("Success rate.", x="W_im", by="unit"),
            Seeds("Both signs, NPU.", "W_im", {"task": SIGNED, "unit": "NPU"}),
            Seeds("Beside a small input, NaiveNPU.", "W_im", {"task": BESIDE}),
        ),
    )

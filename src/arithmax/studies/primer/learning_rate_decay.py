"""Learning rates that fall, where runs end beside the answer and not on it."""

from collections.abc import Sequence

from ...results import exact_after_rounding
from ...training import Cosine, Schedule
from .._evaluate import ArmRuns, Trained
from .._sheet import sheet
from .._study import Arm, Computed, Study, columns
from ._runs import cell, labels, task

SIZE, STEPS = 10, 100_000  # of the published runs with redundant inputs
CELLS = (
    ("NMRU", "mul", "[10, 20)"),
    ("NMRU", "mul", "[-20, -10)"),
    ("iNALU (benchmark)", "add", "[-2, 2)"),
    ("NAC₊", "add", "[1.1, 1.2)"),
)
TRAINED: dict[str, Schedule | None] = {
    "as published": None,
    "with decay": Cosine(0, STEPS, 0.0),
}


def compute(trained: Trained) -> Computed:
    """Solved and exact after rounding, with and without decay, side by side."""
    rows = []
    for which in CELLS:
        names = labels(*which)
        arms = [trained.arms(**names, training=how) for how in TRAINED]
        rows.append((*names.values(), *(n for found in arms for n in counts(found))))
    kinds = ("solved", "exact after rounding")
    heads = [f"{kind}, {how}" for how in TRAINED for kind in kinds]
    return Computed({"decay": columns(("unit", "operation", "range", *heads), rows)})


def counts(arms: Sequence[ArmRuns]) -> tuple[str | None, str | None]:
    """How many runs of an arm are solved, and how many are once they are rounded."""
    rows = [row for arm in arms for row in arm.rows]
    if not rows:
        return None, None
    solved = sum(row["outcome"] == "solved" for row in rows)
    exact = sum(map(exact_after_rounding, rows))
    return f"{solved} of {len(rows)}", f"{exact} of {len(rows)}"


def study() -> Study:
    """Some cells of the study `redundancy`, with the published protocol and decay."""
    arms = []
    for unit, operation, name in CELLS:
        on = task(operation, name, SIZE)
        for how, schedule in TRAINED.items():
            run = cell(unit, on, schedule=schedule)
            arms.append(Arm({**labels(unit, operation, name), "training": how}, run))
    return sheet("primer", "learning-rate-decay").study(arms, compute)

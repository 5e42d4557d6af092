"""iNALU's experiments: their models, recipe and published counts.

The counts are in `inalu.json`, with their source.
"""

import json
from collections.abc import Callable, Iterable
from functools import cache
from importlib import resources
from typing import Any

from .._recipes import INALU_RECIPE
from ..networks import Stack
from ..protocol import Cell, Protocol
from ..statistics import Interval, success_rate
from ..tasks import Task
from ..units import INALU, NALU, Normal, Unit
from ._criteria import below
from ._evaluate import Found, Trained
from ._madsen_johansen import SYMBOLS as SYMBOLS
from ._study import Arm, Computed, Published, Table, columns

PAPER = (
    "D. Schlör, M. Ring and A. Hotho, iNALU: Improved Neural Arithmetic Logic Unit, "
    "Frontiers in Artificial Intelligence 3, 2020"
)
CODE = "the authors' script and result files (github.com/daschloer/inalu)"
OPERATIONS = ("add", "sub", "mul", "div")
UNITS: dict[str, Unit] = {
    "NALU": NALU(),
    "iNALU (sw)": INALU(tied=True),
    "iNALU (iw)": INALU(),
}
# 100 epochs of 1,000 batches out of one table. The script runs on TensorFlow 1, has
# one penalty for all models from epoch 11 on, looks for restarts in every tenth epoch
# but the last, and judges the last step by one error for all tasks.
SOLVED = 1e-5
RECIPE: dict[str, Any] = INALU_RECIPE | {
    "steps": 100_000,
    "table": 64_000,
    "optimiser": "tf-rmsprop",
    "slots": True,
    "penalty_of": "inalu",
    "penalty_start": 10_999,
    "penalty_end": 11_000,
    "restart_until": 90_000,
    "threshold": SOLVED,
    "window": 1,
}
# The mean of each parameter at its start; their standard deviation is 0.1.
START = {"W": 1.0, "M": -1.0, "G": 0.0}
MEASURED = ("extrapolation", "interpolation")
USUAL = "ε = 1e-4"
SETTINGS = """
**Settings** are those of the authors' script: 100 epochs of 1,000 batches of 64 out of
one table of 64,000 samples; RMSProp as TensorFlow 1 has it, at 0.01, gradients clipped
to ±0.1; in ten steps eight for Ŵ and M̂ and two for G; from epoch 11 on, where the loss
of a batch is below 1, a second step that drives every parameter towards ±20; in every
tenth epoch, where losses have stayed above 1 and have not fallen, a restart with all
parameters from U(−2, 2). NALU is trained in the same way. All start from Ŵ ~ N(1, 0.1),
M̂ ~ N(−1, 0.1), G ~ N(0, 0.1). “sw” has one W for both paths (shared), “iw” has two
(independent). **Solved** is, as published, an error below 10⁻⁵ after the last step, on
whatever range; the column “ε = 1e-4” has the same errors below the Primer's threshold,
which knows the range.
"""


@cache
def data(name: str) -> list[dict[str, Any]]:
    """The published counts of one experiment."""
    file = resources.files("arithmax.studies") / "inalu.json"
    return json.loads(file.read_text(encoding="utf-8"))[name]


def truncated(low: float, high: float) -> tuple[float, ...]:
    """The paper's N(low, high): a normal that these cut three deviations away."""
    return ((low + high) / 2, (high - low) / 6, float(low), float(high))


def network(
    model: str, *hidden: int, sd: float = 0.1, one_program: bool = False, **means: float
) -> Stack:
    """Layers of a model that start around these means (of W, M, G) or the usual ones.

    With `one_program` networks that differ in their start alone share a program.
    """
    unit, around = UNITS[model], START | means
    starts = tuple(
        (name, Normal(float(around[name[0]]), sd)) for name in unit.parameters(1, 1)
    )
    padded = hidden if one_program else ()
    return Stack((unit,) * (len(hidden) + 1), hidden, padded, starts)


def cell(network: Unit, task: Task, seeds: int, **changes: Any) -> Cell:
    """A network on a task, trained as the authors' script does."""
    return Cell(network, task, Protocol(**(RECIPE | changes)), tuple(range(seeds)))


def rate(solved: int, runs: int, note: str = "", reason: str = "") -> Published:
    """A published count with its interval."""
    found = success_rate(solved, runs)
    said = f"{solved} of {runs} runs"
    note = f"{said}; {note}" if note else said
    return Published(found.value, found.low, found.high, note, reason)


def solved(found: Found, measure: str) -> int:
    """How many runs of an arm ended with an error below the paper's."""
    return sum(_ended(row) and row[measure] < SOLVED for row in found.rows)


def _ended(row: dict[str, Any]) -> bool:
    """Whether there is an error after the last step."""
    return row["best_step"] == row["protocol_steps"]


def usual(found: Found) -> int | None:
    """How many are below a threshold that knows the range; none for quotients."""
    task = found.arm.cell.task
    if task.operations == ("div",):
        return None  # where x may be anything, the mean of 1/x² is not to be had
    limit = task.threshold(1e-4, "exact")
    return sum(_ended(row) and below(row, limit) for row in found.rows)


def counts(trained: Trained, name: str) -> Table:
    """Ours beside theirs, arm by arm."""
    rows = []
    for found in (f for f in trained.found if f.rows):
        theirs = published_row(name, found.arm)
        share = success_rate(solved(found, "extrapolation"), len(found.rows))
        own = (solved(found, "extrapolation"), share.low, share.high)
        pair = (theirs["extrapolation"], solved(found, "interpolation"))
        last = (theirs["interpolation"], usual(found))
        seeds = len(found.rows)
        rows.append((*found.arm.labels.values(), seeds, *own, *pair, *last))
    names = ("seeds", "solved", "low", "high", "published")
    inside = ("solved within", "published within", USUAL)
    return columns((*trained.study.labels, *names, *inside), rows)


def published_row(name: str, arm: Arm) -> dict[str, Any]:
    """The published counts of an arm."""
    return next(r for r in data(name) if labels(r) == dict(arm.labels))


def labels(row: dict[str, Any]) -> dict[str, str]:
    """What tells an arm from the others."""
    return {
        "operation": SYMBOLS[row["operation"]],
        "model": row["model"],
        "distribution": row["distribution"],
    }


def claim(operation: str, model: str, measure: str) -> str:
    """The name of a total over distributions."""
    return f"{operation}, {model}: solved in {measure}"


def totals(
    name: str, reason: Callable[[tuple[str, ...]], str] = lambda place: ""
) -> dict[str, Published]:
    """The published counts of each operation and model over all distributions."""
    made = {}
    for operation in OPERATIONS:
        for model in UNITS:
            rows = [
                r
                for r in data(name)
                if (r["operation"], r["model"]) == (operation, model)
            ]
            runs = sum(r["runs"] for r in rows)
            for measure in MEASURED:
                said = claim(SYMBOLS[operation], model, measure)
                why = reason((SYMBOLS[operation], model))
                made[said] = rate(sum(r[measure] for r in rows), runs, reason=why)
    return made


def measured_totals(trained: Trained) -> dict[str, Interval]:
    """Ours of each operation and model, where all runs are there."""
    made = {}
    for operation in map(SYMBOLS.get, OPERATIONS):
        for model in UNITS:
            own = [
                f
                for f in trained.found
                if (f.arm.labels["operation"], f.arm.labels["model"])
                == (operation, model)
            ]
            if complete(own):
                runs = sum(len(f.rows) for f in own)
                for measure in MEASURED:
                    total = sum(solved(f, measure) for f in own)
                    said = claim(str(operation), model, measure)
                    made[said] = success_rate(total, runs)
    return made


def complete(found: Iterable[Found]) -> bool:
    """Whether all runs of some arms are there, none reduced."""
    arms = list(found)
    return bool(arms) and all(f.rows and not f.reduced for f in arms)


def compute(trained: Trained, name: str) -> Computed:
    """Counts arm by arm, and over all distributions."""
    return Computed({"counts": counts(trained, name)}, measured_totals(trained))

"""The single module task among inputs that are to be ignored."""

from collections.abc import Iterator
from typing import Any

from ..statistics import Interval
from ._criteria import Judged
from ._evaluate import Found, Trained
from ._plots import Grid, Measured, Seeds
from ._primer import (
    OPERATIONS,
    PRIMER,
    RANGES,
    SYMBOLS,
    UNITS,
    able,
    cell,
    data,
    figures,
    task,
)
from ._single_module import TOTALS, tables
from ._study import Arm, Computed, Published, Study

SIZES = (10, 100)
ABOUT = """
Two of ten inputs count, neighbours at a place that each seed draws once; the others are
to be ignored. Everything else is as in `single-module`, but for 100,000 steps and
penalties that start at 50,000. Every unit that can represent the operation and ignore
an input is run; an MC-FC of one output, and those MulMC-FC that have no output for what
is to be ignored, cannot. The NAU is also run with two of a hundred inputs.

The published figures are means over nine ranges and 25 seeds, for division: 70.2 % for
the RealNPU, 85.3 % for the modified one and 91.6 % for the NMRU. They are in the
abstract of the first version of the division paper, whose code has a flat threshold of
10⁻⁵; their intervals are those of 158, 192 and 206 of 225 runs. With two inputs (see
`single-module`) division is nearly solved by NRU and NMRU: look at how much of that is
left. The threshold of sums grows with the inputs that a weight of ε would let in, that
of products and quotients does not, as in the authors' script.
"""


def labels(unit: str, operation: str, size: int, name: str) -> dict[str, str | int]:
    """What tells an arm from the others."""
    return {
        "unit": unit,
        "operation": SYMBOLS[operation],
        "inputs": size,
        "range": name,
    }


def claim(row: dict[str, Any]) -> str:
    """The name of a mean over the nine ranges."""
    symbol = SYMBOLS[row["operation"]]
    where = f"{row['unit']} {symbol} among {row['inputs']} inputs, nine ranges"
    return f"{where}, {row['criterion']}: solved"


def claims() -> dict[str, Published]:
    """The published means."""
    return {claim(row): figures(row)["success"] for row in data("redundancy")}


def measured(found: list[Found]) -> dict[str, Interval]:
    """Our means, where all nine ranges were run in full."""
    means = {}
    for row in data("redundancy"):
        key = (row["unit"], SYMBOLS[row["operation"]], row["inputs"])
        own = [f for f in found if tuple(f.arm.labels.values())[:3] == key]
        if len(own) == len(RANGES) and not any(f.reduced for f in own):
            judged = Judged.of(own, row["criterion"])
            means[claim(row)] = judged.success
    return means


def compute(trained: Trained) -> Computed:
    """The tables of `single-module`, and our means beside the published."""
    found = [f for f in trained.found if f.rows]
    return Computed(tables(trained), measured(found))


def setups() -> Iterator[tuple[str, str, int]]:
    """Unit, operation and inputs of every arm."""
    for unit in UNITS:
        for operation in OPERATIONS:
            for size in SIZES if unit == "NAU" else SIZES[:1]:
                if unit in able(operation, size):
                    yield unit, operation, size


def redundancy() -> Study:
    """The Primer's and the division paper's runs with redundant inputs."""
    arms = [
        Arm(labels(*setup, name), cell(setup[0], task(setup[1], name, setup[2])))
        for setup in setups()
        for name in RANGES
    ]
    return Study(
        "redundancy",
        "The single module task with eight inputs too many",
        f"{PRIMER}, section 6 and figures 19 and 20; the means are from the division "
        "paper's abstract, arXiv 2110.05177",
        ABOUT,
        tuple(arms),
        compute=compute,
        claims=claims(),
        shown={"totals": TOTALS},
        plots=(
            Grid("Success rates, %.", "range", "unit"),
            Measured("Success rate.", "success", "range", "unit"),
            Measured("Mean step at which it was solved.", "solved_at", "range", "unit"),
            Seeds("÷ by the NMRU.", "range", {"unit": "NMRU", "operation": "÷"}),
            Seeds("− by the NAU.", "range", {"unit": "NAU", "operation": "−"}),
        ),
    )

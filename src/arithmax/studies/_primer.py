"""A Primer for Neural Arithmetic Logic Modules: its units, ranges and figures.

The figures are in `primer.json`, each with its source and its criterion of success.
"""

import json
from functools import cache
from importlib import resources
from typing import Any

from .._recipes import INALU_OF_THE_BENCHMARK, inalu_of_the_benchmark
from ..protocol import Cell, published
from ..statistics import success_rate
from ..tasks import SingleModule
from ..units import INALU, MulMCFC, RealNPU, Unit
from ..units import UNITS as REGISTRY
from ._madsen_johansen import SYMBOLS as SYMBOLS
from ._study import Published

PRIMER = (
    "B. Mistry, K. Farrahi and J. Hare, A Primer for Neural Arithmetic Logic Modules, "
    "JMLR 23, 2022"
)
BENCHMARK = "iNALU (benchmark)"
# Every unit that can do arithmetic, by the name that the papers print, and the versions
# of some that the benchmark's own code and notes have.
UNITS: dict[str, Unit] = {
    **{cls.title: cls() for cls in REGISTRY.values() if cls().operations},
    BENCHMARK: INALU(),
    "RealNPU (modified)": RealNPU(clip=True),
    "MulMC-FC (benchmark)": MulMCFC(discard=False),
    "MulMC-FC (iNALU sign)": MulMCFC(sign="inalu", discard=False),
    "MulMC-FC (RealNPU sign)": MulMCFC(sign="real-npu", discard=False),
}
OPERATIONS = ("add", "sub", "mul", "div")
SEEDS = 25


def without_zero(size: float) -> tuple[float, float, float, float]:
    """Uniform numbers between −size and size of which none is exactly zero.

    The fleet draws from 2²³ numbers, the authors from 2⁵³. Theirs are never exactly
    zero; ours would be in every other run, and a quotient would be infinite.
    """
    least = size * 2.0**-23
    return (-size, -least, least, size)


# The nine ranges to train on, each with the one to be right on.
RANGES: dict[str, tuple[tuple[float, ...], tuple[float, ...]]] = {
    "[-20, -10)": ((-20.0, -10.0), (-40.0, -20.0)),
    "[-2, -1)": ((-2.0, -1.0), (-6.0, -2.0)),
    "[-1.2, -1.1)": ((-1.2, -1.1), (-6.1, -1.2)),
    "[-0.2, -0.1)": ((-0.2, -0.1), (-2.0, -0.2)),
    "[-2, 2)": (without_zero(2.0), (-6.0, -2.0, 2.0, 6.0)),
    "[0.1, 0.2)": ((0.1, 0.2), (0.2, 2.0)),
    "[1, 2)": ((1.0, 2.0), (2.0, 6.0)),
    "[1.1, 1.2)": ((1.1, 1.2), (1.2, 6.0)),
    "[10, 20)": ((10.0, 20.0), (20.0, 40.0)),
}


def task(operation: str, name: str, size: int = 2) -> SingleModule:
    """An operation on one of the ranges, perhaps among inputs to be ignored."""
    inner, outer = RANGES[name]
    return SingleModule(operation, size, inner, outer)  # type: ignore[arg-type]  # a literal


def able(operation: str, size: int = 2) -> list[str]:
    """The names of the units that can do an operation among `size` inputs."""
    return [name for name, unit in UNITS.items() if can(unit, operation, size)]


def can(unit: Unit, operation: str, size: int) -> bool:
    """Whether a unit has weights for an operation among `size` inputs."""
    if operation not in unit.operations:
        return False
    try:
        unit.solution(operation, size)
    except ValueError:  # it has no weights that ignore an input
        return False
    return True


def cell(name: str, task: SingleModule, seeds: int = SEEDS, **changes: Any) -> Cell:
    """A unit alone on a task, with its authors' recipe or the benchmark's."""
    network: Unit = UNITS[name]
    if name == BENCHMARK:
        network = inalu_of_the_benchmark()
        changes = INALU_OF_THE_BENCHMARK | changes
    network, protocol = published(network, task, **changes)
    return Cell(network, task, protocol, tuple(range(seeds)))


@cache
def data(name: str) -> Any:
    """The published figures of one table."""
    file = resources.files("arithmax.studies") / "primer.json"
    return json.loads(file.read_text(encoding="utf-8"))[name]


def figures(row: dict[str, Any], late: str = "") -> dict[str, Published]:
    """A published row as figures by measure; counts have Wilson's interval.

    `late` is why our steps differ, where that was found out.
    """
    note = data("source")[row["source"]]
    rate = success_rate(row["solved"], row["runs"])
    found = {"success": Published(rate.value, rate.low, rate.high, note)}
    for measure in ("solved_at", "sparsity"):
        if measure in row:
            reason = late if measure == "solved_at" else ""
            found[measure] = Published(row[measure], note=note, reason=reason)
    return found

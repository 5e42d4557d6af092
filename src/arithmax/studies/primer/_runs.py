"""The units and ranges of the Primer's single module task, and how they are trained."""

from typing import Any

from ...networks import Network
from ...tasks import SingleModule, Task
from ...training import Cell, published
from ...training.recipes import inalu
from ...units import INALU, MulMCFC, RealNPU, Unit
from ...units import UNITS as REGISTRY
from .._grid import SYMBOLS, without_zero

BENCHMARK = "iNALU (benchmark)"
# Every unit that can do arithmetic, by the name that the papers print, and the versions
# of some that the benchmark's code and notes have.
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


def labels(unit: str, operation: str, name: str) -> dict[str, str | int]:
    """What distinguishes an arm on one of the ranges from the others."""
    return {"unit": unit, "operation": SYMBOLS[operation], "range": name}


def task(operation: str, name: str, size: int = 2) -> SingleModule:
    """An operation on one of the ranges, perhaps among inputs to be ignored."""
    return SingleModule(operation, size, *RANGES[name])  # type: ignore[arg-type]  # a literal


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


def cell(name: str, task: Task, seeds: int = SEEDS, **changes: Any) -> Cell:
    """A unit alone on a task, with its authors' recipe or the benchmark's."""
    network: Network = UNITS[name]
    if name == BENCHMARK:
        network, changes = inalu.benchmark_network(), inalu.BENCHMARK | changes
    return run(network, task, seeds, **changes)


def run(
    unit: Network, task: Task, seeds: int, on: Task | None = None, **changes: Any
) -> Cell:
    """A unit under the published recipe of a task.

    Args:
        unit: the unit, or a network.
        task: the task that has the recipe.
        seeds: how many seeds.
        on: the task that it is trained on, if that is another.
        changes: settings that differ from the recipe.
    """
    network, protocol = published(unit, task, **changes)
    return Cell(network, on or task, protocol, tuple(range(seeds)))

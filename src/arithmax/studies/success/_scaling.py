"""The runs that show how success falls with the inputs that there are, and matter."""

from collections.abc import Iterator
from typing import Literal

from ...tasks import SingleModule, Task
from ...training import Cell, published
from ...units import NAC, NAU, NMRU, NMU, NRU, MultiplicativeNAC, Unit
from .._grid import SYMBOLS
from .._study import Arm
from ._among import Among

SIZES = (2, 3, 5, 10, 20, 50, 100)
SEEDS, STEPS = 100, 200_000
RECIPE = "recipe"  # how these are trained, among other ways
WIDE = ((1.0, 2.0), (2.0, 6.0))
# A product of a hundred numbers between 1 and 2 has a square beyond single precision.
NEAR_ONE = ((0.9, 1.1), (1.1, 1.2))
MOST_WIDE = 10  # relevant inputs of a product of numbers between 1 and 2
FEW, MANY = (2, 10), 20  # relevant inputs, beside all, among more than so many
UNITS: dict[str, tuple[Unit, ...]] = {
    "add": (NAU(), NAC()),
    "mul": (NMU(), NMRU(), MultiplicativeNAC()),
    "div": (NMRU(), NRU()),
}


def tasks(operation: Literal["add", "mul", "div"]) -> Iterator[tuple[int, Task]]:
    """How many inputs matter, and the task."""
    for n in SIZES:
        if operation == "div":
            yield 2, SingleModule("div", n, *WIDE)
            continue
        for k in (k for k in SIZES if k <= n):
            if operation == "add":
                yield k, Among("add", n, k, *WIDE)
            elif n <= MANY or k in (*FEW, n):
                yield k, Among("mul", n, k, *NEAR_ONE)
            if operation == "mul" and n <= MANY and k <= MOST_WIDE:
                yield k, Among("mul", n, k, *WIDE)


def cell(unit: Unit, operation: Literal["add", "mul", "div"], task: Task) -> Cell:
    """A unit under the recipe for redundant inputs, whatever their number."""
    recipe = SingleModule(operation, SIZES[3])
    network, protocol = published(unit, recipe, steps=STEPS)
    return Cell(network, task, protocol, tuple(range(SEEDS)))


def arms() -> list[Arm]:
    """Every unit on every size that it can do."""
    operations: tuple[Literal["add", "mul", "div"], ...] = ("add", "mul", "div")
    return [
        Arm(
            {
                "unit": type(unit).title,
                "operation": SYMBOLS[operation],
                "range": "[{:g}, {:g})".format(*task.interpolation),  # type: ignore[attr-defined]  # both tasks have it
                "inputs": task.input_shape[0],
                "relevant": k,
                "training": RECIPE,
            },
            cell(unit, operation, task),
        )
        for operation in operations
        for unit in UNITS[operation]
        for k, task in tasks(operation)
    ]

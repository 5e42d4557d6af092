"""How the report's networks are trained.

The report prints neither the number of steps, the learning rate, the batch nor the
start of its weights. What is taken for them is here, once for all of its studies.
"""

from dataclasses import replace
from typing import Any

from ...networks import Stack
from ...protocol import Cell, Protocol, published
from ...tasks import Operands, SingleModule, Task
from ...units import Uniform, Unit

SEEDS = 100
FLAT = 1e-5  # a threshold for quotients, whose squared error near zero has no mean
OPERATIONS: dict[str, Any] = {  # as the report names them
    "+": "add",
    "−": "sub",
    "×": "mul",
    "÷": "div",
    "√": "sqrt",
    "power of 2": "square",
}
USUAL = "±1/√n"
VARIANCE = "NAU/NMU paper's start"
# Look every m steps; draw afresh if the loss is above a threshold and has not had a
# new minimum for n steps. The report gives neither number.
RULE = {
    "off": {},
    "on": {
        "restart": "stalled",
        "restart_every": 1000,
        "restart_patience": 5000,
        "restart_above": 1e-3,
    },
}


def run(
    network: Unit,
    task: Operands | SingleModule,
    seeds: int = SEEDS,
    **changes: Any,
) -> Cell:
    """The report's training: smooth L1 and RMSProp, at PyTorch's rate of 0.01."""
    settings = {"optimiser": "rmsprop", "loss": "smooth-l1", "learning_rate": 1e-2}
    near_zero = "div" in task.operations and task.extrapolation[0] <= 0
    settings |= {"threshold": FLAT if near_zero else 0.0}
    own = Protocol(**{"steps": 20_000, "validation": 1000, **settings, **changes})
    return Cell(network, task, own, tuple(range(seeds)))


def descended(network: Unit, task: Task, keep: tuple[int, ...]) -> Cell:
    """Plain descent on the squared error, as for the networks that cannot count."""
    settings = {"optimiser": "sgd", "learning_rate": 1e-3, "validation": 1000}
    own = Protocol(steps=10_000, keep=keep, **settings)  # type: ignore[arg-type]
    return Cell(network, task, own, tuple(range(SEEDS)))


def authored(unit: Unit, task: SingleModule, seeds: int) -> Cell:
    """A unit by its authors' recipe for the single module task."""
    network, recipe = published(unit, task, steps=50_000, validation=1000)
    if recipe.penalty_start < recipe.penalty_end:
        # The ramp of two inputs for three as well: that of ten would come too late.
        recipe = replace(recipe, penalty_start=20_000, penalty_end=35_000)
    return Cell(network, task, recipe, tuple(range(seeds)))


def torch_start(units: tuple[Unit, ...], sizes: tuple[int, ...]) -> Stack:
    """Units with `sizes` of inputs that start as public PyTorch versions do.

    Every parameter is uniform on ±1/√inputs: `kaiming_uniform_` with a = √5, which is
    how PyTorch starts its own linear layer.
    """
    starts = tuple(
        (f"{i}.{name}", Uniform(-(size**-0.5), size**-0.5))
        for i, (unit, size) in enumerate(zip(units, sizes, strict=True))
        for name in unit.parameters(1, 1)
    )
    return Stack(units, sizes[1:], starts=starts)


def starts(unit: Unit, inputs: int) -> dict[str, Stack]:
    """One layer of a unit by the two starts that are compared."""
    return {USUAL: torch_start((unit,), (inputs,)), VARIANCE: Stack((unit,))}

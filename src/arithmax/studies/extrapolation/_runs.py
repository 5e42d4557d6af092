"""How the report's networks are trained.

The report prints neither the number of steps, the learning rate, the batch nor the
start of its weights. What is taken for them is here, once for all of its studies.
"""

from dataclasses import replace
from typing import Any

from ...networks import Network, Stack
from ...tasks import Operands, SingleModule, Task
from ...training import (
    SGD,
    Cell,
    Criterion,
    Measuring,
    Protocol,
    RMSProp,
    SmoothL1,
    Stalled,
    UnitPenalty,
    published,
)
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
RULE = {"off": None, "on": Stalled(1000, patience=5000, above=1e-3)}


def run(
    network: Network,
    task: Operands | SingleModule,
    seeds: int = SEEDS,
    **changes: Any,
) -> Cell:
    """The report's training: smooth L1 and RMSProp, at PyTorch's rate of 0.01."""
    near_zero = "div" in task.operations and task.extrapolation[0] <= 0
    protocol = Protocol(
        20_000,
        optimiser=RMSProp(1e-2),
        loss=SmoothL1(),
        measuring=Measuring(validation=1000),
        criterion=Criterion(threshold=FLAT if near_zero else 0.0),
    )
    return Cell(network, task, protocol.updated(**changes), tuple(range(seeds)))


def descended(network: Network, task: Task, keep: tuple[int, ...]) -> Cell:
    """Plain descent on the squared error, as for the networks that cannot count."""
    measuring = Measuring(validation=1000, keep=keep)
    protocol = Protocol(10_000, optimiser=SGD(1e-3), measuring=measuring)
    return Cell(network, task, protocol, tuple(range(SEEDS)))


def authored(unit: Unit, task: SingleModule, seeds: int) -> Cell:
    """A unit by its authors' recipe for the single module task."""
    changes: dict[str, Any] = {"steps": 50_000, "measuring__validation": 1000}
    network, protocol = published(unit, task, **changes)
    for i, penalty in enumerate(protocol.penalties):
        if isinstance(penalty, UnitPenalty):
            # The ramp of two inputs for three as well: that of ten comes too late.
            ramp = replace(penalty, start=20_000, end=35_000)
            protocol = protocol.updated(**{f"penalties__{i}": ramp})
    return Cell(network, task, protocol, tuple(range(seeds)))


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

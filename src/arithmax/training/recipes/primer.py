"""A Primer for Neural Arithmetic Logic Modules (JMLR 2022): the single module task."""

from typing import Any

from ..._network import Network
from ...tasks import SingleModule
from ...units import (
    MCFC,
    NAU,
    NMU,
    NRU,
    SNALU,
    GatedNAUNMU,
    GatedSignNMRU,
    HillSpace,
    MulMCFC,
    NALUSinh,
    StochasticNMU,
)
from ...units._division import AbstractNMRU
from ...units._npu import AbstractNPU
from .._optimisers import Adam
from .._parts import Criterion
from .._penalties import L1, UnitPenalty
from .._protocol import Protocol
from .._transforms import ClipNorm
from . import recipe

# The benchmark does not have these: they are trained as its other units are, with what
# is published of their optimiser and penalty.
NOT_OF_THE_BENCHMARK = (SNALU, NALUSinh, GatedNAUNMU, GatedSignNMRU, HillSpace)
STRENGTHS = {
    NAU: 0.01,
    NMU: 10.0,
    GatedNAUNMU: 10.0,
    StochasticNMU: 10.0,
    NRU: 10.0,
    AbstractNMRU: 10.0,
    MCFC: 1.0,
    MulMCFC: 1.0,
}


def base(task: SingleModule, **settings: Any) -> Protocol:
    """What all units share: two inputs are trained half as long as more."""
    steps = 100_000 if task.input_size > 2 else 50_000
    return Protocol(steps, criterion=Criterion(1e-4, rule="authors"), **settings)


@recipe(Network, SingleModule)
def without_penalty(unit: Network, task: SingleModule) -> tuple[Network, Protocol]:
    """Units without a penalty."""
    return unit, base(task)


@recipe(tuple(STRENGTHS), SingleModule)
def penalised(unit: Network, task: SingleModule) -> tuple[Network, Protocol]:
    """Units with a penalty that grows in the middle of training."""
    redundant = task.input_size > 2
    ramp = (50_000, 75_000) if redundant else (20_000, 35_000)
    settings: dict[str, Any] = {}
    if isinstance(unit, NRU) and not redundant:
        settings["optimiser"] = Adam(1.0)
    elif isinstance(unit, AbstractNMRU):
        settings = {"optimiser": Adam(1e-2), "transforms": (ClipNorm(1.0),)}
    # Of a class derived from one of them, too.
    strength = next(s for cls, s in STRENGTHS.items() if isinstance(unit, cls))
    penalty = UnitPenalty(strength, *ramp)
    return unit, base(task, penalties=(penalty,), **settings)


@recipe(AbstractNPU, SingleModule)
def powers(unit: AbstractNPU, task: SingleModule) -> tuple[Network, Protocol]:
    """The NPU family: an L1 norm that grows, and a penalty on bounded weights."""
    norm = L1(1e-9, 1e-7) if task.operation == "div" else L1(1e-7, 1e-5)
    penalties: tuple[Any, ...] = (norm,)
    if unit.bounded:
        late = (50_000, 75_000) if task.input_size > 2 else (40_000, 50_000)
        penalties = (UnitPenalty(1.0, *late), norm)
    return unit, base(task, optimiser=Adam(5e-3), penalties=penalties)

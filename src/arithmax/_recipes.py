"""The authors' own networks and settings for their units, as plain numbers.

This file is read by the command line and loads no array library.
"""

from typing import Any

from .networks import Network, Stack
from .tasks import Functions, Operands, SingleModule, Subsets, Task
from .units import (
    GNALU,
    INALU,
    MCFC,
    NAC,
    NALU,
    NAU,
    NMRU,
    NMU,
    NRU,
    Dense,
    Linear,
    MulMCFC,
    MultiplicativeNAC,
    Normal,
    StochasticNMU,
    Unit,
)
from .units._npu import AbstractNPU


def recipe(unit: Network, task: Task) -> dict[str, Any]:
    """The authors' settings for a unit on a task, by the fields of a protocol."""
    if isinstance(task, Subsets):
        return _subsets(unit, task)
    if isinstance(task, SingleModule):
        return _single_module(unit, task)
    if isinstance(task, Operands):
        return {"optimiser": "rmsprop", "loss": "smooth-l1", "learning_rate": 1e-2}
    return _functions(unit, task)


def network_for(unit: Network, task: Task) -> Network:
    """One unit for one operation; two layers where sums come first."""
    if not isinstance(unit, Unit) or isinstance(task, SingleModule | Operands):
        return unit
    if isinstance(task, Functions):
        return Stack((unit, NAU()), hidden=(6,)) if _powers(unit) else unit
    first: Network = unit
    second: Network = unit
    if isinstance(unit, NMU | StochasticNMU | AbstractNPU | NRU | NMRU):
        first = NAU()
    elif isinstance(unit, MultiplicativeNAC):
        first = NAU() if unit.weight_map == "clipped" else NAC()
        if unit.weight_map == "linear":
            first = Linear(bias=False, regulariser="squared")
    elif isinstance(unit, MulMCFC):
        first = MCFC()
    elif isinstance(unit, Dense):
        second = Linear()
    return Stack((first, second), hidden=(2,))


def _powers(unit: Network) -> bool:
    return isinstance(unit, AbstractNPU | NMU | StochasticNMU)


def _subsets(unit: Network, task: Subsets) -> dict[str, Any]:
    settings: dict[str, Any] = {"epsilon": 1e-5, "rule": "authors"}
    settings["steps"] = 200_000 if task.simple else 5_000_000
    last = unit.units[-1] if isinstance(unit, Stack) else unit
    if isinstance(last, NAU) and task.operation in ("add", "sub"):
        return settings | {
            "penalty": 0.01,
            "penalty_start": 5_000,
            "penalty_end": 50_000,
        }
    if last.sparse:
        late = {"penalty_start": 1_000_000, "penalty_end": 2_000_000}
        return settings | {"penalty": 10.0} | late
    return settings


def _single_module(unit: Network, task: SingleModule) -> dict[str, Any]:
    redundant = task.input_size > 2
    settings: dict[str, Any] = {"epsilon": 1e-4, "rule": "authors"}
    settings["steps"] = 100_000 if redundant else 50_000
    ramp = (50_000, 75_000) if redundant else (20_000, 35_000)
    late = {"penalty_start": ramp[0], "penalty_end": ramp[1]}
    if isinstance(unit, NAU):
        settings |= {"penalty": 0.01, **late}
    elif isinstance(unit, NMU | StochasticNMU):
        settings |= {"penalty": 10.0, **late}
    elif isinstance(unit, NRU):
        rate = 1e-3 if redundant else 1.0
        settings |= {"penalty": 10.0, "learning_rate": rate, **late}
    elif isinstance(unit, NMRU):
        settings |= {"penalty": 10.0, "learning_rate": 1e-2, "clip_norm": 1.0, **late}
    elif isinstance(unit, MCFC | MulMCFC):
        settings |= {"penalty": 1.0, **late}
    elif isinstance(unit, AbstractNPU):
        start, end = (1e-9, 1e-7) if task.operation == "div" else (1e-7, 1e-5)
        settings |= {"learning_rate": 5e-3, "l1": start, "l1_end": end}
        if unit.bounded:
            later = (50_000, 75_000) if redundant else (40_000, 50_000)
            settings |= {"penalty": 1.0}
            settings |= {"penalty_start": later[0], "penalty_end": later[1]}
    elif isinstance(unit, INALU):
        settings |= INALU_RECIPE
    return settings


# The author's own: 1,000 batches an epoch, penalty after epoch 10 where the loss is
# below 1, restarts every 10 epochs.
INALU_RECIPE: dict[str, Any] = {
    "optimiser": "rmsprop",
    "learning_rate": 1e-2,
    "batch": 64,
    "clip_value": 0.1,
    "penalty": 0.05,
    "penalty_start": 10_000,
    "penalty_end": 10_000,
    "penalty_below": 1.0,
    "penalty_apart": True,
    "alternate": True,
    "restart": "inalu",
    "restart_every": 10_000,
    "restart_patience": 10_000,
    "restart_above": 1.0,
}


def _functions(unit: Network, task: Task) -> dict[str, Any]:
    """The NPU paper's simple task, by its code."""
    settings: dict[str, Any] = {"steps": 20_000, "batch": 100, "learning_rate": 5e-3}
    if isinstance(unit, NALU | GNALU | INALU):
        settings["optimiser"] = "rmsprop"
    return settings


# The Primer's code (nalm-benchmark) trains the iNALU otherwise than its authors: with
# Adam, all parameters at once, another start, and the interpolation error as last
# measured where they look at losses, both for restarts and for the penalty. A restart
# draws as at the start and leaves the optimiser as it is. The code looks every ten
# steps, we whenever that error is new.
INALU_OF_THE_BENCHMARK: dict[str, Any] = {
    "clip_value": 0.1,
    "penalty": 0.05,
    "penalty_start": 10_000,
    "penalty_end": 10_000,
    "penalty_below": 1.0,
    "restart": "inalu-benchmark",
    "restart_every": 1_000,
    "restart_patience": 5_000,
    "restart_above": 1.0,
}


def inalu_of_the_benchmark() -> Stack:
    """The iNALU with the start that the Primer's code gives it."""
    starts = {"W_hat": Normal(0.88, 0.2), "M_hat": Normal(0.5, 0.2)}
    drawn = [(n + s, d) for n, d in starts.items() for s in ("_add", "_mul")]
    return Stack((INALU(),), starts=(*drawn, ("G", Normal(0.0, 0.2))))

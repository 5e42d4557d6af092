"""The extrapolation report's NALU: six operations of 2 operands, four of 5."""

from typing import Any

import numpy as np

from ...networks import Stack
from ...tasks import Operands
from ...units import NALU
from .._evaluate import ArmRuns, Trained
from .._sheet import sheet
from .._study import Arm, Computed, Study, columns
from .._tables import histogram
from ._accuracy import (
    COMPARED,
    TOLERANCES,
    Accuracy,
    accuracies,
    accuracy_table,
    claimed,
    measured,
    right,
    tested,
)
from ._runs import OPERATIONS, USUAL, VARIANCE, run, torch_start
from ._sides import mean_gates, sides

SHEET = sheet("extrapolation", "nalu-operands")
ONE = f"one layer, {USUAL}"
EDGES = np.linspace(0.0, 1.0, 21)


def networks(inputs: int) -> dict[str, Stack]:
    """One NALU by two starts, and two of them with two hidden units."""
    return {
        ONE: torch_start((NALU(),), (inputs,)),
        f"one layer, {VARIANCE}": Stack((NALU(),)),
        "two layers": torch_start((NALU(), NALU()), (inputs, 2)),
    }


def accuracy(trained: Trained) -> Computed:
    """Accuracies at both kinds of tolerance, and what the gates of one layer do."""
    arms = measured(trained)
    usual = {key: arm for key, arm in arms.items() if key[2] == ONE}
    relative = [(*key, *_relative(arm.runs, trained)) for key, arm in arms.items()]
    names = ("operation", "operands", "network", "0 is right")
    tolerances = tuple(f"mean at {tol:g} · |y|" for tol in TOLERANCES)
    tasks = [f"{operation}, {count}" for operation, count, _ in arms]
    tables = {
        "accuracy": accuracy_table(arms, task=tasks),
        "relative": columns((*names, *tolerances), relative),
        **_gates(usual, trained),
    }
    return Computed(tables, claimed(SHEET, usual))


def _relative(runs: ArmRuns, trained: Trained) -> tuple[float, ...]:
    """How often 0 is right at 0.01, and the means where |y| below 1 is no excuse."""
    _, target = tested(runs.arm.cell.task, 0)
    nothing = right(np.zeros_like(target), target, COMPARED).mean()
    strict = accuracies(runs, trained, least=0.0).mean(axis=0)
    return float(nothing), *(float(v) for v in strict)


def _gates(arms: dict[Any, Accuracy], trained: Trained) -> dict[str, Any]:
    """Histograms of the gates, and the accuracy that belongs to each side."""
    drawn, worth = [], []
    for (operation, count, _), arm in arms.items():
        gate = mean_gates(arm.runs, trained)
        counted = histogram(f"{operation}, {count} operands", gate, EDGES)
        drawn += [(name, round(middle, 3), seeds) for name, middle, seeds in counted]
        for side, here in sides(gate).items():
            if here.any():
                mean = float(arm.compared[here].mean())
                worth.append((operation, count, side, int(here.sum()), mean))
    names = ("operation", "operands", "gate", "seeds", "mean accuracy at 0.01")
    return {
        "gates": columns(("task", "gate", "seeds"), drawn),
        "sides": columns(names, worth),
    }


def study() -> Study:
    """Sections 4.1 and 4.2."""
    arms = []
    for labels in SHEET.labels("accuracy"):
        task = Operands(OPERATIONS[labels["operation"]], labels["operands"])
        for name, network in networks(labels["operands"]).items():
            arms.append(Arm({**labels, "network": name}, run(network, task)))
    return SHEET.study(arms, accuracy)

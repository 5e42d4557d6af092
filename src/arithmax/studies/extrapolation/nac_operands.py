"""The extrapolation report's NAC: sums and differences of 1 to 10 operands."""

from typing import Any

import numpy as np

from ...tasks import Operands
from ...units import NAC
from .._evaluate import ArmRuns, Trained
from .._grid import SYMBOLS
from .._learned import matrices
from .._sheet import sheet
from .._study import Arm, Computed, Study, Table, columns
from ._accuracy import Accuracy, accuracy_table, claimed, measured
from ._runs import USUAL, VARIANCE, run, torch_start

SHEET = sheet("extrapolation", "nac-operands")
NEAR = 0.01  # of a weight to what it should be


def runs(count: int) -> dict[str, tuple[Any, dict[str, Any]]]:
    """The starts, rates and lengths that are tried of a NAC."""
    usual = torch_start((NAC(),), (count,))
    return {
        USUAL: (usual, {}),
        VARIANCE: (NAC(), {}),
        f"{USUAL}, rate 0.001": (usual, {"optimiser__learning_rate": 1e-3}),
        f"{USUAL}, 1,000 steps": (usual, {"steps": 1000}),
    }


def accuracy(trained: Trained) -> Computed:
    """Accuracies of the NAC by run, and where its weights end."""
    arms = measured(trained)
    usual = {key: arm for key, arm in arms.items() if key[2] == USUAL}
    ends = [
        (*key[:2], *_ends(arm.runs, trained))
        for key, arm in arms.items()
        if key[2] == VARIANCE
    ]
    names = ("operation", "operands", "seeds", "seeds with a wrong weight", "weights")
    tables = {
        "accuracy": accuracy_table(usual),
        "lines": accuracy_table(arms, arm=[f"{k[2]}: {k[0]}" for k in arms]),
        "runs": _beside(arms),
        "ends": columns((*names, "right", "at 0", "at −target", "between"), ends),
    }
    return Computed(tables, claimed(SHEET, usual))


def _beside(arms: dict[Any, Accuracy]) -> Table:
    """Mean accuracies at the tolerance compared, one column for each run."""
    tasks = dict.fromkeys(key[:2] for key in arms)
    names = list(dict.fromkeys(key[2] for key in arms))
    means = {key: float(arm.compared.mean()) for key, arm in arms.items()}
    rows = [(*t, *(means.get((*t, name), np.nan) for name in names)) for t in tasks]
    return columns(("operation", "operands", *names), rows)


def _ends(runs: ArmRuns, trained: Trained) -> tuple[int, ...]:
    """How many seeds and weights of an arm ended where."""
    task = runs.arm.cell.task
    signs = np.ones(task.in_features)
    signs[1:] = -1 if "sub" in task.operations else 1
    w = np.array([next(iter(m.values()))[0] for m in matrices(runs, trained)]) * signs
    near = [np.abs(w - target) < NEAR for target in (1, 0, -1)]
    counts = [int(here.sum()) for here in near]
    wrong = int((~near[0]).any(axis=1).sum())
    return len(w), wrong, w.size, *counts, w.size - sum(counts)


def study() -> Study:
    """Sections 3.1 and 3.2."""
    arms = [
        Arm(
            {"operation": SYMBOLS[operation], "operands": count, "run": name},
            run(network, Operands(operation, count), **{"steps": 10_000} | changes),
        )
        for operation in ("add", "sub")
        for count in range(1, 11)
        for name, (network, changes) in runs(count).items()
    ]
    return SHEET.study(arms, accuracy)

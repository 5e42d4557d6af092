"""The gating experiment of the NAU/NMU paper, and where the gates end."""

from typing import Any

import numpy as np

from ...networks import Stack
from ...tasks import Subsets
from ...units import NAC, NALU, NAU, GatedNAUNMU
from .._evaluate import ArmRuns, Trained
from .._grid import SYMBOLS
from .._learned import ends_of_range, solved
from .._sheet import sheet
from .._study import Arm, Computed, Published, Study, columns
from .._tables import histogram
from ._figures import doubled, entry, figures
from ._row_order import shuffled, simulated_cell
from ._runs import run

EDGES = np.linspace(0.0, 1.0, 21)
SAMPLES = 256
GATED = {
    "NALU shared": Stack((NAC(), NALU()), (2,)),
    "NALU separate": Stack((NAC(), NALU(tied=False)), (2,)),
    "Gated NAU/NMU": Stack((NAU(), GatedNAUNMU()), (2,)),
}


def mean_gate(runs: ArmRuns, params: Any) -> float:
    """The gate of the second layer, averaged over inputs to train on."""
    cell = runs.arm.cell
    (first, weights), (_, gated) = cell.network.layers(params)  # type: ignore[attr-defined]  # a Stack
    low, high = ends_of_range(runs, "interpolation")
    rng = np.random.default_rng(0)
    x = rng.uniform(low, high, (cell.task.in_features, SAMPLES))
    with np.errstate(over="ignore"):
        logits = gated["G"] @ first.compute(weights, x)
        return float(np.mean(1 / (1 + np.exp(-logits))))


def gate_values(trained: Trained) -> Computed:
    """Histograms of the gates, and how often each side was right."""
    drawn, counted = [], []
    for runs in trained.arms():
        gates = np.array([mean_gate(runs, trained.weights(r)) for r in runs.rows])
        drawn += histogram(runs.arm.name, gates, EDGES)
        for side, here in _sides(gates).items():
            right = None if runs.too_short else int((here & solved(runs)).sum())
            counted.append((*runs.arm.labels.values(), side, int(here.sum()), right))
    return Computed(
        {
            "gates": columns(("arm", "gate", "seeds"), drawn),
            "sides": columns(
                ("operation", "model", "gate", "seeds", "solved"), counted
            ),
        }
    )


def _sides(gates: np.ndarray) -> dict[str, np.ndarray]:
    return {
        "multiplies (below 0.1)": gates < 0.1,
        "between": (gates >= 0.1) & (gates <= 0.9),
        "adds (above 0.9)": gates > 0.9,
    }


def printed(operation: str, model: str) -> dict[str, Published]:
    """The figures of a row, and why its mean is not that of its runs."""
    labels = {"operation": operation, "model": model}
    row, simulation = entry("gate", **labels), simulated_cell("gate", **labels)
    assert row is not None
    what = "Runs that are all solved at the median and"
    why = shuffled(row["solved_at"], simulation, row["median"], what)
    return doubled(figures("gate", remarks={"solved_at": why}, **labels))


def study() -> Study:
    """Appendix C.5."""
    arms = [
        Arm(
            {"operation": SYMBOLS[operation], "model": model},
            run(network, Subsets(operation), 100),
            printed(operation, model),
        )
        for operation in ("mul", "add")
        for model, network in GATED.items()
    ]
    return sheet("slides", "gate").study(arms, gate_values)

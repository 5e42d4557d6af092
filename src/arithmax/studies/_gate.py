"""The gating experiment of the NAU/NMU paper, and where the gates end."""

from typing import Any

import numpy as np

from ..networks import Stack
from ..units import NAC, NALU, NAU, GatedNAUNMU
from ._evaluate import Found, Trained
from ._madsen_johansen import PAPER, SYMBOLS, arithmetic, cell, entry, figures
from ._plots import Bars, Convergence, Measured, Seeds
from ._row_order import shuffled, simulated_cell
from ._study import Arm, Computed, Published, Study

EDGES = np.linspace(0.0, 1.0, 21)
SAMPLES = 256


def mean_gate(found: Found, params: Any) -> float:
    """The gate of the second layer, averaged over inputs to train on."""
    cell = found.arm.cell
    (first, own), (_, gated) = cell.network.layers(params)  # type: ignore[attr-defined]  # a Stack
    low, high = cell.task.interpolation
    rng = np.random.default_rng(0)
    x = rng.uniform(low, high, (cell.task.in_features, SAMPLES))
    with np.errstate(over="ignore"):
        logits = gated["G"] @ first.compute(own, x)
        return float(np.mean(1 / (1 + np.exp(-logits))))


def gate_values(trained: Trained) -> Computed:
    """Histograms of the gates, and how often each side was right."""
    bars: dict[str, list[Any]] = {"arm": [], "gate": [], "seeds": []}
    sides: dict[str, list[Any]] = {
        name: [] for name in ("operation", "model", "gate", "seeds", "solved")
    }
    for found in trained.found:
        if not found.rows:
            continue
        gates = np.array([mean_gate(found, trained.weights(r)) for r in found.rows])
        solved = np.array([row["outcome"] == "solved" for row in found.rows])
        counts, _ = np.histogram(gates, EDGES)
        bars["arm"] += [found.arm.name] * len(counts)
        bars["gate"] += list((EDGES[1:] + EDGES[:-1]) / 2)
        bars["seeds"] += [int(c) for c in counts]
        for side, here in _sides(gates).items():
            sides["operation"].append(found.arm.labels["operation"])
            sides["model"].append(found.arm.labels["model"])
            sides["gate"].append(side)
            sides["seeds"].append(int(here.sum()))
            sides["solved"].append(int((here & solved).sum()))
    return Computed({"gates": bars, "sides": sides})


def _sides(gates: np.ndarray) -> dict[str, np.ndarray]:
    return {
        "multiplies (below 0.1)": gates < 0.1,
        "between": (gates >= 0.1) & (gates <= 0.9),
        "adds (above 0.9)": gates > 0.9,
    }


GATED = {
    "NALU shared": Stack((NAC(), NALU()), (2,)),
    "NALU separate": Stack((NAC(), NALU(tied=False)), (2,)),
    "Gated NAU/NMU": Stack((NAU(), GatedNAUNMU()), (2,)),
}


def printed(operation: str, model: str) -> dict[str, Published]:
    """The figures of a row, and why its mean is not that of its runs."""
    labels = {"operation": operation, "model": model}
    row, found = entry("gate", **labels), simulated_cell("gate", **labels)
    assert row is not None
    mean, median = row["solved_at"][0], row["median"]
    why = shuffled(mean, found, median, "Runs that are all solved at the median and")
    return figures(row, reasons={"solved_at": why})


def gate() -> Study:
    """Appendix C.5."""
    arms = [
        Arm(
            {"operation": SYMBOLS[operation], "model": model},
            cell(network, arithmetic(operation), 100),
            printed(operation, model),
        )
        for operation in ("mul", "add")
        for model, network in GATED.items()
    ]
    return Study(
        "gate",
        "Does a gate find the right operation?",
        f"{PAPER}, appendix C.5",
        "The first layer can only add, the second chooses by its gate between adding "
        "and multiplying. The published finding: the gate goes to the operation that "
        "the task needs no more often than to the other, and where it goes the wrong "
        "way the run is lost. The histograms show the gate of the second layer, "
        "averaged over inputs, at the best step of each seed: 1 adds, 0 multiplies.",
        tuple(arms),
        compute=gate_values,
        shown={"sides": "Which way the gates went, and how often that was solved."},
        plots=(
            Measured("Success rate.", "success", "operation", "model"),
            Bars("Learned gate values.", "gates", "gate", "seeds", "arm"),
            Convergence("×: extrapolation error.", only={"operation": "×"}),
            Seeds("×: every seed.", only={"operation": "×"}),
            Seeds("+: every seed.", only={"operation": "+"}),
        ),
    )

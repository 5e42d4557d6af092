"""Optimisers and learning rates that the authors of the NAU/NMU paper tried."""

from ...tasks import Subsets
from ...training import SGD, Adam, Optimiser
from .._grid import SYMBOLS, combinations
from .._sheet import sheet
from .._study import Arm, Study
from ._figures import figures
from ._runs import MODELS, run

RATES = (1e-5, 1e-4, 1e-3, 1e-2, 1e-1)
OPTIMISERS: dict[str, Optimiser] = {
    "Adam": Adam(),
    "SGD": SGD(),
    "Momentum": SGD(momentum=0.9),
}
# The figure of an operation has the NAC that can represent it.
FIGURES = {"mul": "NAC•", "add": "NAC+", "sub": "NAC+", "div": "NAC•"}


def _arm(operation: str, model: str, optimiser: str, rate: float) -> Arm:
    labels = {"operation": SYMBOLS[operation], "model": model}
    labels |= {"optimiser": optimiser}
    published = figures(
        "learning-rate",
        operation=operation,
        model=model,
        optimiser=optimiser,
        x=str(rate),
    )
    changes = {"optimiser": OPTIMISERS[optimiser], "optimiser__learning_rate": rate}
    task = Subsets(operation)  # type: ignore[arg-type]  # a literal
    cell = run(MODELS[model], task, 25, **changes)
    return Arm({**labels, "rate": rate}, cell, published)


def study() -> Study:
    """Four figures beside the paper: one for each operation."""
    arms = [
        _arm(operation, **rest)
        for operation, nac in FIGURES.items()
        for rest in combinations(model=(nac, "NALU"), optimiser=OPTIMISERS, rate=RATES)
    ]
    return sheet("slides", "learning-rate").study(arms)

"""Figures 3 to 5 of the NPU draft: walls, flat regions, and inputs near zero."""

from .._evaluate import Trained
from .._sheet import sheet
from .._study import Arm, Computed, Study
from .._tables import columns, exact
from ._readings import gates
from ._runs import BATCH, UNITS, beside, run
from ._surfaces import FLAT, HALF, REAL, STEEP, slopes, walls

SHEET = sheet("npu", "npu-small-inputs")
MODELS = ("NaiveNPU", "RealNaiveNPU", "NPU", "RealNPU", "NMU")
SMALL = (0.5, 0.05, 0.005)


def compute(trained: Trained) -> Computed:
    """The surfaces, and what became of the gates."""
    (tables, fewer), (others, medians) = walls(), slopes()
    names = ("|x₂| below", "model", "gate of x₁", "seeds", "solved")
    closed = {"gates": columns(names, gates(trained, [0]))}
    figures = {SHEET.claim("fewer"): fewer}
    for unit, middle in medians.items():
        figures[SHEET.claim("slope", unit=unit)] = exact(middle)
    return Computed(tables | others | closed, figures)


def study() -> Study:
    """Figures 3, 4 and 5 of the draft."""
    arms = [
        Arm(
            {"|x₂| below": small, "model": model},
            run(model, UNITS[model], beside(small), batches__size=BATCH, seeds=100),
        )
        for model in MODELS
        for small in SMALL
    ]
    # What is read into “practically zero”, and into “much more informative”.
    flat = {"unit": REAL.name, "value": 0.0, "low": 0.0, "high": FLAT}
    rich = {"unit": HALF.name, "between": [FLAT, STEEP]}
    texts = SHEET.texts
    read = [flat | {"note": texts["flat"]}, rich | {"note": texts["rich"]}]
    return SHEET.study(arms, compute, derived={"slope": read})

"""What `arithmax demo` trains: seven units on + − × ÷."""

from ..protocol import Cell, published
from ..tasks import SingleModule
from ..units import UNITS
from ._madsen_johansen import SYMBOLS
from ._plots import Convergence, Grid, Measured, Seeds, Weights
from ._study import Arm, Study

MODELS = ("nac", "nac-mul", "nalu", "inalu", "nau", "nmu", "real-npu")
ARITHMETIC = ("add", "sub", "mul", "div")


def demo() -> Study:
    """Every unit on the operations that it can represent."""
    arms = []
    for name in MODELS:
        for operation in ARITHMETIC:
            unit, task = UNITS[name](), SingleModule(operation)
            if operation in unit.operations:
                network, protocol = published(unit, task)
                labels = {"unit": unit.title, "operation": SYMBOLS[operation]}
                run = Cell(network, task, protocol, tuple(range(25)))
                arms.append(Arm(labels, run))
    return Study(
        "demo",
        "Seven units on + − × ÷",
        "The single module task of B. Mistry et al., A Primer for Neural Arithmetic "
        "Logic Modules, 2022, on one range",
        "Two inputs, one operation, trained on [1, 2] and tested on [2, 6], 50,000 "
        "steps, 25 seeds, each unit as its authors trained it. Whether a unit can "
        "represent an operation and whether training finds it are two questions.",
        tuple(arms),
        plots=(
            Grid("Success rates.", "operation", "unit"),
            Measured("Success rate.", "success", "operation", "unit"),
            Seeds("×: every seed.", "unit", {"operation": "×"}),
            Convergence("×: extrapolation error.", "unit", {"operation": "×"}),
            Weights("× by the NMU.", {"unit": "NMU", "operation": "×"}),
            Weights("× by NALU.", {"unit": "NALU", "operation": "×"}),
        ),
    )

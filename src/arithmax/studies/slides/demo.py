"""What `arithmax demo` trains: seven units on + − × ÷."""

from ...tasks import SingleModule
from ...units import UNITS
from .._grid import SYMBOLS, combinations
from .._sheet import sheet
from .._study import Arm, Study
from ._runs import run

MODELS = ("nac", "nac-mul", "nalu", "inalu", "nau", "nmu", "real-npu")
ARITHMETIC = ("add", "sub", "mul", "div")


def study() -> Study:
    """Every unit on the operations that it can represent."""
    arms = []
    for cell in combinations(name=MODELS, operation=ARITHMETIC):
        unit, operation = UNITS[cell["name"]](), cell["operation"]
        if operation in unit.operations:
            labels = {"unit": unit.title, "operation": SYMBOLS[operation]}
            arms.append(Arm(labels, run(unit, SingleModule(operation), 25)))
    return sheet("slides", "demo").study(arms)

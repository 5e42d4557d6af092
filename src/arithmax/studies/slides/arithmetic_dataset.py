"""Table 2 of the NAU/NMU paper, and the complete table of its appendix."""

from ...tasks import Subsets
from .._grid import SYMBOLS, combinations
from .._sheet import sheet
from .._study import Arm, Study
from ._runs import MODELS, run
from ._table_2 import table_2

OPERATIONS = ("mul", "add", "sub", "div", "sqrt", "square")
# The eleven rows that the paper and the slides print.
PRINTED = {
    "mul": ("NAC•", "NALU", "NMU"),
    "add": ("NAC+", "Linear", "NALU", "NAU"),
    "sub": ("NAC+", "Linear", "NALU", "NAU"),
}


def _arm(operation: str, model: str) -> Arm:
    printed = model in PRINTED.get(operation, ())
    labels = {
        "operation": SYMBOLS[operation],
        "model": model,
        "table": "2" if printed else "complete",
    }
    task = Subsets(operation)  # type: ignore[arg-type]  # a literal
    return Arm(labels, run(MODELS[model], task, 100), table_2(operation, model))


def study() -> Study:
    """Table 2, and below it the rest of the complete table."""
    arms = [_arm(**cell) for cell in combinations(operation=OPERATIONS, model=MODELS)]
    arms.sort(key=lambda arm: arm.labels["table"] != "2")
    return sheet("slides", "arithmetic-dataset").study(arms)

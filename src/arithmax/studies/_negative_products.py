"""Products and quotients of mixed signs: which units get the sign right."""

from dataclasses import replace
from typing import Any

import numpy as np

from ..protocol import Cell, published
from ..statistics import success_rate
from ..tasks import SingleModule
from ..units import (
    INALU,
    NALU,
    NMRU,
    NMU,
    NPU,
    NRU,
    MultiplicativeNAC,
    RealNPU,
    StochasticNMU,
    Unit,
)
from ._evaluate import Found, Trained
from ._extrapolation import (
    COMPARED,
    REPORT,
    SYMBOLS,
    predicted,
    right,
    tested,
)
from ._plots import Measured, Seeds
from ._primer import without_zero
from ._study import Arm, Computed, Published, Study, Table, columns

UNITS: dict[str, Unit] = {
    "NAC•": MultiplicativeNAC(),
    "NALU": NALU(),
    "NALU, untied": NALU(tied=False),
    "iNALU": INALU(),
    "NMU": NMU(),
    "sNMU": StochasticNMU(),
    "NPU": NPU(),
    "RealNPU": RealNPU(),
    "NRU": NRU(),
    "NMRU": NMRU(),
}
OPERATIONS = ("mul", "div")
SIZES = {"none": 2, "one": 3}  # inputs, by how many are to be ignored
INNER, OUTER = without_zero(2.0), (-6.0, -2.0, 2.0, 6.0)
SEEDS = 32
ALL_SIGNS = "NAC• times the signs of all inputs"
NEVER = "“by design isn't capable of multiplying or dividing values with a negative "
NEVER += "result” (section 6.2)"


def task(operation: str, size: int) -> SingleModule:
    """x₁ ∘ x₂ of mixed signs, perhaps beside an input to be ignored."""
    return SingleModule(operation, size, INNER, OUTER)  # type: ignore[arg-type]  # a literal


def claim(operation: str) -> str:
    """The name of the report's claim."""
    return f"NALU solves {SYMBOLS[operation]} of mixed signs"


def by_design() -> Table:
    """Signs and values at weights that are exact for positive inputs."""
    rows = []
    others = {"NALU, gate with a bias": NALU(gate_bias=True)}
    for name, unit in {**UNITS, **others, ALL_SIGNS: MultiplicativeNAC()}.items():
        for operation in OPERATIONS:
            if operation not in unit.operations:
                continue
            row: list[Any] = [name, SYMBOLS[operation]]
            for size in SIZES.values():
                x, target, order = _exam(operation, size)
                y = unit.compute(unit.solution(operation, size), x[order])[0]
                if name == ALL_SIGNS:
                    y = y * np.sign(x).prod(axis=0)
                signs = float((np.sign(y) == np.sign(target)).mean())
                row += [signs, float(right(y, target, COMPARED).mean())]
            rows.append(row)
    names = [f"{what}, {n} ignored" for n in SIZES for what in ("sign", "value")]
    return columns(("unit", "operation", *names), rows)


def _exam(operation: str, size: int) -> tuple[Any, Any, list[int]]:
    """A test set, and the order of inputs that has the operands first."""
    own = task(operation, size)
    x, target = tested(own, 0)
    first = [row[0] for row in own.places(0)]
    return x, target, first + [i for i in range(size) if i not in first]


def signs(trained: Trained) -> Computed:
    """By design, and after training."""
    rows, figures = [], {}
    for found in trained.found:
        if not found.rows:
            continue
        solved = sum(row["outcome"] == "solved" for row in found.rows)
        rate = success_rate(solved, len(found.rows))
        values = (len(found.rows), rate.value, rate.low, rate.high)
        rows.append((*found.arm.labels.values(), *values, *_right(found, trained)))
        labels = found.arm.labels
        if labels["unit"] == "NALU" and labels["ignored"] == "none":
            operation = found.arm.cell.task.operations[0]
            figures[claim(operation)] = rate
    names = ("unit", "operation", "ignored", "seeds", "solved", "low", "high")
    learned = columns((*names, "sign right", "right within 0.01"), rows)
    return Computed({"design": by_design(), "learned": learned}, figures)


def _right(found: Found, trained: Trained) -> tuple[float, float]:
    """The share of test samples whose sign, and whose value, an arm gets right."""
    answers = predicted(found, trained)
    same = [(np.sign(y) == np.sign(target)).mean() for _, target, y in answers]
    near = [right(y, target, COMPARED).mean() for _, target, y in answers]
    return float(np.mean(same)), float(np.mean(near))


ABOUT = """
A NALU multiplies exp(W log|x|), and so loses the signs of its inputs: “learning
multiplication for mixed signed data fails”. Counting negative inputs does not mend it,
“since input dimensions can be deactivated”: the sign of an input that is to be ignored
must not count. Two tables show which units get signs right: at exact weights, and after
training x₁ · x₂ and x₁ / x₂ on (−2, 2), to be right on ±(2, 6), without and with a
third input that is to be ignored. Every unit is trained by its authors' recipe for the
single module task, 50,000 steps, 32 seeds. (No input is exactly 0, as one of the 2²³
numbers that the fleet draws from would be: a quotient would be infinite, and the run
lost.)

**By design** NAC• and NALU have the right sign in half of the cases (and a NALU whose
gate has no bias adds where the sum of its inputs is negative). Multiplying by the signs
of all inputs, as one public variant (SNALU) does, is right for two inputs and no better
than chance with a third. iNALU's product Π (sign(xᵢ)|wᵢ| + 1 − |wᵢ|), the NMU's factors
and the power units' cos(πw) leave ignored inputs out, and are right. **To be learned**
is another matter. NMU, sNMU, iNALU and NMRU learn the product nearly always, NPU in two
runs of five, RealNPU in one of ten, and the NRU, whose recipe has a rate of 1 for two
inputs and of 0.001 for more, seldom with the third input. The quotient is learned by
NMRU, by NRU without the third input, and by iNALU in about half of the runs.
"""


def _cell(unit: Unit, operation: str, size: int) -> Cell:
    own = task(operation, size)
    network, recipe = published(unit, own, steps=50_000, validation=1000)
    if recipe.penalty and not isinstance(unit, INALU):
        # The ramp of two inputs for three as well: that of ten would come too late.
        recipe = replace(recipe, penalty_start=20_000, penalty_end=35_000)
    return Cell(network, own, recipe, tuple(range(SEEDS)))


def negative_products() -> Study:
    """Section 6.2."""
    arms = [
        Arm(
            {"unit": name, "operation": SYMBOLS[operation], "ignored": ignored},
            _cell(unit, operation, size),
        )
        for name, unit in UNITS.items()
        for operation in OPERATIONS
        if operation in unit.operations
        for ignored, size in SIZES.items()
    ]
    return Study(
        "negative-products",
        "Products and quotients of mixed signs",
        f"{REPORT}, section 6.2",
        ABOUT.strip(),
        tuple(arms),
        compute=signs,
        claims={claim(o): Published(0.0, 0.0, 0.0, NEVER) for o in OPERATIONS},
        shown={
            "design": "At weights that are exact for positive inputs: the share of "
            "mixed inputs of which the sign is right, and of which the value is right "
            "within 0.01, without and with an ignored input.",
            "learned": "After training: how many of the seeds solved the task, and the "
            "mean share of test samples with the right sign, and right within 0.01.",
        },
        plots=(
            Measured("× and ÷, no input to be ignored.", x="unit", by="operation"),
            Seeds(
                "×, one input to be ignored: every seed.",
                "unit",
                {"operation": "×", "ignored": "one"},
            ),
        ),
    )

"""Products and quotients of mixed signs: which units get the sign right."""

from typing import Any

import numpy as np

from ... import units
from ...statistics import success_rate
from ...tasks import SingleModule
from .._evaluate import ArmRuns, Trained
from .._grid import without_zero
from .._learned import solved
from .._sheet import sheet
from .._study import Arm, Computed, Study, Table, columns
from .._tables import ends
from ._accuracy import COMPARED, predicted, right, tested
from ._runs import authored

SHEET = sheet("extrapolation", "negative-products")
UNITS: dict[str, units.Unit] = {
    "NAC•": units.MultiplicativeNAC(),
    "NALU": units.NALU(),
    "NALU, untied": units.NALU(tied=False),
    "iNALU": units.INALU(),
    "NMU": units.NMU(),
    "sNMU": units.StochasticNMU(),
    "NPU": units.NPU(),
    "RealNPU": units.RealNPU(),
    "NRU": units.NRU(),
    "NMRU": units.NMRU(),
}
OPERATIONS: dict[str, Any] = {"×": "mul", "÷": "div"}
SIZES = {"none": 2, "one": 3}  # inputs, by how many are to be ignored
ALL_SIGNS = "NAC• times the signs of all inputs"


def task(symbol: str, size: int) -> SingleModule:
    """x₁ ∘ x₂ of mixed signs, perhaps beside an input to be ignored."""
    outer = (-6.0, -2.0, 2.0, 6.0)
    return SingleModule(OPERATIONS[symbol], size, without_zero(2.0), outer)


def by_design() -> Table:
    """Signs and values at weights that are exact for positive inputs."""
    others = {"NALU, gate with a bias": units.NALU(gate_bias=True)}
    compared = {**UNITS, **others, ALL_SIGNS: UNITS["NAC•"]}
    rows = [
        (name, symbol, *_at_exact_weights(name, unit, symbol))
        for name, unit in compared.items()
        for symbol, operation in OPERATIONS.items()
        if operation in unit.operations
    ]
    names = [f"{what}, {n} ignored" for n in SIZES for what in ("sign", "value")]
    return columns(("unit", "operation", *names), rows)


def _at_exact_weights(name: str, unit: units.Unit, symbol: str) -> list[float]:
    shares: list[float] = []
    for size in SIZES.values():
        x, target, order = _exam(symbol, size)
        y = unit.compute(unit.solution(OPERATIONS[symbol], size), x[order])[0]
        if name == ALL_SIGNS:
            y = y * np.sign(x).prod(axis=0)
        shares += _shares(y, target)
    return shares


def _shares(y: np.ndarray, target: np.ndarray) -> tuple[float, float]:
    """How many signs are right, and how many values."""
    signs = (np.sign(y) == np.sign(target)).mean()
    return float(signs), float(right(y, target, COMPARED).mean())


def _exam(symbol: str, size: int) -> tuple[Any, Any, list[int]]:
    """A test set, and the order of inputs that has the operands first."""
    asked = task(symbol, size)
    x, target = tested(asked, 0)
    first = [row[0] for row in asked.places(0)]
    return x, target, first + [i for i in range(size) if i not in first]


def signs(trained: Trained) -> Computed:
    """By design, and after training."""
    rows, figures = [], {}
    for runs in trained.arms():
        rate = success_rate(int(solved(runs).sum()), len(runs.rows))
        unit, operation, ignored = runs.arm.labels.values()
        labels, learned = (unit, operation, ignored), _learned(runs, trained)
        rows.append((*labels, len(runs.rows), *ends(rate), *learned))
        if unit == "NALU" and ignored == "none":
            figures[SHEET.claim("solved", operation=operation)] = rate
    names = ("unit", "operation", "ignored", "seeds", "solved", "low", "high")
    table = columns((*names, "sign right", "right within 0.01"), rows)
    return Computed({"design": by_design(), "learned": table}, figures)


def _learned(runs: ArmRuns, trained: Trained) -> list[float]:
    """The share of test samples whose sign, and whose value, an arm gets right."""
    shares = [_shares(y, target) for target, y in predicted(runs, trained)]
    return [float(np.mean(share)) for share in zip(*shares, strict=True)]


def study() -> Study:
    """Section 6.2."""
    arms = [
        Arm(
            {"unit": name, "operation": symbol, "ignored": ignored},
            authored(unit, task(symbol, size), seeds=32),
        )
        for name, unit in UNITS.items()
        for symbol, operation in OPERATIONS.items()
        if operation in unit.operations
        for ignored, size in SIZES.items()
    ]
    return SHEET.study(arms, signs)

"""Quotients of numbers near zero, where even solved units have an error."""

from typing import Any

import numpy as np

from ...tasks import Functions, SingleModule
from ...training import L1, Cell, extrapolation_error, published
from ...units import Params, Unit
from .._published import figures_file, row_with
from ._runs import SEEDS, UNITS, run

# Functions near zero: how many inputs there are, and the powers that solve them.
POWERS = {
    "[a] → 1/a": (-1.0,),
    "[a, b] → 1/a": (-1.0, 0.0),
    "[a, b] → a/b": (1.0, -1.0),
}
HIGHS = (1.0, 1e-1, 1e-2, 1e-3, 1e-4)
# The division paper's three by its published names: its RealNPU is the modified one.
NEAR_ZERO = {"RealNPU (modified)": "RealNPU", "NRU": "NRU", "NMRU": "NMRU"}
PUBLISHED = figures_file("primer", "division")
EPS = float(np.finfo(np.float32).eps)
AUTHORS_TEST = 8689336  # the seed of the authors' test set of 10,000 samples


def limit(unit: str, name: str, high: float) -> float:
    """The published error of the solution."""
    wanted = {"unit": NEAR_ZERO[unit], "function": name, "high": high}
    row = row_with(PUBLISHED["rows"], **wanted)
    assert row is not None
    return row["error"]


def function(name: str, high: float) -> Functions:
    """A quotient of numbers between zero and `high`, of which none is zero."""
    numbers, size = (high * 2.0**-24, high), len(POWERS[name])
    first = "div" if name.endswith("a/b") else "reciprocal"
    return Functions((first,), numbers, numbers, inputs=0 if size == 1 else size)


def near_zero(unit: str, name: str, high: float) -> Cell:
    """The paper's run of a unit near zero."""
    recipe, on = SingleModule("div"), function(name, high)
    changes: dict[str, Any] = {"criterion__threshold": limit(unit, name, high) + EPS}
    if len(POWERS[name]) == 1:
        kept = published(UNITS[unit], recipe)[1].penalties
        kept = tuple(p for p in kept if not isinstance(p, L1))
        changes |= {"steps": 5_000, "penalties": kept}
    return run(UNITS[unit], recipe, SEEDS, on=on, **changes)


def solution(unit: Unit, name: str) -> Params:
    """The weights that solve a function near zero, in float32."""
    exact = unit.encode(np.array([POWERS[name]]), "product")
    return {key: np.asarray(value, np.float32) for key, value in exact.items()}


def on_their_samples(unit: Unit, name: str, high: float) -> float:
    """The squared error of the solution on the authors' test set."""
    rng = np.random.RandomState(AUTHORS_TEST)
    x = rng.uniform(0.0, high, (10_000, len(POWERS[name]))).T
    target = np.prod(x ** np.array(POWERS[name])[:, None], axis=0).astype(np.float32)
    y = unit.compute(solution(unit, name), x.astype(np.float32))[0]
    return float(np.mean((y.astype(float) - target) ** 2))


def on_our_samples(cell: Cell, name: str) -> float:
    """The squared error of the solution as the fleet measures it."""
    return extrapolation_error(cell, solution(cell.network, name))  # type: ignore[arg-type]  # a unit

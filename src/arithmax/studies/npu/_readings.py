"""What runs of power units end with: their gates, their formulas, the chosen seed."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...networks import Network
from ...units import Params
from .._evaluate import ArmRuns, Trained


def chosen(runs: ArmRuns) -> dict[str, Any]:
    """The run with the least error on the validation set, in the training range."""
    return min(runs.rows, key=lambda row: row["interpolation"])


def last_weights(trained: Trained, row: dict[str, Any]) -> Params:
    """The parameters after the last step, if the run kept them; else the best."""
    try:
        _, kept = trained.results.path(row["run"])
    except KeyError:
        return trained.weights(row)
    return {name: value[-1] for name, value in kept.items()}


def gates(trained: Trained, needed: Sequence[int] = (0, 1)) -> list[tuple[Any, ...]]:
    """How many runs closed the gate of a needed input, and how many of which solved.

    Below zero the slope of min(max(g, 0), 1) is zero: such a gate never opens again.
    """
    return [row for runs in trained.arm_runs for row in _gates(runs, trained, needed)]


def _gates(
    runs: ArmRuns, trained: Trained, needed: Sequence[int]
) -> list[tuple[Any, ...]]:
    counts = {"closed": [0, 0], "open": [0, 0]}
    names = runs.arm.cell.network.parameters(2, 2)
    name = next((n for n in ("g", "0.g") if n in names), "")
    if not name or not runs.rows:
        return []
    for row in runs.rows:
        gate = trained.weights(row)[name]
        side = "closed" if (gate[list(needed)] <= 0).any() else "open"
        counts[side][0] += 1
        counts[side][1] += row["outcome"] == "solved"
    return [(*runs.arm.labels.values(), side, *n) for side, n in counts.items()]


def formula(network: Network, params: Params, names: str, *, positive: bool) -> str:
    """What a network computes, with three digits; empty where a gate is half open.

    Args:
        network: the network.
        params: its parameters.
        names: of the inputs, separated by blanks.
        positive: whether the inputs are.
    """
    try:
        import sympy
    except ImportError:
        return "needs SymPy: install arithmax with the extra discover"
    symbols = sympy.symbols(names, positive=positive, real=True, seq=True)
    rounded = {n: digits(np.asarray(v, dtype=np.float64)) for n, v in params.items()}
    try:
        (expression,) = network.expression(rounded, symbols)
    except ValueError:
        return ""
    return str(sympy.N(expression, 3)).replace("**", "^").replace("*", "·")


def digits(values: np.ndarray) -> np.ndarray:
    """Three digits of each number; what is nothing beside the others is zero."""
    shown = np.array([float(f"{v:.3g}") for v in values.ravel()])
    return np.where(np.abs(shown) < 5e-4, 0.0, shown).reshape(values.shape)

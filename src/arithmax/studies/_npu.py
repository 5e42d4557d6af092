"""What the studies of the NPU draft share: its source, its runs, means and tables."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..networks import Stack
from ..protocol import Cell, published
from ..statistics import Interval
from ..tasks import Task
from ..units import NALU, NMU, NPU, Dense, Linear, Params, RealNPU, Unit
from ._evaluate import Found, Trained
from ._gradients import estimate

DRAFT = (
    "N. Heim, V. Šmídl and T. Pevný, Neural Power Unit – A Bayesian Approach To Neural "
    "Arithmetic, draft of May 2020"
)
SEEDS = 20  # the draft's runs of a model
# The authors' package has a NAU that is neither clipped nor penalised.
SUMS = Linear(bias=False)


# Theirs has a bias in its gate, which the draft's eq. 3 has not.
UNITS: dict[str, Unit] = {
    "NALU": NALU(gate_bias=True, eps=1e-8),
    "NMU": NMU(),
    "NPU": NPU(),
    "RealNPU": RealNPU(),
}


def network(model: str, hidden: int = 6) -> Unit:
    """The draft's network of a model: its unit, then sums, or NALU twice."""
    if model == "Dense":
        return dense(10, 10)
    unit = UNITS[model]
    return Stack((unit, unit if model == "NALU" else SUMS), (hidden,))


def dense(*hidden: int) -> Stack:
    """The draft's dense network: sigmoid layers, then a linear one."""
    return Stack((*(Dense("sigmoid"),) * len(hidden), Linear()), hidden)


def run(model: str, network: Unit, task: Task, **changes: Any) -> Cell:
    """A network under the settings that the authors' code has for a model.

    `changes` are settings that are others; `seeds` is how many there are.
    """
    seeds = changes.pop("seeds", SEEDS)
    if model == "NMU":  # theirs is clipped in the formula alone
        changes = {"project": False, **changes}
    _, protocol = published(UNITS.get(model, Linear()), task, **changes)
    return Cell(network, task, protocol, tuple(range(seeds)))


def last_weights(trained: Trained, row: dict[str, Any]) -> Params:
    """The parameters after the last step, if the run kept them; else the best."""
    try:
        _, kept = trained.results.path(row["run"])
    except KeyError:
        return trained.weights(row)
    return {name: value[-1] for name, value in kept.items()}


def gates(
    found: Found, trained: Trained, needed: Sequence[int] = (0, 1)
) -> list[tuple[Any, ...]]:
    """How many runs closed the gate of a needed input, and how many of which solved.

    Below zero the slope of min(max(g, 0), 1) is zero: such a gate never opens again.
    """
    counts = {"closed": [0, 0], "open": [0, 0]}
    names = found.arm.cell.network.parameters(2, 2)
    name = next((n for n in ("g", "0.g") if n in names), "")
    if not name or not found.rows:
        return []
    for row in found.rows:
        gate = trained.weights(row)[name]
        side = "closed" if (gate[list(needed)] <= 0).any() else "open"
        counts[side][0] += 1
        counts[side][1] += row["outcome"] == "solved"
    return [(*found.arm.labels.values(), side, *n) for side, n in counts.items()]


def mean(values: Sequence[float] | np.ndarray) -> Interval:
    """The mean over runs ± 1.96 standard errors."""
    values = np.asarray(values, dtype=np.float64)
    if values.size > 1 and np.isfinite(values).all():
        return estimate(values)
    middle = float(values.mean())
    return Interval(middle, middle, middle)


def chosen(found: Found) -> dict[str, Any]:
    """The run with the least error on the validation set, in the training range."""
    return min(found.rows, key=lambda row: row["interpolation"])


def formula(network: Unit, params: Params, names: str, *, positive: bool) -> str:
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
        (found,) = network.expression(rounded, symbols)
    except ValueError:
        return ""
    return str(sympy.N(found, 3)).replace("**", "^").replace("*", "·")


def digits(values: np.ndarray) -> np.ndarray:
    """Three digits of each number; what is nothing beside the others is zero."""
    shown = np.array([float(f"{v:.3g}") for v in values.ravel()])
    return np.where(np.abs(shown) < 5e-4, 0.0, shown).reshape(values.shape)

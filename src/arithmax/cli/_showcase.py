"""What `arithmax demo` ends with: a formula that a network found, beside an MLP.

Both are trained on the same samples, in one fleet with all else. Of each, the seed
with the least error on held-out samples is shown: data outside the range choose none.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from .._identity import describe
from ..networks import Stack
from ..readout import Reading, readout
from ..results import Results
from ..tasks import NumpyKey, Subsets
from ..training import Adam, Cell, Protocol, published
from ..units import NMU, Dense, Linear

TASK = Subsets("mul", simple=True)
SEEDS, STEPS = tuple(range(8)), 30_000
MLP = Stack((Dense("relu"), Linear()), hidden=(24,))
FAR = ((1.0, 2.0), (2.0, 6.0), (100.0, 200.0))
ROWS = 1000


@dataclass(frozen=True)
class Showcase:
    """What was read out of a network, and errors by range.

    Args:
        reading: the formula, and what the judge of formulas says of it.
        errors: for each range the relative errors of the formula and of the MLP; none
            if no formula was found.
    """

    reading: Reading
    errors: Mapping[tuple[float, float], tuple[float, float]]


def showcase_cells(steps: int) -> list[Cell]:
    """A NAU before an NMU, and an MLP, on the product of two sums."""
    network, recipe = published(NMU(), TASK)
    short = {"steps": min(steps, STEPS)}
    mlp = Protocol(optimiser=Adam(1e-3)).updated(**short)
    return [
        Cell(network, TASK, recipe.updated(**short), SEEDS),
        Cell(MLP, TASK, mlp, SEEDS),
    ]


def showcase(trained: Sequence[Cell], results: Results) -> Showcase:
    """The formula, and how far it and the MLP are off near and far."""
    (network, weights), (_, mlp) = (_best(cell, results) for cell in trained)
    x, y = samples(TASK.interpolation)
    reading = readout(network, weights, x, y)
    errors = {}
    for where in FAR:
        if reading.formula is None or not reading.verified:
            break
        x, y = samples(where)
        answers = reading.formula.evaluate(x), MLP.apply(mlp, x)[:, 0]
        errors[where] = off(answers[0], y), off(answers[1], y)
    return Showcase(reading, errors)


def samples(where: Any) -> tuple[Any, Any]:
    """Inputs [row, column] of a range, and the right answers."""
    task = replace(TASK, interpolation=where)
    x, y = task.draw("interpolation", task.replica(0), NumpyKey(0), ROWS)
    return x.T, y[0]


def off(answers: Any, right: Any) -> float:
    """The mean error, as a share of what is right."""
    import numpy as np

    return float(np.mean(np.abs(answers - right) / np.abs(right)))


def _best(cell: Cell, results: Results) -> tuple[Any, dict[str, Any]]:
    """The network of a cell, and the weights of its best seed on held-out samples."""
    import numpy as np

    named = describe(cell.network), describe(cell.task), describe(cell.protocol)
    rows = [
        r for r in results.rows if (r["network"], r["task"], r["protocol"]) == named
    ]
    best = min(rows, key=lambda r: np.nan_to_num(r["interpolation"], nan=np.inf))
    weights = results.weights(best["run"])
    return cell.network, {n: np.asarray(v, np.float64) for n, v in weights.items()}

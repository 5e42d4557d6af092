"""The extrapolation report: its settings, its starts and its accuracy.

The report prints neither the number of steps, the learning rate, the batch nor the
start of its weights, and does not define the accuracy it prints. What is taken for them
is here, once for all of its studies.
"""

from typing import Any

import numpy as np

from ..networks import Stack
from ..protocol import Protocol
from ..statistics import Interval, success_rate
from ..tasks import NumpyKey, Operands, SingleModule
from ..units import Uniform, Unit
from ._evaluate import Found, Trained
from ._madsen_johansen import SYMBOLS as SYMBOLS
from ._study import Published, Table, columns

REPORT = (
    "B. Kollanur, “Counting/Manipulating numbers and, to Extrapolate the Numeric "
    "Relationship using Neural Arithmetic Logic Units”, project report, IIT Indore"
)
SEEDS = 100
SAMPLES = 1000  # of a test set, as the printed multiples of 0.1 % suggest
TOLERANCES = (1e-1, 1e-2, 1e-3)
COMPARED = 1e-2  # the tolerance at which ours are compared with the report's
FLAT = 1e-5  # a threshold for quotients, whose squared error near zero has no mean
ONE_RUN = (
    "one run, tested on samples whose number is not printed; the interval is that of "
    "1,000, since all printed accuracies are multiples of 0.1 %"
)


def protocol(**changes: Any) -> Protocol:
    """The report's training: smooth L1 and RMSProp, at PyTorch's rate of 0.01."""
    settings = {"optimiser": "rmsprop", "loss": "smooth-l1", "learning_rate": 1e-2}
    return Protocol(**{"steps": 20_000, "validation": 1000, **settings, **changes})


def torch_start(units: tuple[Unit, ...], sizes: tuple[int, ...]) -> Stack:
    """Units with `sizes` of inputs that start as public PyTorch versions do.

    Every parameter is uniform on ±1/√inputs: `kaiming_uniform_` with a = √5, which is
    how PyTorch starts its own linear layer.
    """
    starts = tuple(
        (f"{i}.{name}", Uniform(-(size**-0.5), size**-0.5))
        for i, (unit, size) in enumerate(zip(units, sizes, strict=True))
        for name in unit.parameters(1, 1)
    )
    return Stack(units, sizes[1:], starts=starts)


def right(predicted: Any, target: Any, tolerance: float, least: float = 1.0) -> Any:
    """Whether |ŷ − y| ≤ tolerance · max(least, |y|); NaN and ∞ never are."""
    with np.errstate(invalid="ignore"):
        bound = tolerance * np.maximum(least, np.abs(target))
        return np.abs(predicted - target) <= bound


def tested(task: Operands | SingleModule, seed: int) -> tuple[Any, Any]:
    """Inputs [in, sample] of the range to be right on, and their targets [sample]."""
    x, t = task.draw("extrapolation", task.replica(seed), NumpyKey(0), SAMPLES)
    return x, t[0]


def predicted(found: Found, trained: Trained) -> list[tuple[Any, Any, Any]]:
    """Inputs, targets and predictions of every seed of an arm."""
    cell = found.arm.cell
    assert isinstance(cell.task, Operands | SingleModule)
    answers = []
    for row in found.rows:
        x, target = tested(cell.task, row["seed"])
        with np.errstate(all="ignore"):
            y = cell.network.compute(trained.weights(row), x)[0]
        answers.append((x, target, y))
    return answers


def accuracies(found: Found, trained: Trained, least: float = 1.0) -> np.ndarray:
    """The accuracy of every seed of an arm at every tolerance [seed, tolerance]."""
    return np.array(
        [
            [right(y, target, tol, least).mean() for tol in TOLERANCES]
            for _, target, y in predicted(found, trained)
        ]
    ).reshape(-1, len(TOLERANCES))


def spread(values: np.ndarray) -> Interval:
    """The median run, and the ends between which 95 of 100 runs lie."""
    low, middle, high = np.quantile(values, [0.025, 0.5, 0.975])
    return Interval(float(middle), float(low), float(high))


def accuracy_table(measured: dict[Any, tuple[Found, np.ndarray]]) -> Table:
    """Mean accuracies of arms at each tolerance, and their spread over seeds."""
    rows = []
    labels: tuple[str, ...] = ()
    for found, values in measured.values():
        labels = tuple(found.arm.labels)
        seeds = spread(values[:, TOLERANCES.index(COMPARED)])
        ends = (seeds.value, seeds.low, seeds.high)
        means = values.mean(axis=0).tolist()
        rows.append((*found.arm.labels.values(), len(values), *means, *ends))
    names = tuple(f"mean at {tol:g}" for tol in TOLERANCES)
    return columns((*labels, "seeds", *names, "median at 0.01", "low", "high"), rows)


def printed(percent: float, reason: str = "") -> Published:
    """An accuracy of one run, with the interval of its test samples."""
    rate = success_rate(round(percent / 100 * SAMPLES), SAMPLES)
    return Published(rate.value, rate.low, rate.high, ONE_RUN, reason)


def measured_arms(
    trained: Trained, **labels: Any
) -> dict[Any, tuple[Found, np.ndarray]]:
    """The accuracies of all arms that were run and have these labels."""
    return {
        tuple(found.arm.labels.values()): (found, accuracies(found, trained))
        for found in trained.found
        if found.rows
        and all(found.arm.labels[name] == value for name, value in labels.items())
    }

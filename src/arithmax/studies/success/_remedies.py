"""What may help where a unit often fails, at equal numbers of steps of all runs."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from ...networks import Stack
from ...tasks import SingleModule
from ...training import Cell, Cosine, UnitPenalty, published
from ...units import NAU, NMRU, NMU, NRU, StochasticNMU, Unit
from .._grid import SYMBOLS
from .._study import Arm

STEPS, SEEDS = 200_000, 400  # of one long run, and how often each way is tried at most
RUNS = 4  # short runs in place of a long one
ONCE, SEVERAL = "one long run", f"{RUNS} short runs"
FALLING, NOISE = "falling learning rate", "noise"
WIDTH = 4  # outputs of the unit in a wide network, which a NAU adds up
WIDE = f"{WIDTH} outputs"
RAMP = (0.4, 0.7)  # of all steps, where the penalty grows, as in the recipe of the NMU


class Hard(NamedTuple):
    """A unit, a task that it often fails, and the unit with noise if there is one."""

    unit: Unit
    task: SingleModule
    noisy: Unit | None = None


HARD = (
    Hard(NMU(), SingleModule("mul", 2, (-1.2, -1.1), (-6.1, -1.2)), StochasticNMU()),
    Hard(NRU(), SingleModule("div", 10, (1.0, 2.0), (2.0, 6.0))),
    Hard(NMRU(), SingleModule("mul", 10, (10.0, 20.0), (20.0, 40.0))),
)


def cell(
    unit: Unit, task: SingleModule, runs: int = 1, width: int = 1, **changes: Any
) -> Cell:
    """So many runs per trial, whose steps are those of one long run together.

    Args:
        unit: what is trained, by its own recipe.
        task: the task.
        runs: the number of runs.
        width: of how many outputs of the unit a NAU learns the sum.
        changes: settings of the protocol that are others.
    """
    steps = STEPS // runs
    network, protocol = published(unit, task, steps=steps, **changes)
    if width > 1:
        network = Stack((network, NAU()), hidden=(width,))
    (penalty,) = protocol.penalties
    assert isinstance(penalty, UnitPenalty)
    start, end = (round(share * steps) for share in RAMP)
    ramp = UnitPenalty(penalty.strength, start, end)
    seeds = tuple(range(SEEDS * runs))
    return Cell(network, task, protocol.updated(penalties=(ramp,)), seeds)


def ways(hard: Hard) -> Iterator[tuple[str, Cell]]:
    """All that is tried on a task."""
    unit, task, noisy = hard
    yield ONCE, cell(unit, task)
    yield SEVERAL, cell(unit, task, runs=RUNS)
    yield FALLING, cell(unit, task, schedule=Cosine(0, STEPS))
    yield WIDE, cell(unit, task, width=WIDTH)
    if noisy is not None:
        yield NOISE, cell(noisy, task)


def arms() -> list[Arm]:
    """Every way on every task."""
    return [
        Arm(
            {
                "unit": type(hard.unit).title,
                "operation": SYMBOLS[hard.task.operation],
                "range": "[{:g}, {:g})".format(*hard.task.interpolation),
                "inputs": hard.task.input_size,
                "relevant": 2,
                "training": name,
            },
            made,
        )
        for hard in HARD
        for name, made in ways(hard)
    ]

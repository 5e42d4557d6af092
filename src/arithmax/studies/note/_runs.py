"""The note's problem, its networks, and how they are trained."""

from typing import Any

from ...networks import Network, Stack
from ...tasks import Subsets, Task
from ...training import (
    Adam,
    Batches,
    Cell,
    Measuring,
    Protocol,
    UnitPenalty,
    published,
)
from ...units import NAC, NMU, Linear, MultiplicativeNAC

TASK = Subsets("mul", simple=True, interpolation=(1.0, 2.0), extrapolation=(1.0, 6.0))
SEEDS = 100
STRENGTHS = (0.0, 0.1, 1.0, 10.0)  # of the penalty on linear weights
LOGS: tuple[Any, ...] = ("plain", "safe", "max-safe")


def hard(log: Any = "plain", **options: Any) -> MultiplicativeNAC:
    """A NAC• whose powers are its parameters."""
    return MultiplicativeNAC(weight_map="linear", log=log, **options)


def linear(strength: float) -> str:
    """The label of linear weights with a penalty of this strength."""
    return f"linear, λ = {strength:g}"


def models() -> dict[tuple[str, str], tuple[Network, float]]:
    """The network and the penalty's strength of each arm, by weights and log."""
    first = Linear(bias=False, regulariser="squared")
    made: dict[tuple[str, str], tuple[Network, float]] = {}
    for log in LOGS:
        made["tanh-σ", log] = Stack((NAC(), MultiplicativeNAC(log=log)), (2,)), 0.0
    for strength in STRENGTHS:
        for log in LOGS:
            made[linear(strength), log] = Stack((first, hard(log)), (2,)), strength
    for log in LOGS:
        clipped = MultiplicativeNAC(weight_map="clipped", log=log)
        made["powers in [0, 1]", log] = published(clipped, TASK)[0], 0.0
    made["NMU", "none"] = published(NMU(), TASK)[0], 0.0
    return made


def learned(network: Network, strength: float) -> Cell:
    """The note's training: Adam with batches of 128, and a penalty."""
    penalties = (UnitPenalty(strength),) if strength else ()
    protocol = Protocol(100_000, penalties=penalties)
    return Cell(network, TASK, protocol, tuple(range(SEEDS)))


def followed(network: Network, task: Task, keep: tuple[int, ...]) -> Cell:
    """A run that keeps its parameters at some steps on the way."""
    protocol = Protocol(keep[-1], measuring=Measuring(500, keep=keep))
    return Cell(network, task, protocol, tuple(range(SEEDS)))


def watched(
    network: Network, rate: float, length: float, looks: int, *, same: bool
) -> Cell:
    """A run on which a weight may move by `length` in all, whatever the rate.

    Args:
        network: what is trained.
        rate: the learning rate.
        length: how far Adam can move a weight.
        looks: how often parameters are kept, at equal distances.
        same: whether every step has the same batch.
    """
    steps = round(length / rate)
    interval = steps // looks
    keep = tuple(range(0, steps + 1, interval))
    protocol = Protocol(
        steps,
        batches=Batches(repeat=128 if same else 0),
        optimiser=Adam(rate),
        measuring=Measuring(interval, validation=100, keep=keep),
    )
    return Cell(network, TASK, protocol, tuple(range(64)))

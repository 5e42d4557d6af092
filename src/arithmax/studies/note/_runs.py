"""The note's problem, its networks, and how they are trained."""

from typing import Any

from ...networks import Stack
from ...protocol import Cell, Protocol, network_for
from ...tasks import Subsets, Task
from ...units import NAC, NMU, Linear, MultiplicativeNAC, Unit

TASK = Subsets("mul", simple=True, interpolation=(1.0, 2.0), extrapolation=(1.0, 6.0))
SEEDS = 100
STRENGTHS = (0.0, 0.1, 1.0, 10.0)  # of the penalty on linear weights
LOGS: tuple[Any, ...] = ("plain", "safe", "max-safe")


def hard(log: Any = "plain", **options: Any) -> MultiplicativeNAC:
    """A NAC• whose powers are its parameters."""
    return MultiplicativeNAC(weights="linear", log=log, **options)


def linear(strength: float) -> str:
    """The label of linear weights with a penalty of this strength."""
    return f"linear, λ = {strength:g}"


def models() -> dict[tuple[str, str], tuple[Unit, float]]:
    """The network and the penalty's strength of each arm, by weights and log."""
    first = Linear(bias=False, penalty="squared")
    made: dict[tuple[str, str], tuple[Unit, float]] = {}
    for log in LOGS:
        made["tanh-σ", log] = Stack((NAC(), MultiplicativeNAC(log=log)), (2,)), 0.0
    for strength in STRENGTHS:
        for log in LOGS:
            made[linear(strength), log] = Stack((first, hard(log)), (2,)), strength
    for log in LOGS:
        clipped = MultiplicativeNAC(weights="clipped", log=log)
        made["powers in [0, 1]", log] = network_for(clipped, TASK), 0.0
    made["NMU", "none"] = network_for(NMU(), TASK), 0.0
    return made


def learned(network: Unit, strength: float) -> Cell:
    """The note's training: Adam with batches of 128, and a penalty."""
    own = Protocol(steps=100_000, penalty=strength)
    return Cell(network, TASK, own, tuple(range(SEEDS)))


def followed(network: Unit, task: Task, keep: tuple[int, ...]) -> Cell:
    """A run that keeps its parameters at some steps on the way."""
    own = Protocol(steps=keep[-1], interval=500, keep=keep)
    return Cell(network, task, own, tuple(range(SEEDS)))


def watched(
    network: Unit, rate: float, length: float, looks: int, *, same: bool
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
    own = Protocol(
        steps=steps,
        interval=interval,
        learning_rate=rate,
        table=128 if same else 0,
        validation=100,
        keep=tuple(range(0, steps + 1, interval)),
    )
    return Cell(network, TASK, own, tuple(range(64)))

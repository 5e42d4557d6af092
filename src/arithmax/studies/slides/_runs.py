"""The networks of the NAU/NMU paper, and how its authors trained them."""

from typing import Any

from ...networks import Network, Stack
from ...tasks import Subsets, Task
from ...training import Cell, published
from ...units import (
    NAC,
    NALU,
    NAU,
    NMU,
    Dense,
    GatedNAUNMU,
    Linear,
    MultiplicativeNAC,
    Unit,
)

MODELS: dict[str, Unit] = {
    "NAC•,NMU": MultiplicativeNAC(weight_map="clipped"),
    "NAC•,σ": MultiplicativeNAC(weight_map="sigmoid"),
    "NAC•": MultiplicativeNAC(),
    "NAC+": NAC(),
    "Gated NAU/NMU": GatedNAUNMU(),
    "Linear": Linear(),
    "NALU": NALU(),
    "NAU": NAU(),
    "NMU": NMU(),
    "ReLU": Dense("relu"),
    "ReLU6": Dense("relu6"),
}


def run(unit: Network, task: Task, seeds: int, **changes: Any) -> Cell:
    """The authors' run of a unit on a task; `changes` are settings that differ."""
    network, protocol = published(unit, task, **changes)
    return Cell(network, task, protocol, tuple(range(seeds)))


def wider(unit: Unit, hidden: int) -> Stack:
    """The authors' network of another hidden size; all sizes share a program."""
    network, _ = published(unit, Subsets())
    assert isinstance(network, Stack)
    padded = () if hidden == 2 or unit == MODELS["NAC•,σ"] else (10,)
    return Stack(network.units, (hidden,), padded)

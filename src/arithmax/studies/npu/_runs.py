"""The networks of the NPU's authors, and how their code trains them."""

from typing import Any

from ...networks import Network, Stack
from ...tasks import Functions, Task
from ...training import Cell, Protocol, published
from ...units import (
    NALU,
    NMU,
    NPU,
    Dense,
    Linear,
    NaiveNPU,
    RealNaiveNPU,
    RealNPU,
    Unit,
)

SEEDS = 20  # the draft's runs of a model
# The authors' package has a NAU that is neither clipped nor penalised.
SUMS = Linear(bias=False)
# Their NALU has a bias in its gate, which the draft's eq. 3 has not.
UNITS: dict[str, Unit] = {
    "NALU": NALU(gate_bias=True, eps=1e-8),
    "NMU": NMU(),
    "NPU": NPU(),
    "RealNPU": RealNPU(),
    "NaiveNPU": NaiveNPU(),
    "RealNaiveNPU": RealNaiveNPU(),
}
MODELS = ("NALU", "NMU", "NPU", "RealNPU")  # those of the draft's figures and tables
BATCH = 32  # of what is trained beside a small input


def network(model: str, hidden: int = 6) -> Stack:
    """The draft's network of a model: its unit, then sums, or NALU twice."""
    if model == "Dense":
        return dense(10, 10)
    unit = UNITS[model]
    return Stack((unit, unit if model == "NALU" else SUMS), (hidden,))


def dense(*hidden: int) -> Stack:
    """The draft's dense network: sigmoid layers, then a linear one."""
    return Stack((*(Dense("sigmoid"),) * len(hidden), Linear()), hidden)


def beside(small: float) -> Functions:
    """x₁, beside an irrelevant x₂ that is below `small`."""
    x2 = (-small, small)
    return Functions(("identity",), ((0.0, 2.0), x2), ((2.0, 4.0), x2), inputs=2)


def run(
    model: str, network: Network, task: Task, seeds: int = SEEDS, **changes: Any
) -> Cell:
    """A network under the settings that the authors' code has for a model.

    Args:
        model: the model, which has an optimiser of its own.
        network: what is trained.
        task: what it is trained on.
        seeds: how many seeds.
        changes: settings that are others.
    """
    if model == "NMU":  # theirs is clipped in the formula alone
        changes = {"project": False, **changes}
    _, protocol = published(UNITS.get(model, Linear()), task, **changes)
    return Cell(network, task, protocol, tuple(range(seeds)))


def scripted(network: Network, task: Task, seeds: int = SEEDS, **settings: Any) -> Cell:
    """A network under the settings of one script, all of which are given."""
    return Cell(network, task, Protocol(**settings), tuple(range(seeds)))

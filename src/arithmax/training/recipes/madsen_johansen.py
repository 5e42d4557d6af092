"""Neural Arithmetic Units (ICLR 2020): the arithmetic dataset."""

from ..._network import Network
from ...networks import Stack
from ...tasks import Subsets
from ...units import (
    MCFC,
    NAC,
    NAU,
    NMU,
    NRU,
    Dense,
    HillSpace,
    Linear,
    MulMCFC,
    MultiplicativeNAC,
    StochasticNMU,
    Unit,
)
from ...units._division import AbstractNMRU
from ...units._npu import AbstractNPU
from .._parts import Criterion
from .._penalties import UnitPenalty
from .._protocol import Protocol
from . import recipe

LATE = UnitPenalty(10.0, 1_000_000, 2_000_000)
EARLY = UnitPenalty(0.01, 5_000, 50_000)


@recipe(Network, Subsets)
def subsets(unit: Network, task: Subsets) -> tuple[Network, Protocol]:
    """The paper's settings; NAU's penalty is weaker and earlier for + and −."""
    penalties: tuple[UnitPenalty, ...] = ()
    last = unit.last
    if isinstance(last, NAU) and task.operation in ("add", "sub"):
        penalties = (EARLY,)
    elif isinstance(last, Unit) and last.sparse:
        penalties = (LATE,)
    steps = 200_000 if task.simple else 5_000_000
    criterion = Criterion(1e-5, rule="authors")
    protocol = Protocol(steps, penalties=penalties, criterion=criterion)
    return two_layers(unit), protocol


def two_layers(unit: Network) -> Network:
    """Two layers with two numbers between them: the first one adds."""
    if not isinstance(unit, Unit):
        return unit
    first: Unit = unit
    second: Unit = unit
    if isinstance(unit, NMU | StochasticNMU | AbstractNPU | NRU | AbstractNMRU):
        first = NAU()
    elif isinstance(unit, MultiplicativeNAC):
        adding = {"clipped": NAU(), "linear": Linear(bias=False, regulariser="squared")}
        first = adding.get(unit.weight_map, NAC())
    elif isinstance(unit, HillSpace):
        first = HillSpace("additive")
    elif isinstance(unit, MulMCFC):
        first = MCFC()
    elif isinstance(unit, Dense):
        second = Linear()
    return Stack((first, second), hidden=(2,))

"""Neural Power Units (NeurIPS 2020): functions of two numbers, by the authors' code."""

from ..._network import Network
from ...networks import Stack
from ...tasks import Functions
from ...units import GNALU, NALU, NAU, NMU, StochasticNMU
from ...units._npu import AbstractNPU
from .._optimisers import Adam, RMSProp
from .._parts import Batches
from .._protocol import Protocol
from . import recipe


@recipe(Network, Functions)
def functions(unit: Network, task: Functions) -> tuple[Network, Protocol]:
    """Powers are followed by a sum of six; the NALU is trained with RMSProp."""
    optimiser = RMSProp(5e-3) if isinstance(unit, NALU | GNALU) else Adam(5e-3)
    network = unit
    if isinstance(unit, AbstractNPU | NMU | StochasticNMU):
        network = Stack((unit, NAU()), hidden=(6,))
    return network, Protocol(20_000, batches=Batches(100), optimiser=optimiser)

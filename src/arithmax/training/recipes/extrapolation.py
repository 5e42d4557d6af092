"""The report on extrapolation: sums, products and quotients of all inputs."""

from ..._network import Network
from ...tasks import Operands
from .._losses import SmoothL1
from .._optimisers import RMSProp
from .._protocol import Protocol
from . import recipe


@recipe(Network, Operands)
def operands(unit: Network, task: Operands) -> tuple[Network, Protocol]:
    """RMSProp with PyTorch's rate, and the smooth L1 loss."""
    return unit, Protocol(optimiser=RMSProp(1e-2), loss=SmoothL1())

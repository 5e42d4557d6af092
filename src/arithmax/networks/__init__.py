"""What can be trained: the contract of a network, stacks of units, scaled networks."""

from .._network import Network as Network
from .._network import Noise as Noise
from ._scaled import Scaled as Scaled
from ._scaled import check_scale as check_scale
from ._stack import Stack as Stack

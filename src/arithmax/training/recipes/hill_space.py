"""Hill Space (2025): a high learning rate on the Primer's task.

Its author trains with schedule-free AdamW, and has Adam of the same settings beside it;
this is Adam. What averages the parameters of all steps is left out, and so is a weight
decay of 10⁻⁸.
"""

from ..._network import Network
from ...tasks import SingleModule
from ...units import HillSpace
from .._optimisers import Adam
from .._protocol import Protocol
from . import recipe
from .primer import base


@recipe(HillSpace, SingleModule)
def author(unit: Network, task: SingleModule) -> tuple[Network, Protocol]:
    """The author's optimiser; steps, batches and criterion are the Primer's."""
    return unit, base(task, optimiser=Adam(0.1, beta2=0.96))

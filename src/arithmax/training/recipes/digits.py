"""Sequential MNIST of the NAU/NMU paper (2020), and a shorter run for few images."""

from ..._network import Network
from ...networks import CNN, Recurrence, Recurrent
from ...tasks import Digits
from ...units import NAC, Unit
from .._optimisers import Adam
from .._parts import Batches, Measuring
from .._penalties import InputPenalty, Penalty, UnitPenalty
from .._protocol import Protocol
from . import recipe

BATCH = 64
# An epoch's steps on all images: 24,778 pairs without zeros, 5,500 rows of ten.
EPOCH = {"product": 388, "sum": 86, "count": 86}
EPOCHS, MEASURED = 1000, 5
FEW = 4_000  # steps for the 5,000 images
EVERY = 200


@recipe(Network, Digits)
def digits(unit: Network, task: Digits) -> tuple[Network, Protocol]:
    """The authors' network and settings; for few images, a hundredth of the steps."""
    network = unit if isinstance(unit, Recurrence) else read_by(unit, task)
    if task.images == "full":
        interval = MEASURED * EPOCH[task.operation]
        steps, ramp = EPOCHS // MEASURED * interval, (10_000, 100_000)
    else:
        interval, steps, ramp = EVERY, FEW, (FEW // 4, FEW // 2)
    return network, Protocol(
        steps,
        batches=Batches(BATCH),
        optimiser=Adam(1e-3),
        penalties=penalties(network, *ramp),
        measuring=Measuring(interval),
    )


def read_by(unit: Network, task: Digits) -> Recurrent:
    """A unit that takes what a network reads and what it had before."""
    if task.operation == "count":
        return Recurrent(unit, CNN(), readings=10, every_step=False)
    start = 1.0 if task.operation == "product" else 0.0
    return Recurrent(unit, CNN(), start=start)


def penalties(network: Network, start: int, end: int) -> tuple[Penalty, ...]:
    """The paper's two, for the units that it gives them to."""
    unit = network.last
    if not isinstance(unit, Unit) or not unit.sparse or isinstance(unit, NAC):
        return ()
    return UnitPenalty(10.0, start, end), InputPenalty(1.0)

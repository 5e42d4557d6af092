"""Sequential MNIST of the NAU/NMU paper (2020), and a shorter run for few images."""

from ..._network import Network
from ...networks import CNN, Recurrence, Recurrent
from ...tasks import Digits
from ...units import NAC, Unit
from .._optimisers import Adam
from .._parts import Batches, Measuring
from .._penalties import InputPenalty, Penalty, UnitPenalty, weighs_inputs
from .._protocol import Protocol
from . import recipe

# An epoch's steps on all images: 24,783 pairs without zeros, 5,500 rows of ten.
EPOCH = {"product": 388, "sum": 86, "count": 86}
EPOCHS, MEASURED = 1000, 5
RAMP = (10_000, 100_000)  # the steps between which the penalty grows
# For the 5,000 images: a reader and a run that a processor is done with in a minute.
SMALL = CNN(channels=(8, 16), hidden=64)
FEW, FEW_MEASURED, FEW_RAMP = 2_000, 100, (250, 750)
FEW_IMAGES = 160  # in a batch of rows that are long


@recipe(Network, Digits)
def digits(unit: Network, task: Digits) -> tuple[Network, Protocol]:
    """The authors' network and settings, and smaller ones for few images."""
    full = task.images == "full"
    network = unit if isinstance(unit, Recurrence) else read_by(unit, task)
    interval = MEASURED * EPOCH[task.operation] if full else FEW_MEASURED
    return network, Protocol(
        EPOCHS // MEASURED * interval if full else FEW,
        batches=Batches(64 if full else min(64, max(1, FEW_IMAGES // task.row_length))),
        optimiser=Adam(1e-3),
        penalties=penalties(network, *(RAMP if full else FEW_RAMP)),
        measuring=Measuring(interval),
    )


def read_by(unit: Network, task: Digits) -> Recurrent:
    """A unit that takes what a network reads and what it had before."""
    reader = CNN() if task.images == "full" else SMALL
    if task.operation == "count":
        return Recurrent(unit, reader, readings=10, every_step=False)
    # As the authors start: at 1 where a unit multiplies alone, so not NALU.
    return Recurrent(unit, reader, start=Recurrent(unit).first)


def penalties(network: Network, start: int, end: int) -> tuple[Penalty, ...]:
    """The paper's two; its second has a meaning for units of one kind alone."""
    unit = network.last
    if not isinstance(unit, Unit) or not unit.sparse or isinstance(unit, NAC):
        return ()
    sparsity = UnitPenalty(10.0, start, end)
    return (sparsity, InputPenalty(1.0)) if weighs_inputs(unit) else (sparsity,)

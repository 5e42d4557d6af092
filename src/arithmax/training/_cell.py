"""A cell: a network on a task under a protocol, for a number of seeds.

This file is read by the command line and loads no array library.
"""

from dataclasses import dataclass

from .._checks import check_hashable, shown
from .._network import Network
from ..tasks import Task
from ._limits import check_kind, check_largest, check_precision, checked_seeds
from ._protocol import Protocol


@dataclass(frozen=True)
class Cell:
    """A network on a task under a protocol, for a number of seeds."""

    network: Network
    task: Task
    protocol: Protocol
    seeds: tuple[int, ...]

    def __post_init__(self) -> None:
        check_kind("network", self.network, Network, "NMU()")
        check_kind("task", self.task, Task, "SingleModule()")
        check_kind("protocol", self.protocol, Protocol, "Protocol()")
        vars(self)["seeds"] = checked_seeds(self.seeds)
        check_hashable("network", self.network)
        check_hashable("task", self.task)
        axes = len(self.task.input_shape)
        if axes != self.network.input_axes:
            raise ValueError(
                f"`task` (={shown(self.task)}) has inputs of the shape "
                f"{self.task.input_shape}, but `network` (={shown(self.network)}) must "
                f"have inputs of {self.network.input_axes} axes. Use another network."
            )
        self.task.check_network(self.network)
        precision = self.protocol.precision
        check_precision(self.network, precision)
        for name in ("interpolation", "extrapolation"):
            check_largest(name, self.task, precision)
        self.protocol.check_cell(self.network, self.task)


def represents(network: Network, task: Task) -> bool:
    """Whether a network can represent what a task asks, as far as units state it.

    A stack can do what its units can together: each operation is left to a unit that
    has it, and the others pass its result on. Whether there is room for that in the
    hidden sizes is not looked at.
    """
    return set(task.operations) <= set(network.operations)

"""Compositions: how a protocol's optimiser, loss, penalties and transforms make a step.

This file is read by the command line and loads no array library.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ._declared import Part

if TYPE_CHECKING:
    from .._network import Network
    from ._protocol import Protocol
    from ._step import Step


class Composition(Part, ABC):
    """A way to build one step of the parts of a protocol."""

    @abstractmethod
    def build(self, network: "Network", protocol: "Protocol") -> "Step":
        """The step, out of the functions of `arithmax.training.steps`."""


@dataclass(frozen=True)
class Joint(Composition):
    """One descent of the loss and all penalties together: what most papers do."""

    def build(self, network, protocol):
        from ._step import descend, whole

        parts = protocol.loss, protocol.penalties
        objective = whole(network, *parts, project=protocol.project)
        return descend(protocol.optimiser, objective, protocol.transforms)


COMPOSITIONS: dict[str, type[Composition]] = {"joint": Joint}
"""The compositions by the names that the command line uses."""

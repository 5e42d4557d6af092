"""What a framework does for `fit`: the contract of its side."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np

from .._arrays import Array, Params
from .._network import Network
from ._descent import LeastSquares, Tools
from ._settings import Settings

Watch = Callable[[float, float], None]  # hears the share done, and the least loss


class Engine(ABC):
    """A network of some framework and a table, as functions of parameter vectors.

    Parameters of a replica are one vector [n] of the framework, those of all replicas
    an array [replica, n].
    """

    @property
    @abstractmethod
    def second_order(self) -> bool:
        """Whether the network is small enough, and smooth, for second-order steps."""

    @property
    @abstractmethod
    def objective(self) -> LeastSquares:
        """What second-order steps make small on the rows that train."""

    @property
    @abstractmethod
    def tools(self) -> Tools:
        """How the framework differentiates, solves and runs replicas side by side."""

    @abstractmethod
    def compiled(self, function: Any) -> Any:
        """A function of arrays, compiled where the framework does that."""

    @abstractmethod
    def draw(self, count: int, round_: int) -> Array:
        """So many starts [replica, n]; the first of round 0 is the network as it is."""

    @abstractmethod
    def nearest(self, at: Array) -> Array:
        """Parameters [n] at which the layers are exact; NaN where there are none."""

    @abstractmethod
    def predict(self, at: Array, rows: np.ndarray) -> np.ndarray:
        """Outputs [row, output] of one replica on some rows of the table."""

    @abstractmethod
    def outputs(self, module: Any, rows: np.ndarray) -> np.ndarray:
        """Outputs [row, output] of a module on some rows of the table."""

    @abstractmethod
    def descend(self, at: Array, settings: Settings, watch: Watch) -> Array:
        """Replicas [replica, n] after first-order steps of an optimiser."""

    @abstractmethod
    def module(self, at: Array) -> Any:
        """The framework's module with these parameters."""

    @abstractmethod
    def rounded(self, module: Any) -> Any:
        """The module with its arithmetic layers at weights where they are exact."""

    @abstractmethod
    def network(self, module: Any) -> tuple[Network, Params]:
        """The module as a network; an error if it has no formula."""

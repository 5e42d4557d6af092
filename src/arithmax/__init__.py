"""Neural arithmetic units for PyTorch, JAX and NumPy: defined once, tested, exact.

Names are loaded when they are first used, so that `import arithmax` is quick and needs
neither JAX nor PyTorch.
"""

import importlib
from typing import TYPE_CHECKING, Any

from ._extras import extras

if TYPE_CHECKING:
    from .networks import CNN as CNN
    from .networks import LSTM as LSTM
    from .networks import Accumulator as Accumulator
    from .networks import Network as Network
    from .networks import Noise as Noise
    from .networks import Recurrent as Recurrent
    from .networks import Scaled as Scaled
    from .networks import Stack as Stack
    from .sklearn import ArithmeticRegressor as ArithmeticRegressor
    from .training import Cell as Cell
    from .training import Protocol as Protocol
    from .training import initialise as initialise
    from .training import published as published
    from .training import train as train
    from .training import train_cells as train_cells
    from .units import GNALU as GNALU
    from .units import INALU as INALU
    from .units import MCFC as MCFC
    from .units import NAC as NAC
    from .units import NALU as NALU
    from .units import NAU as NAU
    from .units import NMRU as NMRU
    from .units import NMU as NMU
    from .units import NPU as NPU
    from .units import NRU as NRU
    from .units import OPERATIONS as OPERATIONS
    from .units import SNALU as SNALU
    from .units import UNITS as UNITS
    from .units import Dense as Dense
    from .units import GatedNAUNMU as GatedNAUNMU
    from .units import GatedSignNMRU as GatedSignNMRU
    from .units import Hazard as Hazard
    from .units import HillSpace as HillSpace
    from .units import Linear as Linear
    from .units import MulMCFC as MulMCFC
    from .units import MultiplicativeNAC as MultiplicativeNAC
    from .units import NaiveNPU as NaiveNPU
    from .units import NALUSinh as NALUSinh
    from .units import RealNaiveNPU as RealNaiveNPU
    from .units import RealNPU as RealNPU
    from .units import StochasticNMU as StochasticNMU
    from .units import Unit as Unit
    from .units import unit as unit

__version__: str

_HOMES = {
    "ArithmeticRegressor": "sklearn",
    "Accumulator": "networks",
    "CNN": "networks",
    "LSTM": "networks",
    "Network": "networks",
    "Noise": "networks",
    "Recurrent": "networks",
    "Scaled": "networks",
    "Stack": "networks",
    "Cell": "training",
    "Protocol": "training",
    "initialise": "training",
    "published": "training",
    "train": "training",
    "train_cells": "training",
}
_SUBMODULES = {
    "discover",
    "readout",
    "fitting",
    "units",
    "networks",
    "tasks",
    "training",
    "torch",
    "equinox",
    "sklearn",
    "results",
    "statistics",
    "studies",
    "benchmark",
    "report",
    "cluster",
    "cli",
}


def __dir__() -> list[str]:
    from . import units

    classes = (cls.__name__ for cls in units.UNITS.values())
    others = "Hazard", "OPERATIONS", "UNITS", "Unit", "unit", "__version__"
    return sorted([*_HOMES, *_SUBMODULES, *classes, *others])


def __getattr__(name: str) -> Any:
    if name in _SUBMODULES:
        with extras():
            return importlib.import_module(f".{name}", __name__)
    value = _version() if name == "__version__" else _value(name)
    globals()[name] = value
    return value


def _version() -> str:
    return importlib.import_module("importlib.metadata").version("arithmax")


def _value(name: str) -> Any:
    home = importlib.import_module(f".{_HOMES.get(name, 'units')}", __name__)
    try:
        return getattr(home, name)
    except AttributeError:
        raise AttributeError(f"module 'arithmax' has no attribute {name!r}") from None

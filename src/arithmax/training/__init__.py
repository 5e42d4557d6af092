"""Training: a protocol of parts, recipes by paper, and the fleet.

Names are loaded when they are first used: protocols need no JAX, the fleet does.
"""

import importlib
from typing import TYPE_CHECKING, Any

from .._extras import extras

if TYPE_CHECKING:
    from ._cell import Cell as Cell
    from ._cell import represents as represents
    from ._compositions import COMPOSITIONS as COMPOSITIONS
    from ._compositions import Composition as Composition
    from ._compositions import Joint as Joint
    from ._declared import Part as Part
    from ._declared import compiled as compiled
    from ._declared import outside as outside
    from ._declared import traced as traced
    from ._engine import FleetEngine as FleetEngine
    from ._engine import Local as Local
    from ._engine import default_workers as default_workers
    from ._fleet import train as train
    from ._fleet import train_cells as train_cells
    from ._initialise import initialise as initialise
    from ._inspect import extrapolation_error as extrapolation_error
    from ._inspect import first_parameters as first_parameters
    from ._levenberg_marquardt import LevenbergMarquardt as LevenbergMarquardt
    from ._limits import MOST_SEEDS as MOST_SEEDS
    from ._losses import LOSSES as LOSSES
    from ._losses import CorrelationThenSquaredError as CorrelationThenSquaredError
    from ._losses import Loss as Loss
    from ._losses import SmoothL1 as SmoothL1
    from ._losses import SquaredError as SquaredError
    from ._measures import Measures as Measures
    from ._measures import Outcome as Outcome
    from ._measures import further_names as further_names
    from ._measures import measure as measure
    from ._moment import Moment as Moment
    from ._optax import Transformed as Transformed
    from ._optax import from_optax as from_optax
    from ._optax import is_transformation as is_transformation
    from ._optimiser import Optimiser as Optimiser
    from ._optimisers import OPTIMISERS as OPTIMISERS
    from ._optimisers import SGD as SGD
    from ._optimisers import Adam as Adam
    from ._optimisers import FirstOrder as FirstOrder
    from ._optimisers import RMSProp as RMSProp
    from ._parts import Batches as Batches
    from ._parts import Criterion as Criterion
    from ._parts import Measuring as Measuring
    from ._penalties import L1 as L1
    from ._penalties import PENALTIES as PENALTIES
    from ._penalties import ArrayNorms as ArrayNorms
    from ._penalties import InputPenalty as InputPenalty
    from ._penalties import Penalty as Penalty
    from ._penalties import UnitPenalty as UnitPenalty
    from ._progress import bar_columns as bar_columns
    from ._protocol import Protocol as Protocol
    from ._replicas import block_size as block_size
    from ._restarts import RESTARTS as RESTARTS
    from ._restarts import Restart as Restart
    from ._restarts import Stalled as Stalled
    from ._rounded import rounded_error as rounded_error
    from ._schedules import SCHEDULES as SCHEDULES
    from ._schedules import Cosine as Cosine
    from ._schedules import Exponential as Exponential
    from ._schedules import Schedule as Schedule
    from ._step import Objective as Objective
    from ._step import Step as Step
    from ._step import alone as alone
    from ._step import chain as chain
    from ._step import descend as descend
    from ._step import rest as rest
    from ._step import share as share
    from ._step import whole as whole
    from ._transforms import TRANSFORMS as TRANSFORMS
    from ._transforms import ClipNorm as ClipNorm
    from ._transforms import ClipValue as ClipValue
    from ._transforms import Transform as Transform
    from .recipes import published as published
    from .recipes import recipe as recipe

_HOMES = {
    "_cell": ("Cell", "represents"),
    "_compositions": ("COMPOSITIONS", "Composition", "Joint"),
    "_declared": ("Part", "compiled", "outside", "traced"),
    "_engine": ("FleetEngine", "Local", "default_workers"),
    "_fleet": ("train", "train_cells"),
    "_initialise": ("initialise",),
    "_inspect": ("extrapolation_error", "first_parameters"),
    "_levenberg_marquardt": ("LevenbergMarquardt",),
    "_limits": ("MOST_SEEDS",),
    "_losses": (
        "LOSSES",
        "CorrelationThenSquaredError",
        "Loss",
        "SmoothL1",
        "SquaredError",
    ),
    "_measures": ("Measures", "Outcome", "further_names", "measure"),
    "_moment": ("Moment",),
    "_optax": ("Transformed", "from_optax", "is_transformation"),
    "_optimiser": ("Optimiser",),
    "_optimisers": ("OPTIMISERS", "SGD", "Adam", "FirstOrder", "RMSProp"),
    "_parts": ("Batches", "Criterion", "Measuring"),
    "_penalties": (
        "L1",
        "PENALTIES",
        "ArrayNorms",
        "InputPenalty",
        "Penalty",
        "UnitPenalty",
    ),
    "_progress": ("bar_columns",),
    "_protocol": ("Protocol",),
    "_replicas": ("block_size",),
    "_restarts": ("RESTARTS", "Restart", "Stalled"),
    "_rounded": ("rounded_error",),
    "_schedules": ("SCHEDULES", "Cosine", "Exponential", "Schedule"),
    "_step": (
        "Objective",
        "Step",
        "alone",
        "chain",
        "descend",
        "rest",
        "share",
        "whole",
    ),
    "_transforms": ("TRANSFORMS", "ClipNorm", "ClipValue", "Transform"),
    "recipes": ("published", "recipe"),
}
_FILES = {name: home for home, names in _HOMES.items() for name in names}


def __dir__() -> list[str]:
    return sorted(_FILES)


def __getattr__(name: str) -> Any:
    if name not in _FILES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    with extras():
        value = getattr(importlib.import_module(f".{_FILES[name]}", __name__), name)
    globals()[name] = value
    return value

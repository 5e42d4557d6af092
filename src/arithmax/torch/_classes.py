"""A class for each unit, made when it is first asked for."""

from typing import Any

from .._layers import layer_class, unit_class
from .._network import Network
from ..units import UNITS
from ._layer import Layer

HOME = __name__.rpartition(".")[0]  # where the classes are found
_classes: dict[type, type] = {}


def class_named(name: str) -> Any:
    """The layer of a unit, by the unit's name or class, as its paper may spell it."""
    unit = unit_class(name, HOME)
    if unit not in _classes:
        _classes[unit] = layer_class(unit, Layer, ("device", "dtype"), HOME)
    return _classes[unit]


def layer_of(
    network: Network, in_features: Any, out_features: int, **options: Any
) -> Layer:
    """The layer of a network, of the class that bears its name if it is a unit."""
    if type(network) not in UNITS.values():
        return Layer(network, in_features, out_features, **options)
    cls = class_named(type(network).__name__)
    return cls(in_features, out_features, **vars(network), **options)

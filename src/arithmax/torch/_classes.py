"""A class for each unit, made when it is first asked for."""

from .._layers import LayerFamily
from ._layer import Layer

LAYERS = LayerFamily(Layer, ("device", "dtype"), __name__.rpartition(".")[0])

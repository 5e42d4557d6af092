"""A tree of modules as one network, where it is one."""

from typing import Any

from .._arrays import Params
from .._extras import extras
from .._layers import Readable, calls_as, in_a_row, unreadable
from .._network import Network
from ..networks import Scaled
from ..units import Linear
from ._layer import Layer
from ._scaled import ScaledModule

with extras():
    import equinox as eqx


def network_of(net: Any) -> tuple[Network, Params]:
    """A module as a network and its parameters.

    Args:
        net: a layer, `equinox.nn.Linear`, a `Sequential` of such, or one that is
            scaled.

    Raises:
        ValueError: it has a part of which nobody knows what it computes.
    """
    part = _part(net)
    return part.network, part.params


def _part(net: Any) -> Readable:
    if calls_as(net, Layer, "__call__"):
        return Readable(net.unit, dict(net.params), net.out_features)
    if calls_as(net, eqx.nn.Linear, "__call__") and isinstance(net.out_features, int):
        params = {"W": net.weight} | ({} if net.bias is None else {"b": net.bias})
        return Readable(Linear(bias=net.bias is not None), params, net.out_features)
    if isinstance(net, ScaledModule):
        inner = _part(net.module)
        network = Scaled(inner.network, net.inputs, net.outputs)
        params = inner.params | {"coefficient": net.coefficient}
        return Readable(network, params, inner.out_features)
    if calls_as(net, eqx.nn.Sequential, "__call__"):
        steps = [m for m in net.layers if not isinstance(m, eqx.nn.Identity)]
        return in_a_row([_part(step) for step in steps])
    raise ValueError(unreadable(net, "equinox.nn.Linear"))

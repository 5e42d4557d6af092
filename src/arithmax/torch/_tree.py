"""A tree of modules as one network, where it is one."""

from .._arrays import Params
from .._extras import extras
from .._layers import Readable, calls_as, in_a_row, unreadable
from .._network import Network
from ..networks import Scaled
from ..units import Linear
from ._layer import Layer
from ._scaled import ScaledModule

with extras():
    from torch import nn


def network_of(net: nn.Module) -> tuple[Network, Params]:
    """A module as a network and its parameters.

    Args:
        net: a layer, `torch.nn.Linear`, a `Sequential` of such, or one that is scaled.

    Raises:
        ValueError: it has a part of which nobody knows what it computes.
    """
    part = _part(net)
    return part.network, part.params


def _part(net: nn.Module) -> Readable:
    if calls_as(net, Layer, "forward"):
        params = {name: value.detach() for name, value in net._params().items()}
        return Readable(net.unit, params, net.out_features)
    if calls_as(net, nn.Linear, "forward"):
        params = {"W": net.weight.detach()}
        if net.bias is not None:
            params["b"] = net.bias.detach()
        return Readable(Linear(bias=net.bias is not None), params, net.out_features)
    if isinstance(net, ScaledModule):
        inner = _part(net.module)
        scales = (tuple(s.tolist()) if s.ndim else s.item() for s in net.scales)
        network = Scaled(inner.network, *scales)
        params = inner.params | {"coefficient": net.coefficient.detach()}
        return Readable(network, params, inner.out_features)
    if calls_as(net, nn.Sequential, "forward"):
        steps = [m for m in net if not isinstance(m, nn.Identity)]
        return in_a_row([_part(step) for step in steps])
    raise ValueError(unreadable(net, "torch.nn.Linear"))

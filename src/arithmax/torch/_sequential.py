"""A stack as PyTorch's own sequence of layers."""

from itertools import pairwise
from typing import Any

from .._extras import extras
from ..networks import Stack
from ._classes import LAYERS
from ._draw import draw_

with extras():
    import torch
    from torch import nn


def sequential(
    network: Stack,
    in_features: Any,
    out_features: int,
    *,
    device: torch.device | str | None = None,
    dtype: torch.dtype | None = None,
) -> nn.Sequential:
    """A stack as a `torch.nn.Sequential` of layers, whose `state_dict` has its names.

    Args:
        network: the stack.
        in_features: how many inputs it has.
        out_features: how many outputs it has.
        device: where the parameters are.
        dtype: their floating-point format.

    Examples:
        >>> from arithmax import NAU, NMU, Stack
        >>> from arithmax.torch import sequential
        >>> net = sequential(Stack((NAU(), NMU()), hidden=(2,)), 4, 1)
        >>> print(net[1])
        NMU(in_features=2, out_features=1, regulariser='linear')
        >>> sorted(net.state_dict())
        ['0.W', '1.W']
    """
    sizes = pairwise((in_features, *network.hidden, out_features))
    pairs = zip(network.units, sizes, strict=True)
    made = [LAYERS.of(unit, *size, device=device, dtype=dtype) for unit, size in pairs]
    layers = nn.Sequential(*made)
    if network.starts:
        declared = network.parameters(in_features, out_features)
        with torch.no_grad():
            for name, value in layers.named_parameters():
                draw_(value, declared[name].distribution)
    return layers

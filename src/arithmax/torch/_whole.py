"""What a network of several layers needs: the same calls as one layer has."""

import copy
from collections.abc import Sequence
from typing import Any, TypeVar

from .._checks import shown
from .._extras import extras
from ..discover import Formula
from ..readout import Reading, written_formulas
from ..readout import readout as read
from ._layer import Layer
from ._tree import network_of

with extras():
    import torch
    from torch import Tensor, nn

M = TypeVar("M", bound=nn.Module)


def penalty(net: nn.Module) -> Tensor:
    """The regularisers of all arithmetic layers in a module, added up.

    Args:
        net: any module; its other layers have none.

    Returns:
        A scalar, without its strength: 0.01 to 0.1 times the loss is usual.

    Examples:
        >>> import torch, arithmax.torch
        >>> layers = arithmax.torch.NAU(3, 2), arithmax.torch.NMU(2, 1)
        >>> net = torch.nn.Sequential(*layers)
        >>> bool(arithmax.torch.penalty(net) == sum(l.penalty() for l in layers))
        True
    """
    return torch.stack([layer.penalty() for layer in layers_of(net)]).sum()


def project_(net: nn.Module) -> None:
    """Apply the hard constraints of all arithmetic layers in a module, in place."""
    for layer in layers_of(net):
        layer.project_()


def attach(optimiser: torch.optim.Optimizer, net: nn.Module) -> Any:
    """Let an optimiser call `project_(net)` after each of its steps.

    Args:
        optimiser: any optimiser of PyTorch.
        net: the module whose parameters it trains.

    Returns:
        PyTorch's handle of the hook; `handle.remove()` ends it.

    Examples:
        >>> import torch, arithmax.torch
        >>> net = arithmax.torch.NMU(2, 1)
        >>> optimiser = torch.optim.SGD(net.parameters(), lr=100.0)
        >>> handle = arithmax.torch.attach(optimiser, net)
        >>> net(torch.tensor([2.0, 3.0])).sum().backward()
        >>> optimiser.step()
        >>> net.W.tolist()                     # far below 0 without the constraint
        [[0.0, 0.0]]
    """
    if not isinstance(optimiser, torch.optim.Optimizer):
        raise TypeError(
            f"`optimiser` (={shown(optimiser)}) must be one of PyTorch's, such as "
            "`torch.optim.Adam(net.parameters())`."
        )
    layers_of(net)  # an error now, not at the first step
    return optimiser.register_step_post_hook(lambda *_: project_(net))


def discretise(net: M) -> M:
    """A copy of a module whose arithmetic layers have weights at which they are exact.

    Everything else, such as a coefficient, stays. Compare the error of the copy with
    that of the module before you use it: `readout` does, and fits constants again.

    Examples:
        >>> import torch, arithmax.torch
        >>> net = arithmax.torch.NMU(3, 1)
        >>> net.load_parameters({"W": [[0.97, 1.0, 0.02]]})
        >>> arithmax.torch.discretise(net).W.tolist()
        [[1.0, 1.0, 0.0]]
    """
    layers_of(net)
    rounded = copy.deepcopy(net)
    for layer in layers_of(rounded):
        layer.discretise_()
    return rounded


def formula(net: nn.Module, names: Sequence[str] | None = None) -> list[Formula]:
    """What a module computes, one formula for each output.

    Nothing is rounded: `formula(discretise(net))` shows whole weights, and
    `readout(net, x, y)` rounds, fits constants and says what that costs.

    Args:
        net: a layer, or a `Sequential` of layers and of `torch.nn.Linear`.
        names: the names of the inputs; x1, x2, … if None.

    Examples:
        >>> import torch, arithmax.torch
        >>> layers = arithmax.torch.NAU(3, 2), arithmax.torch.NMU(2, 1)
        >>> layers[0].load_parameters({"W": [[1.0, 1.0, 0.0], [0.0, 0.0, 1.0]]})
        >>> layers[1].load_parameters({"W": [[1.0, 1.0]]})
        >>> net = torch.nn.Sequential(*layers)
        >>> print(arithmax.torch.formula(net, ["a", "b", "c"])[0])
        c*(a + b)
    """
    return written_formulas(*network_of(net), names)


def readout(net: nn.Module, x: Any, y: Any, **options: Any) -> Reading:
    """The formula that a module has learned: see `arithmax.readout.readout`.

    Args:
        net: a layer, or a `Sequential` of layers and of `torch.nn.Linear`.
        x: inputs [row, column] on which it is judged.
        y: their targets [row].
        options: names of columns, and the other options of `readout`.
    """
    return read(*network_of(net), x, y, **options)


def layers_of(net: nn.Module) -> list[Layer]:
    """All arithmetic layers in a module; there must be one."""
    if not isinstance(net, nn.Module):
        raise TypeError(f"`net` (={shown(net)}) must be a `torch.nn.Module`.")
    layers = [module for module in net.modules() if isinstance(module, Layer)]
    if not layers:
        raise ValueError(
            f"`net` (a {type(net).__name__}) must have an arithmetic layer in it, such "
            "as `arithmax.torch.NMU(2, 1)`."
        )
    return layers

"""The loop that everybody writes: a network and a table in, a formula out."""

import dataclasses
from collections.abc import Sequence
from typing import Any

from .._checks import shown
from .._extras import extras
from .._network import Network
from ..fitting import Fit, Settings, Split, search
from ._classes import LAYERS
from ._engine import MakeOptimiser, TorchEngine, in_its_units
from ._whole import layers_of

with extras():
    from torch import nn


def fit(
    net: nn.Module | Network,
    x: Any,
    y: Any,
    *,
    names: Sequence[str] | None = None,
    seeds: int = 16,
    restarts: int = 2,
    steps: int | None = None,
    penalty: float = 0.1,
    scale: bool = True,
    optimiser: MakeOptimiser | None = None,
    batch: int | None = None,
    hold_out: float = 0.2,
    tolerance: float = 0.125,
    seed: int = 0,
    progress: bool = True,
) -> Fit:
    """Train a network on a table with several seeds, and read its formula.

    A copy of `net` is scaled by the sizes of the columns and trained from `seeds`
    starts side by side: the first as it is, the others with all layers drawn afresh.
    Small networks take second-order steps on all rows (Levenberg–Marquardt), others
    those of an optimiser on batches, with the layers' regularisers from half way on.
    Weights that end near whole ones are rounded, the best seeds by the error on rows
    held out are read as formulas, and where none is verified, all begin anew. Choose
    `net` by what the formula may be; the guide "From my data to a formula" says how.

    Args:
        net: a module with arithmetic layers in it, or a unit or stack. It is not
            changed: use `net` of the result.
        x: inputs [row, ...]: a tensor, an array or a table of pandas.
        y: targets [row] or [row, output].
        names: the names of the columns; x1, x2, … if neither these nor a table's are
            there.
        seeds: how many starts are trained side by side.
        restarts: how often all begin anew where no formula was verified.
        steps: steps of each; None for 120 of second order, or 3000 of an optimiser.
        penalty: the strength of the layers' regularisers, once they set in.
        scale: whether inputs and outputs are divided by their sizes.
        optimiser: makes an optimiser of the parameters, such as
            `lambda p: torch.optim.Adam(p, lr=1e-3)`; None to choose.
        batch: rows of a step of an optimiser; None for 256.
        hold_out: the share of the rows that choose among seeds, and train none.
        tolerance: the relative error up to which a formula may count as found.
        seed: of the starts, and of which rows are held out.
        progress: whether a bar is shown.

    Returns:
        The trained network, what was read from it, and the errors on the way.

    Examples:
        >>> import torch, arithmax.torch
        >>> _ = torch.manual_seed(0)
        >>> x = torch.rand(500, 2) + 1                       # m and v, on [1, 2]
        >>> net = arithmax.torch.RealNPU(2, 1)
        >>> result = arithmax.torch.fit(
        ...     net, x, 0.5 * x[:, 0] * x[:, 1] ** 2, names=["m", "v"], progress=False)
        >>> print(result.formula.sympy(), "|", result.verdict)
        m*v**2/2 | ...
    """
    options = locals()
    settings = Settings(
        **{field.name: options[field.name] for field in dataclasses.fields(Settings)}
    )
    if optimiser is not None and not callable(optimiser):
        raise TypeError(
            f"`optimiser` (={shown(optimiser)}) must be a function from parameters to "
            "an optimiser, such as `lambda p: torch.optim.Adam(p, lr=1e-2)`."
        )
    split = Split.of(x, y, names, hold_out, seed)
    module = in_its_units(_module(net, split), split, scale)
    found = search(TorchEngine(module, split, settings, optimiser), split, settings)
    dtype = next(module.parameters()).dtype
    discrete = None if found.discrete is None else found.discrete.to(dtype)
    return dataclasses.replace(found, net=found.net.to(dtype), discrete=discrete)


def _module(net: nn.Module | Network, split: Split) -> nn.Module:
    """The module that is trained, with one output for each target."""
    if isinstance(net, Network):
        shape = split.x.shape[1:]
        sizes = shape[0] if net.input_axes == 1 else tuple(shape)
        return LAYERS.of(net, sizes, split.y.shape[1])
    if not isinstance(net, nn.Module):
        raise TypeError(
            f"`net` (={shown(net)}) must be a `torch.nn.Module`, or a unit or stack of "
            "arithmax."
        )
    layers_of(net)
    return net

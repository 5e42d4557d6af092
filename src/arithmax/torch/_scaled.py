"""A module in other units of measurement, with a coefficient."""

from typing import Any

from .._checks import shown
from .._extras import extras
from ..networks import check_scale

with extras():
    import torch
    from torch import Tensor, nn


class ScaledModule(nn.Module):
    r"""A module whose inputs and outputs are scaled by constants.

    $$ y = c \cdot s_y \cdot f(x / s_x) $$

    It is `arithmax.Scaled` around a module instead of a network. $f$ is `module`, $s_x$
    and $s_y$ are the buffers `inputs` and `outputs`, and $c$ is the parameter
    `coefficient`, which is trained and starts at 1.

    Args:
        module: the module.
        inputs: what inputs are divided by: a number, or one for each feature.
        outputs: what outputs are multiplied by: a number, or one for each output.
        out_features: how many outputs there are; each has a coefficient.

    Examples:
        >>> import torch, arithmax.torch
        >>> layer = arithmax.torch.NMU(2, 1)
        >>> layer.load_parameters({"W": [[1.0, 1.0]]})
        >>> net = arithmax.torch.ScaledModule(layer, inputs=[0.001, 1e4], outputs=10.0)
        >>> net(torch.tensor([0.002, 3e4])).tolist()         # 10 · 2 · 3
        [60.0]
    """

    inputs: Tensor
    outputs: Tensor

    def __init__(
        self, module: nn.Module, inputs: Any, outputs: Any, out_features: int = 1
    ) -> None:
        super().__init__()
        self.module = module
        like = next(module.parameters(), torch.empty(0))
        for name, scale in (("inputs", inputs), ("outputs", outputs)):
            self.register_buffer(name, _stored(name, check_scale(name, scale), like))
        self.coefficient = nn.Parameter(like.new_ones(out_features))

    @property
    def scales(self) -> tuple[Tensor, Tensor]:
        """What inputs are divided by, and outputs multiplied by."""
        return self.inputs, self.outputs

    def forward(self, x: Tensor) -> Tensor:
        return self.coefficient * self.outputs * self.module(x / self.inputs)


def _stored(name: str, scale: Any, like: Tensor) -> Tensor:
    """A scale in the format of a module, which must be able to hold it."""
    stored = like.new_tensor(scale)
    if not (stored.isfinite() & (stored != 0)).all():
        raise ValueError(
            f"`{name}` (={shown(scale)}) cannot be held in {like.dtype}. Take a module "
            "in float64 (`net.double()`), or other units of measurement."
        )
    return stored

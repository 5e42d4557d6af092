"""Numbers drawn by PyTorch's generator."""

from .._extras import extras
from ..units import (
    Beta,
    Constant,
    Distribution,
    Identity,
    Normal,
    Uniform,
)

with extras():
    import torch
    from torch import Tensor, nn


def draw_(tensor: Tensor, distribution: Distribution) -> Tensor:
    """Fill a tensor with numbers drawn from a distribution."""
    match distribution:
        case Uniform(low, high):
            return tensor.uniform_(low, high)
        case Normal(mean, std):
            return tensor.normal_(mean, std)
        case Beta(a, b, low, high):
            ends = (torch.tensor(v, device="cpu") for v in (a, b))
            drawn = torch.distributions.Beta(next(ends), next(ends)).sample(
                tensor.shape
            )
            return tensor.copy_(low + (high - low) * drawn)
        case Constant(value):
            return tensor.fill_(value)
        case Identity():
            return nn.init.eye_(tensor)
    columns = tensor.shape if tensor.ndim == 2 else (*tensor.shape, 1)
    # Orthogonal matrices come from a factorisation that has no short formats.
    wide = torch.float64 if tensor.dtype == torch.float64 else torch.float32
    drawn = nn.init.orthogonal_(torch.empty(columns, dtype=wide, device="cpu"))
    return tensor.copy_(drawn.reshape(tensor.shape))

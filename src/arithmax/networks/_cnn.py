"""The small convolutional network that reads digits."""

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from .._arrays import Array, Namespace, Params, align, namespace, relu
from .._checks import check_fields, check_whole, plain, shown
from .._images import linear_map, patches, pool, weigh
from .._network import Draws, Network
from .._parameters import Parameter, check_shape, of_part, prefixed, symmetric


@dataclass(frozen=True)
class CNN(Network):
    r"""A convolutional network over grey images, with numbers as its outputs.

    It is the network of PyTorch's MNIST example, which reads the digits in the papers:
    convolution, maximum over squares of 2 by 2 pixels and ReLU, once for each of
    `channels`; then a dense layer with ReLU and a linear layer. The parameters are
    `conv1.W` [channels, channels before · kernel²], `conv1.b`, and so on, `dense.W`,
    `dense.b`, `out.W` and `out.b`; all start as PyTorch's do, uniform on
    $\pm 1 / \sqrt{\text{inputs}}$. Matrix products are as precise as the framework's
    default, unlike those of arithmetic units.

    Args:
        channels: how many channels each convolution gives.
        kernel: how many rows and columns of pixels a convolution looks at.
        hidden: the size of the dense layer.

    Examples:
        >>> import jax, jax.numpy as jnp
        >>> from arithmax import initialise
        >>> from arithmax.networks import CNN
        >>> params = initialise(CNN(), (28, 28), 1, key=jax.random.key(0))
        >>> params["conv2.W"].shape, params["dense.W"].shape
        ((50, 500), (500, 800))
        >>> CNN().apply(params, jnp.zeros((64, 28, 28))).shape
        (64, 1)

    Reference:
        A. Madsen and A. R. Johansen, "Neural Arithmetic Units", ICLR 2020.
    """

    title: ClassVar[str] = "CNN"
    channels: tuple[int, ...] = (20, 50)
    kernel: int = 5
    hidden: int = 500

    def __post_init__(self) -> None:
        check_fields(self, {"kernel": (1, None), "hidden": (1, None)})
        if not check_shape("channels", self.channels):
            raise ValueError(
                "`channels` (=()) must hold the channels of at least one convolution, "
                "such as `(20, 50)`."
            )

    @property
    def input_axes(self) -> int:
        return 2

    @property
    def smallest(self) -> tuple[Any, int]:
        side = 1
        for _ in self.channels:
            side = 2 * side + self.kernel - 1
        return (side, side), 1

    def parameters(self, in_features: Any, out_features: int) -> dict[str, Parameter]:
        check_whole("out_features", plain(out_features), 1)
        before, declared = 1, {}
        for i, channels in enumerate(self.channels, 1):
            inputs = before * self.kernel**2
            declared |= prefixed(f"conv{i}", affine_as_pytorch(inputs, channels))
            before = channels
        flat = before * math.prod(self._left(in_features))
        declared |= prefixed("dense", affine_as_pytorch(flat, self.hidden))
        return declared | prefixed(
            "out", affine_as_pytorch(self.hidden, plain(out_features))
        )

    def _left(self, in_features: Any) -> tuple[int, ...]:
        """The rows and columns that the convolutions leave of an image."""
        sizes = plain(in_features)
        (least, _), _ = self.smallest
        if not isinstance(sizes, tuple) or len(sizes) != 2 or min(sizes) < least:
            raise ValueError(
                f"`in_features` (={shown(in_features)}) must be the rows and columns "
                f"of an image, each at least {least} for {self}."
            )
        for _ in self.channels:
            sizes = tuple((n - self.kernel + 1) // 2 for n in sizes)
        return sizes

    def compute(
        self,
        params: Params,
        x: Any,
        *,
        training: bool = False,
        noise: Draws | None = None,
        xp: Namespace = None,
    ) -> Any:
        xp = xp or namespace(x)
        self._check_image(params, x)
        y = x[None]
        for i in range(1, len(self.channels) + 1):
            y = self._convolve(of_part(f"conv{i}", params), y, xp)
        y = y.reshape(params["dense.W"].shape[1], *x.shape[2:])
        y = relu(linear_map(params["dense.W"], y, params["dense.b"], xp), xp)
        return linear_map(params["out.W"], y, params["out.b"], xp)

    def _convolve(self, params: Params, x: Array, xp: Namespace) -> Array:
        """Convolution, pooling, bias and ReLU.

        The bias does not change which number is the greatest, and its gradient is a sum
        over a quarter as many numbers after pooling.
        """
        y = pool(weigh(params["W"], patches(x, self.kernel, xp), xp), xp)
        return relu(y + align(params["b"], y), xp)

    def _check_image(self, params: Params, x: Array) -> None:
        """The images must have as many pixels as the dense layer was made for."""
        flat = self.channels[-1] * math.prod(self._left(tuple(x.shape[:2])))
        if flat != params["dense.W"].shape[1]:
            raise ValueError(
                f"`x` (images of {x.shape[0]} by {x.shape[1]} pixels) must have the "
                "size that the parameters were made for: `params['dense.W']` has "
                f"{params['dense.W'].shape[1]} columns, and needs {flat}."
            )


def affine_as_pytorch(inputs: int, outputs: int) -> dict[str, Parameter]:
    """A matrix and a bias, both uniform on ±1/√inputs as PyTorch's layers start."""
    start = symmetric(1 / math.sqrt(inputs))
    return {
        "W": Parameter((outputs, inputs), start),
        "b": Parameter((outputs,), start),
    }

"""Every unit as a `torch.nn.Module`.

`arithmax.torch.NMU(in_features, out_features)` is the module of `arithmax.units.NMU`,
and so on for every unit of the registry; `Layer` takes any network at all.
"""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from ._extras import extras
from ._inputs import check_input, check_plain
from ._layers import check_unit, describe, layer_class, layer_names
from ._network import Network, features_first
from .networks import Noise, Stack
from .readout import Reading, readout
from .units import (
    Beta,
    Constant,
    Distribution,
    Hazard,
    Identity,
    Normal,
    Uniform,
)

with extras():
    import array_api_compat.torch as xp
    import torch
    from torch import Tensor, nn
    from torch.nn.utils import parametrize


class Layer(nn.Module):
    """A unit, or another network, with its parameters.

    The parameters bear the names that the network gives them, so that weights trained
    by JAX and by PyTorch are exchanged by name; those of a stack, such as `0.W`, lie in
    submodules, as PyTorch asks of names with dots. `train` and `eval` matter to the
    units that compute something else while they are trained (sNMU, NRU, NMRU).

    Args:
        unit: the unit or network.
        in_features: how many inputs it has; a shape, where an input has several axes.
        out_features: how many outputs it has.
        device: where the parameters are.
        dtype: their floating-point format.

    Examples:
        >>> import torch, arithmax.torch
        >>> layer = arithmax.torch.NMU(2, 1)
        >>> layer.load_parameters({"W": [[1.0, 1.0]]})
        >>> layer(torch.tensor([[-300.0, 20.0]])).tolist()
        [[-6000.0]]
    """

    def __init__(
        self,
        unit: Network,
        in_features: Any,
        out_features: int,
        *,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        check_unit(unit)
        self.unit = unit
        self.in_features, self.out_features = in_features, out_features
        declared = unit.parameters(in_features, out_features)
        self._paths = {name: tuple(name.split(".")) for name in declared}
        self._noise = unit.noise(in_features)
        for name, parameter in declared.items():
            empty = torch.empty(parameter.shape, device=device, dtype=dtype)
            *outer, last = self._paths[name]
            _submodule(self, outer).register_parameter(last, nn.Parameter(empty))
        self.reset_parameters()

    @torch.no_grad()
    def reset_parameters(self) -> None:
        """Draw the parameters afresh, with PyTorch's generator."""
        self._own()
        declared = self.unit.parameters(self.in_features, self.out_features)
        params = self._params()
        for name, parameter in declared.items():
            draw_(params[name], parameter.distribution)

    @torch.no_grad()
    def load_parameters(self, params: Mapping[str, Any]) -> None:
        """Copy parameters by name, from arrays of any framework."""
        arrays = {name: _tensor(name, value) for name, value in params.items()}
        self.unit.check_parameters(arrays, (self.in_features, self.out_features))
        params = self._params()
        for name, value in arrays.items():
            params[name].copy_(value)

    def _params(self) -> dict[str, Tensor]:
        return {name: _reach(self, path) for name, path in self._paths.items()}

    def forward(self, x: Tensor) -> Tensor:
        if not isinstance(x, Tensor):
            raise TypeError(
                f"`x` (a {type(x).__name__}) must be a tensor. Use `torch.as_tensor`."
            )
        params, axes = self._params(), self.unit.input_axes
        dtype = next((value.dtype for value in params.values()), None)
        check_input(x, self.in_features, dtype, xp, axes)
        noise = None
        if self.training and self._noise:
            noise = tuple(_drawn(piece, x, axes) for piece in self._noise)
        return self.unit.forward(params, x, training=self.training, noise=noise, xp=xp)

    def penalty(self) -> Tensor:
        """The unit's regulariser, without its strength."""
        return self.unit.penalty(self._params())

    @torch.no_grad()
    def project_(self) -> None:
        """Apply the unit's hard constraint, in place; call it after each step."""
        self._own()
        params = self._params()
        for name, value in self.unit.project(params).items():
            params[name].copy_(value)

    def _own(self) -> None:
        if any(parametrize.is_parametrized(module) for module in self.modules()):
            raise RuntimeError(
                f"{type(self).__name__} has parametrized parameters, which cannot be "
                "set. Remove the parametrization first."
            )

    @torch.no_grad()
    def sparsity_error(self) -> Tensor:
        """The distance of the worst weight from −1, 0 and 1."""
        return self.unit.sparsity_error(self._params())

    @torch.no_grad()
    def weights(self) -> dict[str, Tensor]:
        """The effective weight matrices."""
        return self.unit.weights(self._params())

    @torch.no_grad()
    def diagnose(self, x: Tensor) -> dict[Hazard, Tensor]:
        """Which inputs the layer silently gets wrong, and why."""
        return self.unit.diagnose(self._params(), x)

    def readout(self, x: Any, y: Any, **options: Any) -> Reading:
        """The formula that the layer has learned: see `arithmax.readout.readout`.

        Args:
            x: inputs [row, column] on which it is judged.
            y: their targets [row].
            options: names of columns, and the other options of `readout`.
        """
        return readout(self.unit, self._params(), x, y, **options)

    def extra_repr(self) -> str:
        return describe(self.unit, self.in_features, self.out_features)


def sequential(network: Stack, in_features: int, out_features: int) -> nn.Sequential:
    """A stack as a `torch.nn.Sequential` of layers, whose `state_dict` has its names.

    Examples:
        >>> from arithmax import NAU, NMU, Stack
        >>> from arithmax.torch import sequential
        >>> sorted(sequential(Stack((NAU(), NMU()), hidden=(2,)), 4, 1).state_dict())
        ['0.W', '1.W']
    """
    sizes = pairwise((in_features, *network.hidden, out_features))
    units = zip(network.units, sizes, strict=True)
    layers = nn.Sequential(*(Layer(unit, *size) for unit, size in units))
    if network.starts:
        declared = network.parameters(in_features, out_features)
        with torch.no_grad():
            for name, value in layers.named_parameters():
                draw_(value, declared[name].distribution)
    return layers


def _submodule(module: nn.Module, names: list[str]) -> nn.Module:
    """The module in a module by the path of its names; made where there is none."""
    for name in names:
        if name not in dict(module.named_children()):
            module.add_module(name, nn.Module())
        module = module.get_submodule(name)
    return module


def _reach(module: Any, path: tuple[str, ...]) -> Tensor:
    """The parameter of a module by the path of its names."""
    for name in path:
        module = getattr(module, name)
    return module


def _drawn(piece: Noise, x: Tensor, axes: int) -> Tensor:
    """One piece of noise for inputs `x` [*batch, *in], features first."""
    if not piece.each_sample:
        return draw_(x.new_empty(piece.shape), piece.distribution)
    empty = x.new_empty((*x.shape[:-axes], *piece.shape))
    return features_first(draw_(empty, piece.distribution), len(piece.shape), xp)


def _tensor(name: str, value: Any) -> Tensor:
    if isinstance(value, Tensor):
        return value
    check_plain(f"params[{name!r}]", value)
    array = np.asarray(value)
    # NumPy has no bfloat16; what JAX calls so is not a kind that PyTorch reads.
    return torch.tensor(array if array.dtype.kind == "f" else array.astype("float32"))


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


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return globals().setdefault(name, layer_class(name, Layer, ("device", "dtype")))


def __dir__() -> list[str]:
    return sorted([*globals(), *layer_names()])

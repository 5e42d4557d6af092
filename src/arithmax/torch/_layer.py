"""A unit, or another network, as a `torch.nn.Module`."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .._extras import extras
from .._inputs import check_input, check_plain, features_first
from .._layers import check_unit, describe
from .._network import Network
from ..networks import Noise
from ..readout import Reading, expressions_of, readout
from ..units import Hazard
from ._draw import draw_

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
        self.register_load_state_dict_pre_hook(_as_tensors)
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
        check_input(x, self.in_features, dtype, xp, axes, self.unit.free_axes)
        noise = None
        if self.training and self._noise:
            noise = tuple(_drawn(piece, x, axes) for piece in self._noise)
        return self.unit.forward(params, x, training=self.training, noise=noise, xp=xp)

    def penalty(self) -> Tensor:
        """The unit's regulariser, without its strength."""
        return self.unit.penalty(self._params())

    @torch.no_grad()
    def project_(self) -> None:
        """Apply the unit's hard constraint, in place; call it after each step.

        Parameters that are frozen stay as they are.
        """
        self._own()
        params = self._params()
        for name, value in self.unit.project(params).items():
            if params[name].requires_grad:
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
        """Copies of the effective weight matrices."""
        found = self.unit.weights(self._params())
        return {name: value.detach().clone() for name, value in found.items()}

    @torch.no_grad()
    def diagnose(self, x: Tensor) -> dict[Hazard, Tensor]:
        """Which inputs the layer silently gets wrong, and why."""
        return self.unit.diagnose(self._params(), x)

    def expression(self, names: Sequence[str] | None = None) -> list[Any]:
        """What the layer computes, one SymPy expression for each output.

        Weights are taken as they are: `discretise` a layer first to see whole ones.

        Args:
            names: the names of the inputs; x1, x2, … if None.
        """
        return expressions_of(self.unit, self._params(), names)

    @torch.no_grad()
    def discretise_(self) -> None:
        """Draw the parameters to the nearest at which the unit is exact, in place."""
        self._own()
        self.load_parameters(self.unit.discretise(self._params()))

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


def _as_tensors(layer: Layer, state: dict[str, Any], prefix: str, *_: Any) -> None:
    """Arrays of a `state_dict` as tensors: results of the fleet load as they are."""
    for name in layer._paths:
        value = state.get(prefix + name)
        if value is not None and not isinstance(value, Tensor):
            state[prefix + name] = _tensor(name, value)


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

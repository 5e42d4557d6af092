"""PyTorch's side of `fit`: replicas by `torch.func.vmap`."""

import copy
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from typing import Any

import numpy as np

from .._arrays import Params
from .._checks import shown
from .._extras import extras
from .._network import Network
from ..fitting import (
    BATCH,
    PARAMETERS,
    RATE,
    STEPS,
    Engine,
    LeastSquares,
    Settings,
    Split,
    Tools,
    rate_factor,
    strength,
)
from ._layer import Layer
from ._scaled import ScaledModule
from ._tree import network_of
from ._whole import discretise

with extras():
    import torch
    from torch import Tensor, nn
    from torch.func import functional_call, grad, jacrev, vmap

DROPOUT = nn.modules.dropout._DropoutNd

MakeOptimiser = Callable[[list[Tensor]], torch.optim.Optimizer]


class TorchEngine(Engine):
    """A module and a table, as functions of parameter vectors.

    Args:
        net: the module, in your units of measurement.
        split: the table.
        settings: how it is trained.
        optimiser: makes an optimiser of tensors; None to choose by the size.
    """

    def __init__(
        self,
        net: nn.Module,
        split: Split,
        settings: Settings,
        optimiser: MakeOptimiser | None,
    ) -> None:
        self.start, self.split, self.settings = net, split, settings
        self.make = optimiser
        _check_module(net)
        self.count = sum(p.numel() for p in _trained(net).values())
        self.dtype = next(iter(_trained(net).values())).dtype
        working = torch.float64 if self.second_order else self.dtype
        self.net = copy.deepcopy(net).to(working)
        self.device = next(self.net.parameters()).device
        self.x = torch.as_tensor(split.x, dtype=working, device=self.device)
        self.y = torch.as_tensor(split.y, dtype=working, device=self.device)
        self.spread = torch.as_tensor(split.spread, dtype=working, device=self.device)
        names = {id(p): name for name, p in self.net.named_parameters()}
        self.layers = [
            (module, {own: names[id(p)] for own, p in module._params().items()})
            for module in self.net.modules()
            if isinstance(module, Layer)
        ]

    @property
    def second_order(self) -> bool:
        noisy = any(isinstance(m, DROPOUT) for m in self.start.modules())
        return self.make is None and self.count <= PARAMETERS and not noisy

    @cached_property
    def shapes(self) -> dict[str, torch.Size]:
        return {name: p.shape for name, p in _trained(self.net).items()}

    @property
    def tools(self) -> Tools:
        def every(function):
            return vmap(function, in_dims=(0, 0, 0, None), randomness="different")

        return Tools(grad, _solve, every)

    @property
    def objective(self) -> "TorchResiduals":
        self.net.eval()  # what is used is trained: noise would be no function
        rows = self.split.some
        return TorchResiduals(self, self.x[rows], self.y[rows])

    def compiled(self, function: Any) -> Any:
        return torch.no_grad()(function)

    def draw(self, count: int, round_: int) -> Tensor:
        drawn = []
        with _seeded((self.settings.seed << 16) + round_):
            for i in range(count):
                net = copy.deepcopy(self.net)
                if round_ or i:
                    _redraw(net)
                drawn.append(self.vector(_trained(net)).detach())
        return torch.stack(drawn)

    def vector(self, params: Mapping[str, Tensor]) -> Tensor:
        """Parameters by name as one vector."""
        return torch.cat([params[name].reshape(-1) for name in self.shapes])

    def params(self, at: Tensor) -> dict[str, Tensor]:
        """A vector as parameters by name."""
        pieces = torch.split(at, [shape.numel() for shape in self.shapes.values()])
        pairs = zip(self.shapes.items(), pieces, strict=True)
        return {name: piece.reshape(shape) for (name, shape), piece in pairs}

    def penalty(self, at: Tensor) -> Tensor:
        """The regularisers that are zero at whole weights."""
        params = self.params(at)
        parts = [
            layer.unit.penalty(_own(layer, names, params))
            for layer, names in self.layers
            if layer.unit.sparse
        ]
        return torch.stack(parts).sum() if parts else 0 * at.sum()

    def project(self, at: Tensor) -> Tensor:
        params = self.params(at)
        for layer, names in self.layers:
            kept = layer.unit.project(_own(layer, names, params))
            params.update({names[own]: value for own, value in kept.items()})
        return self.vector(params)

    @torch.no_grad()
    def nearest(self, at: Tensor) -> Tensor:
        params = self.params(at)
        whole = {
            name: torch.full_like(value, torch.nan) for name, value in params.items()
        }
        for layer, names in self.layers:
            try:
                found = layer.unit.discretise(_own(layer, names, params))
            except (ValueError, NotImplementedError):
                continue
            whole.update({names[own]: value for own, value in found.items()})
        return self.vector(whole)

    @torch.no_grad()
    def predict(self, at: Tensor, rows: np.ndarray) -> np.ndarray:
        self.net.eval()
        found = functional_call(self.net, self.params(at), (self.x[rows],))
        return found.double().cpu().numpy()

    @torch.no_grad()
    def outputs(self, module: nn.Module, rows: np.ndarray) -> np.ndarray:
        return module(self.x[rows]).double().cpu().numpy()

    def descend(
        self, at: Tensor, settings: Settings, watch: Callable[[float, float], None]
    ) -> Tensor:
        with _seeded(settings.seed):
            return self._descended(at, settings, watch)

    def _descended(
        self, at: Tensor, settings: Settings, watch: Callable[[float, float], None]
    ) -> Tensor:
        """Steps of the optimiser on batches; regularisers set in half way."""
        self.net.train()
        leaf = at.clone().requires_grad_()
        optimiser = self.make([leaf]) if self.make else torch.optim.Adam([leaf], RATE)
        _check_optimiser(optimiser)
        rates = [group["lr"] for group in optimiser.param_groups]
        slopes = vmap(grad(self._loss, has_aux=True), (0, None, 0, 0), 0, "different")
        steps, rng = settings.steps or STEPS, np.random.default_rng(settings.seed)
        size = min(settings.batch or BATCH, len(self.split.trained))
        for i in range(steps):
            done = i / steps
            for group, rate in zip(optimiser.param_groups, rates, strict=True):
                group["lr"] = rate * rate_factor(done)
            picked = rng.choice(self.split.trained, size, replace=False)
            x = self.x[picked].expand(len(at), *self.x[picked].shape)
            y = self.y[picked].expand(len(at), *self.y[picked].shape)
            much = strength(done, settings.penalty)
            leaf.grad, loss = slopes(leaf.detach(), much, x, y)
            optimiser.step()
            with torch.no_grad():
                leaf.copy_(vmap(self.project)(leaf.detach()))
            if i % 50 == 0:
                watch(done, float(loss.nan_to_num(torch.inf).min()))
        return leaf.detach()

    def _loss(
        self, at: Tensor, much: float, x: Tensor, y: Tensor
    ) -> tuple[Tensor, Tensor]:
        values = functional_call(self.net, self.params(at), (x,))
        loss = ((values - y) / self.spread).square().mean()
        return loss + much * self.penalty(at), loss

    def module(self, at: Tensor) -> nn.Module:
        made = copy.deepcopy(self.net).eval()
        made.load_state_dict(self.params(at), strict=False)
        return made

    def rounded(self, module: nn.Module) -> nn.Module:
        return discretise(module)

    def network(self, module: nn.Module) -> tuple[Network, Params]:
        return network_of(module)


class TorchResiduals(LeastSquares):
    """The objective of second-order steps on some rows."""

    def __init__(self, engine: TorchEngine, x: Tensor, y: Tensor) -> None:
        self.engine, self.x, self.y = engine, x, y
        self.scale = engine.spread * float(np.sqrt(y.numel()))

    def penalty(self, at: Tensor) -> Tensor:
        return self.engine.penalty(at)

    def project(self, at: Tensor) -> Tensor:
        return self.engine.project(at)

    def residuals(self, at: Tensor) -> Tensor:
        return self._of(at, self.x, self.y).reshape(-1)

    def slopes(self, at: Tensor) -> Tensor:
        """Row by row, backwards: however many parameters there are, it costs the same.

        Forward mode would load what PyTorch warns of.
        """

        def row(at: Tensor, x: Tensor, y: Tensor) -> Tensor:
            return self._of(at, x[None], y[None])[0]

        found = vmap(jacrev(row), in_dims=(None, 0, 0))(at, self.x, self.y)
        return found.reshape(-1, at.shape[0])

    def _of(self, at: Tensor, x: Tensor, y: Tensor) -> Tensor:
        values = functional_call(self.engine.net, self.engine.params(at), (x,))
        return (values - y) / self.scale


def in_its_units(net: nn.Module, split: Split, scale: bool) -> nn.Module:
    """The module in the table's units of measurement, unless it is scaled already."""
    if not scale or isinstance(net, ScaledModule):
        return net
    outputs = split.output_scale
    return ScaledModule(net, split.input_scale, outputs, len(outputs))


def _trained(net: nn.Module) -> dict[str, nn.Parameter]:
    return {name: p for name, p in net.named_parameters() if p.requires_grad}


def _own(layer: Layer, names: dict[str, str], params: dict[str, Tensor]) -> Params:
    """The parameters of a layer; those that are frozen are its own."""
    held = layer._params()
    return {own: params.get(name, held[own]) for own, name in names.items()}


@contextmanager
def _seeded(seed: int) -> Iterator[None]:
    """PyTorch's generators with a seed, and afterwards as they were."""
    with torch.random.fork_rng(list(range(torch.cuda.device_count()))):
        torch.manual_seed(seed)
        yield


def _check_module(net: nn.Module) -> None:
    """A module must have something to train, and nothing that training changes."""
    if not _trained(net):
        raise ValueError(
            f"`net` (a {type(net).__name__}) must have parameters that are not frozen."
        )
    for module in net.modules():
        if isinstance(module, nn.modules.batchnorm._NormBase):
            if module.track_running_stats:
                raise ValueError(
                    f"`net` has a {type(module).__name__}, whose running statistics "
                    "cannot be kept for several seeds at once. Use `torch.nn.LayerNorm`"
                    ", or a loop of your own; before arithmetic neither should stand."
                )


def _check_optimiser(optimiser: Any) -> None:
    """An optimiser must be one of PyTorch's that steps by the gradient alone."""
    known = isinstance(optimiser, torch.optim.Optimizer)
    if not known or isinstance(optimiser, torch.optim.LBFGS):
        raise TypeError(
            f"`optimiser` (which gives {shown(optimiser)}) must give an optimiser of "
            "PyTorch that needs no closure, such as "
            "`lambda p: torch.optim.Adam(p, lr=1e-2)`."
        )


def _redraw(net: nn.Module) -> None:
    """Other starting values, wherever a module knows how to draw them."""
    for module in net.modules():
        reset: Any = getattr(module, "reset_parameters", None)
        if callable(reset):
            reset()


def _solve(matrix: Tensor, right: Tensor) -> Tensor:
    """The solution of equations of a positive definite matrix; NaN if it is not."""
    factor, info = torch.linalg.cholesky_ex(matrix)
    columns = right[:, None] if right.ndim == 1 else right
    solved = torch.cholesky_solve(columns, factor)
    solved = torch.where(info == 0, solved, torch.full_like(solved, torch.nan))
    return solved[:, 0] if right.ndim == 1 else solved

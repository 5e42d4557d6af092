"""JAX's side of `fit`: replicas by `jax.vmap`, steps compiled."""

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import PRNGKeyArray

from .._arrays import Params
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
from ..units import Array
from ._layer import Layer
from ._scaled import ScaledModule
from ._tree import network_of
from ._whole import discretise, every_layer, is_layer, layers_of, project

with extras():
    import equinox as eqx
    import jax
    import jax.numpy as jnp
    import optax
    from jax.flatten_util import ravel_pytree

    from ..training._initialise import initialise
    from ..training._least_squares import solve


class JaxEngine(Engine):
    """A module and a table, as functions of parameter vectors.

    Args:
        net: the module, in your units of measurement.
        split: the table.
        settings: how it is trained.
        optimiser: a transformation of optax; None to choose by the size.
        key: of the starts.
        make: makes another start of a key.
    """

    def __init__(
        self,
        net: Any,
        split: Split,
        settings: Settings,
        optimiser: optax.GradientTransformation | None,
        key: PRNGKeyArray,
        make: Callable[[PRNGKeyArray], Any],
    ) -> None:
        self.split, self.settings, self.optimiser = split, settings, optimiser
        self.key, self.make = key, make
        count = ravel_pytree(eqx.filter(net, eqx.is_inexact_array))[0].size
        self._small = optimiser is None and count <= PARAMETERS
        self.net = like(net, jnp.float64) if self._small else net
        arrays, self.rest = eqx.partition(self.net, eqx.is_inexact_array)
        self.first, self.unravel = ravel_pytree(arrays)
        dtype = self.first.dtype
        self.x, self.y = jnp.asarray(split.x, dtype), jnp.asarray(split.y, dtype)
        self.spread = jnp.asarray(split.spread, dtype)

    @property
    def second_order(self) -> bool:
        return self._small

    @property
    def tools(self) -> Tools:
        def every(function):
            return jax.vmap(function, in_axes=(0, 0, 0, None))

        return Tools(jax.grad, solve, every)

    @property
    def objective(self) -> "JaxResiduals":
        rows = self.split.some
        return JaxResiduals(self, self.x[rows], self.y[rows])

    def compiled(self, function: Any) -> Any:
        return jax.jit(function)

    def draw(self, count: int, round_: int) -> Array:
        keys = jax.random.split(jax.random.fold_in(self.key, round_), count)
        drawn = [
            self.vector(like(self.make(k), self.first.dtype)) if round_ or i else None
            for i, k in enumerate(keys)
        ]
        return jnp.stack([self.first if d is None else d for d in drawn])

    def vector(self, net: Any) -> Array:
        """The parameters of a module as one vector."""
        return ravel_pytree(eqx.filter(net, eqx.is_inexact_array))[0]

    def module(self, at: Array) -> Any:
        return eqx.combine(self.unravel(jnp.asarray(at)), self.rest)

    def penalty(self, at: Array) -> Array:
        """The regularisers that are zero at whole weights."""
        layers = [layer for layer in layers_of(self.module(at)) if layer.unit.sparse]
        nothing = jnp.zeros((), at.dtype)
        return sum((layer.penalty() for layer in layers), nothing)

    def project(self, at: Array) -> Array:
        return self.vector(project(self.module(at)))

    def nearest(self, at: Array) -> Array:
        def whole(layer: Layer) -> Layer:
            try:
                return layer.discretise()
            except (ValueError, NotImplementedError):
                return _filled(layer)

        found = every_layer(whole, _filled(self.module(at), keep=True))
        return self.vector(found)

    def predict(self, at: Array, rows: np.ndarray) -> np.ndarray:
        return np.asarray(self._values(at, self.x[rows]), np.float64)

    def outputs(self, module: Any, rows: np.ndarray) -> np.ndarray:
        return np.asarray(jax.vmap(_used(module))(self.x[rows]), np.float64)

    @cached_property
    def _values(self) -> Callable[[Array, Array], Array]:
        return jax.jit(lambda at, x: jax.vmap(_used(self.module(at)))(x))

    def descend(
        self, at: Array, settings: Settings, watch: Callable[[float, float], None]
    ) -> Array:
        """Steps of the optimiser on batches; regularisers set in half way."""
        steps, rng = settings.steps or STEPS, np.random.default_rng(settings.seed)
        optimiser = self.optimiser or optax.adam(RATE)
        size = min(settings.batch or BATCH, len(self.split.trained))
        slopes = jax.grad(self._loss, has_aux=True)
        each = jax.vmap(slopes, in_axes=(0, None, None, None, 0))

        @jax.jit
        def step(at, state, rows, much, factor, key):
            keys = jax.random.split(key, len(at))
            slope, loss = each(at, much, self.x[rows], self.y[rows], keys)
            updates, state = jax.vmap(optimiser.update)(slope, state, at)
            return jax.vmap(self.project)(at + factor * updates), state, loss

        state = jax.vmap(optimiser.init)(at)  # replicas know nothing of each other
        for i in range(steps):
            rows = rng.choice(self.split.trained, size, replace=False)
            much = strength(i / steps, settings.penalty), rate_factor(i / steps)
            numbers = (jnp.asarray(value, at.dtype) for value in much)
            key = jax.random.fold_in(self.key, i)
            at, state, loss = step(at, state, rows, *numbers, key)
            if i % 50 == 0:
                watch(i / steps, float(jnp.min(jnp.nan_to_num(loss, nan=jnp.inf))))
        return at

    def _loss(
        self, at: Array, much: Array, x: Array, y: Array, key: Array
    ) -> tuple[Array, Array]:
        net, noisy = self.module(at), _noisy(self.net)
        keys = jax.random.split(key, len(x))
        call = (lambda x, k: net(x, key=k)) if noisy else (lambda x, k: net(x))
        values = jax.vmap(call)(x, keys)
        loss = jnp.mean(((values - y) / jnp.broadcast_to(self.spread, y.shape)) ** 2)
        return loss + much * self.penalty(at), loss

    def rounded(self, module: Any) -> Any:
        return discretise(module)

    def network(self, module: Any) -> tuple[Network, Params]:
        return network_of(module)


class JaxResiduals(LeastSquares):
    """The objective of second-order steps on some rows."""

    def __init__(self, engine: JaxEngine, x: Array, y: Array) -> None:
        self.engine, self.x, self.y = engine, x, y
        self.scale = engine.spread * float(np.sqrt(y.size))

    def penalty(self, at: Array) -> Array:
        return self.engine.penalty(at)

    def project(self, at: Array) -> Array:
        return self.engine.project(at)

    def residuals(self, at: Array) -> Array:
        return jax.vmap(self._of, (None, 0, 0))(at, self.x, self.y).reshape(-1)

    def slopes(self, at: Array) -> Array:
        """Row by row, backwards: however many parameters there are, it costs alike."""
        rows = jax.vmap(jax.jacrev(self._of), (None, 0, 0))
        return rows(at, self.x, self.y).reshape(-1, at.shape[0])

    def _of(self, at: Array, x: Array, y: Array) -> Array:
        return (_used(self.engine.module(at))(x) - y) / self.scale


def in_its_units(net: Any, split: Split, scale: bool) -> Any:
    """The module in the table's units of measurement, unless it is scaled already."""
    if not scale or isinstance(net, ScaledModule):
        return net
    outputs = split.output_scale
    return ScaledModule(net, split.input_scale, outputs, len(outputs))


def redrawn(net: Any, key: PRNGKeyArray) -> Any:
    """A module whose arithmetic layers are drawn afresh."""
    keys = iter(jax.random.split(key, len(layers_of(net))))

    def fresh(layer: Layer) -> Layer:
        dtype = next((v.dtype for v in layer.params.values()), None)
        sizes = layer.in_features, layer.out_features
        params = initialise(layer.unit, *sizes, key=next(keys), dtype=dtype)
        return eqx.tree_at(lambda kept: kept.params, layer, params)

    return every_layer(fresh, net)


def _used(net: Any) -> Any:
    return eqx.nn.inference_mode(net)


def _noisy(net: Any) -> bool:
    def draws(part: Any) -> bool:
        return isinstance(part, eqx.nn.Dropout)

    drops = any(map(draws, jax.tree.leaves(net, is_leaf=draws)))
    return drops or any(layer.unit.noise(layer.in_features) for layer in layers_of(net))


def like(net: Any, dtype: Any) -> Any:
    """A module in another floating-point format."""
    return jax.tree.map(
        lambda v: v.astype(dtype) if eqx.is_inexact_array(v) else v, net
    )


def _filled(net: Any, keep: bool = False) -> Any:
    """A module of NaN; its layers stay with `keep`."""

    def fill(part: Any) -> Any:
        if keep and is_layer(part):
            return part
        return jnp.full_like(part, jnp.nan) if eqx.is_inexact_array(part) else part

    return jax.tree.map(fill, net, is_leaf=is_layer if keep else None)

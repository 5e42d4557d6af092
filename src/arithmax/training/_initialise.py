"""Drawing the parameters that a network declares, with JAX's generator."""

import math
from typing import Any

import jax
import jax.numpy as jnp
from jax.typing import DTypeLike
from jaxtyping import PRNGKeyArray

from .._checks import shown
from .._network import Network
from ..units import (
    Array,
    Beta,
    Constant,
    Distribution,
    Identity,
    Normal,
    Params,
    Uniform,
)
from ._memory import check_fits


def initialise(
    unit: Network,
    in_features: Any,
    out_features: int,
    *,
    key: PRNGKeyArray,
    dtype: DTypeLike | None = None,
) -> Params:
    """Fresh parameters for a unit or network, drawn as its paper draws them.

    Args:
        unit: the unit or network.
        in_features: how many inputs it has; a shape, where an input has several axes.
        out_features: how many outputs it has.
        key: a JAX random key.
        dtype: the floating-point format of the parameters; JAX's default if None.

    Returns:
        JAX arrays by the names of the parameters.

    Examples:
        >>> import jax
        >>> import arithmax
        >>> params = arithmax.initialise(arithmax.NMU(), 4, 2, key=jax.random.key(0))
        >>> {name: value.shape for name, value in params.items()}
        {'W': (2, 4)}
    """
    _check(unit, key, dtype)
    declared = unit.parameters(in_features, out_features)
    numbers = sum(math.prod(p.shape) for p in declared.values())
    wide = jnp.dtype(dtype or jnp.result_type(float)).itemsize
    sizes = f"`in_features` (={in_features}) and `out_features` (={out_features})"
    check_fits(wide * numbers, f"{unit} with {sizes}", "Make them smaller.")
    keys = jax.random.split(key, len(declared))
    return {
        name: draw(parameter.distribution, parameter.shape, key=k, dtype=dtype)
        for k, (name, parameter) in zip(keys, declared.items(), strict=True)
    }


def _check(unit: Any, key: Any, dtype: Any) -> None:
    """A network, a key and a floating-point format."""
    if not isinstance(unit, Network):
        raise TypeError(
            f"`unit` (={shown(unit)}) must be a unit or a network, such as `NMU()`."
        )
    if not isinstance(key, jax.Array):
        raise TypeError(
            f"`key` (={shown(key)}) must be a random key, such as `jax.random.key(0)`."
        )
    try:
        floating = dtype is None or jnp.issubdtype(jnp.dtype(dtype), jnp.floating)
    except TypeError:
        floating = False
    if not floating:
        raise TypeError(
            f"`dtype` (={shown(dtype)}) must be a floating-point format, such as "
            "`jax.numpy.float32`."
        )


def draw(
    distribution: Distribution,
    shape: tuple[int, ...],
    *,
    key: PRNGKeyArray,
    dtype: DTypeLike | None = None,
) -> Array:
    """An array of numbers drawn from a distribution."""
    dtype = dtype or jnp.result_type(float)
    match distribution:
        case Uniform(low, high):
            return jax.random.uniform(key, shape, dtype, low, high)
        case Normal(mean, std):
            return mean + std * jax.random.normal(key, shape, dtype)
        case Beta(a, b, low, high):
            return low + (high - low) * jax.random.beta(key, a, b, shape, dtype)
        case Constant(value):
            return jnp.full(shape, value, dtype)
        case Identity():
            return jnp.eye(*shape, dtype=dtype)
    columns = shape if len(shape) == 2 else (*shape, 1)
    # Orthogonal matrices come from a factorisation that has no short formats.
    wide = dtype if jnp.dtype(dtype).itemsize >= 4 else jnp.float32
    drawn = jax.nn.initializers.orthogonal()(key, columns, wide)
    return drawn.reshape(shape).astype(dtype)

"""Sums over axes of arrays that are filled up, before and after they are added up."""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax.numpy as jnp

from .._arrays import Array
from ._filled import Filled, Unsupported, Value, cleaned, side, traced_shape


class Terms(NamedTuple):
    """What is added up, and along which axes."""

    array: Array
    axes: tuple[int, ...]
    filled: Filled

    def total(self, kind: Any) -> Value:
        """The sum, as one number format."""
        array = self.array
        for axis in sorted(self.axes, reverse=True):
            array = jnp.sum(array, axis=axis)
        return Value(array.astype(kind), self.filled)


def _sum_terms(step: Any, values: list[Value]) -> Terms:
    shape, axes = traced_shape(step.invars[0]), step.params["axes"]
    array, filled = values[0]
    if any(shape[axis] != side(shape[axis]) for axis in axes):
        array, filled = cleaned(values[0], shape)
    return Terms(array, axes, filled)


def _dot_terms(step: Any, values: list[Value]) -> Terms:
    """A matrix product as multiplications and a sum, which suits short sides.

    The larger array stays as it is. The product has its axes, and before or after them
    those of the other one that are not summed over.
    """
    along, (batch, _) = step.params["dimension_numbers"]
    if batch:
        raise Unsupported("several matrices are multiplied by several others")
    pairs = zip(values, step.invars, strict=True)
    arrays = [cleaned(value, traced_shape(var)).array for value, var in pairs]
    large = 0 if arrays[0].size > arrays[1].size else 1
    a, b = arrays[1 - large], arrays[large]
    summed = dict(zip(along[large], along[1 - large], strict=True))
    free = [i for i in range(a.ndim) if i not in along[1 - large]]
    order = [summed[i] for i in sorted(summed)]
    kept = [i for i in range(b.ndim) if i not in summed]
    a = _permuted(a, [*free, *order] if large else [*order, *free])
    outer = len(free) if large else 0
    a = jnp.expand_dims(a, tuple(outer + i for i in kept))
    others = range(len(free)) if large else range(b.ndim, b.ndim + len(free))
    product = a * jnp.expand_dims(b, tuple(others))
    return Terms(product, tuple(outer + i for i in summed), Filled.ZERO)


TERMS: dict[str, Callable[[Any, list[Value]], Terms]] = {
    "dot_general": _dot_terms,
    "reduce_sum": _sum_terms,
}
"""The sums, before they are added up."""


def _permuted(array: Array, order: list[int]) -> Array:
    return array if order == sorted(order) else jnp.transpose(array, order)

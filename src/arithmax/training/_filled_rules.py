"""What is done for each operation of a program whose arrays are filled up."""

import math
from collections.abc import Callable
from itertools import accumulate
from typing import Any

import jax.numpy as jnp
from jax import lax

from .._arrays import Array
from ._filled import (
    Filled,
    Unsupported,
    Value,
    cleaned,
    place,
    side,
    sides,
    traced_shape,
)
from ._filled_sums import TERMS

Rule = Callable[[Any, list[Value]], Value]

# Element by element: what stands in the filled places of the result.


def _worst(values: list[Value]) -> Filled:
    return Filled(max(value.filled for value in values))


def _keeps_zero(step: Any, values: list[Value]) -> Filled:
    """As in the worst argument; one that has no axes is no zero beside others."""
    wide = any(value.array.ndim for value in values)
    narrow = wide and any(not value.array.ndim for value in values)
    return Filled(max(_worst(values), Filled.FINITE if narrow else Filled.ZERO))


def _product(step: Any, values: list[Value]) -> Filled:
    if _worst(values) == Filled.UNKNOWN:
        return Filled.UNKNOWN
    wide = [value for value in values if value.array.ndim] or values
    return Filled(min(value.filled for value in wide))


def _bounded(step: Any, values: list[Value]) -> Filled:
    return Filled(max(_worst(values), Filled.FINITE))


def _at_zero(step: Any, values: list[Value]) -> Filled:
    """Finite of zero, and nobody knows of what else."""
    return Filled.FINITE if _worst(values) == Filled.ZERO else Filled.UNKNOWN


def _zero_at_zero(step: Any, values: list[Value]) -> Filled:
    """Zero of zero, and nobody knows of what else: negative or large numbers."""
    keeps = _worst(values) == Filled.ZERO and step.params.get("y", 1) > 0
    return Filled.ZERO if keeps else Filled.UNKNOWN


def _unknown(step: Any, values: list[Value]) -> Filled:
    return Filled.UNKNOWN


def _whole(step: Any, values: list[Value]) -> Filled:
    return Filled.FINITE  # whole numbers and truth values are finite


FILLED: dict[str, Callable[[Any, list[Value]], Filled]] = (
    dict.fromkeys(
        "add add_any sub neg abs sign max min floor ceil square".split(),
        _keeps_zero,
    )
    | dict.fromkeys("tanh sin asinh atan".split(), _keeps_zero)
    | dict.fromkeys(["sqrt", "expm1", "sinh", "integer_pow"], _zero_at_zero)
    | dict.fromkeys(["cos", "logistic"], _bounded)
    | dict.fromkeys(["exp", "exp2", "cosh"], _at_zero)
    | dict.fromkeys(["div", "log", "log1p", "rsqrt", "pow", "erf_inv"], _unknown)
    | dict.fromkeys(["bitcast_convert_type", "rem", "clamp", "nextafter"], _unknown)
    | dict.fromkeys("lt le gt ge eq ne and or not xor is_finite".split(), _whole)
    | dict.fromkeys(["shift_right_logical", "shift_left"], _whole)
    | dict.fromkeys(["shift_right_arithmetic", "clz", "population_count"], _whole)
    | {"mul": _product}
)


def _elementwise(step: Any, values: list[Value]) -> Value:
    filled = FILLED[step.primitive.name](step, values)
    arrays = [value.array for value in values]
    return Value(step.primitive.bind(*arrays, **step.params), filled)


def _identity(step: Any, values: list[Value]) -> Value:
    return values[0]


def _convert(step: Any, values: list[Value]) -> Value:
    array = values[0].array.astype(step.params["new_dtype"])
    return Value(array, values[0].filled)


def _select(step: Any, values: list[Value]) -> Value:
    which, *cases = values
    shape = cases[0].array.shape
    chosen = jnp.broadcast_to(which.array, shape)
    arrays = [jnp.broadcast_to(case.array, shape) for case in cases]
    return Value(lax.select_n(chosen, *arrays), _keeps_zero(step, cases))


# Sums.


def _extreme(neutral: Callable[[Any], Any]) -> Rule:
    def rule(step: Any, values: list[Value]) -> Value:
        outside = neutral(values[0].array.dtype)
        array = cleaned(values[0], traced_shape(step.invars[0]), outside).array
        for axis in sorted(step.params["axes"], reverse=True):
            array = step.primitive.bind(array, **step.params | {"axes": (axis,)})
        return Value(array, Filled.UNKNOWN)  # of nothing, it is not finite

    return rule


def _lowest(dtype: Any) -> Any:
    return -jnp.inf if jnp.issubdtype(dtype, jnp.floating) else jnp.iinfo(dtype).min


def _highest(dtype: Any) -> Any:
    return jnp.inf if jnp.issubdtype(dtype, jnp.floating) else jnp.iinfo(dtype).max


def _sum(step: Any, values: list[Value]) -> Value:
    terms = TERMS[step.primitive.name](step, values)
    return terms.total(step.outvars[0].aval.dtype)


# Shapes.


def _broadcast(step: Any, values: list[Value]) -> Value:
    shape, axes = step.params["shape"], step.params["broadcast_dimensions"]
    array = lax.broadcast_in_dim(values[0].array, sides(shape), axes)
    before = dict(zip(axes, traced_shape(step.invars[0]), strict=True))
    spread = any(n != side(n) and before.get(i, 1) != n for i, n in enumerate(shape))
    filled = max(values[0].filled, Filled.FINITE) if spread else values[0].filled
    return Value(array, Filled(filled))


def _reshape(step: Any, values: list[Value]) -> Value:
    old, new = traced_shape(step.invars[0]), traced_shape(step.outvars[0])
    sizes = [n for n in old if n != 1], [n for n in new if n != 1]
    # Axes of 1 come and go; others may be split and joined where nothing is filled.
    if sizes[0] != sizes[1] and not sides(old) + sides(new) == old + new:
        raise Unsupported(f"an array of the shape {old} gets the shape {new}")
    array = values[0].array
    if sizes[0] == sizes[1] == list(old):  # expanded: cheaper than a new shape
        ones = (i for i, n in enumerate(new) if n == 1)
        return Value(jnp.expand_dims(array, tuple(ones)), values[0].filled)
    return Value(array.reshape(sides(new)), values[0].filled)


def _transpose(step: Any, values: list[Value]) -> Value:
    array = jnp.transpose(values[0].array, step.params["permutation"])
    return Value(array, values[0].filled)


def _iota(step: Any, values: list[Value]) -> Value:
    shape, axis = sides(step.params["shape"]), step.params["dimension"]
    array = lax.broadcasted_iota(step.params["dtype"], shape, axis)
    return Value(array, Filled.FINITE)


def _taken(
    value: Value, size: int, axis: int, first: Any, count: int, stride: int = 1
) -> Value:
    """Some places of an axis of so many."""
    array, filled = value
    wide = side(count)
    if isinstance(first, int) and (first, stride, wide) == (0, 1, array.shape[axis]):
        unknown = max(filled, Filled.FINITE) if count < size else filled
        return Value(array, Filled(unknown))
    # There is no way to cut arrays in a kernel: what is wanted is picked by a sum.
    spread = jnp.expand_dims(array, axis + 1)
    shape = (*array.shape[: axis + 1], wide, *array.shape[axis + 1 :])
    wanted = first + stride * place(shape, axis + 1)
    picked = jnp.where(place(shape, axis) == wanted, spread, jnp.zeros_like(spread))
    return Value(_only(picked, axis), Filled(max(filled, Filled.FINITE)))


def _only(picked: Array, axis: int) -> Array:
    """What was picked along an axis, where all else is zero."""
    return jnp.sum(picked, axis=axis).astype(picked.dtype)


def _slice(step: Any, values: list[Value]) -> Value:
    value, size = values[0], traced_shape(step.invars[0])
    strides = step.params["strides"] or (1,) * len(size)
    counts = traced_shape(step.outvars[0])
    for axis, first in enumerate(step.params["start_indices"]):
        if counts[axis] != size[axis]:
            value = _taken(value, size[axis], axis, first, counts[axis], strides[axis])
    return value


def _dynamic_slice(step: Any, values: list[Value]) -> Value:
    value, *starts = values
    size = traced_shape(step.invars[0])
    for axis, count in enumerate(step.params["slice_sizes"]):
        if count != size[axis]:
            first = jnp.clip(starts[axis].array, 0, size[axis] - count)
            value = _taken(value, size[axis], axis, first, count)
    return value


def split(step: Any, value: Value) -> list[Value]:
    axis, counts = step.params["axis"], [int(n) for n in step.params["sizes"]]
    size = traced_shape(step.invars[0])[axis]
    firsts = accumulate((0, *counts[:-1]))
    pairs = zip(firsts, counts, strict=True)
    return [_taken(value, size, axis, first, count) for first, count in pairs]


def _put(value: Value, size: int, axis: int, first: int, total: int) -> Array:
    """Some places of an axis, at other places of one with so many; 0 elsewhere."""
    array, wide = value.array, side(total)
    if size == 1:
        shape = (*array.shape[:axis], wide, *array.shape[axis + 1 :])
        spread = jnp.broadcast_to(array, shape)
        return jnp.where(place(shape, axis) == first, spread, jnp.zeros_like(spread))
    shape = (*array.shape[: axis + 1], wide, *array.shape[axis + 1 :])
    old, new = place(shape, axis), place(shape, axis + 1)
    here = (new == first + old) & (old < size)
    spread = jnp.expand_dims(array, axis + 1)
    picked = jnp.where(here, spread, jnp.zeros_like(spread))
    return _only(picked, axis)


def _pad(step: Any, values: list[Value]) -> Value:
    value, filler = values
    shape, out = traced_shape(step.invars[0]), traced_shape(step.outvars[0])
    for axis, (low, high, interior) in enumerate(step.params["padding_config"]):
        if interior:
            raise Unsupported("an array is padded between its elements")
        if low or high:
            array = _put(value, shape[axis], axis, low, out[axis])
            number = place(array.shape, axis)
            inside = (number >= low) & (number < low + shape[axis])
            array = jnp.where(
                inside, array, jnp.broadcast_to(filler.array, array.shape)
            )
            value = Value(array, Filled.UNKNOWN)
            shape = (*shape[:axis], out[axis], *shape[axis + 1 :])
    return value


def _concatenate(step: Any, values: list[Value]) -> Value:
    axis, total = step.params["dimension"], traced_shape(step.outvars[0])
    array, first = None, 0
    for value, var in zip(values, step.invars, strict=True):
        size = traced_shape(var)[axis]
        put = _put(value, size, axis, first, total[axis])
        array = put if array is None else array + put
        first += size
    return Value(array, _bounded(step, values))


def _scatter_add(step: Any, values: list[Value]) -> Value:
    """One number added to one place of a row of numbers; to none beyond its end."""
    value, index, update = values
    if value.array.ndim != 1 or math.prod(update.array.shape) != 1:
        raise Unsupported("numbers are added at several places of an array")
    if step.params["mode"] == lax.GatherScatterMode.CLIP:
        raise Unsupported("a number is added at the last place if there is no other")
    number, (size,) = place(value.array.shape, 0), traced_shape(step.invars[0])
    here = (number == index.array.reshape(()).astype(jnp.int32)) & (number < size)
    total = value.array + update.array.reshape(())
    return Value(jnp.where(here, total, value.array), value.filled)


RULES: dict[str, Rule] = dict.fromkeys(FILLED, _elementwise) | {
    "broadcast_in_dim": _broadcast,
    "concatenate": _concatenate,
    "convert_element_type": _convert,
    "copy": _identity,
    "dot_general": _sum,
    "dynamic_slice": _dynamic_slice,
    "iota": _iota,
    "pad": _pad,
    "reduce_max": _extreme(_lowest),
    "reduce_min": _extreme(_highest),
    "reduce_sum": _sum,
    "reshape": _reshape,
    "scatter-add": _scatter_add,
    "select_n": _select,
    "slice": _slice,
    "squeeze": _reshape,
    "stop_gradient": _identity,
    "transpose": _transpose,
}
"""What is done for each operation of a program."""

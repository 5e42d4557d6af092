"""Arrays whose sides are filled up to powers of two, which is what a kernel computes.

What stands in the filled places never reaches the others: sums leave it out, and all
else is computed element by element. Where it is known to be zero, or to be harmless
beside zeros, nothing has to be left out.
"""

from collections.abc import Sequence
from enum import IntEnum
from functools import reduce
from operator import and_
from typing import Any, NamedTuple

import jax.numpy as jnp
from jax import lax

from .._arrays import Array

Shape = tuple[int, ...]


class Unsupported(Exception):
    """A program has something that cannot be run so."""


class Filled(IntEnum):
    """What stands in the filled places."""

    ZERO = 0
    FINITE = 1
    UNKNOWN = 2


class Value(NamedTuple):
    """An array that is filled up, and with what."""

    array: Array
    filled: Filled = Filled.ZERO


def side(size: int) -> int:
    """The least power of two that is not smaller."""
    return 1 << max(0, size - 1).bit_length()


def sides(shape: Sequence[int]) -> Shape:
    """A shape with every side filled up."""
    return tuple(map(side, shape))


def traced_shape(var: Any) -> Shape:
    """The shape of a variable of a program, which is not filled up."""
    return tuple(var.aval.shape)


def cleaned(value: Value, shape: Shape, neutral: Any = 0) -> Value:
    """A value with one number in all filled places."""
    if sides(shape) == shape or (value.filled == Filled.ZERO and not neutral):
        return value
    array = value.array
    gaps = enumerate(zip(shape, array.shape, strict=True))
    inside = reduce(
        and_, (place(array.shape, i) < size for i, (size, wide) in gaps if size != wide)
    )
    filler = jnp.full_like(array, neutral)
    return Value(
        jnp.where(inside, array, filler), Filled.ZERO if not neutral else Filled.FINITE
    )


def place(shape: Shape, axis: int) -> Array:
    """The number of each element along an axis."""
    return lax.broadcasted_iota(jnp.int32, shape, axis)

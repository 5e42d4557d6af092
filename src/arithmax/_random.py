"""Random numbers from a counter: a cheap integer hash of (seed, stream, step, element).

A run draws far more than 2³² numbers, so a 32-bit counter would wrap: a 64-bit key made
from seed, stream and step enters the hash of each element in two rounds. `threefry` is
JAX's own generator, slower by a factor of five on a CPU.
"""

from typing import Literal, TypeAlias

import jax
import jax.numpy as jnp
from jax import lax

from ._arrays import Array

Generator = Literal["hash", "threefry"]
Words: TypeAlias = tuple[Array, Array]

# What numbers are drawn for; each use has its stream, and each call of a key another.
DATA, NOISE, START, VALIDATION, TEST = range(5)
STREAMS = 8


def stream_key(seed: Array, stream: int) -> Array:
    """A key of JAX's for a 32-bit seed and a stream, whatever its settings are."""
    data = jnp.stack([jnp.uint32(0), jnp.uint32(seed)])
    return jax.random.fold_in(
        jax.random.wrap_key_data(data, impl="threefry2x32"), stream
    )


def mix(h: Array) -> Array:
    """A bijection of 32-bit words in which every input bit moves every output bit."""
    h = h ^ (h >> 16)
    h = h * jnp.uint32(0x7FEB352D)
    h = h ^ (h >> 15)
    h = h * jnp.uint32(0x846CA68B)
    return h ^ (h >> 16)


def words(seed: Array, stream: int, step: Array) -> Words:
    """The 64-bit key of one draw, as two words."""
    seed, step = jnp.uint32(seed), jnp.uint32(step)
    first = mix(mix(seed + jnp.uint32(0x9E3779B9 * (stream + 1) % 2**32)) + step)
    second = mix(mix(step ^ jnp.uint32(0x85EBCA6B)) + mix(seed ^ jnp.uint32(stream)))
    return first, second


def bits(key: Words, shape: tuple[int, ...], salt: int = 0) -> Array:
    """Random 32-bit words."""
    size = 1
    for n in shape:
        size *= n
    counter = lax.iota(jnp.uint32, size).reshape(shape)
    first, second = key
    # `mix`, with one word of the key before each of its two rounds.
    h = counter + first
    h = h ^ (h >> 16)
    h = h * jnp.uint32(0x7FEB352D)
    h = (h ^ (h >> 15)) + (second ^ jnp.uint32(salt))
    h = h * jnp.uint32(0x846CA68B)
    return h ^ (h >> 16)


def uniform(
    generator: Generator,
    seed: Array,
    stream: int,
    step: Array,
    shape: tuple[int, ...],
    dtype: jnp.dtype,
) -> Array:
    """Numbers in [0, 1), which depend on (seed, stream, step) and their place alone."""
    if generator == "threefry":
        own = jax.random.fold_in(stream_key(seed, stream), step)
        return jax.random.uniform(own, shape, dtype)
    pair = words(seed, stream, step)
    word = bits(pair, shape)
    if dtype == jnp.float64:
        low = bits(pair, shape, salt=0x27D4EB2F).astype(dtype)
        return (word.astype(dtype) + jnp.floor(low / 2**11) / 2**21) / 2**32
    # The upper bits become the mantissa of a number in [1, 2).
    mantissa = (word >> 9) | jnp.uint32(0x3F800000)
    return (lax.bitcast_convert_type(mantissa, jnp.float32) - 1).astype(dtype)


class Key:
    """What a task draws one set of samples with; each call has other numbers.

    Args:
        generator: the random number generator.
        seed: the seed of the replica, or that of a measured set.
        stream: what the numbers are for.
        step: the number of the set.
        dtype: the format of the numbers.
        fixed: whether inputs are computed once, for the network and for their targets.
    """

    xp = jnp

    def __init__(
        self,
        generator: Generator,
        seed: Array,
        stream: int,
        step: Array,
        dtype: jnp.dtype,
        fixed: bool = False,
    ) -> None:
        self._generator: Generator = generator
        self._seed, self._stream, self._step = seed, stream, step
        self._dtype, self._fixed, self._calls = dtype, fixed, 0

    def uniform(self, shape: tuple[int, ...]) -> Array:
        """Numbers in [0, 1) of the run's format."""
        stream = self._stream + STREAMS * self._calls
        self._calls += 1
        return uniform(
            self._generator, self._seed, stream, self._step, shape, self._dtype
        )

    def fix(self, x: Array) -> Array:
        """`x`, behind a barrier to the compiler if it is to be computed once."""
        return lax.optimization_barrier(x) if self._fixed else x

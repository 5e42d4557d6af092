"""Random numbers from a counter: a cheap integer hash of (seed, stream, step, element).

A run draws far more than 2³² numbers, so a 32-bit counter would wrap: a 64-bit key made
from seed, stream and step enters the hash of each element in two rounds. `threefry` is
JAX's own generator, slower by a factor of five on a CPU.
"""

import math
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import jax
import jax.numpy as jnp
from jax import lax

from .._arrays import Array
from .._network import Noise

Generator = Literal["hash", "threefry"]
Words: TypeAlias = tuple[Array, Array]

# What numbers are drawn for; each use has its stream, and each call of a key another.
DATA, NOISE, START, VALIDATION, TEST = range(5)
STREAMS = 8


class Piece(NamedTuple):
    """Samples of a batch that are drawn without the others.

    Args:
        first: the place of the first one in the batch.
        batch: how many samples the batch has.
    """

    first: Any
    batch: int


class Key:
    """Random numbers of one seed, stream and step, as tasks and networks ask for them.

    Args:
        generator: the generator.
        seed: the seed of the replica, or that of a measured set.
        stream: what the numbers are for.
        step: the step, or the number of a piece.
        dtype: the floating-point format.
        fixed: whether inputs are computed whole before anything is made of them.
        piece: which samples are drawn, if not all of a batch: the last axis of what is
            asked for.
    """

    def __init__(
        self,
        generator: Generator,
        seed: Any,
        stream: int,
        step: Any,
        dtype: Any,
        fixed: bool = False,
        piece: Piece | None = None,
    ) -> None:
        self.generator: Generator = generator
        self.seed, self.stream = seed, stream
        self.step, self.dtype, self.fixed = step, dtype, fixed
        self.piece, self._calls = piece, 0

    @property
    def xp(self) -> Any:
        """The array namespace of the numbers."""
        return jnp

    def uniform(self, shape: tuple[int, ...]) -> Array:
        """Numbers in [0, 1), other ones at each call."""
        return self._uniform(shape, self.piece)

    def _uniform(self, shape: tuple[int, ...], piece: Piece | None) -> Array:
        stream = self.stream + STREAMS * self._calls
        self._calls += 1
        drawn = self.generator, self.seed, stream, self.step
        return uniform(*drawn, shape, self.dtype, piece)

    def fix(self, x: Array) -> Array:
        """`x`, computed before what follows: a compiler would compute it twice."""
        return lax.optimization_barrier(x) if self.fixed else x

    def noise(self, pieces: Sequence[Noise], batch: int) -> tuple[Array, ...]:
        """What a network declares as its noise, one array for each piece."""
        # All numbers of a kind are one draw: a number is decided by its place.
        each = sum(piece.size for piece in pieces if piece.each_sample)
        once = sum(piece.size for piece in pieces if not piece.each_sample)
        left: dict[bool, Array] = {}
        if each:
            left[True] = self.uniform((each, batch))
        if once:
            left[False] = self._uniform((once,), None)
        drawn = []
        for piece in pieces:
            numbers = left[piece.each_sample]
            u, left[piece.each_sample] = numbers[: piece.size], numbers[piece.size :]
            shape = (*piece.shape, batch) if piece.each_sample else piece.shape
            drawn.append(piece.distribution.quantile(u.reshape(shape), jnp))
        return tuple(drawn)


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


def element_numbers(shape: tuple[int, ...], piece: Piece | None) -> Array:
    """The number of each element of an array: of a piece, as in the whole batch."""
    if piece is None:
        return lax.iota(jnp.uint32, math.prod(shape)).reshape(shape)
    row = jnp.zeros(shape, jnp.uint32)
    for axis, size in enumerate(shape[:-1]):
        row = row * jnp.uint32(size) + lax.broadcasted_iota(jnp.uint32, shape, axis)
    sample = lax.broadcasted_iota(jnp.uint32, shape, len(shape) - 1)
    return row * jnp.uint32(piece.batch) + (sample + jnp.uint32(piece.first))


def bits(
    key: Words, shape: tuple[int, ...], salt: int = 0, piece: Piece | None = None
) -> Array:
    """Random 32-bit words."""
    counter = element_numbers(shape, piece)
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
    piece: Piece | None = None,
) -> Array:
    """Numbers in [0, 1), which depend on (seed, stream, step) and their place alone."""
    if generator == "threefry":
        own = jax.random.fold_in(stream_key(seed, stream), step)
        return jax.random.uniform(own, shape, dtype)
    pair = words(seed, stream, step)
    word = bits(pair, shape, piece=piece)
    if dtype == jnp.float64:
        low = bits(pair, shape, 0x27D4EB2F, piece).astype(dtype)
        return (word.astype(dtype) + jnp.floor(low / 2**11) / 2**21) / 2**32
    # The upper bits become the mantissa of a number in [1, 2).
    mantissa = (word >> 9) | jnp.uint32(0x3F800000)
    return (lax.bitcast_convert_type(mantissa, jnp.float32) - 1).astype(dtype)

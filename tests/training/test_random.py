"""The counter hash is a good generator: uniform, uncorrelated, never twice the same."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from arithmax.training._random import DATA, NOISE, Generator, Key, bits, uniform, words

SHAPE = (100, 128)
FLOAT = jnp.dtype(jnp.float32)


def draw(
    seed,
    step,
    stream=DATA,
    shape=SHAPE,
    dtype=jnp.float32,
    generator: Generator = "hash",
):
    args = (jnp.uint32(seed), stream, jnp.uint32(step), shape, jnp.dtype(dtype))
    return np.asarray(uniform(generator, *args), dtype=np.float64)


@pytest.mark.parametrize("generator", ["hash", "threefry"])
@pytest.mark.parametrize("dtype", [jnp.float32, jnp.float64])
def test_uniformity(dtype, generator):
    steps = range(80)
    u = np.concatenate(
        [draw(7, s, dtype=dtype, generator=generator).ravel() for s in steps]
    )
    assert u.min() >= 0 and u.max() < 1
    counts, _ = np.histogram(u, bins=1000, range=(0, 1))
    assert stats.chisquare(counts).pvalue > 1e-4
    # The lowest bits that a float32 has are as even as the highest.
    low = np.floor(u * 2**23).astype(np.int64) % 64
    assert stats.chisquare(np.bincount(low, minlength=64)).pvalue > 1e-4


def correlation(a, b):
    return abs(np.corrcoef(a.ravel(), b.ravel())[0, 1]) * np.sqrt(a.size)


def test_no_correlation():
    """Between neighbours, steps, seeds and streams: all below five standard errors."""
    u = draw(3, 1000)
    for lag in (1, 2, 3, 64, 127, 128, 129, 256):
        flat = u.ravel()
        assert correlation(flat[:-lag], flat[lag:]) < 5
    for other in (
        draw(3, 1001),
        draw(4, 1000),
        draw(3, 1000 + 2**16),
        draw(3 + 2**20, 1000),
        draw(3, 1000, NOISE),
        draw(1000, 3),
    ):
        assert correlation(u, other) < 5
        # and none in where they are large, which the mean hides
        assert correlation((u - 0.5) ** 2, (other - 0.5) ** 2) < 5


def test_means_over_steps_and_over_seeds_spread_as_they_should():
    """A defect between steps or seeds shows in the variance of their means."""
    by_step = np.array([draw(5, s).mean() for s in range(400)])
    by_seed = np.array([draw(s, 5).mean() for s in range(400)])
    for means in (by_step, by_seed):
        scaled = (means - 0.5) * np.sqrt(12 * np.prod(SHAPE))
        assert stats.kstest(scaled, "norm").pvalue > 1e-3


def test_pairs_fill_the_square():
    """Two inputs of one sample, as the two-input task uses them."""
    pairs = np.stack([draw(s, 17, shape=(2, 128)) for s in range(2000)], axis=1)
    cells, _, _ = np.histogram2d(*pairs.reshape(2, -1), bins=20, range=[[0, 1], [0, 1]])
    assert stats.chisquare(cells.ravel()).pvalue > 1e-4


def test_no_two_draws_are_alike():
    """No wrap-around: keys differ over seeds, steps and streams."""
    pair = jnp.arange(60, dtype=jnp.uint32)

    def one(seed, step):
        return uniform("hash", seed, DATA, step, (1, 4), FLOAT)

    steps = jax.vmap(one, in_axes=(None, 0))
    drawn = np.asarray(jax.jit(jax.vmap(steps, in_axes=(0, None)))(pair, pair))
    first = {numbers.tobytes() for row in drawn for numbers in row}
    assert len(first) == 3600
    far = {draw(1, t, shape=(1, 4)).tobytes() for t in (0, 2**31, 2**32 - 1, 5_000_000)}
    assert len(far) == 4


def test_a_draw_depends_on_nothing_else():
    one = uniform("hash", jnp.uint32(9), DATA, jnp.uint32(4), SHAPE, FLOAT)
    seeds = jnp.arange(32, dtype=jnp.uint32)
    many = jax.jit(
        jax.vmap(lambda s: uniform("hash", s, DATA, jnp.uint32(4), SHAPE, FLOAT))
    )(seeds)
    assert jnp.array_equal(many[9], one)


@pytest.mark.parametrize("generator", ["hash", "threefry"])
def test_each_call_of_a_key_has_other_numbers(generator: Generator):
    def key():
        return Key(generator, jnp.uint32(1), DATA, jnp.uint32(7), FLOAT)

    one = key()
    first, second = one.uniform((1000,)), one.uniform((1000,))
    again = uniform(generator, jnp.uint32(1), DATA, jnp.uint32(7), (1000,), FLOAT)
    assert jnp.array_equal(first, again)  # the first call is the stream itself
    assert abs(np.corrcoef(np.asarray(first), np.asarray(second))[0, 1]) < 0.1
    other = key()
    other.uniform((5,))
    assert jnp.array_equal(second, other.uniform((1000,)))


def test_close_keys_do_not_overlap():
    """Steps whose first words are neighbours would else draw shifted copies."""
    steps = jnp.arange(5000, dtype=jnp.uint32)
    first, second = words(jnp.uint32(0), DATA, steps)
    order = np.argsort(np.asarray(first))
    gaps = np.diff(np.asarray(first)[order].astype(np.int64))
    i = int(np.argmin(gaps))
    assert gaps[i] < 5000
    one, other = (
        np.asarray(bits((first[k], second[k]), (12800,))) for k in order[i : i + 2]
    )
    assert len(np.intersect1d(one, other)) < 5

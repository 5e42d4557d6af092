"""Programs on arrays that are filled up, against the same programs as they are."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from arithmax.training._filled import Unsupported, side, sides
from arithmax.training._machine import pinned
from arithmax.training._padded import LoopSums, Prepared

X = np.random.default_rng(0).uniform(0.5, 2.0, (3, 5)).astype(np.float32)
W = np.random.default_rng(1).normal(size=(2, 3)).astype(np.float32)

PROGRAMS = {
    "sums of what is not finite in filled places": lambda x, w: jnp.sum(1 / x, axis=0),
    "a logarithm, and a sum over all": lambda x, w: jnp.sum(jnp.log(x)),
    "a sum of what is no zero there": lambda x, w: jnp.sum(1 - x, axis=(0, 1)),
    "a product of matrices": lambda x, w: w @ x,
    "one of transposed matrices": lambda x, w: jnp.tensordot(x, w, axes=([0], [1])),
    "one of what is not finite there": lambda x, w: w @ jnp.log(x),
    "one over both axes": lambda x, w: jnp.tensordot(x, x + 1, axes=2),
    "the greatest and the least": lambda x, w: jnp.max(-x, 0) + jnp.min(x, 0),
    "one row": lambda x, w: x[1],
    "some columns": lambda x, w: x[:, 1:4],
    "the first ones": lambda x, w: jnp.sum(x[:2], axis=0),
    "each second column": lambda x, w: x[:, ::2],
    "a traced place": lambda x, w: lax.dynamic_slice(x, (1, 2), (2, 2)),
    "one array behind another": lambda x, w: jnp.concatenate([x, 2 * x, x[:1]]),
    "one array as several": lambda x, w: jnp.split(x, [1, 2])[2],
    "padding": lambda x, w: lax.pad(x, jnp.float32(7), [(1, 2, 0), (-1, 3, 0)]),
    "a new axis": lambda x, w: jnp.sum(x[None] * w[:, :, None], axis=1),
    "an axis less": lambda x, w: jnp.squeeze(w[:, None] * 2, 1),
    "a broadcast": lambda x, w: jnp.sum(jnp.broadcast_to(x[:, :1], (3, 5)), axis=1),
    "numbers of places": lambda x, w: x * lax.broadcasted_iota(jnp.float32, (3, 5), 1),
    "one place more": lambda x, w: jnp.asarray(x)[0].at[3].add(2.0),
    "one of two": lambda x, w: jnp.where(x < 1, x, -1.0),
    "a power": lambda x, w: x**2 + x**-1 + x**0.5,
    "a slope": lambda x, w: jax.grad(lambda x: jnp.prod(w @ x[:, :1]))(x),
    "a slope of a cut": lambda x, w: jax.grad(lambda x: jnp.sum(x[1:, 2] ** 2))(x),
}


@pytest.fixture(autouse=True)
def as_the_fleet():
    with pinned("float32"):
        yield


def filled(array):
    gaps = zip(array.shape, sides(array.shape), strict=True)
    return jnp.pad(array, [(0, wide - size) for size, wide in gaps])


def run(function, *given, first=0):
    """What a program gives for arrays that are filled up, and whether it is so too."""
    program = jax.make_jaxpr(function)(*given)
    arrays = [filled(jnp.asarray(array)) for array in given]
    call = Prepared(program, arrays[:first]).called()
    return call(arrays[first:])


@pytest.mark.parametrize("first", [0, 1, 2])
@pytest.mark.parametrize("name", PROGRAMS)
def test_results_are_those_of_the_program(name, first):
    right = np.asarray(PROGRAMS[name](X, W))
    (found,) = run(PROGRAMS[name], X, W, first=first)
    assert found.shape == sides(right.shape)
    cut = np.asarray(found)[tuple(map(slice, right.shape))]
    np.testing.assert_allclose(cut, right, rtol=1e-5)
    # What was filled up is zero again: its sum is that of the result.
    np.testing.assert_allclose(np.sum(found), np.sum(right), rtol=1e-4)


def test_sides():
    assert [side(n) for n in (1, 2, 3, 100, 128, 129)] == [1, 2, 4, 128, 128, 256]


@pytest.mark.parametrize(
    "function",
    [lambda x: jnp.sort(x), lambda x: x.reshape(5, 3), lambda x: lax.cumsum(x)],
)
def test_what_cannot_be_run_is_said(function):
    with pytest.raises(Unsupported, match=r"rule|shape"):
        run(function, X)


def added_up(w, x):
    """Slopes of samples in a loop, as a kernel has them."""

    def one(i, total):
        slope, count = total
        clipped = jnp.where(w < 0.1, jnp.zeros_like(w), 3 * w)
        row = jax.grad(lambda v: jnp.sum(jnp.tanh(v @ (x + i)) ** 2))(clipped)
        return slope + jnp.where(w < 0.1, jnp.zeros_like(w), 3 * row), count + 1

    return lax.fori_loop(0, 4, one, (jnp.zeros_like(w), 0))


def running(w, x):
    """A sum that the loop looks at, another that is not linear, and one that shifts."""

    def one(i, state):
        total, squares, _, seen = state
        row = jnp.sum(x * (1.0 + i), axis=1)
        new = total + row
        return new, squares + row * row, total, jnp.maximum(seen, jnp.sum(new))

    zero = jnp.zeros(3)
    return lax.fori_loop(0, 3, one, (zero, zero, zero, jnp.zeros(())))


@pytest.mark.parametrize("function", [added_up, running])
@pytest.mark.parametrize("first", [0, 1, 2])
def test_loops(function, first):
    right = jax.tree.leaves(function(W, X))
    for found, expected in zip(run(function, W, X, first=first), right, strict=True):
        cut = np.asarray(found)[tuple(map(slice, expected.shape))]
        np.testing.assert_allclose(cut, expected, rtol=1e-5)


@pytest.mark.parametrize(("function", "sums"), [(added_up, 1), (running, 0)])
def test_only_what_nobody_looks_at_is_summed_at_the_end(function, sums, monkeypatch):
    kept = []
    monkeypatch.setattr(LoopSums, "finished", noted(LoopSums.finished, kept))
    run(function, W, X)
    assert [len(made.roots) for made in kept] == [sums]


def noted(function, kept):
    def called(self, *given):
        kept.append(self)
        return function(self, *given)

    return called

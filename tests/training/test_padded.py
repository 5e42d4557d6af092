"""Programs on arrays that are filled up, against the same programs as they are."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from arithmax.training._filled import Unsupported, side, sides
from arithmax.training._machine import pinned
from arithmax.training._padded import LoopSums, Prepared, loop_sizes

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
    "roots of what is negative there": lambda x, w: jnp.sum(x * jnp.sqrt(x - 0.4), 1),
    "powers of what is large there": lambda x, w: jnp.sum(
        x * jnp.expm1(20.0 * lax.broadcasted_iota(jnp.float32, (3, 5), 1)), axis=1
    ),
    "the greatest of nothing": lambda x, w: jnp.sum(
        jnp.max(x, 0, keepdims=True) * x, 1
    ),
    "a number that is not finite": lambda x, w: jnp.sum(
        x * jnp.where(x > 0, x, jnp.inf), axis=1
    ),
    "nothing times it": lambda x, w: jnp.sum(jnp.where(x > 0, x, x * jnp.nan), 1),
    "one row of four by two": lambda x, w: (x[:2, :4] + 1).reshape(8) * 2,
    "a place beyond the end": lambda x, w: jnp.sum(jnp.sum(x, 0).at[6].add(2.0)),
    "an array of numbers": lambda x, w: jnp.sum(
        x * np.arange(15.0, dtype="f").reshape(3, 5)
    ),
    "truth values of some rows": lambda x, w: jnp.where((x > 1)[1:], 1.0, 2.0),
    "truth values behind others": lambda x, w: jnp.where(
        jnp.concatenate([x > 1, x < 1]), 1.0, 2.0
    ),
    "what is computed again": lambda x, w: jax.checkpoint(jnp.sin)(x),
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


# Operations of random programs; what they are given is made of sums and products.
ONE = [jnp.abs, jnp.cos, jnp.floor, jnp.negative, jnp.sin, jnp.square, jnp.tanh]
ONE += [jax.nn.sigmoid, jnp.exp, jnp.sqrt, jnp.log, jnp.expm1, jnp.log1p, jnp.sign]
ONE += [
    lambda a: 1 / a,
    lambda a: a**-2,
    lambda a: a**3,
    lambda a: 2 - a,
    lambda a: a - 0.4,
]
ONE += [lambda a: jnp.maximum(a, 1), lambda a: jnp.where(a > 1, a, 0.5)]
ONE += [lambda a: a * jnp.mean(a), lambda a: a - jnp.max(a, axis=0, keepdims=True)]
ONE += [lambda a: a + jnp.sum(a, axis=1, keepdims=True), lambda a: a[:, :1] * a]
ONE += [lambda a: jnp.concatenate([a[1:], a[:1]])]
ONE += [lambda a: a * lax.broadcasted_iota(jnp.float32, a.shape, 1)]
TWO = [jnp.add, jnp.subtract, jnp.multiply, jnp.divide, jnp.minimum]
TWO += [lambda a, b: jnp.where(a < b, a, b * b), lambda a, b: (a @ b.T) @ b]
TWO += [lambda a, b: jnp.where(jnp.max(a) > 1, a, b)]
LAST = [lambda a: jnp.sum(a, 0), lambda a: jnp.sum(a, 1), lambda a: jnp.min(a, 0)]
LAST += [jnp.sum, lambda a: a, lambda a: a[1:, 2]]


def random_program(seed):
    """A program of operations that were drawn, of which finite ones are added up."""
    rng = np.random.default_rng(seed)
    numbers = [(int(rng.integers(3)), *rng.random(3)) for _ in range(9)]

    def drawn(among, number):
        return among[int(number * len(among))]

    def computed(x):
        known = [x]
        for kind, which, first, second in numbers:
            a, b = drawn(known, first), drawn(known, second)
            known.append(drawn(TWO, which)(a, b) if kind == 2 else drawn(ONE, which)(a))
        return known

    most = [float(jnp.max(jnp.abs(a))) for a in computed(jnp.asarray(X))]

    def compute(x):
        pairs = zip(computed(x), most, strict=True)
        # A product with zero, not a quotient: nobody knows those of filled places.
        parts = [a * (1 / most) * x for a, most in pairs if 1e-9 < most < 1e9]
        return drawn(LAST, numbers[0][3])(sum(parts[1:], parts[0]))

    return compute


@pytest.mark.parametrize("seed", range(60))
def test_random_programs(seed):
    compute = random_program(seed)
    right = np.asarray(compute(jnp.asarray(X)))
    (found,) = run(compute, jnp.asarray(X))
    right = filled(right) if right.ndim else right
    np.testing.assert_allclose(found, right, rtol=1e-3, atol=1e-4)


def test_sides():
    assert [side(n) for n in (1, 2, 3, 100, 128, 129)] == [1, 2, 4, 128, 128, 256]


@pytest.mark.parametrize(
    "function",
    [
        lambda x: jnp.sort(x),
        lambda x: x.reshape(5, 3),
        lambda x: lax.cumsum(x),
        lambda x: lax.reduce(x, np.float32(0), lambda a, b: a + b + a * b, (0,)),
        lambda x: lax.scan(lambda k, _: (k + x[0, :4], k.sum()), x[1, :4], length=4),
        lambda x: x[0].at[9].add(1.0, mode="clip"),
    ],
)
def test_what_cannot_be_run_is_said(function):
    with pytest.raises(Unsupported, match=r"rule|shape|rows|last place"):
        run(function, jnp.asarray(X))


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


def whole(w, x):
    """LoopSums of which each is rounded, and one that is added to several numbers."""

    def one(i, state):
        total, halves, spread = state
        row = jnp.sum(x * (1.0 + i), axis=1)
        half = lax.div(jnp.sum(jnp.int32(3 * x), axis=1), 2)
        return total + jnp.int32(row), halves + half, spread + jnp.sum(x * i)

    zero = jnp.zeros(3, jnp.int32)
    return lax.fori_loop(0, 3, one, (zero, zero, jnp.zeros(3)))


def bent(w, x):
    """What is added is made of sums, but is linear in none of them."""

    def one(i, state):
        row = jnp.sum(x * (1.0 + i), axis=1)
        first = w[0] < 0.1
        parts = row + 1, 1 / row, row * i, jnp.where(first, jnp.ones_like(row), row)
        return tuple(a + b for a, b in zip(state, parts, strict=True))

    return lax.fori_loop(0, 3, one, (jnp.zeros(3),) * 4)


@pytest.mark.parametrize("function", [added_up, running, whole, bent])
@pytest.mark.parametrize("first", [0, 1, 2])
def test_loops(function, first):
    given = jax.tree.leaves(function(W, X))
    for found, expected in zip(run(function, W, X, first=first), given, strict=True):
        assert found.dtype == expected.dtype
        right = filled(expected) if expected.ndim else expected
        np.testing.assert_allclose(found, right, rtol=1e-5)


@pytest.mark.parametrize(
    ("function", "sums"), [(added_up, 1), (running, 0), (whole, 1), (bent, 0)]
)
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


def squares_of_matrices(w, x):
    """Terms that are more than a kernel can keep: as many as a cube of 16 has."""
    many = jnp.broadcast_to(jnp.sum(x), (16, 16))

    def one(i, total):
        return total + (many * (1.0 + i)) @ many

    return lax.fori_loop(0, 3, one, many)


def test_terms_are_kept_only_if_they_are_few(monkeypatch):
    kept = []
    monkeypatch.setattr(LoopSums, "finished", noted(LoopSums.finished, kept))
    (found,) = run(squares_of_matrices, W, X)
    np.testing.assert_allclose(found, squares_of_matrices(W, X), rtol=1e-5)
    assert [len(made.roots) for made in kept] == [0]


class Groups:
    """As JAX 0.11 names the arguments of a loop: in three groups."""

    def unpack(self):
        return [1, 2], [3], []


def test_loops_of_both_kinds_of_jax():
    assert loop_sizes({"num_consts": 2, "num_carry": 1}) == (2, 1)
    assert loop_sizes({"ft_in": Groups()}) == (2, 1)

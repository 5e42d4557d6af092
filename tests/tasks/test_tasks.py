"""Tasks: what they ask, and when they count as solved."""

import jax.numpy as jnp
import numpy as np
import pytest

from arithmax.tasks import Functions, Operands, SingleModule, Subsets
from arithmax.training import Protocol, UnitPenalty


def target(task, x, seed=0):
    """The target of samples [n, in], as [n, out]."""
    numbers = {n: jnp.asarray(v) for n, v in task.replica(seed).items()}
    return np.asarray(task.target(numbers, jnp.asarray(x).T)).T


X = np.random.default_rng(0).uniform(1, 2, (50, 100))


@pytest.mark.parametrize(("seed", "offset"), [(0, 44), (1, 37)])
def test_offsets_are_the_published_ones(seed, offset):
    first, second = Subsets().places(seed)
    assert first == list(range(offset, offset + 25))
    assert second == list(range(offset + 13, offset + 38))


@pytest.mark.parametrize(
    ("operation", "function"),
    [
        ("add", lambda a, b: a + b),
        ("sub", lambda a, b: a - b),
        ("mul", lambda a, b: a * b),
        ("div", lambda a, b: a / b),
        ("square", lambda a, b: a * a),
        ("sqrt", lambda a, b: np.sqrt(a)),
    ],
)
def test_subsets(operation, function):
    a, b = X[:, 44:69].sum(1), X[:, 57:82].sum(1)
    y = target(Subsets(operation), X)
    np.testing.assert_allclose(y[:, 0], function(a, b), rtol=1e-12)
    y = target(Subsets(operation, simple=True), X[:, :4])
    a, b = X[:, :4].sum(1), X[:, :2].sum(1)
    np.testing.assert_allclose(y[:, 0], function(a, b), rtol=1e-12)


def test_more_subsets_multiply():
    three = Subsets("mul", input_size=20, subsets=3)
    rows = three.places(3)
    expected = np.prod([X[:, row].sum(1) for row in rows], axis=0)
    np.testing.assert_allclose(target(three, X[:, :20], 3)[:, 0], expected, rtol=1e-12)
    assert rows[1][0] == rows[0][0] + 3 and len(rows[2]) == 5


def test_single_module_among_others():
    ten = SingleModule("div", input_size=10)
    offsets = {ten.places(seed)[0][0] for seed in range(60)}
    assert offsets == set(range(9))
    i = ten.places(4)[0][0]
    np.testing.assert_allclose(target(ten, X[:, :10], 4)[:, 0], X[:, i] / X[:, i + 1])


def test_operands():
    x = X[:, :5]
    np.testing.assert_allclose(target(Operands("add", 5), x)[:, 0], x.sum(1))
    rest = x[:, 1:]
    np.testing.assert_allclose(
        target(Operands("sub", 5), x)[:, 0], x[:, 0] - rest.sum(1), rtol=1e-12
    )
    np.testing.assert_allclose(target(Operands("mul", 5), x)[:, 0], x.prod(1))
    np.testing.assert_allclose(
        target(Operands("div", 5), x)[:, 0], x[:, 0] / rest.prod(1), rtol=1e-12
    )
    signs = (1, 1, -1, 1, -1)
    np.testing.assert_allclose(
        target(Operands(operands=5, signs=signs), x)[:, 0], x @ np.array(signs)
    )


def test_functions():
    both = Functions(("add", "mul", "div", "sqrt"))
    x, y = X[:, 0], X[:, 1]
    expected = np.stack([x + y, x * y, x / y, np.sqrt(x)], axis=1)
    np.testing.assert_allclose(target(both, X[:, :2]), expected, rtol=1e-12)
    one = Functions(("identity", "exp", "log", "sin"))
    assert one.in_features == 1 and one.out_features == 4
    expected = np.stack([x, np.exp(x), np.log(x), np.sin(x)], axis=1)
    np.testing.assert_allclose(target(one, X[:, :1]), expected, rtol=1e-12)


# Thresholds as the authors' script computes them, and with the data set's own subsets.
@pytest.mark.parametrize(
    ("operation", "authors", "right"),
    [
        ("add", 1.478617e-05, 1.604e-05),
        ("sub", 1.384370e-08, 1.385e-08),
        ("mul", 0.1600107, 0.1606),
        ("square", 0.1594738, 0.16),
        # These are simulated, as in `test_a_closed_form_is_what_simulation_gives`.
        pytest.param("div", 4.938055e-12, 5.793e-12, marks=pytest.mark.slow),
        pytest.param("sqrt", 8.955260e-09, 1.01e-08, marks=pytest.mark.slow),
    ],
)
def test_published_thresholds(operation, authors, right):
    given = Subsets(operation)
    assert np.isclose(given.threshold(1e-5, "authors"), authors, rtol=3e-3)
    assert np.isclose(given.threshold(1e-5, "exact"), right, rtol=3e-3)


@pytest.mark.parametrize(
    ("size", "authors", "right"),
    [(4, 7.112e-08, 4.799e-07), (10, 1.512e-05, 1.529e-05), (300, 12.97, 12.98)],
)
def test_thresholds_by_size(size, authors, right):
    given = Subsets("mul", input_size=size)
    assert np.isclose(given.threshold(1e-5, "authors"), authors, rtol=5e-3)
    assert np.isclose(given.threshold(1e-5), right, rtol=5e-3)


@pytest.mark.parametrize(
    ("extrapolation", "authors"),
    [
        ((-6.0, -2.0, 2.0, 6.0), 2.297e-4),
        ((1.0, 5.0), 0.05077),
        ((0.2, 2.0), 9.205e-4),
        ((20.0, 40.0), 505.4),
    ],
)
def test_thresholds_by_range(extrapolation, authors):
    given = Subsets("mul", extrapolation=extrapolation)
    assert np.isclose(given.threshold(1e-5, "authors"), authors, rtol=5e-3)


@pytest.mark.parametrize(
    ("extrapolation", "added", "multiplied", "divided", "ten"),
    [
        ((-40.0, -20.0), 3.667e-5, 3.484e-2, 4.666e-8, 9.033e-4),
        ((2.0, 6.0), 6.667e-7, 1.202e-5, 5.777e-8, 1.613e-5),
        ((-6.0, -2.0, 2.0, 6.0), 6.667e-7, 1.202e-5, 5.777e-8, 1.613e-5),
        ((0.2, 2.0), 5.380e-8, 8.761e-8, 1.480e-7, 1.237e-6),
        ((1.2, 6.0), 5.568e-7, 8.856e-6, 8.265e-8, 1.315e-5),
    ],
)
def test_single_module_thresholds(extrapolation, added, multiplied, divided, ten):
    def threshold(operation, size=2):
        return SingleModule(operation, size, extrapolation=extrapolation).threshold(
            1e-4
        )

    found = [threshold("add"), threshold("mul"), threshold("div"), threshold("add", 10)]
    np.testing.assert_allclose(found, [added, multiplied, divided, ten], rtol=1e-3)
    assert threshold("sub") == threshold("add")


def test_single_module_thresholds_across_zero():
    """Sums: E[(|x₁| + |x₂|)²] by integration; quotients have none, and say so."""
    given = SingleModule("add", extrapolation=(-1.0, 3.0))
    mean, square = (0.5 + 4.5) / 4, (1 / 3 + 9) / 4
    expected = 1e-8 * (2 * (square - mean**2) + (2 * mean) ** 2)
    assert np.isclose(given.threshold(1e-4), expected, rtol=1e-2)
    with pytest.raises(ValueError, match=r"`extrapolation` .*contains zero"):
        SingleModule("div", extrapolation=(-1.0, 3.0)).threshold(1e-4)


def test_a_closed_form_is_what_simulation_gives():
    """The polynomial and the simulated path are written apart, and agree."""
    from arithmax.tasks._distributions import UniformInputs
    from arithmax.tasks._thresholds import Blocks, _polynomial, _simulated

    blocks = Blocks.of([[0, 1, 2], [2, 3]], 6)
    for operation in ("add", "sub", "mul", "square"):
        given = (operation, blocks, UniformInputs((-1.0, 3.0)), 1e-3)
        assert np.isclose(_polynomial(*given), _simulated(*given), rtol=1e-2)


def test_powers_of_sums_and_inputs_to_be_ignored():
    x = np.random.default_rng(0).uniform(1.0, 2.0, (4, 50))
    task = Subsets("mul", simple=True, powers=(0.5, 2.0))
    numbers = {k: jnp.asarray(v) for k, v in task.replica(0).items()}
    expected = np.sqrt(x.sum(0)) * (x[0] + x[1]) ** 2
    np.testing.assert_allclose(task.target(numbers, jnp.asarray(x))[0], expected)
    assert "powers" not in str(Subsets("mul", simple=True))
    more = Functions(("div",), inputs=4)
    found = more.target({}, jnp.asarray(x))[0]
    np.testing.assert_allclose(found, x[0] / x[1])
    assert more.in_features == 4 and "inputs" not in str(Functions(("div",)))
    with pytest.raises(ValueError, match=r"`inputs` \(=1\)"):
        Functions(("div",), inputs=1)
    with pytest.raises(ValueError, match=r"`powers` \(=\(2.0,\)\)"):
        Subsets("mul", simple=True, powers=(2.0,))


def test_equal_settings_have_one_name():
    """A run is named by its settings: 1 and 1.0 are the same."""
    one, other = (
        SingleModule("mul", interpolation=ends) for ends in ((1, 2), (1.0, 2.0))
    )
    assert str(one) == str(other) and one == other
    whole, floating = (Protocol(penalties=(UnitPenalty(n),)) for n in (2, 2.0))
    assert repr(whole) == repr(floating)

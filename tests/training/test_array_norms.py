"""The norms of arrays: Julia's `norm(ps, 1)` of a collection of them."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from arithmax import NAU, NMU, Stack
from arithmax.tasks import SingleModule
from arithmax.training import L1, ArrayNorms, Cell, Protocol
from arithmax.training._moment import Moment, Padding

PARAMS = {"0.W": jnp.array([[3.0, -4.0]]), "1.W": jnp.array([[0.0, 2.0], [2.0, 1.0]])}
NETWORK = Stack((NAU(), NMU()), hidden=(1,))


def moment(padding=None):
    at = jnp.float64(0)
    return Moment(jnp.uint32(0), at, lambda p: at, at, at, {}, padding)


def test_it_adds_up_the_euclidean_norms_of_arrays():
    assert float(ArrayNorms().value(NETWORK, PARAMS, moment())) == 5 + 3
    assert float(L1().value(NETWORK, PARAMS, moment())) == 7 + 5


def test_its_slope_is_the_direction_of_each_array():
    slopes = jax.grad(lambda p: ArrayNorms().value(NETWORK, p, moment()))(PARAMS)
    for name, value in PARAMS.items():
        np.testing.assert_allclose(slopes[name], value / np.linalg.norm(value))


def test_an_array_of_zeros_stays():
    zeros = {name: jnp.zeros_like(value) for name, value in PARAMS.items()}
    value, slopes = jax.value_and_grad(
        lambda p: ArrayNorms().value(NETWORK, p, moment())
    )(zeros)
    assert float(value) == 0 and not any(np.asarray(s).any() for s in slopes.values())


def test_padding_does_not_count():
    """A padded weight must not change the direction of the others."""
    live = {"0.W": jnp.array([[True, False]]), "1.W": jnp.ones((2, 2), bool)}
    padded = moment(Padding(live, jnp.float64(1.0)))
    assert float(ArrayNorms().value(NETWORK, PARAMS, padded)) == 3 + 3
    assert float(L1().value(NETWORK, PARAMS, padded)) == 3 + 5


def test_it_may_be_of_some_parameters_only():
    penalty = ArrayNorms(of="W")
    assert float(penalty.value(NETWORK, PARAMS, moment())) == 8
    with pytest.raises(ValueError, match=r"`of` \(='g'\)"):
        Cell(NMU(), SingleModule(), Protocol(penalties=(ArrayNorms(of="g"),)), (0,))

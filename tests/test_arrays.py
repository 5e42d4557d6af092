"""Slopes at ties are those of the PyTorch that the papers used, everywhere."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch
from array_api_compat import torch as torch_namespace

from arithmax._arrays import (
    absolute,
    clip,
    contract,
    product,
    relu,
    sigmoid,
    softmax,
    tanh,
)
from arithmax.units._activations import ACTIVATIONS

AT_AND_AROUND = [-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0]


def slopes_torch(function, values):
    x = torch.tensor(values, dtype=torch.float64, requires_grad=True)
    function(x).sum().backward()
    assert x.grad is not None
    return x.grad.numpy()


def slopes(function, values):
    """The slopes of a function of (x, xp) in JAX and in PyTorch, which must agree."""
    x = jnp.asarray(values)
    in_jax = np.asarray(jax.grad(lambda v: function(v, jnp).sum())(x))
    in_torch = slopes_torch(lambda v: function(v, torch_namespace), values)
    np.testing.assert_array_equal(in_jax, in_torch)
    return in_torch


def test_clip_has_slope_one_at_its_bounds():
    found = slopes(lambda x, xp: clip(x, -1.0, 1.0, xp), AT_AND_AROUND)
    np.testing.assert_array_equal(found, [0, 1, 1, 1, 1, 1, 0])


@pytest.mark.skipif(
    tuple(map(int, torch.__version__.split(".")[:2])) > (2, 13),
    reason="torch.clamp has another slope at its bounds from 2.14 on",
)
def test_clip_has_the_slopes_of_the_papers_torch():
    found = slopes(lambda x, xp: clip(x, -1.0, 1.0, xp), AT_AND_AROUND)
    theirs = slopes_torch(lambda x: x.clamp(-1.0, 1.0), AT_AND_AROUND)
    np.testing.assert_array_equal(found, theirs)


def test_abs_has_slope_zero_at_zero():
    found = slopes(absolute, AT_AND_AROUND)
    np.testing.assert_array_equal(found, slopes_torch(torch.abs, AT_AND_AROUND))
    assert found[3] == 0


def test_relu_has_slope_zero_at_zero():
    found = slopes(relu, AT_AND_AROUND)
    np.testing.assert_array_equal(found, slopes_torch(torch.relu, AT_AND_AROUND))


@pytest.mark.parametrize(
    ("name", "theirs"),
    [
        ("relu6", torch.nn.functional.relu6),
        ("hardtanh", torch.nn.functional.hardtanh),
        ("softshrink", torch.nn.functional.softshrink),
        ("hardshrink", torch.nn.functional.hardshrink),
        ("softsign", torch.nn.functional.softsign),
        ("elu", torch.nn.functional.elu),
        ("leaky_relu", torch.nn.functional.leaky_relu),
    ],
)
def test_activations_have_torchs_slopes_at_ties(name, theirs):
    values = [*AT_AND_AROUND, 6.0, 7.0]
    found = slopes(ACTIVATIONS[name], values)
    np.testing.assert_allclose(found, slopes_torch(theirs, values), rtol=1e-12)


def test_sigmoid_is_accurate_in_both_tails():
    x = np.array([-745.0, -40.0, -1.0, 0.0, 1.0, 40.0, 800.0])
    expected = [5e-324, 4.248354255291589e-18, 0.2689414213699951, 0.5]
    expected += [0.7310585786300049, 1.0, 1.0]
    for y in (
        sigmoid(x, np),
        sigmoid(torch.tensor(x), torch_namespace),
        sigmoid(jnp.asarray(x), jnp),
    ):
        np.testing.assert_allclose(np.asarray(y), expected, rtol=1e-14, atol=1e-320)


def test_tanh_freezes_where_torchs_does():
    """Values to the last digits, and zero slopes from the same x on, in float32."""
    x = np.concatenate([np.linspace(0, 12, 4001), -np.linspace(0, 12, 4001)])
    x = x.astype("float32")
    theirs = torch.tensor(x, requires_grad=True)
    torch.tanh(theirs).sum().backward()
    assert theirs.grad is not None
    ours = tanh(jnp.asarray(x), jnp)
    np.testing.assert_allclose(ours, np.tanh(x.astype("float64")), rtol=2.5e-7)
    slope = np.asarray(jax.grad(lambda v: tanh(v, jnp).sum())(jnp.asarray(x)))
    frozen_here, frozen_there = (
        np.abs(x[slope == 0]),
        np.abs(x[theirs.grad.numpy() == 0]),
    )
    assert abs(frozen_here.min() - frozen_there.min()) < 0.02
    assert frozen_there.min() > 9 and float(jnp.tanh(jnp.float32(8.5))) == 1.0


def test_softmax_does_not_overflow():
    y = softmax(np.array([[1000.0, 0.0], [0.0, 0.0]]), 0, np)
    np.testing.assert_array_equal(y, [[1.0, 0.5], [0.0, 0.5]])


@pytest.mark.parametrize("count", [1, 2, 16, 17, 40])
def test_product_and_its_gradient_with_zeros(count):
    """The gradient of a product is right where factors are zero, unrolled or not."""
    factors = np.random.default_rng(count).uniform(0.5, 1.5, (2, count, 3))
    factors[0, 0, 0] = 0.0
    expected = np.stack(
        [np.delete(factors, i, axis=1).prod(axis=1) for i in range(count)], axis=1
    )
    in_jax = jax.grad(lambda f: product(f, jnp).sum())(jnp.asarray(factors))
    np.testing.assert_allclose(in_jax, expected, rtol=1e-12)
    in_torch = slopes_torch(lambda f: product(f, torch_namespace), factors)
    np.testing.assert_allclose(in_torch, expected, rtol=1e-12)


@pytest.mark.parametrize("batch", [(), (4,), (2, 3)])
def test_contraction(batch):
    rng = np.random.default_rng(0)
    w, x = rng.normal(size=(2, 5)), rng.normal(size=(5, *batch))
    expected = np.einsum("oi,i...->o...", w, x)
    np.testing.assert_allclose(contract(w, x, np), expected, rtol=1e-12)
    y = contract(jnp.asarray(w), jnp.asarray(x), jnp)
    np.testing.assert_allclose(y, expected, rtol=1e-12)
    y = contract(torch.tensor(w), torch.tensor(x), torch_namespace)
    np.testing.assert_allclose(y, expected, rtol=1e-12)


def test_contraction_on_an_accelerator(monkeypatch):
    """The form used there, multiplying and summing, gives the same."""
    rng = np.random.default_rng(0)
    w, x = jnp.asarray(rng.normal(size=(2, 5))), jnp.asarray(rng.normal(size=(5, 4)))
    expected = contract(w, x, jnp)
    monkeypatch.setattr(jax, "default_backend", lambda: "gpu")
    np.testing.assert_allclose(contract(w, x, jnp), expected, rtol=1e-12)

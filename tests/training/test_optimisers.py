"""Optimisers take the steps that PyTorch's take."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

from arithmax.training import SGD, Adam, Objective, Optimiser, RMSProp


def descended(optimiser: Optimiser, function, steps):
    """[1, −2] after some steps down a function."""
    params = {"W": jnp.asarray([1.0, -2.0])}

    def total(params):
        value = function(params["W"])
        return value, value

    objective = Objective(total, lambda params: params["W"])
    with jax.numpy_dtype_promotion("standard"):
        state = optimiser.start(params)
        for _ in range(steps):
            params, state, _ = optimiser.step(objective, params, state, lambda g: g)
    return params["W"]


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (Adam(0.1), lambda p: torch.optim.Adam(p, lr=0.1)),
        (Adam(0.1, 0.5, 0.9), lambda p: torch.optim.Adam(p, 0.1, betas=(0.5, 0.9))),
        (RMSProp(0.1), lambda p: torch.optim.RMSprop(p, lr=0.1, alpha=0.9)),
        (SGD(0.1), lambda p: torch.optim.SGD(p, lr=0.1)),
        (SGD(0.1, 0.9), lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9)),
    ],
    ids=lambda value: "" if callable(value) else repr(value),
)
def test_optimisers_follow_torch(ours, theirs):
    """One parameter on a quadratic, 50 steps."""
    w = torch.tensor([1.0, -2.0], dtype=torch.float64, requires_grad=True)
    optimiser = theirs([w])
    for _ in range(50):
        optimiser.zero_grad()
        ((w - 3) ** 2 * torch.tensor([1.0, 0.1])).sum().backward()
        optimiser.step()
    found = descended(ours, lambda w: jnp.sum((w - 3) ** 2 * jnp.asarray([1, 0.1])), 50)
    np.testing.assert_allclose(found, w.detach(), rtol=1e-4)


def test_rmsprop_follows_torch_where_gradients_are_tiny():
    """There its ε matters: within the root it would stop what is below 1e-4."""
    size = 1e-6
    w = torch.tensor([1.0, -2.0], dtype=torch.float64, requires_grad=True)
    theirs = torch.optim.RMSprop([w], lr=0.01, alpha=0.9)
    for _ in range(100):
        theirs.zero_grad()
        (size * w.sum()).backward()
        theirs.step()
    moved = descended(RMSProp(0.01), lambda w: size * jnp.sum(w), 100)
    np.testing.assert_allclose(moved, w.detach().numpy(), rtol=1e-6)
    assert float(moved[0]) < 0.1  # it moves by about 0.01 a step


def test_rmsprop_of_tensorflow():
    """Its mean square starts at 1, and ε is within the root."""
    w, slot = np.array([1.0, -2.0]), np.ones(2)
    for _ in range(20):
        g = 2 * (w - 3)
        slot = 0.9 * slot + 0.1 * g * g
        w = w - 0.01 * g / np.sqrt(slot + 1e-10)
    theirs = RMSProp(0.01, epsilon=1e-10, within_root=True, initial=1.0)
    found = descended(theirs, lambda w: jnp.sum((w - 3) ** 2), 20)
    np.testing.assert_allclose(found, w, rtol=1e-9)

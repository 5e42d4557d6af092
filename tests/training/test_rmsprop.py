"""RMSProp as PyTorch has it."""

import jax
import jax.numpy as jnp
import numpy as np
import torch

from arithmax import _descent as parts


def test_rmsprop_follows_torch_where_gradients_are_tiny():
    """There its ε matters: within the root it would stop what is below 1e-4."""
    size = 1e-6
    w = torch.tensor([1.0, -2.0], dtype=torch.float64, requires_grad=True)
    theirs = torch.optim.RMSprop([w], lr=0.01, alpha=0.9)
    params = {"W": jnp.asarray([1.0, -2.0])}
    optimiser = parts.OPTIMISERS["rmsprop"]

    def total(params):
        value = size * jnp.sum(params["W"])
        return value, value

    objective = parts.Objective(total, lambda params: params["W"])
    with jax.numpy_dtype_promotion("standard"):
        state = optimiser.start(params)
        for _ in range(100):
            theirs.zero_grad()
            (size * w.sum()).backward()
            theirs.step()
            params, state, _ = optimiser.step(
                objective, params, state, 0.01, lambda g: g
            )
    np.testing.assert_allclose(params["W"], w.detach().numpy(), rtol=1e-6)
    assert float(params["W"][0]) < 0.1  # it moves by about 0.01 a step

"""Arguments of another type, which the hook of jaxtyping would answer first."""

from typing import Any

import jax
import optax
import pytest
import torch

import arithmax.equinox
import arithmax.torch


@pytest.mark.parametrize("call", ["penalty", "project_", "discretise"])
def test_what_is_no_module(call):
    with pytest.raises(TypeError, match=r"`net` \(=3\) must be a `torch.nn.Module`"):
        getattr(arithmax.torch, call)(3)


def test_what_is_no_optimiser():
    other: Any = torch.nn.Linear(2, 1)
    with pytest.raises(TypeError, match="`optimiser`"):
        arithmax.torch.attach(other, arithmax.torch.NMU(2, 1))
    other = optax.adam
    with pytest.raises(TypeError, match="`optimiser`"):
        arithmax.equinox.attach(other)


def test_an_optimiser_is_made_by_a_function_and_a_transformation_is_one():
    x, y = torch.rand(20, 2) + 1, torch.rand(20)
    made: Any = torch.optim.Adam([torch.zeros(1, requires_grad=True)])
    with pytest.raises(TypeError, match="a function from parameters to"):
        arithmax.torch.fit(arithmax.torch.NMU(2, 1), x, y, optimiser=made)
    made, key = optax.adam, jax.random.key(0)
    with pytest.raises(TypeError, match="must be a transformation of optax"):
        arithmax.equinox.fit(arithmax.NMU(), x, y, key=key, optimiser=made)


def test_what_cannot_be_fitted():
    name: Any = "nmu"
    with pytest.raises(TypeError, match=r"`net` \(='nmu'\) must be a `torch.nn"):
        arithmax.torch.fit(name, torch.rand(20, 2), torch.rand(20))
    with pytest.raises(TypeError, match=r"`net` \(='nmu'\) must be an `equinox"):
        key = jax.random.key(0)
        arithmax.equinox.fit("nmu", torch.rand(20, 2), torch.rand(20), key=key)

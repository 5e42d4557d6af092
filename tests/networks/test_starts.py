"""Stacks whose parameters start elsewhere than their units declare."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import arithmax.torch
from arithmax import NAC, Stack, initialise
from arithmax.units import Constant, Normal


def test_a_stack_may_start_elsewhere():
    starts = (("M_hat", Normal(-1.0, 0.1)), ("1.W_hat", Constant(0.5)))
    net = Stack((NAC(), NAC()), (3,), starts=starts)
    params = initialise(net, 4, 2, key=jax.random.key(0))
    assert float(jnp.mean(params["0.M_hat"])) == pytest.approx(-1.0, abs=0.15)
    assert np.unique(params["1.W_hat"]).tolist() == [0.5]
    assert net.parameters(4, 2)["0.W_hat"] == NAC().parameters(4, 3)["W_hat"]
    assert "starts=" in repr(net) and "starts" not in repr(Stack((NAC(),)))
    layers = arithmax.torch.sequential(net, 4, 2).state_dict()
    assert layers["1.W_hat"].unique().tolist() == [0.5]
    assert float(layers["0.M_hat"].mean()) == pytest.approx(-1.0, abs=0.15)
    with pytest.raises(ValueError, match=r"`starts` \(=.*'M', which is no parameter"):
        Stack((NAC(),), starts=(("M", Constant(0.0)),))

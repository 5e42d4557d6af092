"""The CNN and the LSTM compute what PyTorch's own layers compute, and start alike."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch
import torch.nn.functional as F

from arithmax import CNN, LSTM, initialise
from arithmax._arrays import UNROLLED
from sequences import SMALL, drawn, gradient, in_jax, in_torch, samples


def convolutions(params, x, kernel):
    """The CNN in PyTorch's layers; `x` is [batch, row, column]."""
    y = x[:, None]
    for name in ("conv1", "conv2"):
        w, b = params[f"{name}.W"], params[f"{name}.b"]
        y = F.conv2d(y, w.reshape(len(w), -1, kernel, kernel), b)
        y = F.relu(F.max_pool2d(y, 2))
    y = F.relu(F.linear(y.flatten(1), params["dense.W"], params["dense.b"]))
    return F.linear(y, params["out.W"], params["out.b"])


@pytest.mark.parametrize(
    ("net", "shape"), [(CNN(), (28, 28)), (SMALL, (11, 12)), (SMALL, (10, 17))], ids=str
)
def test_the_cnn_is_pytorchs(net, shape):
    params = in_torch(drawn(net, shape, 2), requires_grad=True)
    x = torch.tensor(np.random.default_rng(0).normal(size=(5, *shape)))
    expected = convolutions(params, x, net.kernel)
    y = net.apply(params, x)
    torch.testing.assert_close(y, expected)
    values = list(params.values())
    ours = torch.autograd.grad((y**2).sum(), values)
    theirs = torch.autograd.grad((expected**2).sum(), values)
    for a, b in zip(ours, theirs, strict=True):
        torch.testing.assert_close(a, b)


def lstm_of(params, hidden):
    """PyTorch's LSTM with the parameters of ours."""
    lstm = torch.nn.LSTM(params["lstm.W_x"].shape[1], hidden, dtype=torch.float64)
    names = {"W_x": "weight_ih_l0", "W_h": "weight_hh_l0"}
    names |= {"b_x": "bias_ih_l0", "b_h": "bias_hh_l0"}
    lstm.load_state_dict({new: params[f"lstm.{old}"] for old, new in names.items()})
    return lstm


@pytest.mark.parametrize("steps", [3, UNROLLED + 4])
def test_the_lstm_is_pytorchs(steps):
    net = LSTM(hidden=5)
    params = in_torch(drawn(net, (3, 2), 6))
    x = torch.tensor(samples((steps, 2)))
    lstm = lstm_of(params, 5)
    states, _ = lstm(x.movedim(1, 0))
    expected = F.linear(states, params["out.W"], params["out.b"]).movedim(0, 1)
    y = net.apply(params, x).reshape(expected.shape)
    torch.testing.assert_close(y, expected)
    expected.square().sum().backward()

    def loss(p):
        return jnp.sum(net.apply(p, jnp.asarray(x.numpy())) ** 2)

    ours = jax.grad(loss)(in_jax({n: v.numpy() for n, v in params.items()}))
    theirs = dict(lstm.named_parameters())
    for name, other in (("W_x", "weight_ih_l0"), ("W_h", "weight_hh_l0")):
        np.testing.assert_allclose(
            ours[f"lstm.{name}"], gradient(theirs[other]), rtol=1e-9
        )
    for name in ("b_x", "b_h"):
        grad = gradient(theirs["bias_hh_l0"])
        np.testing.assert_allclose(ours[f"lstm.{name}"], grad, rtol=1e-9)


def test_they_start_as_pytorchs_do():
    params = initialise(CNN(), (28, 28), 1, key=jax.random.key(0))
    layers = {
        "conv1": torch.nn.Conv2d(1, 20, 5),
        "conv2": torch.nn.Conv2d(20, 50, 5),
        "dense": torch.nn.Linear(800, 500),
        "out": torch.nn.Linear(500, 1),
    }
    for name, layer in layers.items():
        w, b = layer.weight.detach(), layer.bias
        assert params[f"{name}.W"].size == w.numel() and b is not None
        bound = 1 / math.sqrt(w[0].numel())
        for ours in (params[f"{name}.W"], params[f"{name}.b"]):
            assert float(jnp.max(jnp.abs(ours))) <= bound
        spread = float(jnp.std(params[f"{name}.W"]))
        assert spread == pytest.approx(float(w.std()), rel=0.12)
    params = initialise(LSTM(hidden=64), (2, 3), 2, key=jax.random.key(0))
    theirs = torch.nn.LSTM(3, 64).state_dict()["weight_ih_l0"]
    assert params["lstm.W_x"].shape == theirs.shape == (256, 3)
    assert all(float(jnp.max(jnp.abs(v))) <= 1 / 8 for v in params.values())
    spread = float(jnp.std(params["lstm.W_h"]))
    assert spread == pytest.approx(float(theirs.std()), rel=0.1)


def test_images_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match=r"`in_features` \(=28\) must be the rows and"):
        CNN().parameters(28, 1)
    with pytest.raises(ValueError, match=r"\(=\(28, 15\)\) .* each at least 16"):
        CNN().parameters((28, 15), 1)
    params = drawn(SMALL, (11, 12), 1)
    with pytest.raises(ValueError, match=r"images of 20 by 20 pixels\) must have the"):
        SMALL.apply(params, np.zeros((1, 20, 20)))
    with pytest.raises(ValueError, match=r"`channels` \(=\(\)\) must hold"):
        CNN(())
    with pytest.raises(ValueError, match=r"`kernel` \(=0\) must be a whole number"):
        CNN(kernel=0)
    with pytest.raises(ValueError, match=r"`out_features` \(=0\) must be a whole"):
        CNN().parameters((28, 28), 0)


def test_only_reading_is_as_short_as_the_framework_multiplies():
    """A unit's products are exact on accelerators too, the reader's need not be."""
    params = in_jax(drawn(SMALL, (11, 12), 1))
    text = str(jax.make_jaxpr(SMALL.compute)(params, jnp.zeros((11, 12, 3))))
    assert "dot_general" in text and "HIGHEST" not in text
    net = LSTM(hidden=5)
    params = in_jax(drawn(net, (3, 2), 3))
    text = str(jax.make_jaxpr(net.compute)(params, jnp.zeros((3, 2, 4))))
    assert text.count("dot_general") <= text.count("Precision.HIGHEST")

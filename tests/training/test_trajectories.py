"""Training follows the papers' arithmetic: the path of plain PyTorch, step by step.

Weights are projected onto their bounds after each step, so that ties are the rule, and
a clip with another slope there leaves the path: the last but two tests show it.
"""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
import torch

import arithmax.equinox
import arithmax.torch
from arithmax import NAU, NMU

STEPS, BATCH, INPUTS, RATE, STRENGTH = 600, 128, 10, 1e-2, 0.01
SEEDS = range(8)


def data(seed):
    """Batches of the task (x₁ + … + x₅) · (x₄ + … + x₈), and the starting weights."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(1, 2, (STEPS, BATCH, INPUTS))
    t = x[..., :5].sum(-1, keepdims=True) * x[..., 3:8].sum(-1, keepdims=True)
    weights = rng.uniform(-0.5, 0.5, (2, INPUTS)), rng.uniform(0.25, 0.75, (1, 2))
    return x, t, weights


def papers_clip(w, low, high):
    """torch.clamp as it was up to 2.13, on any PyTorch."""
    return torch.where(w < low, low, torch.where(w > high, high, w))


def clip_with_zero_slope(w, low, high):
    """torch.clamp as it is from 2.14 on."""
    return torch.where(w <= low, low, torch.where(w >= high, high, w))


def plain_torch(seed, clip=papers_clip):
    """The loop as one would write it without this package."""
    x, t, (w1, w2) = data(seed)
    w1 = torch.tensor(w1, requires_grad=True)
    w2 = torch.tensor(w2, requires_grad=True)
    optimiser = torch.optim.Adam([w1, w2], lr=RATE)
    losses = []
    for step in range(STEPS):
        hidden = torch.tensor(x[step]) @ clip(w1, -1.0, 1.0).T
        v = clip(w2, 0.0, 1.0)
        y = torch.prod(hidden[:, None, :] * v + 1 - v, dim=-1)
        loss = ((y - torch.tensor(t[step])) ** 2).mean()
        r1 = torch.minimum(w1.abs(), (1 - w1.abs()).abs()).mean()
        r2 = torch.minimum(w2.abs(), (1 - w2.abs()).abs()).mean()
        optimiser.zero_grad()
        (loss + STRENGTH * (r1 + r2)).backward()
        optimiser.step()
        with torch.no_grad():
            w1.clamp_(-1.0, 1.0)
            w2.clamp_(0.0, 1.0)
        losses.append(loss.item())
    return np.array(losses), w1.detach().numpy(), w2.detach().numpy()


def jax_units(seeds):
    """All seeds at once: one scan, mapped over the seeds."""
    xs, ts, weights = zip(*map(data, seeds), strict=True)
    optimiser = optax.adam(RATE)
    nau, nmu = NAU(), NMU()

    def loss_of(params, x, t):
        y = nmu.apply(params[1], nau.apply(params[0], x))
        loss = jnp.mean((y - t) ** 2)
        penalty = nau.penalty(params[0]) + nmu.penalty(params[1])
        return loss + STRENGTH * penalty, loss

    def step(carry, batch):
        params, state = carry
        gradient, loss = jax.grad(loss_of, has_aux=True)(params, *batch)
        updates, state = optimiser.update(gradient, state, params)
        moved: Any = optax.apply_updates(params, updates)
        return ((nau.project(moved[0]), nmu.project(moved[1])), state), loss

    def train(w1, w2, x, t):
        params = {"W": w1}, {"W": w2}
        (params, _), losses = jax.lax.scan(
            step, (params, optimiser.init(params)), (x, t)
        )
        return losses, params

    stacked = [jnp.asarray(np.stack(v)) for v in (*zip(*weights, strict=True), xs, ts)]
    return jax.jit(jax.vmap(train))(*stacked)


@pytest.fixture(scope="module")
def fleet():
    with jax.numpy_dtype_promotion("standard"):  # optax counts its steps in integers
        losses, (first, second) = jax_units(SEEDS)
    return np.asarray(losses), np.asarray(first["W"]), np.asarray(second["W"])


@pytest.mark.parametrize("seed", SEEDS)
def test_jax_follows_plain_torch(fleet, seed):
    losses, w1, w2 = plain_torch(seed)
    np.testing.assert_allclose(fleet[0][seed], losses, rtol=1e-6)
    np.testing.assert_allclose(fleet[1][seed], w1, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(fleet[2][seed], w2, rtol=1e-6, atol=1e-9)


def test_weights_reach_their_bounds(fleet):
    """So the paths above do meet ties."""
    assert np.any(np.abs(fleet[1]) == 1.0)


def test_another_slope_leaves_the_path(fleet):
    """The test above can fail: a clip with slope 0 at its bounds goes elsewhere."""
    parted = [
        not np.allclose(fleet[0][s], plain_torch(s, clip_with_zero_slope)[0], rtol=1e-6)
        for s in SEEDS
    ]
    assert any(parted)


def test_layers_follow_plain_torch():
    """The same through the PyTorch door."""
    seed = 0
    x, t, (w1, w2) = data(seed)
    layers = [
        arithmax.torch.NAU(INPUTS, 2, dtype=torch.float64),
        arithmax.torch.NMU(2, 1, dtype=torch.float64),
    ]
    layers[0].load_parameters({"W": w1})
    layers[1].load_parameters({"W": w2})
    net = torch.nn.Sequential(*layers)
    optimiser = torch.optim.Adam(net.parameters(), lr=RATE)
    losses = []
    for step in range(STEPS):
        loss = (net(torch.tensor(x[step])) - torch.tensor(t[step])).square().mean()
        penalty = layers[0].penalty() + layers[1].penalty()
        optimiser.zero_grad()
        (loss + STRENGTH * penalty).backward()
        optimiser.step()
        for layer in layers:
            layer.project_()
        losses.append(loss.item())
    np.testing.assert_allclose(losses, plain_torch(seed)[0], rtol=1e-6)


def test_trained_weights_load_into_both_doors(fleet):
    """What JAX trained computes the same in a PyTorch and in an Equinox layer."""
    x = np.random.default_rng(0).uniform(-9, 9, (20, INPUTS))
    w1, w2 = {"W": jnp.asarray(fleet[1][0])}, {"W": jnp.asarray(fleet[2][0])}
    expected = NMU().apply(w2, NAU().apply(w1, jnp.asarray(x)))
    nau = arithmax.torch.NAU(INPUTS, 2, dtype=torch.float64)
    nmu = arithmax.torch.NMU(2, 1, dtype=torch.float64)
    nau.load_parameters(w1)
    nmu.load_parameters(w2)
    y = nmu(nau(torch.tensor(x))).detach()
    np.testing.assert_allclose(y, expected, rtol=1e-12)
    key = jax.random.key(0)
    nau = arithmax.equinox.NAU(INPUTS, 2, key=key).with_parameters(w1)
    nmu = arithmax.equinox.NMU(2, 1, key=key).with_parameters(w2)
    np.testing.assert_allclose(nmu(nau(jnp.asarray(x))), expected, rtol=1e-12)

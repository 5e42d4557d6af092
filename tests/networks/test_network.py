"""The contract below a unit: networks from outside, noise, roles."""

import math
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import arithmax.equinox
import arithmax.torch
from arithmax import (
    INALU,
    MCFC,
    NALU,
    NPU,
    Dense,
    GatedNAUNMU,
    Linear,
    MulMCFC,
    Network,
    Noise,
    Scaled,
    Stack,
    StochasticNMU,
    initialise,
)
from arithmax.training._random import NOISE, Key, uniform
from arithmax.units import Beta, Constant, Normal, Orthogonal, Parameter, Uniform
from conformance import variants


@dataclass(frozen=True)
class Image(Network):
    """The sum of a grey image under learned weights: the smallest network there is."""

    title = "Image"
    input_axes = 2  # type: ignore[override]  # a constant is a property too

    def parameters(self, in_features, out_features):
        shape = (out_features, *in_features)
        return {"V": Parameter(shape, Uniform(-1.0, 1.0))}

    def compute(self, params, x, *, training=False, noise=None, xp=None):
        return (xp or jnp).einsum("oij,ij...->o...", params["V"], x)


@dataclass(frozen=True)
class Shaken(Network):
    """Returns its noise, so that tests can look at it."""

    title = "Shaken"
    distribution: Normal = Normal(100.0, 1.0)  # noqa: RUF009  # frozen

    def parameters(self, in_features, out_features):
        return {"v": Parameter((out_features,), Constant(0.0))}

    def noise(self, in_features):
        rows = Noise((in_features,), self.distribution)
        return rows, Noise((2, 3), Uniform(5.0, 6.0), each_sample=False)

    def compute(self, params, x, *, training=False, noise=None, xp=None):
        if not training or noise is None:
            return x[:1]
        each, once = noise
        assert each.shape == x.shape and once.shape == (2, 3)
        return each[:1] + 0 * once.sum()


def test_a_network_over_images_initialises_and_computes():
    net = Image()
    params = initialise(net, (4, 5), 3, key=jax.random.key(0))
    assert params["V"].shape == (3, 4, 5)
    x = jax.random.normal(jax.random.key(1), (7, 4, 5))
    first = jax.jit(net.compute)(params, jnp.moveaxis(x, 0, -1))
    assert first.shape == (3, 7)
    y = net.apply(params, x)
    np.testing.assert_allclose(y, jnp.einsum("oij,bij->bo", params["V"], x), rtol=1e-9)
    assert net.apply(params, x.reshape(7, 1, 4, 5)).shape == (7, 1, 3)
    assert net.apply(params, x[0]).shape == (3,)
    layer = arithmax.equinox.Layer(net, (4, 5), 3, key=jax.random.key(0))
    np.testing.assert_allclose(layer(x), layer.unit.apply(layer.params, x))
    with pytest.raises(ValueError, match=r"`x` .*must end in the 2 axes of an input"):
        net.apply(params, x[0, 0])


def test_a_network_may_lack_weights_penalty_and_constraint():
    net = Image()
    params = initialise(net, (2, 2), 1, key=jax.random.key(0))
    assert (
        net.weights(params) == {} and net.operations == {} and net.noise((2, 2)) == ()
    )
    assert math.isnan(jax.jit(net.sparsity_error)(params))
    assert float(net.penalty(params)) == 0.0
    assert net.project(params) == params
    with pytest.raises(ValueError, match="has no formula"):
        net.expression(params, ())
    with pytest.raises(ValueError, match="no weights at which it is exact"):
        net.discretise(params)


def test_networks_are_layers_of_stacks():
    net = Stack((Image(), Linear(bias=False)), (3,))
    params = initialise(net, (4, 5), 1, key=jax.random.key(0))
    assert set(params) == {"0.V", "1.W"} and net.input_axes == 2
    x = jax.random.normal(jax.random.key(1), (6, 4, 5))
    assert net.apply(params, x).shape == (6, 1)
    scaled = Scaled(net, 2.0, 3.0)
    params |= {"coefficient": jnp.ones((1,))}
    np.testing.assert_allclose(
        scaled.apply(params, x),
        3 * net.apply({n: params[n] for n in net.parameters((4, 5), 1)}, x / 2),
        rtol=1e-9,
    )
    with pytest.raises(ValueError, match=r"`inputs` .*must be one number"):
        Scaled(net, (1.0, 2.0))


def drawn(net: Network, batch: int = 1000):
    """The noise of one step, as the fleet draws it."""
    key = Key("hash", jnp.uint32(3), NOISE, jnp.uint32(5), jnp.dtype("float32"))
    return key.noise(net.noise(4), batch)


def test_the_fleet_draws_what_is_declared():
    each, once = drawn(Shaken())
    assert each.shape == (4, 1000) and once.shape == (2, 3)
    assert abs(float(each.mean()) - 100) < 0.1 and abs(float(each.std()) - 1) < 0.05
    assert bool(jnp.all(jnp.isfinite(each)))
    assert 5 <= float(once.min()) <= float(once.max()) < 6
    assert drawn(Linear()) == ()


def test_uniform_noise_is_the_generators_own_numbers():
    """So that runs of the sNMU keep their bits."""
    net = Stack((StochasticNMU(), StochasticNMU()), (3,))
    draws = drawn(net)
    one = uniform(
        "hash", jnp.uint32(3), NOISE, jnp.uint32(5), (7, 1000), jnp.dtype("float32")
    )
    assert jnp.array_equal(jnp.concatenate(draws), one)


def test_layers_draw_what_is_declared():
    torch.manual_seed(0)
    layer = arithmax.torch.Layer(Shaken(), 4, 1)
    y = layer(torch.zeros(50, 20, 4))
    assert y.shape == (50, 20, 1) and abs(float(y.mean()) - 100) < 0.2
    assert float(layer.eval()(torch.zeros(50, 4)).abs().max()) == 0
    other = arithmax.equinox.Layer(Shaken(), 4, 1, key=jax.random.key(0))
    y = other(jnp.zeros((50, 20, 4)), key=jax.random.key(1))
    assert y.shape == (50, 20, 1) and abs(float(y.mean()) - 100) < 0.2


@pytest.mark.parametrize(
    ("distribution", "mean", "std"),
    [
        (Uniform(2.0, 4.0), 3.0, 2 / math.sqrt(12)),
        (Normal(-3.0, 2.0), -3.0, 2.0),
        (Beta(7.0, 7.0, -1.0, 1.0), 0.0, 2 * math.sqrt(49 / 15) / 14),
        (Beta(2.0, 5.0), 2 / 7, math.sqrt(10 / 8) / 7),
        (Constant(1.5), 1.5, 0.0),
    ],
    ids=str,
)
def test_quantiles_have_the_moments_in_three_frameworks(distribution, mean, std):
    import array_api_compat.torch as xt

    u = (np.arange(4000) + 0.5) / 4000
    expected = distribution.quantile(u, np)
    assert abs(expected.mean() - mean) < 1e-3 and abs(expected.std() - std) < 2e-3
    in_jax = jax.jit(lambda u: distribution.quantile(u, jnp))(jnp.asarray(u))
    np.testing.assert_allclose(in_jax, expected, rtol=1e-7, atol=1e-9)
    in_torch = distribution.quantile(torch.tensor(u), xt)
    np.testing.assert_allclose(in_torch, expected, rtol=1e-7, atol=1e-9)


def test_matrices_have_no_quantiles():
    with pytest.raises(ValueError, match="draws a matrix as a whole"):
        Orthogonal().quantile(np.zeros(2), np)


def gates(net: Network) -> set[str]:
    return {n for n, p in net.parameters(2, 2).items() if p.role == "gate"}


def test_gates_are_declared():
    assert gates(INALU()) == {"G"}
    assert gates(NALU(gate_bias=True, two_gates=True)) == {
        "G_add",
        "G_mul",
        "b_add",
        "b_mul",
    }
    assert gates(GatedNAUNMU()) == {"G"} and gates(NPU()) == {"g"}
    assert gates(MCFC()) == {"w", "b"}
    assert gates(MulMCFC(sign="real-npu")) == {"w", "b", "g"}
    assert gates(Linear()) == gates(Dense()) == set()
    assert gates(Stack((NALU(), INALU()), (2,))) == {"0.G", "1.G"}
    starts = (("G", Normal(0.0, 1.0)),)
    assert gates(Scaled(Stack((NALU(),), starts=starts))) == {"0.G"}


@pytest.mark.parametrize("unit", list(variants()), ids=repr)
def test_a_parameter_called_as_a_gate_is_one(unit):
    """All that is called G or g is declared; a bias of a linear map is none."""
    named = {n for n in unit.parameters(2, 2) if n.startswith(("G", "g"))}
    assert named <= gates(unit)

"""What the PyTorch and Equinox layers add to the units."""

import inspect
import io
import pickle

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import arithmax.equinox
import arithmax.torch
from arithmax import UNITS

NAMES = [cls.__name__ for cls in UNITS.values()]


@pytest.mark.parametrize("name", NAMES)
def test_every_unit_has_a_torch_layer(name):
    cls = getattr(arithmax.torch, name)
    assert cls is getattr(arithmax.torch, name)
    assert name in dir(arithmax.torch)
    layer = cls(4, 3)
    assert isinstance(layer.unit, getattr(arithmax, name))
    assert layer(torch.rand(2, 5, 4) + 1).shape == (2, 5, 3)
    assert layer(torch.rand(4) + 1).shape == (3,)
    own = set(layer.unit.parameters(4, 3))
    assert {n for n, _ in layer.named_parameters()} == own
    assert list(inspect.signature(cls).parameters)[:2] == [
        "in_features",
        "out_features",
    ]
    restored = pickle.loads(pickle.dumps(layer.eval()))
    x = torch.rand(2, 4) + 1
    assert torch.equal(restored(x), layer(x))


@pytest.mark.parametrize("name", NAMES)
def test_every_unit_has_an_equinox_layer(name):
    layer = getattr(arithmax.equinox, name)(4, 3, key=jax.random.key(0))
    x = jax.random.uniform(jax.random.key(1), (5, 4)) + 1
    key = jax.random.key(2)

    @eqx.filter_value_and_grad
    def loss(layer):
        return jnp.mean(layer(x, key=key) ** 2) + layer.penalty()

    value, gradient = eqx.filter_jit(loss)(layer)
    assert jnp.isfinite(value)
    stepped = eqx.apply_updates(layer, jax.tree.map(lambda g: -0.1 * g, gradient))
    projected = stepped.project()
    for name, w in projected.unit.project(projected.params).items():
        assert jnp.array_equal(w, projected.params[name])
    used = eqx.nn.inference_mode(layer)
    assert jnp.array_equal(used(x), jax.vmap(used)(x)) or jnp.allclose(
        used(x), jax.vmap(used)(x), rtol=1e-12
    )
    assert jnp.allclose(used(x), layer.unit.apply(layer.params, x))
    assert set(layer.weights()) == set(layer.unit.weights(layer.params))
    assert layer.sparsity_error().shape == ()
    assert layer.diagnose(x * jnp.nan)


def test_options_reach_the_unit():
    layer = arithmax.torch.NALU(2, 1, tied=False, gate_bias=True)
    assert layer.unit == arithmax.NALU(tied=False, gate_bias=True)
    assert set(dict(layer.named_parameters())) >= {"W_hat_mul", "b"}
    assert "tied=False" in repr(layer)
    layer = arithmax.equinox.NALU(2, 1, tied=False, key=jax.random.key(0))
    assert layer.unit == arithmax.NALU(tied=False)


def test_noise_in_training_only():
    torch.manual_seed(0)
    layer = arithmax.torch.StochasticNMU(3, 1)
    x = torch.rand(5, 3) + 1
    assert not torch.equal(layer(x), layer(x))
    before = x.clone()
    layer(x)
    assert torch.equal(x, before)  # the published code multiplies its caller's tensor
    layer.eval()
    assert torch.equal(layer(x), layer(x))
    layer = arithmax.equinox.StochasticNMU(3, 1, key=jax.random.key(0))
    x = jnp.asarray(x.numpy(), dtype=layer.params["W"].dtype)
    assert not jnp.array_equal(
        layer(x, key=jax.random.key(1)), layer(x, key=jax.random.key(2))
    )
    with pytest.raises(ValueError, match=r"`key` \(=None\) must be given"):
        layer(x)
    assert eqx.nn.inference_mode(layer)(x).shape == (5, 1)


def test_reset_draws_from_torchs_generator():
    torch.manual_seed(0)
    layer = arithmax.torch.NMU(3, 2)
    first = layer.W.detach().clone()
    layer.reset_parameters()
    assert not torch.equal(first, layer.W)
    torch.manual_seed(0)
    layer.reset_parameters()
    assert torch.equal(first, layer.W)


def test_state_dict_through_a_file():
    layer, other = arithmax.torch.NPU(3, 2), arithmax.torch.NPU(3, 2)
    file = io.BytesIO()
    torch.save(layer.state_dict(), file)
    file.seek(0)
    other.load_state_dict(torch.load(file, weights_only=True))
    x = torch.rand(4, 3)
    assert torch.equal(layer(x), other(x))
    assert sorted(layer.state_dict()) == ["W_im", "W_re", "g"]


def test_parameters_of_any_framework_load():
    w = np.array([[1.0, 1.0]])
    for value in (w, w.tolist(), torch.tensor(w), jnp.asarray(w, jnp.bfloat16)):
        layer = arithmax.torch.NMU(2, 1)
        layer.load_parameters({"W": value})
        assert layer.W.dtype == torch.float32 and layer.W.tolist() == w.tolist()
        layer = arithmax.equinox.NMU(2, 1, key=jax.random.key(0), dtype=jnp.float32)
        layer = layer.with_parameters({"W": value})
        assert layer.params["W"].dtype == jnp.float32


def test_float64_survives_the_way_through_every_framework():
    torch.manual_seed(0)
    first = arithmax.torch.NPU(3, 2, dtype=torch.float64)
    key = jax.random.key(0)
    layer = arithmax.equinox.NPU(3, 2, key=key, dtype=jnp.float64)
    layer = layer.with_parameters(first.state_dict())
    last = arithmax.torch.NPU(3, 2, dtype=torch.float64)
    last.load_parameters(layer.params)
    for name, value in first.state_dict().items():
        assert torch.equal(value, last.state_dict()[name])


def test_parametrized_layers_refuse_to_be_set():
    layer = arithmax.torch.NMU(2, 1)
    torch.nn.utils.parametrize.register_parametrization(layer, "W", torch.nn.Identity())
    for call in (layer.project_, layer.reset_parameters):
        with pytest.raises(RuntimeError, match="Remove the parametrization"):
            call()


def test_wrong_parameters_change_nothing():
    layer = arithmax.torch.NALU(2, 1)
    before = {name: value.clone() for name, value in layer.state_dict().items()}
    good = {name: value + 1 for name, value in before.items()}
    for bad in (
        {**good, "extra": torch.ones(1)},
        {"W_hat": good["W_hat"]},
        {**good, "G": torch.ones(3, 3)},
    ):
        with pytest.raises(ValueError, match="`params"):
            layer.load_parameters(bad)
        for name, value in layer.state_dict().items():
            assert torch.equal(value, before[name])
    layer = arithmax.equinox.NMU(2, 1, key=jax.random.key(0))
    with pytest.raises(ValueError, match="`params"):
        layer.with_parameters({"W": [[1.0]]})


@pytest.mark.parametrize("module", [arithmax.torch, arithmax.equinox])
def test_unknown_layer(module):
    with pytest.raises(AttributeError, match="Did you mean 'NMU'"):
        _ = module.NMUU
    assert not hasattr(module, "__wrapped__")


def test_doors_take_units_they_do_not_know():
    layer = arithmax.torch.Layer(arithmax.NMU(regulariser="squared"), 2, 1)
    assert "regulariser='squared'" in repr(layer)

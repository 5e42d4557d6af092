"""A scaled network is the hand-scaled formula, in every framework."""

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
import sympy
import torch

import arithmax.equinox
import arithmax.torch
from arithmax import NAU, NMU, Scaled, Stack, StochasticNMU, initialise
from arithmax.tasks import SingleModule
from arithmax.training import Adam, Criterion, Measuring, Protocol, train
from arithmax.units import Constant

INNER = Stack((NAU(), NMU()), hidden=(2,))
NET = Scaled(INNER, inputs=(1e-3, 1.0, 1e4), outputs=(50.0,))
X = np.random.default_rng(0).uniform(0.5, 2.0, (6, 3)) * np.array([1e-3, 1.0, 1e4])
PARAMS = {
    "0.W": np.random.default_rng(1).uniform(-0.9, 0.9, (2, 3)),
    "1.W": np.random.default_rng(2).uniform(0.1, 0.9, (1, 2)),
    "coefficient": np.array([1.7]),
}


def by_hand(params, x, scale):
    """c · s_y · f(x / s_x), written out."""
    hidden = x / scale @ params["0.W"].T
    factors = hidden * params["1.W"][0] + 1 - params["1.W"][0]
    return (params["coefficient"] * 50.0 * factors[:, 0] * factors[:, 1])[:, None]


def test_it_computes_the_hand_scaled_formula_in_three_frameworks():
    expected = by_hand(PARAMS, X, np.array(NET.inputs))
    np.testing.assert_allclose(NET.apply(PARAMS, X), expected, rtol=1e-12)
    in_jax = {name: jnp.asarray(value) for name, value in PARAMS.items()}
    y = jax.jit(NET.apply)(in_jax, jnp.asarray(X))
    np.testing.assert_allclose(y, expected, rtol=1e-12)
    in_torch = {name: torch.tensor(value) for name, value in PARAMS.items()}
    y = NET.apply(in_torch, torch.tensor(X))
    np.testing.assert_allclose(y, expected, rtol=1e-12)


def test_its_gradients_are_those_of_the_formula():
    in_jax = {name: jnp.asarray(value) for name, value in PARAMS.items()}
    scale = jnp.asarray([NET.inputs])
    ours = jax.grad(lambda p: NET.apply(p, jnp.asarray(X)).sum())(in_jax)

    def formula(p):
        hidden = jnp.asarray(X) / scale @ p["0.W"].T
        factors = hidden * p["1.W"] + 1 - p["1.W"]
        return (p["coefficient"] * 50.0 * factors[:, 0] * factors[:, 1]).sum()

    theirs = jax.grad(formula)(in_jax)
    in_torch = {n: torch.tensor(v, requires_grad=True) for n, v in PARAMS.items()}
    NET.apply(in_torch, torch.tensor(X)).sum().backward()
    for name, expected in theirs.items():
        np.testing.assert_allclose(ours[name], expected, rtol=1e-10)
        grad = in_torch[name].grad
        assert grad is not None
        np.testing.assert_allclose(grad, expected, rtol=1e-10)


def test_layers_take_it_and_exchange_its_parameters():
    layer = arithmax.torch.Layer(NET, 3, 1, dtype=torch.float64)
    assert sorted(layer.state_dict()) == ["0.W", "1.W", "coefficient"]
    assert layer.coefficient.tolist() == [1.0]  # type: ignore[operator]  # a parameter
    layer.load_parameters(PARAMS)
    x = torch.tensor(X)
    np.testing.assert_allclose(layer(x).detach(), NET.apply(PARAMS, X), rtol=1e-12)
    called = torch.func.functional_call(
        layer, {"0.W": 0 * layer.state_dict()["0.W"]}, x
    )
    assert not torch.equal(called, layer(x))
    other = arithmax.equinox.Layer(NET, 3, 1, key=jax.random.key(0), dtype=jnp.float64)
    other = other.with_parameters(layer.state_dict())
    np.testing.assert_allclose(other(jnp.asarray(X)), layer(x).detach(), rtol=1e-12)
    layer.load_parameters({**PARAMS, "0.W": 3 * PARAMS["0.W"]})
    layer.project_()
    assert layer.state_dict()["0.W"].abs().max() <= 1
    assert float(layer.sparsity_error()) == NET.sparsity_error(layer.state_dict())


def test_a_stack_is_one_torch_layer_with_the_names_of_the_sequence():
    layer = arithmax.torch.Layer(INNER, 3, 1, dtype=torch.float64)
    layers = arithmax.torch.sequential(INNER, 3, 1).double()
    layers.load_state_dict(layer.state_dict())
    x = torch.tensor(X)
    torch.testing.assert_close(layers(x), layer(x))


def test_its_parts_are_those_of_the_network():
    inner = {name: PARAMS[name] for name in ("0.W", "1.W")}
    assert NET.penalty(PARAMS) == INNER.penalty(inner)
    assert NET.sparsity_error(PARAMS) == INNER.sparsity_error(inner)
    assert set(NET.weights(PARAMS)) == {"0.W", "1.W"}
    assert NET.operations == INNER.operations and NET.sparse
    assert NET.features(PARAMS) == (3, 1)
    noisy = Scaled(StochasticNMU(), 2.0)
    assert noisy.noise(3) == StochasticNMU().noise(3)
    assert NET.parameters(3, 1)["coefficient"].distribution == Constant(1.0)
    assert NET.diagnose(PARAMS, X) == {}
    assert Stack((NET, NAU()), (1,)).apply(
        {**{f"0.{n}": v for n, v in PARAMS.items()}, "1.W": np.ones((1, 1))}, X
    ).shape == (6, 1)


def test_the_formula_has_the_constants_and_the_coefficient():
    a, b, c = sympy.symbols("a b c")
    params = NET.discretise(
        {**PARAMS, "0.W": np.array([[0.9, -0.8, 0.1], [0, 0, 1.0]])}
    )
    assert params["coefficient"] == PARAMS["coefficient"]
    params["1.W"] = np.ones((1, 2))
    (formula,) = NET.expression(params, (a, b, c))
    # 1.7 · 50 · (1000 a − b) · (c / 10 000)
    assert sympy.expand(formula - sympy.Float(85.0) * (1000 * a - b) * c / 10000) == 0
    values = dict(zip((a, b, c), X[0].tolist(), strict=True))
    expected = NET.apply(params, X[0])[0]
    assert abs(float(formula.subs(values)) - expected) <= 1e-9 * abs(expected)


def test_data_decide_the_scales():
    y = X[:, :1] * X[:, 2:]
    net = Scaled.of(NMU(), X, y)
    np.testing.assert_allclose(net.inputs, np.abs(X).mean(0))
    np.testing.assert_allclose(net.outputs, np.abs(y).mean(0))
    assert Scaled.of(NMU(), torch.tensor(X), torch.tensor(y)) == net
    assert isinstance(Scaled.of(NMU(), X, y[:, 0]).outputs, float)
    assert Scaled.of(NMU(), X * np.array([0.0, 1.0, 1.0]), y).inputs[0] == 1.0  # type: ignore[index]  # a tuple


def test_a_product_of_small_and_large_inputs_trains():
    """Raw, the same network does not get near it in as many steps."""
    rng = np.random.default_rng(0)
    x = rng.uniform(1.0, 2.0, (256, 2)) * np.array([1e-3, 1e4])
    y = 3.7 * x[:, :1] * x[:, 1:]
    nets = (Scaled.of(NMU(), x, y), NMU())
    with jax.numpy_dtype_promotion("standard"):  # optax counts in whole numbers
        errors = [trained_error(net, jnp.asarray(x), jnp.asarray(y)) for net in nets]
    assert errors[0] < 1e-3 < 0.1 < errors[1]


def trained_error(net, x, y):
    """The worst relative error after 3,000 steps of Adam."""
    params, adam = initialise(net, 2, 1, key=jax.random.key(0)), optax.adam(1e-2)

    def loss(params):
        error = net.apply(params, x) / y - 1
        return jnp.mean(error**2) + 0.01 * net.penalty(params)

    def step(carry, _):
        params, state = carry
        updates, state = adam.update(jax.grad(loss)(params), state)
        return (net.project(optax.apply_updates(params, updates)), state), None

    first = (params, adam.init(params))
    (params, _), _ = jax.lax.scan(step, first, None, length=3000)
    return float(jnp.max(jnp.abs(net.apply(params, x) / y - 1)))


def test_the_fleet_trains_it():
    ranges = ((1e-3, 2e-3), (1e4, 2e4))
    far = ((2e-3, 6e-3), (2e4, 6e4))
    task = SingleModule("mul", interpolation=ranges, extrapolation=far)
    net = Scaled(NMU(), inputs=(1.5e-3, 1.5e4), outputs=22.5)
    protocol = Protocol(
        4000,
        optimiser=Adam(1e-2),
        measuring=Measuring(500, 1000),
        criterion=Criterion(threshold=1e-3),
    )
    rows = train(net, task, protocol, range(3)).rows
    assert [row["outcome"] for row in rows] == ["solved"] * 3


def test_vmap_and_wrong_sizes():
    mapped = torch.func.vmap(NET.apply, (None, 0))
    params = {name: torch.tensor(value) for name, value in PARAMS.items()}
    x = torch.tensor(X)
    torch.testing.assert_close(mapped(params, x), NET.apply(params, x))
    with pytest.raises(ValueError, match=r"`inputs` .* one for each of the 2 inputs"):
        arithmax.torch.Layer(NET, 2, 1)

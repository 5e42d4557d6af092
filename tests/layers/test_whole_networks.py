"""Calls for whole networks: the same as those of their layers, put together."""

import doctest
import inspect
import re
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
import torch
from torch import nn

import arithmax.equinox
import arithmax.torch
from arithmax import NAU, NMU, UNITS, Protocol, Scaled, Stack, train
from arithmax.tasks import Dataset
from arithmax.training import Batches, LevenbergMarquardt, Measuring

NAMES = [cls.__name__ for cls in UNITS.values()]
FIRST = [[1.0, 1.0, 0.0], [0.0, 0.0, 1.0]]


def sum_times(first=FIRST, second=((1.0, 1.0),)) -> Any:
    """(a + b)·c as an NAU and an NMU with a dense layer of PyTorch's beside them."""
    layers = arithmax.torch.NAU(3, 2), arithmax.torch.NMU(2, 1)
    layers[0].load_parameters({"W": first})
    layers[1].load_parameters({"W": second})
    return nn.Sequential(*layers)


def in_equinox(first=FIRST, second=((1.0, 1.0),)):
    keys = jax.random.split(jax.random.key(0))
    a = arithmax.equinox.NAU(3, 2, key=keys[0]).with_parameters({"W": first})
    b = arithmax.equinox.NMU(2, 1, key=keys[1]).with_parameters({"W": second})
    return eqx.nn.Sequential([a, b])


class Own(nn.Module):
    """A network of somebody's, with arithmetic deep inside."""

    def __init__(self):
        super().__init__()
        self.before = nn.Linear(3, 3)
        self.parts = nn.ModuleDict({"arithmetic": sum_times([[2.0, 1, 0], [0, 0, 1]])})

    def forward(self, x):
        return self.parts["arithmetic"](self.before(x))


def test_penalty_and_project_reach_every_layer():
    net: Any = Own()
    layers: Any = [m for m in net.modules() if isinstance(m, arithmax.torch.Layer)]
    assert len(layers) == 2
    whole: Any = arithmax.torch.penalty(net)
    each = [layer.penalty() for layer in layers]
    assert torch.equal(whole, each[0] + each[1])
    torch.autograd.backward(whole)
    arithmax.torch.project_(net)
    assert layers[0].W.max() == 1.0
    theirs = in_equinox([[2.0, 1, 0], [0, 0, 1]])
    assert np.isclose(arithmax.equinox.penalty(theirs), whole.item())
    assert arithmax.equinox.project(theirs).layers[0].params["W"].max() == 1.0
    assert theirs.layers[0].params["W"].max() == 2.0


@pytest.mark.parametrize("kind", [torch.optim.SGD, torch.optim.Adam, torch.optim.AdamW])
def test_an_attached_optimiser_keeps_the_bounds(kind):
    net: Any = Own()
    optimiser = kind(net.parameters(), lr=3.0)
    handle = arithmax.torch.attach(optimiser, net)
    for step in range(4):
        if step == 3:
            handle.remove()
        optimiser.zero_grad()
        net(torch.rand(8, 3) + 1).square().mean().backward()
        optimiser.step()
        inside = float(net.parts["arithmetic"][1].W.detach().min()) >= 0
        assert inside == (step < 3) or step == 3
    assert any(
        not torch.equal(value, layer.unit.project(layer._params())[name])
        for layer in net.modules()
        if isinstance(layer, arithmax.torch.Layer)
        for name, value in layer._params().items()
    )


def test_an_attached_transformation_of_optax_keeps_the_bounds():
    net = in_equinox()
    optimiser = arithmax.equinox.attach(optax.adam(3.0))
    state = optimiser.init(eqx.filter(net, eqx.is_inexact_array))
    slopes: Any = None
    for _ in range(3):
        slopes = eqx.filter_grad(lambda n: jnp.sum(n(jnp.array([2.0, 3.0, 1.5]))))(net)
        with jax.numpy_dtype_promotion("standard"):  # which optax needs
            updates, state = optimiser.update(slopes, state, net)
        net = eqx.apply_updates(net, updates)
        held = arithmax.equinox.project(net)
        for a, b in zip(jax.tree.leaves(net), jax.tree.leaves(held), strict=True):
            np.testing.assert_allclose(a, b, atol=1e-6)
    with pytest.raises(ValueError, match=r"`params` \(=None\) must be given"):
        optimiser.update(slopes, state)


def test_discretise_copies_and_formula_rounds_nothing():
    near = [[0.98, 1.0, 0.01], [0.0, 0.02, 0.97]]
    net = sum_times(near, [[0.99, 0.96]])
    whole = arithmax.torch.discretise(net)
    assert net[0].W[0, 0].item() == pytest.approx(0.98)
    assert str(arithmax.torch.formula(whole, ["a", "b", "c"])[0]) == "c*(a + b)"
    x = np.random.default_rng(0).uniform(1, 2, (40, 3))
    for formula, module in (
        (arithmax.torch.formula(net)[0], net),
        (arithmax.torch.formula(whole)[0], whole),
    ):
        values = module(torch.tensor(x, dtype=torch.float32))[:, 0].detach()
        np.testing.assert_allclose(formula.evaluate(x), values, rtol=1e-5)
    theirs = arithmax.equinox.discretise(in_equinox(near, [[0.99, 0.96]]))
    assert str(arithmax.equinox.formula(theirs, ["a", "b", "c"])[0]) == "c*(a + b)"


@pytest.mark.parametrize("module", [arithmax.torch, arithmax.equinox])
def test_reading_out_says_what_it_cost(module):
    """½mv² is m·v² at whole weights: that is not silent."""
    rng = np.random.default_rng(0)
    x = rng.uniform(1, 3, (100, 2))
    network = Stack((NAU(), NMU()), hidden=(3,))
    weights = {
        "0.W": np.array([[0.98, 0.0], [0.0, 0.99], [0.01, 0.97]]),
        "1.W": np.array([[0.96, 0.99, 0.98]]),
    }
    if module is arithmax.torch:
        net = module.sequential(network, 2, 1)
        net.load_state_dict(weights)
    else:
        net = module.sequential(network, 2, 1, key=jax.random.key(0))
        params = [{"W": weights["0.W"]}, {"W": weights["1.W"]}]
        layers = [a.with_parameters(p) for a, p in zip(net.layers, params, strict=True)]
        net = eqx.nn.Sequential(layers)
    reading = module.readout(net, x, 0.5 * x[:, 0] * x[:, 1] ** 2, names=["m", "v"])
    assert str(reading.formula.sympy()) == "m*v**2/2"
    assert str(reading.discrete_formula) == "m*v**2" and reading.discrete_error > 1
    assert reading.formula_error < 1e-12 < reading.network_error


def test_dense_layers_are_a_part_of_the_formula():
    net = nn.Sequential(nn.Linear(3, 2), nn.Identity(), arithmax.torch.NMU(2, 1))
    formula = arithmax.torch.formula(net)[0]
    x = np.random.default_rng(0).normal(size=(20, 3))
    values = net(torch.tensor(x, dtype=torch.float32))[:, 0].detach()
    np.testing.assert_allclose(formula.evaluate(x), values, rtol=1e-4, atol=1e-5)
    linear = eqx.nn.Linear(3, 2, key=jax.random.key(0))
    layer = arithmax.equinox.NMU(2, 1, key=jax.random.key(1))
    theirs = eqx.nn.Sequential([linear, eqx.nn.Identity(), layer])
    formula = arithmax.equinox.formula(theirs)[0]
    values = [float(theirs(jnp.asarray(row))[0]) for row in x]
    np.testing.assert_allclose(formula.evaluate(x), values, rtol=1e-4, atol=1e-5)


def test_what_has_no_formula_says_which_part():
    net = nn.Sequential(nn.Linear(3, 2), nn.ReLU(), arithmax.torch.NMU(2, 1))
    with pytest.raises(ValueError, match="a ReLU in it, which has no formula"):
        arithmax.torch.formula(net)
    assert arithmax.torch.discretise(net)[2].W.shape == (1, 2)
    act = eqx.nn.Lambda(jax.nn.relu)
    theirs = eqx.nn.Sequential([act, arithmax.equinox.NMU(2, 1, key=jax.random.key(0))])
    with pytest.raises(ValueError, match="a Lambda in it, which has no formula"):
        arithmax.equinox.formula(theirs)


@pytest.mark.parametrize("call", ["penalty", "project_", "discretise"])
def test_networks_without_arithmetic_are_refused(call):
    with pytest.raises(ValueError, match="must have an arithmetic layer in it"):
        getattr(arithmax.torch, call)(nn.Linear(2, 1))


def test_sequential_shows_its_layers_and_takes_device_and_dtype():
    network = Stack((NAU(), NMU(regulariser="squared")), hidden=(2,))
    net = arithmax.torch.sequential(network, 4, 1, device="cpu", dtype=torch.float64)
    assert [type(layer).__name__ for layer in net] == ["NAU", "NMU"]
    assert net[1].unit == NMU(regulariser="squared")
    assert net[0].W.dtype == torch.float64
    assert "(1): NMU(in_features=2" in repr(net)


def test_a_stack_is_a_layer_and_the_fleets_results_load(tmp_path):
    x = np.random.default_rng(0).uniform(1, 2, (60, 2))
    stack = Stack((NAU(), NMU()), hidden=(2,))
    network = Scaled.of(stack, x, x.prod(1))
    protocol = Protocol(
        20,
        Batches(full=True),
        LevenbergMarquardt(),
        precision="float64",
        measuring=Measuring(10),
    )
    task = Dataset.from_arrays(x, x.prod(1))
    done = train(network, task, protocol, seeds=range(2), out=tmp_path, progress=False)
    weights = done.weights(done.rows[0]["run"])
    layer = arithmax.torch.Layer(network, 2, 1, dtype=torch.float64)
    assert sorted(layer.state_dict()) == ["0.W", "1.W", "coefficient"]
    layer.load_state_dict(weights)
    expected = network.apply(weights, x)
    np.testing.assert_allclose(
        layer(torch.tensor(x)).detach().numpy(), expected, rtol=1e-12
    )
    inner = {n: v for n, v in weights.items() if n != "coefficient"}
    net: Any = arithmax.torch.sequential(stack, 2, 1, dtype=torch.float64)
    net.load_state_dict(inner)
    assert np.array_equal(net[0].W.detach().numpy(), weights["0.W"])
    with pytest.raises(RuntimeError, match="size mismatch"):
        net.load_state_dict({**inner, "0.W": np.ones((3, 3))})


@pytest.mark.parametrize("name", NAMES)
def test_weights_are_copies(name):
    layer = getattr(arithmax.torch, name)(2, 1)
    before = {n: v.clone() for n, v in layer.state_dict().items()}
    for weight in layer.weights().values():
        weight.fill_(7.0)
    assert all(torch.equal(v, before[n]) for n, v in layer.state_dict().items())


def test_layers_write_their_own_expression():
    layer = arithmax.torch.NAU(2, 1)
    layer.load_parameters({"W": [[1.0, -1.0]]})
    assert str(layer.expression(["a", "b"])[0]) == "a - b"
    assert str(layer.expression()[0]) == "x1 - x2"
    theirs = arithmax.equinox.NAU(2, 1, key=jax.random.key(0))
    theirs = theirs.with_parameters({"W": [[1.0, -1.0]]})
    assert str(theirs.expression(["a", "b"])[0]) == "a - b"
    with pytest.raises(ValueError, match="`names`"):
        layer.expression(["a"])


@pytest.mark.parametrize("module", [arithmax.torch, arithmax.equinox])
@pytest.mark.parametrize("name", NAMES)
def test_help_tells_all_and_its_example_runs(module, name):
    cls = getattr(module, name)
    unit_doc = inspect.getdoc(getattr(arithmax, name)) or ""
    doc = cls.__doc__
    assert doc.startswith(unit_doc.split("\nArgs:")[0].split("\nExamples:")[0].strip())
    for option in inspect.signature(cls).parameters:
        if option != "self":
            assert re.search(rf"^    {option}: ", doc, re.M), option
    runner = doctest.DocTestRunner(verbose=False)
    example = doctest.DocTestParser().get_doctest(doc, {}, name, None, None)
    assert example.examples and runner.run(example).failed == 0


@pytest.mark.parametrize("module", [arithmax.torch, arithmax.equinox, arithmax])
def test_names_of_the_papers(module):
    assert module.iNALU is module.INALU and module.sNMU is module.StochasticNMU
    assert getattr(module, "NAC+") is module.NAC
    assert getattr(module, "NAC•") is module.MultiplicativeNAC
    assert getattr(module, "Gated NAU/NMU") is module.GatedNAUNMU
    with pytest.raises(AttributeError):
        _ = module.NMUU
    with pytest.raises(ValueError, match="Did you mean 'nmru'"):
        arithmax.unit("nmrux")


def test_a_scaled_module_is_a_scaled_network():
    inner = sum_times()
    net = arithmax.torch.ScaledModule(inner, [0.5, 2.0, 4.0], 3.0)
    net.coefficient.data.fill_(1.5)
    network, params = arithmax.torch._tree.network_of(net)
    assert network == Scaled(
        Stack((NAU(), NMU()), hidden=(2,)), inputs=(0.5, 2.0, 4.0), outputs=3.0
    )
    x = torch.rand(7, 3)
    expected = network.apply(params, x)
    torch.testing.assert_close(net(x), expected)
    theirs = arithmax.equinox.ScaledModule(in_equinox(), [0.5, 2.0, 4.0], 3.0)
    np.testing.assert_allclose(
        1.5 * theirs(jnp.asarray(x.numpy(), jnp.float64)), expected.detach(), rtol=1e-5
    )
    with pytest.raises(ValueError, match=r"`inputs` \(=0.0\) must be a number"):
        arithmax.torch.ScaledModule(inner, 0.0, 1.0)


def test_a_forward_of_ones_own_is_not_read_as_another():
    class Twice(nn.Sequential):
        def forward(self, input):
            return 2 * super().forward(input)

    class Thrice(nn.Linear):
        def forward(self, input):
            return 3 * super().forward(input)

    for net in (Twice(arithmax.torch.NMU(2, 1)), nn.Sequential(Thrice(2, 1))):
        with pytest.raises(ValueError, match="which has no formula"):
            arithmax.torch.formula(net)

    class Double(arithmax.equinox.Layer):
        def __call__(self, x, *, key=None):
            return 2 * super().__call__(x, key=key)

    kind: Any = Double
    layer = kind(NMU(), 2, 1, key=jax.random.key(0))
    with pytest.raises(ValueError, match="which has no formula"):
        arithmax.equinox.formula(layer)


def test_frozen_parameters_are_not_projected():
    layer = arithmax.torch.NAU(2, 1)
    layer.load_parameters({"W": [[2.0, 1.0]]})
    layer.requires_grad_(False)
    layer.project_()
    assert layer.W.tolist() == [[2.0, 1.0]]


def test_a_list_of_formulas_can_be_read():
    net = sum_times()
    assert repr(arithmax.torch.formula(net, list("abc"))) == "[Formula('c*(a + b)')]"

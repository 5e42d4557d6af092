"""A unit over a sequence: exact at any length, read as a formula, and its errors."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import sympy
import torch

import arithmax.torch
from arithmax import (
    CNN,
    LSTM,
    NAU,
    NMU,
    NRU,
    UNITS,
    Accumulator,
    Hazard,
    Linear,
    MultiplicativeNAC,
    Recurrent,
    Scaled,
    Stack,
    StochasticNMU,
)
from arithmax._arrays import UNROLLED
from arithmax._identity import describe
from sequences import SMALL, drawn, gradient, in_jax, in_torch, samples

ONES = {"cell.W": np.ones((1, 2))}
LENGTHS = (1, 2, UNROLLED, UNROLLED + 1, 1000)


def signs(steps: int) -> np.ndarray:
    return np.random.default_rng(steps).choice([-1.0, 1.0], (3, steps, 1))


@pytest.mark.parametrize("steps", LENGTHS)
@pytest.mark.parametrize("accumulate", [np.cumprod, np.cumsum])
def test_weights_of_one_are_exact_at_any_length(steps, accumulate):
    product = accumulate is np.cumprod
    unit, solved = (NMU(), "product") if product else (NAU(), "sum")
    x = signs(steps)
    expected = accumulate(x[:, :, 0], axis=1)
    nets = (Recurrent(unit), ONES), (Recurrent(Accumulator(solved)), {})
    for net, params in nets:
        np.testing.assert_array_equal(net.apply(params, x), expected)
        y = jax.jit(net.apply)(in_jax(params), jnp.asarray(x))
        np.testing.assert_array_equal(y, expected)
        y = net.apply(in_torch(params), torch.tensor(x))
        np.testing.assert_array_equal(y, expected)
        last = type(net)(net.unit, every_step=False)
        np.testing.assert_array_equal(last.apply(params, x)[:, 0], expected[:, -1])


@pytest.mark.slow
def test_a_long_sequence_is_one_loop_and_a_short_one_is_none():
    """A program that unrolls 1,000 steps takes long to compile."""
    for net, params in (
        (Recurrent(NMU()), {"cell.W": np.full((1, 2), 0.4)}),
        (LSTM(hidden=3), drawn(LSTM(hidden=3), (1, 1), 1)),
    ):
        x = samples((UNROLLED + 1, 1))

        def loss(p, x, net=net):
            return (net.apply(p, x) ** 2).sum()

        counts = [
            str(jax.make_jaxpr(net.apply)(in_jax(params), part)).count("scan[")
            for part in (jnp.asarray(x[:, :-1]), jnp.asarray(x), jnp.zeros((1000, 1)))
        ]
        assert counts == [0, 1, 1]
        ours = jax.grad(loss)(in_jax(params), jnp.asarray(x))
        tensors = in_torch(params, requires_grad=True)
        loss(tensors, torch.tensor(x)).backward()
        for name, value in tensors.items():
            np.testing.assert_allclose(ours[name], gradient(value), rtol=1e-9)


def test_products_start_at_one_and_all_else_at_zero():
    ones = {
        name
        for name, cls in UNITS.items()
        if not cls().noise(2) and Recurrent(cls()).first == 1
    }
    powers = {"naive-npu", "real-naive-npu", "npu", "real-npu"}
    powers |= {"nac-mul", "hill-space"}
    assert ones == {"nmu", "nru", "nmru", "gated-sign-nmru", "mul-mc-fc", *powers}
    assert Recurrent(Accumulator("product")).first == 1
    assert Recurrent(Accumulator("sum")).first == 0
    assert Recurrent(Stack((NAU(), NMU()), (2,))).first == 0
    net = Recurrent(NMU(), start=-3)
    assert net.first == -3.0 and repr(net).endswith("start=-3.0, every_step=True)")
    np.testing.assert_array_equal(net.apply(ONES, np.array([[2.0], [5.0]])), [-6, -30])


def test_outputs_are_ordered_step_by_step():
    net = Recurrent(NAU())
    w = np.array([[1.0, 0.0, 1.0, 0.0], [0.0, 1.0, 0.0, 1.0]])  # two sums
    x = np.array([[1.0, 10.0], [2.0, 20.0], [3.0, 30.0]])
    y = net.apply({"cell.W": w}, x)
    np.testing.assert_array_equal(y, [1, 10, 3, 30, 6, 60])
    last = Recurrent(NAU(), every_step=False)
    np.testing.assert_array_equal(last.apply({"cell.W": w}, x), [6, 60])
    solved = Recurrent(Accumulator("sum", outputs=2))
    np.testing.assert_array_equal(solved.apply({}, x), y)


def test_read_then_accumulate_is_what_it_computes():
    net = Recurrent(NMU(), SMALL, readings=2)
    params, x = drawn(net, (3, 11, 12), 3), samples((3, 11, 12))
    read = {n.removeprefix("reader."): v for n, v in params.items() if n[0] == "r"}
    z = SMALL.apply(read, x)  # [sample, step, reading]
    first = np.moveaxis(x, (0, 1), (-1, -2)).reshape(11, 12, -1)
    ours = net.read(params, first, np).reshape(2, 3, 4)
    np.testing.assert_allclose(ours, np.moveaxis(z, (0, 1, 2), (2, 1, 0)))
    y = net.accumulate(params, np.moveaxis(z, 0, -1), np)
    np.testing.assert_allclose(y.T, net.apply(params, x))
    unit = Recurrent(NMU())
    np.testing.assert_allclose(
        unit.apply({"cell.W": params["cell.W"]}, z), net.apply(params, x)
    )


def test_the_inputs_of_the_unit_are_all_steps_side_by_side():
    net = Recurrent(NMU())
    params, x = {"cell.W": np.array([[0.9, 0.8]])}, samples((3, 1))
    y, inputs = net.observe(params, np.moveaxis(x, 0, -1))
    before = np.concatenate([np.ones((1, 4)), y[:-1]])
    np.testing.assert_array_equal(inputs, np.stack([x[:, :, 0].T, before]))
    np.testing.assert_allclose(NMU().compute({"W": params["cell.W"]}, inputs)[0], y)
    stack = Stack((NAU(), NMU()), (2,))
    net = Recurrent(stack)
    params = drawn(net, (3, 1), 3)
    y, inputs = net.observe(params, np.moveaxis(x, 0, -1))
    assert inputs.shape == (2, 3, 4)  # of the NMU, which comes last
    np.testing.assert_allclose(NMU().compute({"W": params["cell.1.W"]}, inputs)[0], y)
    lstm = LSTM(hidden=5)
    params = drawn(lstm, (3, 1), 3)
    y, inputs = lstm.observe(params, np.moveaxis(x, 0, -1))
    linear = {"W": params["out.W"], "b": params["out.b"]}
    np.testing.assert_allclose(Linear().compute(linear, inputs)[0], y)


def test_observation_of_networks_around_units():
    x = samples(3).T
    assert NMU().observe({"W": np.ones((1, 3))}, x)[1] is x
    stack = Stack((NAU(), NMU()), (2,))
    params = drawn(stack, 3, 1)
    y, inputs = stack.observe(params, x)
    np.testing.assert_allclose(inputs, NAU().compute({"W": params["0.W"]}, x))
    np.testing.assert_allclose(y, NMU().compute({"W": params["1.W"]}, inputs))
    scaled = Scaled(NMU(), inputs=2.0, outputs=3.0)
    y, inputs = scaled.observe({"W": np.ones((1, 3)), "coefficient": np.ones(1)}, x)
    np.testing.assert_allclose(inputs, x / 2)
    np.testing.assert_allclose(y[0], 3 * np.prod(x / 2, axis=0))


def test_it_is_a_formula_of_a_sequence():
    x = sympy.symbols("x1:4", real=True)
    net = Recurrent(NMU())
    assert net.expression(ONES, x) == [x[0], x[0] * x[1], x[0] * x[1] * x[2]]
    assert Recurrent(NMU(), start=2.0, every_step=False).expression(ONES, x) == [
        2 * x[0] * x[1] * x[2]
    ]
    read = Recurrent(NAU(), CNN(), every_step=False)
    params = drawn(read, (2, 28, 28), 1) | ONES
    assert read.expression(params, x) == [sum(x)]
    solved = Recurrent(Accumulator("sum", outputs=2), every_step=False)
    a, b, c, d = sympy.symbols("a b c d")
    assert solved.expression({}, (a, b, c, d)) == [a + c, b + d]
    layer = arithmax.torch.Layer(net, (2, 1), 2)
    layer.load_parameters(ONES)
    assert str(layer.expression(["u", "v", "w"])[-1]) == "u*v*w"
    with pytest.raises(ValueError, match=r"`names` \(=None\) must be given"):
        layer.expression()
    with pytest.raises(ValueError, match=r"`symbols` .* must be 2 for each step"):
        solved.expression({}, x)


def test_its_parts_are_those_of_the_unit():
    net = Recurrent(NMU(), SMALL)
    params = drawn(net, (2, 11, 12), 2) | {"cell.W": np.array([[0.7, 1.2]])}
    cell = {"W": params["cell.W"]}
    assert float(net.penalty(params)) == float(NMU().penalty(cell))
    np.testing.assert_allclose(net.sparsity_error(params), 0.3)
    assert set(net.weights(params)) == {"cell.W"}
    assert net.project(params)["cell.W"].tolist() == [[0.7, 1.0]]
    whole = net.discretise(params)
    assert whole["cell.W"].tolist() == [[1, 1]]
    assert whole["reader.out.W"] is params["reader.out.W"]
    assert net.sparse and net.last == NMU()
    assert net.operations == NMU().operations
    assert list(net.layers(params)) == [(NMU(), cell)]
    read = Recurrent(NMU(), NAU())
    params = {"reader.W": np.array([[3.0, 0.5]]), "cell.W": np.array([[2.0, 1.0]])}
    assert read.project(params)["reader.W"].tolist() == [[1.0, 0.5]]
    penalty = NAU().penalty({"W": params["reader.W"]})
    assert float(read.penalty(params)) == pytest.approx(
        float(penalty) + float(NMU().penalty({"W": params["cell.W"]}))
    )
    solved = Recurrent(Accumulator(), SMALL)
    params = in_torch(drawn(solved, (2, 11, 12), 2))
    assert float(solved.penalty(params)) == 0 and solved.penalty(params).ndim == 0
    assert torch.isnan(solved.sparsity_error(params))
    assert solved.discretise(params).keys() == params.keys()


def test_hazards_are_told_at_the_step():
    net = Recurrent(MultiplicativeNAC())
    params = {"cell.W_hat": np.full((1, 2), 9.0), "cell.M_hat": np.full((1, 2), 9.0)}
    x = np.array([[[2.0], [-3.0], [4.0]], [[1.0], [1.0], [1.0]]])
    (met,) = (net.diagnose(params, x)[h] for h in [Hazard.SIGN_LOST])
    assert met[:, :, 0].tolist() == [[False, True, False], [False] * 3]
    read = Recurrent(MultiplicativeNAC(), Linear(bias=False))
    params |= {"reader.W": np.array([[1.0, -1.0]])}
    x = np.array([[[2.0, 1.0], [1.0, 3.0]]])  # reads 1, then −2
    met = read.diagnose(params, x)[Hazard.SIGN_LOST]
    assert met.tolist() == [[[False, False], [True, True]]]
    division = Recurrent(NRU(), start=0.0)
    params = {"cell.W": torch.tensor([[1.0, -1.0]])}
    met = division.diagnose(params, torch.ones(2, 1))  # the state is divided by
    assert met[Hazard.DIVISION_BY_ZERO].tolist() == [[True], [False]]


def test_sizes_and_fields_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match=r"`out_features` \(=3\) must be a multiple"):
        Recurrent(NMU()).parameters((2, 1), 3)
    with pytest.raises(ValueError, match=r"`in_features` \(=4\) must be the shape"):
        Recurrent(NMU()).parameters(4, 1)
    with pytest.raises(ValueError, match=r"`in_features` \(=\(2, 28\)\).*3 sizes"):
        Recurrent(NMU(), CNN()).parameters((2, 28), 2)
    with pytest.raises(ValueError, match=r"`readings` \(=0\) must be a whole number"):
        Recurrent(NMU(), CNN(), readings=0)
    with pytest.raises(ValueError, match=r"`readings` \(=2\) must be left at 1"):
        Recurrent(NMU(), readings=2)
    with pytest.raises(ValueError, match=r"`unit` .* Give it as `reader`"):
        Recurrent(CNN())
    with pytest.raises(ValueError, match=r"`unit` .* needs noise in training"):
        Recurrent(StochasticNMU())
    with pytest.raises(ValueError, match=r"`reader` .* needs noise in training"):
        LSTM(4, StochasticNMU())
    with pytest.raises(ValueError, match=r"`hidden` \(=0\) must be a whole number"):
        LSTM(hidden=0)
    with pytest.raises(ValueError, match=r"`hidden` \(=0\) must be .*at least 1"):
        LSTM()
    assert describe(LSTM(64)) == "LSTM(hidden=64)"  # the names of runs have it
    params = drawn(LSTM(3), (1, 1), 1)
    with pytest.raises(ValueError, match=r"\(any, 1\), and have a step or more"):
        LSTM(3).apply(params, np.ones((5, 0, 1)))
    with pytest.raises(ValueError, match=r"`units` .* Take `every_step=False`"):
        Stack((Recurrent(NMU()), NAU()), (2,))
    with pytest.raises(ValueError, match=r"`network` .* Take `every_step=False`"):
        Scaled(Recurrent(NMU()))
    with pytest.raises(ValueError, match=r"`out_features` \(=2\) must be the `outputs"):
        Recurrent(Accumulator()).parameters((2, 1), 4)
    with pytest.raises(ValueError, match=r"`in_features` \(=3\) must be a multiple"):
        Accumulator("sum", outputs=2).parameters(3, 2)


def test_inputs_that_do_not_fit_are_refused():
    net = Recurrent(NMU())
    with pytest.raises(ValueError, match=r"2 axes of an input of the shape \(any, 1\)"):
        net.apply(ONES, np.ones((5, 3, 2)))
    with pytest.raises(ValueError, match=r"2 axes of an input"):
        net.apply(ONES, np.ones(3))
    with pytest.raises(ValueError, match=r"`x` \(shape \(5, 0, 1\)\) must end in"):
        net.apply(ONES, np.ones((5, 0, 1)))
    layer = arithmax.torch.Layer(Recurrent(NMU(), CNN()), (2, 28, 28), 2)
    assert layer(torch.zeros(3, 5, 28, 28)).shape == (3, 5)
    with pytest.raises(ValueError, match=r"of the shape \(any, 28, 28\)"):
        layer(torch.zeros(3, 5, 28, 27))


def test_a_scaled_recurrence_of_its_last_step_takes_any_length():
    net = Scaled(Recurrent(NMU(), every_step=False), inputs=2.0, outputs=4.0)
    params = ONES | {"coefficient": np.array([0.5])}
    for steps in (1, 2, 5):
        x = samples((steps, 1))
        expected = 2 * np.prod(x / 2, axis=1)
        np.testing.assert_allclose(net.apply(params, x), expected)

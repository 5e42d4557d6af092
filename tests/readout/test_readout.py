"""Trained networks as formulas: what is right is found, and nothing else is."""

from dataclasses import dataclass
from typing import Any

import jax
import numpy as np
import pytest
import torch

import arithmax.equinox
import arithmax.torch
from arithmax import (
    MCFC,
    NAU,
    NMU,
    NPU,
    UNITS,
    Dense,
    Linear,
    MultiplicativeNAC,
    RealNPU,
    Scaled,
    Stack,
    train_cells,
)
from arithmax.discover import Trust
from arithmax.readout import readout as _readout
from short_runs import cell


def uniform(low, high, *shape):
    return np.random.default_rng(0).uniform(low, high, shape)


POSITIVE = uniform(1, 3, 200, 3)
SIGNED = uniform(0.5, 3, 200, 3) * np.sign(uniform(-1, 1, 200, 3))


def readout(*args, **options) -> Any:
    """A reading whose formula is asked for without asking whether there is one."""
    return _readout(*args, **options)


TARGETS = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "square": lambda a, b: a**2,
    "sqrt": lambda a, b: np.sqrt(a),
}
PAIRS = [
    (unit(), operation)
    for unit in UNITS.values()
    for operation in unit().operations
    if unit is not MCFC  # which conserves the mass of every input: below
]


def shaken(params, size=0.05, seed=0):
    """Weights near a solution, as training leaves them."""
    rng = np.random.default_rng(seed)
    return {n: v + rng.uniform(-size, size, v.shape) for n, v in params.items()}


@pytest.mark.parametrize(("unit", "operation"), PAIRS, ids=repr)
def test_every_operation_of_every_unit_is_read(unit, operation):
    params = shaken(unit.solution(operation, 3))
    y = 0.7 * TARGETS[operation](POSITIVE[:, 0], POSITIVE[:, 1])
    reading = readout(unit, params, POSITIVE, y, names=("a", "b", "c"))
    assert reading.verdict is Trust.EXACT, str(reading)
    wide = np.random.default_rng(1).uniform(10, 20, (50, 3))
    truth = 0.7 * TARGETS[operation](wide[:, 0], wide[:, 1])
    assert np.allclose(reading.formula.evaluate(wide), truth, rtol=1e-9)
    assert reading.formula_error < 1e-12
    assert reading.discrete_error > 0.1


def test_a_constant_factor_is_fitted_and_never_left_out():
    """E = ½ m v² from weights that say m v²."""
    x = POSITIVE[:, :2]
    energy = 0.5 * x[:, 0] * x[:, 1] ** 2
    network = Stack((NAU(), NMU()), hidden=(3,))
    exact = {"0.W": np.array([[1.0, 0], [0, 1], [0, 1]]), "1.W": np.ones((1, 3))}
    params = shaken(exact, 0.03)
    reading = readout(network, params, x, energy, names=("m", "v"))
    assert str(reading.discrete_formula) == "m*v**2"
    assert str(reading.formula.sympy()) == "m*v**2/2"
    assert reading.verdict is Trust.EXACT

    def error(values):
        return np.sqrt(np.mean((values - energy) ** 2)) / np.std(energy)

    trained = network.apply(params, x)[:, 0]
    assert reading.network_error == pytest.approx(error(trained))
    assert reading.discrete_error == pytest.approx(error(2 * energy))
    assert reading.formula_error < 1e-12
    for part in ("exact on this data", "as trained", "rounded to m*v**2"):
        assert part in str(reading)


def test_noise_is_tolerated_and_said():
    x = POSITIVE[:, :2]
    noise = np.random.default_rng(1).normal(size=len(x))
    y = 0.5 * x[:, 0] * x[:, 1] * (1 + 0.02 * noise)
    reading = readout(NMU(), {"W": np.array([[0.97, 0.98]])}, x, y)
    assert reading.verdict is Trust.WITHIN
    assert reading.formula.coefficients[0].value == pytest.approx(0.5, rel=0.01)
    assert str(reading.formula).endswith("*x1*x2")
    assert 0.01 < reading.formula_error < 0.1 and 0.01 < reading.held_out_error < 0.1


@pytest.mark.parametrize(
    ("network", "params", "law"),
    [
        (NMU(), {"W": [[0.98, 0.97]]}, lambda a, b: a * b * (a + b**2)),
        (NAU(), {"W": [[0.98, 0.97]]}, lambda a, b: a / b),
        (RealNPU(), {"W": [[1.0, -0.9]], "g": [1.0, 1.0]}, lambda a, b: a + b),
        (NMU(), {"W": [[0.02, 0.97]]}, lambda a, b: np.sin(a) * b),
    ],
    ids=["a factor too few", "a sum for a ratio", "a ratio for a sum", "a sine"],
)
def test_the_wrong_formula_is_not_found(network, params, law):
    params = {name: np.array(value) for name, value in params.items()}
    x = uniform(0.5, 3, 300, 2)
    reading = readout(network, params, x, law(*x.T))
    assert reading.verdict is Trust.NOT_FOUND and not reading.verified
    assert str(reading).startswith("not found; error")
    assert reading.tried and all(isinstance(words, str) for words in reading.tried)


@dataclass(frozen=True)
class Ripple(NMU):
    """A product with a ripple that looks like noise, and is left out of its formula."""

    def compute(self, params, x, *, training=False, noise=None, xp=None):
        return x[:1] * x[1:2] * (1 + 0.02 * np.sin(1e5 * x[2:3]))


def test_a_formula_that_explains_less_than_the_network_is_not_found():
    x, params = POSITIVE, {"W": np.array([[1.0, 1.0, 0.0]])}
    y = Ripple().apply(params, x)[:, 0]
    assert readout(NMU(), params, x, y).verdict is Trust.WITHIN
    reading = readout(Ripple(), params, x, y)
    assert reading.network_error == 0 and reading.formula_error > 0.01
    assert reading.verdict is Trust.NOT_FOUND
    assert "explains less than the network" in reading.tried[-1]


def test_exponents_between_those_of_the_unit_are_rounded_one_by_one():
    """x^⅓ is no weight at which an NPU is discrete, and its gates are half open."""
    x = POSITIVE[:, :2]
    y = 2 * x[:, 0] ** (1 / 3) / x[:, 1] ** (2 / 3)
    gates = np.array([0.97, 0.9])
    w = np.array([[0.335, -0.66]])
    parts = {"W_re": w, "W_im": np.array([[0.05, -0.1]])}
    for network, params in ((RealNPU(), {"W": w}), (NPU(), parts)):
        reading = readout(network, params | {"g": gates}, x, y)
        assert str(reading.formula) == "2*x1**(1/3)/x2**(2/3)"
        assert reading.verdict is Trust.EXACT
        assert str(reading.discrete_formula) == "sqrt(x1)/sqrt(x2)"
        assert any("half-open gate" in words for words in reading.tried)


def test_magnitudes_are_left_out_where_nothing_is_negative_only():
    unit, params = MultiplicativeNAC(), MultiplicativeNAC().solution("mul", 3)
    product = POSITIVE[:, 0] * POSITIVE[:, 1]
    assert str(readout(unit, params, POSITIVE, product).formula) == "x1*x2"
    size = np.abs(SIGNED[:, 0] * SIGNED[:, 1])
    reading = readout(unit, params, SIGNED, size)
    assert reading.verdict is Trust.EXACT
    assert np.allclose(reading.formula.evaluate(-SIGNED), size)
    signed = readout(unit, params, SIGNED, SIGNED[:, 0] * SIGNED[:, 1])
    assert signed.verdict is Trust.NOT_FOUND


def test_a_scaled_network_is_read_in_the_units_of_its_columns():
    x = POSITIVE[:, :2] * [1e-3, 1e4]
    y = 3 * x[:, 0] * x[:, 1]
    network = Scaled.of(NMU(), x, y)
    params = {"W": np.array([[0.99, 0.98]]), "coefficient": np.array([1.07])}
    reading = readout(network, params, x, y, names=("a", "b"))
    assert str(reading.formula) == "3*a*b" and reading.verdict is Trust.EXACT


def test_wide_networks_are_read_with_their_factor():
    x = uniform(1, 2, 300, 40)
    w = np.zeros((2, 40))
    w[0, :20] = w[1, 10:30] = 1.0
    network = Stack((NAU(), NMU()), hidden=(2,))
    params = shaken({"0.W": w, "1.W": np.ones((1, 2))}, 0.1)
    y = 0.5 * (x @ w[0]) * (x @ w[1])
    reading = readout(network, params, x, y)
    assert reading.verdict is Trust.EXACT
    assert str(reading.formula).startswith("(x1 + x2 + x3 + ")
    assert str(reading.formula).endswith(")/2")


def test_weights_of_no_neighbours_are_fitted_as_they_are():
    x = POSITIVE[:, :2]
    y = x @ [1.75, -0.4] + 0.25
    params = {"W": np.array([[1.7, -0.3]]), "b": np.array([0.3])}
    reading = readout(Linear(), params, x, y)
    assert reading.verdict is Trust.EXACT
    assert np.allclose(reading.formula.evaluate(10 * x), 10 * (y - 0.25) + 0.25)


def test_what_has_no_formula_is_not_found():
    x = POSITIVE
    dense = readout(Dense(), {"W": np.ones((1, 3)), "b": np.zeros(1)}, x, x.sum(1))
    assert dense.formula is None and dense.verdict is Trust.NOT_FOUND
    assert dense.discrete_formula is None and dense.discrete_error is None
    assert "computes no arithmetic" in " ".join(dense.tried)
    diverged = readout(NMU(), {"W": np.full((1, 3), np.nan)}, x, x.prod(1))
    assert diverged.formula is None and np.isnan(diverged.network_error)
    assert "diverged" in " ".join(diverged.tried)
    assert "nan as trained" in str(diverged)


def test_one_output_of_several_is_read():
    network = MCFC()
    params = shaken(network.encode(np.array([[1.0, 0, 1], [0, 1, 0]]), "sum"))
    reading = readout(network, params, SIGNED, 2 * SIGNED[:, 1], output=1)
    assert str(reading.formula) == "2*x2" and reading.verdict is Trust.EXACT
    both = SIGNED[:, 0] + SIGNED[:, 2]
    assert str(readout(network, params, SIGNED, both, output=0).formula) == "x1 + x3"


def test_readings_do_not_depend_on_odd_names_or_on_the_order_of_calls():
    x = POSITIVE
    y = 0.7 * x[:, 0] * x[:, 1]
    params = {"W": np.array([[0.97, 0.98, 0.01]])}
    first = readout(NMU(), params, x, y, names=("E", "x-1", "lambda"))
    assert str(first.formula) == "0.7*E*x_1"
    assert first.formula.names == ("E", "x-1", "lambda")
    again = readout(NMU(), params, x, y, names=("E", "x-1", "lambda"))
    assert str(again) == str(first)


def test_layers_of_torch_and_equinox_are_read():
    x = POSITIVE[:, :2].astype(np.float32)
    y = 0.5 * x[:, 0] * x[:, 1] ** 2
    network = Stack((NAU(), NMU()), hidden=(3,))
    weights = {
        "0.W": [[1.0, 0.02], [0.0, 0.99], [0.0, 1.0]],
        "1.W": [[0.98, 1.0, 0.97]],
    }
    layer = arithmax.torch.Layer(network, 2, 1)
    layer.load_parameters(weights)
    modules = arithmax.torch.sequential(network, 2, 1)
    modules.load_state_dict(layer.state_dict())
    other = arithmax.equinox.Layer(network, 2, 1, key=jax.random.key(0))
    other = other.with_parameters(weights)
    names = ("m", "v")
    readings = [
        layer.readout(torch.tensor(x), torch.tensor(y), names=names),
        other.readout(jax.numpy.asarray(x), jax.numpy.asarray(y), names=names),
        readout(network, modules.state_dict(), x, y, names=names),
    ]
    for reading in readings:
        assert str(reading.formula.sympy()) == "m*v**2/2"
        assert reading.verified and str(reading) == str(readings[0])


@pytest.mark.slow
def test_runs_of_the_fleet_are_read(tmp_path):
    made = cell(seeds=(0, 1))
    results = train_cells([made], out=tmp_path)
    row = next(row for row in results.rows if row["outcome"] == "solved")
    x = SIGNED[:, :2]
    params = results.weights(row["run"])
    reading = readout(made.network, params, x, x[:, 0] * x[:, 1], names=("a", "b"))
    assert str(reading.formula) == "a*b" and reading.verdict is Trust.EXACT
    assert reading.network_error < 0.1

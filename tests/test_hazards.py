"""The silent wrong numbers of the published forms occur, and are reported."""

import math

import numpy as np
import pytest

from arithmax import (
    INALU,
    NALU,
    NMRU,
    NPU,
    NRU,
    SNALU,
    GatedNAUNMU,
    GatedSignNMRU,
    Hazard,
    HillSpace,
    MulMCFC,
    MultiplicativeNAC,
    NaiveNPU,
    NALUSinh,
    RealNPU,
)
from conformance import drawn, inputs, variants

SAFE = MultiplicativeNAC(log="safe")


def report(unit, params, x):
    """{hazard: the rows and columns where it occurs}"""
    found = unit.diagnose(params, np.asarray(x))
    return {h: [tuple(map(int, i)) for i in np.argwhere(m)] for h, m in found.items()}


@pytest.mark.parametrize(
    ("gate", "expected"), [(0, 1), (0.25, 0.884), (0.5, 0), (0.75, -1.237), (1, -2)]
)
def test_a_half_open_gate_rotates_the_sign(gate, expected):
    """The published package gives these numbers for W = 1, x = −2."""
    params = {"W": np.ones((1, 1)), "g": np.array([float(gate)])}
    y = RealNPU().apply(params, np.array([[-2.0]]))
    assert math.isclose(y.item(), expected, abs_tol=1e-3)
    found = report(RealNPU(), params, [[-2.0], [2.0]])
    half_open = 0 < gate < 1
    assert found == ({Hazard.HALF_OPEN_GATE: [(0, 0), (1, 0)]} if half_open else {})
    assert report(RealNPU(), {**params, "W": np.zeros((1, 1))}, [[-2.0]]) == {}


def test_at_its_start_every_odd_power_of_a_negative_is_zero():
    params = {"W_re": np.ones((1, 1)), "W_im": np.zeros((1, 1)), "g": np.array([0.5])}
    assert abs(NPU().apply(params, np.array([[-2.0]])).item()) < 1e-15


def test_one_over_zero():
    params = NaiveNPU().solution("div")
    x = np.array([[1.0, 0.0], [1.0, 2.0]])
    assert math.isclose(NaiveNPU().apply(params, x)[0, 0], 4.5e15, rel_tol=0.01)
    assert report(NaiveNPU(), params, x) == {Hazard.DIVISION_BY_ZERO: [(0, 1)]}
    single = {name: value.astype("float32") for name, value in params.items()}
    y = NaiveNPU().apply(single, x.astype("float32"))[0, 0]
    assert math.isclose(y, 8.4e6, rel_tol=0.01)


@pytest.mark.parametrize("power", [0.5, 1 / 3])
def test_fractional_powers_of_negatives(power):
    """(−4)^½ is 0 and (−4)^⅓ is 0.794: the real parts, not the real roots."""
    params = {"W": np.array([[power]]), "g": np.ones(1)}
    y = RealNPU().apply(params, np.array([[-4.0]])).item()
    assert math.isclose(y, ((-4 + 0j) ** power).real, abs_tol=1e-12)
    found = report(RealNPU(), params, [[-4.0], [4.0]])
    assert found == {Hazard.FRACTIONAL_POWER: [(0, 0)]}


@pytest.mark.parametrize(
    ("unit", "operation", "x", "expected"),
    [
        (MultiplicativeNAC(), "mul", [[-2, 3]], {Hazard.SIGN_LOST: [(0, 0)]}),
        (MultiplicativeNAC(), "div", [[2, 0]], {Hazard.DIVISION_BY_ZERO: [(0, 1)]}),
        (SAFE, "mul", [[0.5, 2]], {Hazard.BELOW_ONE: [(0, 0)]}),
        (NALU(gate_bias=True), "mul", [[2, -3]], {Hazard.SIGN_LOST: [(0, 1)]}),
        (NALU(gate_bias=True), "add", [[2, -3]], {}),
        (NALU(), "mul", [[2, -2]], {Hazard.MIXED_PATHS: [(0, 0), (0, 1)]}),
        (INALU(), "mul", [[-2, 3]], {}),
        (INALU(), "mul", [[1e5, 1e4]], {Hazard.CLIPPED: [(0, 0), (0, 1)]}),
        (INALU(), "div", [[1, 0]], {Hazard.DIVISION_BY_ZERO: [(0, 1)]}),
        (GatedNAUNMU(), "mul", [[2, -2]], {Hazard.MIXED_PATHS: [(0, 0), (0, 1)]}),
        (SNALU(), "mul", [[-2, 3]], {}),
        (SNALU(), "add", [[-2, 3]], {}),
        (SNALU(), "div", [[1, 0]], {Hazard.DIVISION_BY_ZERO: [(0, 1)]}),
        (NALUSinh(), "add", [[2, 3]], {}),
        (NALUSinh(), "add", [[-2, -3]], {Hazard.NO_PRODUCT: [(0, 0), (0, 1)]}),
        (HillSpace(), "mul", [[-2, 0]], {}),
        (HillSpace(), "div", [[-2, 0]], {Hazard.DIVISION_BY_ZERO: [(0, 1)]}),
        (HillSpace("additive"), "sub", [[-2, 0]], {}),
        (GatedSignNMRU(), "mul", [[-2, 3]], {}),
        (NRU(), "div", [[-1, 0]], {Hazard.DIVISION_BY_ZERO: [(0, 1)]}),
        (NMRU(), "mul", [[2, 0]], {Hazard.DIVISION_BY_ZERO: [(0, 1)]}),
        (MulMCFC(), "mul", [[-2, 3]], {Hazard.NOT_POSITIVE: [(0, 0)]}),
        (MulMCFC(sign="inalu"), "mul", [[-2, 3]], {}),
        (MulMCFC(sign="inalu"), "mul", [[0, 3]], {Hazard.NOT_POSITIVE: [(0, 0)]}),
        (INALU(), "div", [[1, 1e-9]], {Hazard.DIVISION_BY_ZERO: [(0, 1)]}),
    ],
)  # fmt: skip
def test_reports(unit, operation, x, expected):
    found = report(unit, unit.solution(operation), np.asarray(x, dtype=float))
    assert found == expected


@pytest.mark.parametrize("ignored", [-7.0, 0.0, 7.0])
def test_the_sign_of_an_ignored_input(ignored):
    """The SNALU's product takes it, and is reported where that is wrong."""
    params, x = SNALU().solution("mul", 3), np.array([[-2.0, 3.0, ignored]])
    y = SNALU().apply(params, x).item()
    assert math.isclose(y, -6 * np.sign(ignored), abs_tol=1e-6)
    wrong = {} if ignored > 0 else {Hazard.IGNORED_SIGN: [(0, 2)]}
    assert report(SNALU(), params, x) == wrong
    undecided = {**params, "M_hat": 0 * params["M_hat"]}
    assert report(SNALU(), undecided, x)[Hazard.UNDECIDED_WEIGHT] == [(0, 0)]


def test_sinh_of_a_sum_of_asinh_is_no_product():
    """Of two it is x₁√(1 + x₂²) + x₂√(1 + x₁²), twice the product of large ones."""
    params = NALUSinh().solution("add")
    params["G"] = -params["G"]
    rng = np.random.default_rng(0)
    x = np.exp(rng.uniform(-5, 8, (50, 2)))
    y, (a, b) = NALUSinh().apply(params, x)[:, 0], x.T
    np.testing.assert_allclose(y, a * np.sqrt(1 + b * b) + b * np.sqrt(1 + a * a))
    large, small = (x > 50).all(1), (x < 0.02).all(1)
    np.testing.assert_allclose(y[large], 2 * (a * b)[large], rtol=1e-3)
    np.testing.assert_allclose(y[small], (a + b)[small], rtol=1e-3)
    assert set(report(NALUSinh(), params, x)) == {Hazard.NO_PRODUCT}
    params["W_hat"][:, 1] *= -1
    y = NALUSinh().apply(params, x)[large, 0]
    np.testing.assert_allclose(y, ((a / b - b / a) / 2)[large], rtol=1e-2, atol=1e-2)


def test_a_gate_that_multiplies():
    unit, x = GatedSignNMRU(), np.array([[-8.0, 2.0]])
    params = unit.solution("div")
    params["g_z"] = np.array([0.5, 0.0, 0.0, 1.0])  # those of weight 0 do not matter
    assert unit.apply(params, x).item() == -2.0
    assert report(unit, params, x) == {Hazard.SCALED: [(0, 0)]}
    shut = unit.discretise({**params, "g_z": np.array([0.4, 0.9, 0.9, 0.9])})
    assert shut["W"].tolist() == [[0.0, 0.0, 0.0, 1.0]]


def test_complex_powers_of_hill_space():
    params = HillSpace().encode(np.array([[0.5]]))
    params["W_hat"], params["M_hat"] = np.array([[100.0]]), np.zeros((1, 1))
    assert abs(HillSpace().apply(params, np.array([[-4.0]])).item()) < 1e-12
    assert report(HillSpace(), params, [[-4.0]]) == {Hazard.FRACTIONAL_POWER: [(0, 0)]}


def test_one_gate_for_all_outputs_takes_one_path():
    w = np.eye(2)
    with pytest.raises(ValueError, match=r"`path` .* must be the same for all outputs"):
        SNALU().encode(w, ["sum", "product"])


@pytest.mark.parametrize("unit", [NRU(), NMRU(), GatedSignNMRU()])
def test_undecided_weights(unit):
    params = unit.solution("div")
    params["W"] = params["W"] * 0.7
    found = report(unit, params, [[-2.0, 3.0]])
    assert Hazard.UNDECIDED_WEIGHT in found
    assert (0, 0) in found[Hazard.UNDECIDED_WEIGHT]


def test_half_open_gate_of_the_mass_conserving_product():
    unit = MulMCFC(sign="real-npu")
    params = unit.solution("mul")
    params["g"] = np.array([0.5, 0.0])
    expected = {Hazard.HALF_OPEN_GATE: [(0, 0)], Hazard.SIGN_LOST: [(0, 1)]}
    assert report(unit, params, [[-2.0, -3.0]]) == expected


def test_complex_powers():
    params = NPU().solution("mul")
    params["W_im"] = np.array([[0.5, 0.0]])
    assert report(NPU(), params, [[4.0, 2.0]]) == {Hazard.COMPLEX_POWER: [(0, 0)]}


@pytest.mark.parametrize("unit", list(variants()), ids=repr)
def test_nan_stays_nan(unit):
    """Nothing turns a number that is none into one, nor hides it from the penalty."""
    params, x = drawn(unit), inputs(unit)
    x[0] = np.nan
    with np.errstate(invalid="ignore"):
        assert np.isnan(unit.apply(params, x)[0]).all()
    lost = {name: np.full_like(value, np.nan) for name, value in params.items()}
    assert np.isnan(unit.penalty(lost)) or unit.penalty(params) == 0

"""Each published equation, written out again number by number in plain Python.

The units are vectorised and features-first; these are neither, and share nothing with
them but the names of the parameters.
"""

import cmath
import math

import numpy as np
import pytest

from arithmax import (
    GNALU,
    INALU,
    MCFC,
    NAC,
    NALU,
    NAU,
    NMRU,
    NMU,
    NPU,
    NRU,
    SNALU,
    Dense,
    GatedNAUNMU,
    GatedSignNMRU,
    HillSpace,
    Linear,
    MulMCFC,
    MultiplicativeNAC,
    NaiveNPU,
    NALUSinh,
    RealNaiveNPU,
    RealNPU,
    StochasticNMU,
)
from conformance import IN, OUT, drawn, inputs

PHI = (1 + math.sqrt(5)) / 2


def sigma(v, base=math.e):
    return 1 / (1 + base**-v)


def tanh(v, base=math.e):
    return (base ** (2 * v) - 1) / (base ** (2 * v) + 1)


def clamp(v, low, high):
    return min(max(v, low), high)


def total(values):
    return math.fsum(values)


def nac_row(p, o, suffix="", base=math.e):
    w, m = p["W_hat" + suffix][o], p["M_hat" + suffix][o]
    return [tanh(w[i], base) * sigma(m[i], base) for i in range(IN)]


def dot(row, x):
    return total(w * v for w, v in zip(row, x, strict=True))


def powers(row, x, eps=1e-7):
    return math.prod((abs(v) + eps) ** w for w, v in zip(row, x, strict=True))


def nmu(row, x):
    row = [clamp(w, 0, 1) for w in row]
    return math.prod(w * v + 1 - w for w, v in zip(row, x, strict=True))


def nalu(p, x, o, u, base=math.e):
    add, mul = ("", "") if u.tied else ("_add", "_mul")
    a = dot(nac_row(p, o, add, base), x)
    m = powers(nac_row(p, o, mul, base), x)

    def gate(suffix):
        bias = p["b" + suffix][o] if u.gate_bias else 0.0
        return sigma(dot(p["G" + suffix][o], x) + bias, base)

    if u.two_gates:
        return gate("_add") * a + gate("_mul") * m
    return gate("") * a + (1 - gate("")) * m


def snalu(p, x, o, u):
    w, g = nac_row(p, o), sigma(p["G"][0])
    signs = math.prod(math.copysign(1, v) for v in x)
    return g * dot(w, x) + (1 - g) * signs * powers(w, x, 1e-8)


def nalu_sinh(p, x, o, u):
    w, g = nac_row(p, o), sigma(dot(p["G"][o], x))
    bent = dot(w, [math.log(v + math.sqrt(v * v + 1)) for v in x])
    return g * dot(w, x) + (1 - g) * (math.exp(bent) - math.exp(-bent)) / 2


def hill_space(p, x, o, u):
    """With complex powers, as its author writes it."""
    w = nac_row(p, o)
    if u.primitive == "additive":
        return dot(w, x)
    return math.prod(complex(v) ** c for c, v in zip(w, x, strict=True)).real


def inalu(p, x, o, u):
    add, mul = ("", "") if u.tied else ("_add", "_mul")
    a, w = dot(nac_row(p, o, add), x), nac_row(p, o, mul)
    exponent = total(c * math.log(max(abs(v), 1e-7)) for c, v in zip(w, x, strict=True))
    sign = math.prod(
        math.copysign(1, v) * abs(c) + 1 - abs(c) for c, v in zip(w, x, strict=True)
    )
    g = sigma(p["G"][o])
    return g * a + (1 - g) * math.exp(min(exponent, 20)) * clamp(sign, -1, 1)


def power_unit(p, x, o, real, imaginary, gated):
    """Re exp(Σ w log z), with complex numbers where the unit has cosines."""
    exponent = 0j
    for i, v in enumerate(x):
        w = complex(p[real][o][i], p["W_im"][o][i] if imaginary else 0.0)
        g = clamp(p["g"][i], 0, 1) if gated else 1.0
        magnitude = g * (abs(v) + 2.0**-52) + (1 - g)
        exponent += w * complex(math.log(magnitude), math.pi * g * (v < 0))
    return cmath.exp(exponent).real


def nru(p, x, o, u, training):
    result = 1.0
    for w, v in zip(p["W"][o], x, strict=True):
        w = clamp(w, -1, 1)
        a = math.tanh(1000 * w) ** 2 if training else abs(w)
        result *= math.copysign(1, v) * abs(v) ** w * a + 1 - a
    return result


def nmru(p, x, o, u, training):
    eps = 2.0**-23 if training else 0.0
    z = [*x, *(1 / (v + eps) for v in x)]
    if "g_z" in p:
        z = [clamp(g, 0, 1) * v for g, v in zip(p["g_z"], z, strict=True)]
    w = [clamp(c, 0, 1) for c in p["W"][o]]
    turns = total(c for c, v in zip(w, z, strict=True) if v < 0)
    return nmu(w, [abs(v) for v in z]) * math.cos(math.pi * turns)


def shares(p):
    """softmax over outputs, one column per input."""
    columns = np.exp(p["R"]) / np.exp(p["R"]).sum(0)
    return columns.tolist()


def mul_mcfc(p, x, o, u):
    share, gate = shares(p)[o], sigma(p["w"][o] + p["b"][o])
    y = math.exp(gate * dot(share, [math.log(abs(v)) for v in x]) + p["alpha"][o])
    if u.sign == "inalu":
        y *= nmu(share, [math.copysign(1, v) for v in x])
    if u.sign == "real-npu":
        gates = [clamp(g, 0, 1) for g in p["g"]]
        turns = total(s * g for s, g, v in zip(share, gates, x, strict=True) if v < 0)
        y *= math.cos(math.pi * turns)
    return y


def mul_nac(p, x, o, u):
    if u.weight_map == "tanh-sigmoid":
        w = nac_row(p, o)
    elif u.weight_map == "sigmoid":
        w = [sigma(v) for v in p["W_hat"][o]]
    elif u.weight_map == "clipped":
        w = [clamp(v, 0, 1) for v in p["W"][o]]
    else:
        w = p["W"][o]
    if u.log == "safe":
        return powers(w, [abs(v - 1) + 1 for v in x], eps=0)
    if u.log == "max-safe":
        return powers(w, [max(0, v - 1) + 1 for v in x], eps=0)
    return powers(w, x)


ORACLES = {
    NAC(): lambda p, x, o, u: dot(nac_row(p, o), x),
    Linear(): lambda p, x, o, u: dot(p["W"][o], x) + p["b"][o],
    Linear(bias=False): lambda p, x, o, u: dot(p["W"][o], x),
    INALU(): inalu,
    INALU(tied=True): inalu,
    NAU(): lambda p, x, o, u: dot([clamp(w, -1, 1) for w in p["W"][o]], x),
    NMU(): lambda p, x, o, u: nmu(p["W"][o], x),
    StochasticNMU(): lambda p, x, o, u: nmu(p["W"][o], x),
    GatedNAUNMU(): lambda p, x, o, u: (
        sigma(dot(p["G"][o], x)) * dot(p["W_add"][o], x)
        + (1 - sigma(dot(p["G"][o], x))) * nmu(p["W_mul"][o], x)
    ),
    NaiveNPU(): lambda p, x, o, u: power_unit(p, x, o, "W_re", True, False),
    RealNaiveNPU(): lambda p, x, o, u: power_unit(p, x, o, "W", False, False),
    NPU(): lambda p, x, o, u: power_unit(p, x, o, "W_re", True, True),
    RealNPU(): lambda p, x, o, u: power_unit(p, x, o, "W", False, True),
    NRU(): lambda p, x, o, u: nru(p, x, o, u, False),
    NMRU(): lambda p, x, o, u: nmru(p, x, o, u, False),
    GatedSignNMRU(): lambda p, x, o, u: nmru(p, x, o, u, False),
    SNALU(): snalu,
    NALUSinh(): nalu_sinh,
    HillSpace(): hill_space,
    HillSpace("additive"): hill_space,
    MCFC(): lambda p, x, o, u: sigma(p["w"][o] + p["b"][o]) * dot(shares(p)[o], x),
}
ORACLES |= {
    NALU(tied, bias, two): nalu
    for tied in (True, False)
    for bias in (True, False)
    for two in (True, False)
}
ORACLES |= {
    GNALU(tied): lambda p, x, o, u: nalu(p, x, o, u, PHI) for tied in (True, False)
}
ORACLES |= {
    MultiplicativeNAC(weights, log): mul_nac
    for weights in ("tanh-sigmoid", "sigmoid", "clipped", "linear")
    for log in ("plain", "safe", "max-safe")
}
ORACLES |= {
    MulMCFC(sign, discard): mul_mcfc
    for sign in (None, "inalu", "real-npu")
    for discard in (True, False)
}

ACTIVATIONS = {
    "relu": lambda v: max(v, 0),
    "relu6": lambda v: clamp(v, 0, 6),
    "sigmoid": sigma,
    "tanh": math.tanh,
    "leaky_relu": lambda v: v if v > 0 else 0.01 * v,
    "elu": lambda v: v if v > 0 else math.exp(v) - 1,
    "selu": lambda v: 1.05070098 * (v if v > 0 else 1.67326324 * (math.exp(v) - 1)),
    "swish": lambda v: v * sigma(v),
    "softsign": lambda v: v / (1 + abs(v)),
    "softplus": lambda v: math.log(1 + math.exp(v)),
    "hardtanh": lambda v: clamp(v, -1, 1),
    "hardshrink": lambda v: v if abs(v) > 0.5 else 0,
    "softshrink": lambda v: 0 if abs(v) < 0.5 else v - math.copysign(0.5, v),
    "tanhshrink": lambda v: v - math.tanh(v),
    "threshold": lambda v: v if v > 1 else 0,
    "prelu": lambda v: v if v > 0 else 0.3 * v,
}


def big(unit, seed):
    """Parameters that leave their bounds, so that clipping shows."""
    return {name: 2 * value for name, value in drawn(unit, seed).items()}


@pytest.mark.parametrize("unit", list(ORACLES), ids=repr)
def test_equation(unit):
    for seed in range(5):
        x = inputs(unit, seed=seed)
        p = big(unit, seed) if not isinstance(unit, GatedNAUNMU) else drawn(unit, seed)
        y = unit.apply(p, x)
        expected = [
            [ORACLES[unit](p, row.tolist(), o, unit) for o in range(OUT)] for row in x
        ]
        np.testing.assert_allclose(y, expected, rtol=1e-10)


@pytest.mark.parametrize("name", list(ACTIVATIONS))
def test_activation(name):
    unit = Dense(name)
    values = np.linspace(-9, 9, 37) + 0.01
    p = {"W": np.ones((1, 1)), "b": np.zeros(1)}
    if name == "prelu":
        p["a"] = np.array([0.3])
    y = unit.apply(p, values[:, None])[:, 0]
    expected = [ACTIVATIONS[name](v) for v in values.tolist()]
    np.testing.assert_allclose(y, expected, rtol=1e-7, atol=1e-12)


@pytest.mark.parametrize(
    ("unit", "oracle"), [(NRU(), nru), (NMRU(), nmru), (GatedSignNMRU(), nmru)]
)
def test_training_form(unit, oracle):
    p, x = drawn(unit), inputs(unit)
    p["W"][0, 0] = 3e-4  # where tanh²(1000 w) is neither 0 nor 1
    y = unit.apply(p, x, training=True)
    expected = [[oracle(p, row, o, unit, True) for o in range(OUT)] for row in x]
    np.testing.assert_allclose(y, expected, rtol=1e-10)


@pytest.mark.parametrize("per_batch", [False, True])
def test_noise(per_batch):
    """Noise divides out at discrete weights only, and is drawn as published."""
    unit = StochasticNMU(low=2, high=3, per_batch=per_batch)
    p, x = drawn(unit), inputs(unit)
    u = np.random.default_rng(0).uniform(size=x.shape)
    spread = 1 / np.std(x, ddof=1) if per_batch else 1.0
    n = (1 if per_batch else 2) + u * spread
    expected = [
        [nmu(p["W"][o], r * m) / nmu(p["W"][o], m) for o in range(OUT)]
        for r, m in zip(x, n, strict=True)
    ]
    y = unit.apply(p, x, training=True, noise=(u,))
    np.testing.assert_allclose(y, expected, rtol=1e-10)
    assert not np.allclose(y, unit.apply(p, x))
    p = unit.discretise(p)
    np.testing.assert_allclose(
        unit.apply(p, x, training=True, noise=(u,)), unit.apply(p, x), rtol=1e-12
    )
    np.testing.assert_array_equal(unit.apply(p, x, training=True), unit.apply(p, x))


def test_penalties():
    w = np.array([[0.2, -0.9, 1.3], [0.5, 1.0, 0.0]])
    to_discrete = [0.2, 0.1, 0.3, 0.5, 0.0, 0.0]
    squares = [(v * (1 - abs(v))) ** 2 for v in w.flat]
    for unit in (Linear(bias=False, regulariser="linear"), NAU(), NRU()):
        assert np.isclose(unit.penalty({"W": w}), np.mean(to_discrete))
    for unit in (Linear(bias=False, regulariser="squared"), NAU(regulariser="squared")):
        assert np.isclose(unit.penalty({"W": w}), np.mean(squares))
    assert NMU(regulariser=None).penalty({"W": w}) == 0
    linear = MultiplicativeNAC("linear").penalty({"W": w})
    assert np.isclose(linear, np.mean(squares))
    gated = GatedNAUNMU().penalty({"W_add": w, "W_mul": 0 * w, "G": w})
    assert np.isclose(gated, np.mean(to_discrete))
    g = np.array([0.3, 1.0, 0.0])
    assert np.isclose(RealNPU().penalty({"W": w, "g": g}), np.abs(w).sum() + 1.3)
    modified = np.mean(np.abs(1 - np.abs(w))) + 0.1
    assert np.isclose(RealNPU(clip=True).penalty({"W": w, "g": g}), modified)
    v = np.array([[25.0, -3.0]])
    inalu = INALU(tied=True).penalty({"W_hat": v, "M_hat": v, "G": np.array([1.0])})
    assert np.isclose(inalu, 2 * 8.5 + 19)
    r = {"R": w, "w": np.array([1.0, 2.0]), "b": np.array([0.0, 1.0])}
    assert np.isclose(MCFC().penalty(r), -np.mean(w**2) - 2.5 - 0.5)


@pytest.mark.parametrize(
    "unit",
    [
        NMU(),
        StochasticNMU(),
        NMRU(),
        MultiplicativeNAC("clipped"),
        NMU(regulariser="squared"),
        StochasticNMU(regulariser="squared"),
    ],
    ids=repr,
)
def test_the_penalty_of_weights_from_0_to_1(unit):
    """min(|w|, |1 − w|) outside of their bounds too: −1 is no solution of theirs."""
    for w in (-1.0, -0.9, -0.3, 0.0, 0.2, 0.7, 1.0, 1.2):
        linear, smooth = min(abs(w), abs(1 - w)), w**2 * (1 - w) ** 2
        squared = getattr(unit, "regulariser", None) == "squared"
        penalty = unit.penalty({"W": np.full((2, 2), w)})
        assert np.isclose(penalty, smooth if squared else linear)


def test_penalties_of_gates_and_of_a_product_beside_a_sum():
    w, g = np.full((1, 2), -0.9), np.array([-0.9, 0.2])
    zero = {"W_add": 0 * w, "G": w}
    assert np.isclose(GatedNAUNMU().penalty({**zero, "W_mul": w}), 0.9)
    assert np.isclose(GatedNAUNMU().penalty({**zero, "W_add": w, "W_mul": 0 * w}), 0.1)
    params = {"W": 0.25 + 0 * w, "g_z": g}
    assert np.isclose(GatedSignNMRU().penalty(params), 0.25 + 0.55)
    assert GatedSignNMRU(regulariser=None).penalty(params) == 0
    bounded = {"W": 1 + 0 * w, "g": g}
    assert np.isclose(RealNPU(clip=True).penalty(bounded), 0.55)


def test_sparsity_error():
    assert np.isclose(NAU().sparsity_error({"W": np.array([[0.2, -0.9, 1.3]])}), 0.2)
    assert np.isclose(
        Linear(bias=False).sparsity_error({"W": np.array([[0.2, -0.9, 1.3]])}), 0.3
    )

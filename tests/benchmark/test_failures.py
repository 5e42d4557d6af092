"""Failures: each is built by hand for every unit, and recognised."""

import numpy as np
import pytest

from arithmax import UNITS, Network, Unit
from arithmax.benchmark import Failure, failure, kind
from arithmax.networks import Stack
from arithmax.tasks import SingleModule
from arithmax.units import (
    INALU,
    NALU,
    NAU,
    NMRU,
    NMU,
    Dense,
    MulMCFC,
    MultiplicativeNAC,
    NaiveNPU,
    Normal,
    RealNPU,
)
from arithmax.units._division import AbstractNMRU
from arithmax.units._npu import AbstractNPU

ARITHMETIC = ("add", "sub", "mul", "div")
NEGATIVE = {"interpolation": (-2.0, -1.0), "extrapolation": (-6.0, -2.0)}
MIXED = {"interpolation": (-2.0, 2.0), "extrapolation": (-6.0, -2.0, 2.0, 6.0)}
# Every unit, and the versions that the literature has besides.
MODELS: list[Unit] = [cls() for cls in UNITS.values()]
MODELS += [NALU(tied=False), INALU(tied=True), RealNPU(clip=True)]
MODELS += [MultiplicativeNAC(weight_map=w) for w in ("sigmoid", "clipped", "linear")]
MODELS += [MulMCFC(sign="inalu"), MulMCFC(sign="real-npu", discard=False)]
PAIRS = [(unit, op) for unit in MODELS for op in ARITHMETIC if op in unit.operations]
TERNARY = {"add": (1, 1), "sub": (1, -1), "mul": (1, 1), "div": (1, -1)}


def named(pair) -> str:
    unit, operation = pair
    return f"{unit}-{operation}"


def pairs(chosen=lambda unit: True):
    """A test of some units on every operation that they can represent."""
    listed = [pair for pair in PAIRS if chosen(pair[0])]
    return pytest.mark.parametrize("pair", listed, ids=named)


def row(task: SingleModule, **changes) -> dict:
    """What a run that was not solved has in its row."""
    threshold = task.threshold(1e-4, "authors")
    return {"outcome": "not solved", "seed": 0, "threshold": threshold} | changes


def said(unit: Network, operation: str, params, **options) -> str:
    """The failure at some parameters."""
    task = SingleModule(operation, **options)  # type: ignore[arg-type]  # a literal
    return str(failure(unit, task, params, row(task)))


def soft(unit: Unit, params, share: float):
    """Parameters whose weights are `share` of the solution's."""
    found, scale = {}, getattr(unit, "scale", 1.0)
    for name, v in params.items():
        if name.startswith("W_hat"):
            squashed = "M_hat" + name[5:] in params
            up = np.arctanh(share) if squashed else np.log(share / (1 - share))
            found[name] = np.sign(v) * up / scale
        elif name == "w" and "R" in params:
            found[name] = np.sign(v) * np.log(share / (1 - share))
        else:
            found[name] = share * v if name in ("W", "W_add", "W_mul", "W_re") else v
    return found


@pairs()
def test_nearly_there(pair):
    unit, operation = pair
    assert (
        said(unit, operation, soft(unit, unit.solution(operation), 0.96))
        == "nearly there"
    )


@pairs()
def test_weights_in_between(pair):
    unit, operation = pair
    params = soft(unit, unit.solution(operation), 0.7)
    assert said(unit, operation, params) == "weights in between"


@pairs()
def test_overflow(pair):
    unit, operation = pair
    params = unit.solution(operation)
    broken = {name: np.nan * v for name, v in params.items()}
    assert said(unit, operation, broken) == "overflow"
    task = SingleModule(operation)
    assert failure(unit, task, params, row(task, outcome="diverged")) == "overflow"


def ignores(unit: Unit) -> bool:
    """Whether a unit of one output can leave an input out."""
    try:
        unit.encode(np.array([[1.0, 0.0]]), next(iter(unit.exact)))
    except ValueError:
        return False
    return True


@pairs(lambda unit: bool(unit.exact) and ignores(unit))
def test_wrong_weights(pair):
    unit, operation = pair
    path = "sum" if operation in ("add", "sub") else "product"
    params = unit.encode(np.array([[1.0, 0.0]]), path)
    shown = "W = (1, 0, 0, 0)" if isinstance(unit, AbstractNMRU) else "W = (1, 0)"
    # σ is flat at 0, as softmax is; tanh is not.
    flat = "R" in params or (set(params) == {"W_hat"})
    expected = f"saturated at {shown}" if flat else f"wrong weights {shown}"
    assert said(unit, operation, params) == expected


@pairs(lambda unit: any(n.startswith("M_hat") for n in unit.parameters(2, 1)))
def test_saturation(pair):
    unit, operation = pair
    params = unit.solution(operation)
    for name in params:
        if name.startswith("M_hat"):  # σ shuts the second operand out
            params[name] = np.array([[100.0, -100.0]])
    assert said(unit, operation, params) == "saturated at W = (1, 0)"


@pairs(lambda unit: len(unit.exact) > 1)
def test_the_gate_between_two_paths(pair):
    unit, operation = pair
    w = np.array([TERNARY[operation]], dtype=float)
    path, other = (
        ("sum", "product") if operation in ("add", "sub") else ("product", "sum")
    )
    assert said(unit, operation, unit.encode(w, other)) == "gate on the wrong side"
    half = unit.encode(w, path)
    half["G"] = 0.0 * half["G"]
    assert said(unit, operation, half) == "gate half open"
    # A gate that follows the sign of the inputs solves negative ones the other way.
    mirrored = other if half["G"].ndim == 2 else path
    if operation in ("add", "mul"):
        params = soft(unit, unit.encode(w, mirrored), 0.96)
        assert said(unit, operation, params, **NEGATIVE) == "nearly there"


@pairs(lambda unit: isinstance(unit, AbstractNPU) and unit.gated)
def test_the_gates_of_inputs(pair):
    unit, operation = pair
    params = unit.solution(operation)
    for value, expected in ((0.0, "gate on the wrong side"), (0.5, "gate half open")):
        gated = {**params, "g": np.array([1.0, value])}
        assert said(unit, operation, gated) == expected


@pairs(lambda unit: isinstance(unit, AbstractNPU | AbstractNMRU))
def test_the_sign_of_negative_products_is_on_another_peak(pair):
    unit, operation = pair
    # x₁/x₂ needs no turn at all, but for the NMRU, which takes that of 1/x₂.
    unturned = operation == "div" and not isinstance(unit, AbstractNMRU)
    away = np.array([[1.0, 1.0]] if unturned else [[0.0, 0.0]])
    params = unit.encode(away, "product")
    assert said(unit, operation, params, **NEGATIVE) == "flat cosine sign"
    assert said(unit, operation, params) != "flat cosine sign"  # of positive inputs
    third = unit.encode(np.array([[0.4, TERNARY[operation][1]]]), "product")
    assert said(unit, operation, third, **MIXED) == "flat cosine sign"


def test_the_gates_of_a_sign_count_for_negative_inputs_only():
    unit = MulMCFC(sign="real-npu")
    params = soft(unit, unit.solution("mul"), 0.96)
    half = {**params, "g": np.array([0.5, 0.5])}
    assert said(unit, "mul", half) == "nearly there"
    assert said(unit, "mul", half, **NEGATIVE) == "flat cosine sign"
    nearly = {**params, "g": np.array([0.85, 0.95])}
    assert said(unit, "mul", nearly, **NEGATIVE) == "gate half open"


@pairs(lambda unit: "W_im" in unit.parameters(2, 1))
def test_complex_powers(pair):
    unit, operation = pair
    params = unit.solution(operation)
    params["W_im"] = np.array([[0.3, 0.0]])
    assert said(unit, operation, params) == "complex power"


@pytest.mark.parametrize("unit", MODELS, ids=str)
def test_what_a_unit_cannot_represent(unit):
    params = {n: np.full(p.shape, 0.5) for n, p in unit.parameters(2, 1).items()}
    for operation in ARITHMETIC:
        if operation not in unit.operations:
            assert said(unit, operation, params) == "cannot represent it"


def test_an_input_that_cannot_be_ignored():
    unit = UNITS["mc-fc"]()
    params = {n: np.zeros(p.shape) for n, p in unit.parameters(10, 1).items()}
    assert said(unit, "add", params, input_size=10) == "cannot represent it"
    assert said(Dense(), "add", {}) == "cannot represent it"


@pytest.mark.parametrize(
    ("name", "operation", "where"),
    [
        ("nac-mul", "mul", MIXED),
        ("nac-mul", "div", MIXED),
        ("nalu", "add", MIXED),
        ("g-nalu", "mul", MIXED),
        ("gated-nau-nmu", "sub", MIXED),
        ("mul-mc-fc", "mul", NEGATIVE),
    ],
)
def test_outside_the_domain(name, operation, where):
    unit = UNITS[name]()
    assert said(unit, operation, unit.solution(operation), **where) == (
        "outside its domain"
    )


def test_products_of_two_negatives_have_no_sign_to_lose():
    unit = MultiplicativeNAC()
    assert said(unit, "mul", unit.solution("mul"), **NEGATIVE) == "nearly there"


@pytest.mark.parametrize(
    ("name", "operation", "beside", "value"),
    [
        ("linear", "add", "b", [0.5]),
        ("mul-mc-fc", "mul", "alpha", [0.5]),
        ("gated-sign-nmru", "div", "g_z", [0.8, 1.0, 1.0, 0.8]),
    ],
)
def test_a_bias_or_a_factor_beside_right_weights(name, operation, beside, value):
    unit = UNITS[name]()
    params = {**unit.solution(operation), beside: np.array(value)}
    assert said(unit, operation, params) == "offset"


def test_operands_among_inputs_to_be_ignored():
    task = SingleModule("mul", input_size=10)
    own = row(task, seed=3)
    places = [i for r in task.places(3) for i in r]
    w = np.zeros((1, 10))
    w[0, places] = 1.0
    assert failure(NMU(), task, {"W": 0.96 * w}, own) == "nearly there"
    other = next(i for i in range(10) if i not in places)
    w[0, places[1]], w[0, other] = 0.0, 1.0
    assert failure(NMU(), task, {"W": w}, own) == "wrong weights W = (1, 0) and 1 more"
    # An input and its inverse may both be used: they cancel.
    params = NMRU().encode(np.zeros((1, 10)), "product")
    params["W"][0, [*places, other, other + 10]] = 1.0
    params["W"][0, places[0]] = 0.95
    assert failure(NMRU(), task, params, own) == "nearly there"


def test_a_shut_gate_hides_what_is_behind_it():
    task = SingleModule("mul", input_size=10)
    own = row(task)
    places = [i for r in task.places(0) for i in r]
    g, w = np.zeros(10), np.full((1, 10), 0.3)
    g[places], w[0, places] = 1.0, 0.96
    imaginary = np.where(g > 0, 0.0, 0.7)[None]
    params = {"W_re": w, "W_im": imaginary, "g": g}
    assert failure(UNITS["npu"](), task, params, own) == "nearly there"
    del params["g"]
    assert failure(NaiveNPU(), task, params, own) == "complex power"


def test_a_stack_of_one_unit_is_that_unit():
    stack = Stack((NAU(),), starts=(("W", Normal(0.0, 1.0)),))
    assert said(stack, "add", {"0.W": np.array([[1.0, 0.0]])}) == (
        "wrong weights W = (1, 0)"
    )


def test_every_kind_has_a_sentence():
    for each in Failure:
        assert each.sentence.endswith(".") and kind(str(each)) is each
    assert kind("saturated at W = (1, 0)") is Failure.SATURATED
    assert kind("wrong weights W = (0, 0) and 2 more") is Failure.WRONG

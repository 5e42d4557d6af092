"""Bad input gets an error that names the argument, its value and the remedy.

These run without the shape checker of the other tests, which would speak first.
"""
# pyright: reportArgumentType=false, reportCallIssue=false
# because the arguments are wrong on purpose

import dataclasses
import pickle

import jax
import numpy as np
import pytest
import torch

import arithmax.equinox
import arithmax.torch
from arithmax import (
    LSTM,
    NALU,
    NMU,
    Accumulator,
    Dense,
    Linear,
    MultiplicativeNAC,
    Protocol,
    Recurrent,
    StochasticNMU,
    unit,
)
from arithmax.statistics import success_rate
from arithmax.tasks import SingleModule, Subsets
from conformance import IN, drawn, inputs, to_jax, to_torch, variants


@pytest.mark.parametrize("unit", list(variants()), ids=repr)
def test_wrong_inputs(unit):
    params, x = drawn(unit), inputs(unit)
    with pytest.raises(
        ValueError, match=r"`x` \(shape \(5, 2\)\) must have 3 features"
    ):
        unit.apply(params, x[:, :2])
    with pytest.raises(ValueError, match=r"must have 3 features on its last axis"):
        unit.apply(params, np.asarray(1.0))
    with pytest.raises(TypeError, match=r"`x` \(dtype int64\) must be floating-point"):
        unit.apply(params, np.ones((5, IN), dtype=np.int64))
    with pytest.raises(TypeError, match="one framework"):
        unit.apply(to_jax(params), torch.tensor(x))
    with pytest.raises(TypeError, match="dtype of the parameters"):
        unit.apply(to_torch(params), torch.tensor(x).float())
    with pytest.raises(ValueError, match="`params` has the names"):
        unit.apply({**params, "extra": np.ones(2)}, x)
    name, value = next(reversed(params.items()))
    with pytest.raises(
        ValueError, match=rf"params\['{name}'\]` has the shape|must hold"
    ):
        unit.apply({**params, name: value[0]}, x)
    for sizes in ((0, 1), (1, 0), (-1, 2), (2.0, 1), (True, 1)):
        with pytest.raises(
            ValueError, match=r"_features` \(=.*\) must be a whole number"
        ):
            unit.parameters(*sizes)
    with pytest.raises(TypeError, match="is not an option of"):
        type(unit)(nonsense=1)
    with pytest.raises(
        ValueError, match=r"`operation` \(='ad'\).*Did you mean 'add'\?"
    ):
        unit.solution("ad")


@pytest.mark.parametrize("unit", list(variants()), ids=repr)
def test_configurations_copy(unit):
    for copy in (dataclasses.replace(unit), pickle.loads(pickle.dumps(unit))):
        assert copy == unit and repr(copy) == repr(unit)
        params = drawn(unit)
        assert np.array_equal(copy.penalty(params), unit.penalty(params))
        assert set(copy.weights(params)) == set(unit.weights(params))


@pytest.mark.parametrize(
    ("build", "error", "message"),
    [
        (lambda: NALU(tied="yes"), TypeError, r"`tied` \(='yes'\) must be True"),
        (lambda: NALU(gatebias=True), TypeError, "Did you mean `gate_bias`"),
        (lambda: NALU(eps=-1.0), ValueError, r"`eps` \(=-1.0\) must be"),
        (lambda: NALU(eps=float("nan")), ValueError, r"`eps` \(=nan\) must be"),
        (lambda: NMU(regulariser="square"), ValueError, "Did you mean 'squared'"),
        (lambda: Linear(regulariser=1), ValueError, r"`regulariser` \(=1\) must be"),
        (lambda: Dense("rleu"), ValueError, r"`activation` \(='rleu'\).*mean 'relu'"),
        (lambda: MultiplicativeNAC("clip"), ValueError, r"`weight_map`.*'clipped'"),
        (lambda: MultiplicativeNAC(log="secure"), ValueError, r"`log` \(='secure'\)"),
        (lambda: StochasticNMU(low=5, high=1), ValueError, r"`low` \(=5.0\) must not"),
        (lambda: success_rate(0.5, 2), ValueError, r"`solved` \(=0.5\) must be"),
        (lambda: SingleModule("pow"), ValueError, r"`operation` \(='pow'\) must"),
        (lambda: Subsets(operatoin="mul"), TypeError, "Did you mean `operation`"),
        (lambda: Protocol(optimiser="adam"), TypeError, r"such as `Adam\(1e-3\)`"),
        (lambda: unit("nmuu"), ValueError, r"`name` \(='nmuu'\).*Did you mean 'nmu'"),
        (lambda: unit("nalu", tide=1), TypeError, "`tide` is not an option.*`tied`"),
        (lambda: NMU().solution("div"), ValueError, "it represents 'mul'"),
        (lambda: NMU().solution("mul", 1), ValueError, r"`in_features` \(=1\) must be"),
        (lambda: NMU().apply({}, np.ones(2)), ValueError, r"parameters \['W'\]"),
        (lambda: arithmax.torch.NMU(0, 1), ValueError, r"`in_features` \(=0\)"),
        (lambda: arithmax.torch.NMU(1, -1), ValueError, r"`out_features` \(=-1\)"),
        (lambda: arithmax.torch.NMU(2, 1, regularizer=1), TypeError, "mean `reg"),
        (lambda: arithmax.torch.Layer(NMU, 2, 1), TypeError, "must be a unit or"),
        (
            lambda: arithmax.equinox.NMU(0, 1, key=jax.random.key(0)),
            ValueError,
            r"`in_features` \(=0\)",
        ),
        (lambda: arithmax.torch.NMU(2, 1)(torch.ones(5, 3)), ValueError, "2 features"),
        (
            lambda: arithmax.torch.NMU(2, 1)(torch.ones(5, 2, dtype=torch.int64)),
            TypeError,
            "must be floating-point",
        ),
        (
            lambda: arithmax.torch.NMU(2, 1)(torch.ones(5, 2, dtype=torch.float64)),
            TypeError,
            "must have the dtype of the parameters",
        ),
    ],
)  # fmt: skip
def test_errors_speak(build, error, message):
    with pytest.raises(error, match=message):
        build()


def test_numpy_and_jax_promote_mixed_dtypes():
    params, x = drawn(NMU(), dtype="float32"), inputs(NMU())
    assert NMU().apply(params, x).dtype == np.float64
    with jax.numpy_dtype_promotion("standard"):
        y = NMU().apply(to_jax(params), jax.numpy.asarray(x))
    assert y.dtype == np.float64


def test_what_is_no_network_over_sequences():
    with pytest.raises(TypeError, match=r"`reader` \(='cnn'\) must be a network"):
        Recurrent(NMU(), "cnn")
    with pytest.raises(TypeError, match=r"`reader` \(=5\) must be a network"):
        LSTM(8, 5)
    with pytest.raises(TypeError, match=r"`unit` \(=3\) must be a network"):
        Recurrent(3)
    with pytest.raises(TypeError, match=r"`every_step` \(=1\) must be True or False"):
        Recurrent(NMU(), every_step=1)
    with pytest.raises(ValueError, match=r"`hidden` \(=2.5\) must be a whole number"):
        LSTM(2.5)
    with pytest.raises(ValueError, match=r"`operation` \(='times'\) must be one of"):
        Accumulator("times")
    with pytest.raises(ValueError, match=r"`out_features` \(=1.5\) must be a multiple"):
        Recurrent(NMU()).parameters((1, 1), 1.5)

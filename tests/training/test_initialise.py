"""Parameters start as the papers draw them, in JAX and in PyTorch."""

import math

import jax
import numpy as np
import pytest
import torch

from arithmax import (
    INALU,
    MCFC,
    NAC,
    NALU,
    NAU,
    NMRU,
    NMU,
    NPU,
    Dense,
    Linear,
    MulMCFC,
    MultiplicativeNAC,
    RealNPU,
    Unit,
    initialise,
)
from arithmax.torch import Layer
from arithmax.units import Beta, Constant, Normal, Uniform
from arithmax.units._nac import nac_uniform
from conformance import variants


@pytest.mark.parametrize(
    ("in_features", "out_features", "bound"),
    [(100, 2, 0.504), (2, 1, 9.47), (4, 2, 5.43), (10, 1, 2.26)],
)
def test_nac_bound_is_the_published_one(in_features, out_features, bound):
    assert math.isclose(
        nac_uniform(in_features, out_features).high, bound, rel_tol=2e-3
    )


def test_nac_weights_have_glorot_variance():
    params = initialise(NAC(), 300, 300, key=jax.random.key(0))
    w = NAC().weights(params)["W"]
    assert math.isclose(float(w.var()), 2 / 600, rel_tol=0.02)
    assert abs(float(w.mean())) < 1e-3


@pytest.mark.parametrize(
    ("unit", "name", "distribution"),
    [
        (NAU(), "W", Uniform(-0.5, 0.5)),
        (NAU(init="beta"), "W", Beta(7, 7, -1, 1)),
        (NMU(), "W", Uniform(0.25, 0.75)),
        (NMRU(), "W", Uniform(0.25, 0.75)),
        (MultiplicativeNAC("clipped"), "W", Uniform(0.25, 0.75)),
        (MultiplicativeNAC("sigmoid"), "W_hat", Normal(0, math.sqrt(2 / 3))),
        (MultiplicativeNAC("linear"), "W", Uniform(-math.sqrt(2), math.sqrt(2))),
        (NALU(), "G", Uniform(-math.sqrt(2), math.sqrt(2))),
        (NALU(gate_bias=True), "b", Constant(0)),
        (INALU(), "W_hat_add", Normal(1, 0.1)),
        (INALU(), "M_hat_mul", Normal(-1, 0.1)),
        (INALU(), "G", Normal(0, 0.1)),
        (NPU(), "W_re", Uniform(-math.sqrt(2), math.sqrt(2))),
        (NPU(), "W_im", Constant(0)),
        (NPU(), "g", Constant(0.5)),
        (RealNPU(clip=True), "W", Uniform(-0.5, 0.5)),
        (Linear(), "W", Uniform(-math.sqrt(2), math.sqrt(2))),
        (Dense("relu"), "W", Uniform(-math.sqrt(3), math.sqrt(3))),
        (Dense("selu"), "W", Uniform(-math.sqrt(1.5), math.sqrt(1.5))),
        (Dense("tanh"), "W", Uniform(-math.sqrt(2) * 5 / 3, math.sqrt(2) * 5 / 3)),
        (Dense("prelu"), "a", Constant(0.25)),
    ],
    ids=str,
)
def test_published_starts(unit, name, distribution):
    assert unit.parameters(2, 1)[name].distribution == distribution


def test_nau_bound_shrinks_with_size():
    distribution = NAU().parameters(100, 2)["W"].distribution
    assert distribution == Uniform(-math.sqrt(6 / 102), math.sqrt(6 / 102))


def moments(distribution) -> tuple[float, float]:
    match distribution:
        case Uniform(low, high):
            return (low + high) / 2, (high - low) / math.sqrt(12)
        case Normal(mean, std):
            return mean, std
        case Beta(a, b, low, high):
            std = math.sqrt(a * b / (a + b + 1)) / (a + b)
            return low + (high - low) * a / (a + b), (high - low) * std
        case Constant(value):
            return value, 0.0
    raise AssertionError(distribution)


# The mass-conserving units draw matrices as a whole: see the next test.
ENTRYWISE = [u for u in variants() if not isinstance(u, MCFC | MulMCFC)]


@pytest.mark.parametrize("unit", ENTRYWISE, ids=repr)
def test_draws_have_the_declared_moments(unit: Unit):
    """In JAX and in PyTorch, for every parameter that is drawn entry by entry."""
    sizes = (64, 48)
    torch.manual_seed(0)
    layer = Layer(unit, *sizes)
    own = {name: value.detach().numpy() for name, value in layer.named_parameters()}
    for drawn in (initialise(unit, *sizes, key=jax.random.key(0)), own):
        for name, parameter in unit.parameters(*sizes).items():
            value = np.asarray(drawn[name])
            mean, std = moments(parameter.distribution)
            assert value.shape == parameter.shape
            slack = 5 * std / math.sqrt(value.size)
            assert abs(value.mean() - mean) <= slack + 1e-7
            assert abs(value.std() - std) <= slack + 1e-7


def test_mass_conserving_starts():
    """The identity where it is square, otherwise orthogonal; gates of unit length."""
    for sizes in ((4, 4), (5, 3), (3, 5)):
        torch.manual_seed(0)
        layer = Layer(MCFC(), *sizes)
        own = {name: value.detach().numpy() for name, value in layer.named_parameters()}
        for p in (initialise(MCFC(), *sizes, key=jax.random.key(0)), own):
            r = np.asarray(p["R"])
            small = r @ r.T if r.shape[0] <= r.shape[1] else r.T @ r
            np.testing.assert_allclose(small, np.eye(len(small)), atol=1e-6)
            assert sizes != (4, 4) or np.array_equal(r, np.eye(4))
            assert math.isclose(np.linalg.norm(p["w"]), 1.0, rel_tol=1e-6)


def test_seeds_decide():
    draws = [initialise(NAC(), 4, 2, key=jax.random.key(seed)) for seed in (0, 0, 1)]
    assert np.array_equal(draws[0]["W_hat"], draws[1]["W_hat"])
    assert not np.array_equal(draws[0]["W_hat"], draws[2]["W_hat"])
    assert not np.array_equal(draws[0]["W_hat"], draws[0]["M_hat"])

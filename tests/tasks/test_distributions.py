"""Distributions of inputs: each class against SciPy's law, in NumPy and in JAX."""

from typing import get_args

import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from arithmax.tasks import SingleModule, input_distribution
from arithmax.tasks._distributions import DISTRIBUTIONS, DistributionName
from arithmax.training._random import DATA, uniform

CUT = ((-5 + 1) / 3, (10 + 1) / 3)
LAWS = [
    ("uniform", (1.0, 2.0), stats.uniform(1, 1)),
    ("uniform", (1.0, 1.5, 1.5, 2.0), stats.uniform(1, 1)),
    ("normal", (-1.0, 3.0), stats.norm(-1, 3)),
    ("truncated-normal", (-1.0, 3.0, -5.0, 10.0), stats.truncnorm(*CUT, -1, 3)),
    ("exponential", (0.2,), stats.expon(scale=0.2)),
    ("benford", (10.0, 100.0), stats.loguniform(10, 100)),
]

FORMAT = jnp.dtype("float32")


def quantiles(law, u):
    """Inputs from uniform numbers [n], in the framework of `u`."""
    xp = np if isinstance(u, np.ndarray) else jnp
    return np.asarray(law.quantile(xp.asarray([law.numbers], u.dtype), u[None], xp))[0]


def test_every_name_has_its_class():
    assert tuple(DISTRIBUTIONS) == get_args(DistributionName)


@pytest.mark.parametrize(("name", "values", "law"), LAWS)
def test_samples_follow_the_law(name, values, law):
    u = uniform("hash", jnp.uint32(1), DATA, jnp.uint32(1), (20000,), FORMAT)
    x = quantiles(input_distribution(name, values), u)
    assert stats.kstest(x, law.cdf).pvalue > 1e-3


@pytest.mark.parametrize(("name", "values", "law"), LAWS)
def test_the_quantile_function_is_one_in_both_frameworks(name, values, law):
    u = np.linspace(0.001, 0.999, 500)
    own = input_distribution(name, values)
    x = quantiles(own, u)
    np.testing.assert_allclose(x, quantiles(own, jnp.asarray(u)), rtol=1e-9)
    np.testing.assert_allclose(x, law.ppf(u), rtol=1e-9)
    assert np.all(np.diff(x) > 0)


@pytest.mark.parametrize(("name", "values", "law"), LAWS)
def test_moments_and_support(name, values, law):
    own = input_distribution(name, values)
    expected = [1.0, law.mean(), law.var() + law.mean() ** 2]
    np.testing.assert_allclose(own.moments(2), expected, rtol=0.03)
    low, high = own.support[0][0], own.support[-1][1]
    u = np.array([0.0 if "normal" not in name else 1e-12, 1 - 2**-24])
    x = quantiles(own, u)
    assert low <= x[0] and x[1] <= high
    assert own.magnitude == max(abs(low), abs(high))
    if law.ppf(0) > 0:
        expected = law.expect(lambda x: x**-2.0)
        assert own.inverse_square() == pytest.approx(expected, rel=0.01)


def test_two_parts_have_equal_weight():
    u = uniform("hash", jnp.uint32(1), DATA, jnp.uint32(1), (20000,), FORMAT)
    x = quantiles(input_distribution("uniform", (-6.0, -2.0, 2.0, 6.0)), u)
    assert abs((x < 0).mean() - 0.5) < 0.02 and np.abs(x).min() >= 2
    assert stats.kstest(np.abs(x), stats.uniform(2, 4).cdf).pvalue > 1e-3


def test_a_mirrored_normal_is_a_normal_with_either_sign():
    own = input_distribution("mirrored-normal", (3.0, 0.5))
    u = np.random.default_rng(0).uniform(size=20000)
    x = quantiles(own, u)
    assert stats.kstest(np.abs(x), stats.norm(3, 0.5).cdf).pvalue > 1e-3
    assert abs((x < 0).mean() - 0.5) < 0.02
    assert own.magnitude == 3 + 17 * 0.5 and len(own.support) == 2


def test_magnitudes_stay_in_the_class_where_no_part_crosses_zero():
    parts = input_distribution("uniform", (-6.0, -2.0, 1.0, 3.0)).magnitudes
    assert parts == input_distribution("uniform", (2.0, 6.0, 1.0, 3.0))
    assert input_distribution("uniform", (-1.0, 2.0)).magnitudes is None
    assert input_distribution("normal", (5.0, 1.0)).magnitudes is None
    assert input_distribution("uniform", (-1.0, 2.0)).inverse_square() == np.inf


def test_truncation_is_a_number_and_shares_a_program():
    plain = SingleModule().structure
    ends, cut = (3.0, 1.0), (3.0, 1.0, 2.0, 4.0)
    one = SingleModule("mul", 2, ends, ends, "normal").structure
    other = SingleModule("mul", 2, cut, cut, "truncated-normal").structure
    assert one == other != plain

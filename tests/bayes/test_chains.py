"""Chains that have not mixed are refused."""

import warnings

import numpy as np
import pytest

from arithmax.bayes import ChainError, ChainWarning, Diagnostics
from arithmax.bayes._chains import diagnosed, judge_chains

RNG = np.random.default_rng(0)


def test_independent_draws_are_taken_in_silence():
    found = diagnosed(
        {"W": RNG.normal(size=(4, 500, 1, 2)), "s": RNG.normal(size=(4, 500))}, 0
    )
    assert set(found.r_hat) == {"W[0, 0]", "W[0, 1]", "s"}
    assert all(abs(r - 1) < 0.01 for r in found.r_hat.values())
    assert all(1200 < size < 3000 for size in found.size.values())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        judge_chains(found)


def test_chains_around_two_solutions_are_refused():
    two = RNG.normal(size=(4, 500)) + np.array([0.0, 0.0, 5.0, 5.0])[:, None]
    found = diagnosed({"W": two, "fine": RNG.normal(size=(4, 500))}, 0)
    # Half of the variance of the means, 25/3, beside a variance of 1 within.
    assert found.r_hat["W"] == pytest.approx(np.sqrt(1 + 25 / 3.5), rel=0.1)
    assert found.worst == "W"
    with pytest.raises(ChainError, match=r"R̂ up to 2\.\d+ \(W\).*`start`"):
        judge_chains(found)
    with pytest.warns(ChainWarning, match="have not mixed"):
        judge_chains(found, bad="warn")


def autoregressive(rho: float, count: int) -> np.ndarray:
    steps = RNG.normal(size=(4, count)) * np.sqrt(1 - rho**2)
    values = np.zeros((4, count))
    for i in range(1, count):
        values[:, i] = rho * values[:, i - 1] + steps[:, i]
    return values


def test_the_effective_size_of_correlated_draws():
    found = diagnosed({"W": autoregressive(0.8, 5000)}, 0)
    assert found.size["W"] == pytest.approx(20000 * (1 - 0.8) / (1 + 0.8), rel=0.15)


def test_few_effective_draws_warn_or_are_refused():
    some = diagnosed({"W": autoregressive(0.9, 1500)}, 0)
    assert 50 < some.size["W"] < 400
    with pytest.warns(ChainWarning, match="effective size"):
        judge_chains(some)

    few = Diagnostics({"W": 1.0}, {"W": 49.0}, 0)  # nothing else is wrong with it
    with pytest.raises(ChainError, match="effective size from 49"):
        judge_chains(few)


def test_divergences_are_warned_about():
    found = diagnosed({"W": RNG.normal(size=(4, 500))}, 3)
    with pytest.warns(ChainWarning, match="3 divergences"):
        judge_chains(found)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_draws_that_are_not_finite_are_refused(value):
    draws = RNG.normal(size=(4, 500))
    draws[1, 7] = value
    found = diagnosed({"W": draws}, 0)
    with pytest.raises(ChainError, match="not finite"):
        judge_chains(found)


def test_a_chain_that_never_moved_is_refused():
    found = diagnosed({"W": np.ones((4, 500))}, 0)
    with pytest.raises(ChainError):
        judge_chains(found)

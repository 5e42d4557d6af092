"""Noise in proportion to the target: it is seen, and rows count accordingly."""

import numpy as np
import pytest

from arithmax.bayes import uncertainty_of
from arithmax.discover import Search, Trust, discover
from arithmax.discover._uneven import log_loss, relative_weight, sizes
from arithmax.readout import parse

NAMES = ["a", "b", "c"]
LAW = parse("a**2/b", NAMES)
RNG = np.random.default_rng(4)
X = RNG.uniform(0.5, 3.0, (300, 3))
TRUTH, NORMAL = LAW.evaluate(X), RNG.standard_normal(300)
EVEN = TRUTH + 0.02 * TRUTH.std() * NORMAL
RELATIVE = TRUTH * (1 + 0.02 * NORMAL)
SHORT = Search(candidates=60)


def test_the_loss_is_minus_twice_the_likelihood_at_its_best():
    """Up to what both kinds of noise share: n + n log 2π."""
    residual, ones = RELATIVE - TRUTH, np.ones(300)
    for size in (ones, np.abs(TRUTH)):
        noise = np.sqrt(np.mean((residual / size) ** 2)) * size
        density = -0.5 * (residual / noise) ** 2 - np.log(noise)
        found = log_loss(LAW, X, RELATIVE, ones, size)
        assert found == pytest.approx(-2 * density.sum() - 300)


def test_noise_is_told_apart():
    assert relative_weight(LAW, X, EVEN, None) is None
    weight = relative_weight(LAW, X, RELATIVE, None)
    assert weight is not None and weight.mean() == pytest.approx(1.0)
    np.testing.assert_allclose(weight * TRUTH**2, (weight * TRUTH**2)[0])
    assert relative_weight(LAW, X[:20], RELATIVE[:20], None) is None  # too few
    assert relative_weight(LAW, X, TRUTH, None) is None  # nothing is left over


def test_rows_near_zero_do_not_count_for_everything():
    line = parse("a - b", NAMES)
    size = sizes(line, X)
    assert size is not None
    assert size.min() >= 0.99e-3 * np.median(np.abs(line.evaluate(X)))
    assert sizes(parse("sqrt(a - 1)", NAMES), X) is None


def test_a_law_is_found_in_relative_noise():
    found = discover(X, RELATIVE, names=NAMES, search=SHORT)
    assert str(found.formula.sympy()) == "a**2/b"
    assert found.verdict is Trust.WITHIN and found.weight is not None
    assert "noise grows with it" in found.stopped
    told = uncertainty_of(
        found.formula, [], X, RELATIVE, sample_weight=found.weight, relative=True
    )
    assert told.posterior is not None
    assert abs(told.posterior.noise.mean - 0.02) < 0.004
    assert "% of the target" in told.posterior.noise_text
    assert "in proportion" in told.meaning


def test_noise_of_one_size_is_searched_once():
    found = discover(X, EVEN, names=NAMES, search=SHORT)
    assert found.weight is None and "noise grows" not in found.stopped
    assert str(found.formula.sympy()) == "a**2/b"


def test_predictions_have_relative_noise():
    weight = relative_weight(LAW, X, RELATIVE, None)
    told = uncertainty_of(LAW, [], X, RELATIVE, sample_weight=weight, relative=True)
    assert told.posterior is not None
    small, large = np.array([[1.0, 1.0, 1.0]]), np.array([[10.0, 1.0, 1.0]])
    stds = [told.posterior.predict(at).std[0] for at in (small, large)]
    assert stds[1] / stds[0] == pytest.approx(100, rel=0.05)
    assert stds[0] == pytest.approx(0.02, rel=0.15)

"""The rule for an NMU on negative numbers, against descent and against draws."""

import numpy as np
import pytest

from arithmax.studies.success._theory import bound, share


@pytest.mark.parametrize("m", [1.15, 1.5])
def test_descent_ends_as_the_rule_says(m):
    w = np.random.default_rng(0).uniform(0.25, 0.75, (2, 2000))
    expected = w.sum(axis=0) > bound(m)
    near = np.abs(w.sum(axis=0) - bound(m)) < 0.01
    for _ in range(5000):
        a = 1 - (1 + m) * w
        slope = -2 * (1 + m) * (a[0] * a[1] - m * m) * a[::-1]
        w = np.clip(w - 0.003 * slope, 0, 1)
    ended = np.abs(w - 1).max(axis=0) < 0.05
    assert (ended == expected)[~near].all()
    assert np.abs(w[:, ~ended & ~near]).max() < 0.05  # the others are at zero


@pytest.mark.parametrize("m", [1.01, 1.15, 1.5, 4.0])
def test_the_share_of_starts_is_that_of_draws(m):
    w = np.random.default_rng(1).uniform(0.25, 0.75, (2, 400_000))
    assert share(m) == pytest.approx(np.mean(w.sum(axis=0) > bound(m)), abs=3e-3)


def test_small_products_have_no_such_rule():
    with pytest.raises(ValueError, match="`magnitude`"):
        bound(0.15)

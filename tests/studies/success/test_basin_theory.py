"""The rules of theory, against descent."""

import numpy as np
import pytest

from arithmax.studies.success._theory import bound, nmu, real_naive_npu, saturated


@pytest.mark.parametrize("m", [1.15, 1.5])
def test_descent_ends_as_the_rule_says(m):
    w = np.random.default_rng(0).uniform(0.25, 0.75, (2, 2000))
    _, expected = nmu(w.sum(axis=0), m)
    near = np.abs(w.sum(axis=0) - bound(m)) < 0.01
    for _ in range(5000):
        a = 1 - (1 + m) * w
        slope = -2 * (1 + m) * (a[0] * a[1] - m * m) * a[::-1]
        w = np.clip(w - 0.003 * slope, 0, 1)
    ended = np.abs(w - 1).max(axis=0) < 0.05
    assert (ended == expected)[~near].all()
    assert np.abs(w[:, ~ended & ~near]).max() < 0.05  # the others are at zero


def test_the_sum_of_a_quotient_is_one_of_several_hills():
    """Descent on the factor of negative numbers alone leads to the nearest even sum."""
    start = np.random.default_rng(1).uniform(-2.8, 2.8, 2000)
    start = start[np.abs(np.abs(start) - 1) > 0.01]
    s = start.copy()
    for _ in range(3000):
        s += 0.01 * 2 * (1 - np.cos(np.pi * s)) * -np.pi * np.sin(np.pi * s)
    _, expected = real_naive_npu(start, 1.5)
    assert ((np.abs(s) < 0.3) == expected).all()


def test_small_products_have_no_such_rule():
    with pytest.raises(ValueError, match="`magnitude`"):
        bound(0.15)


def test_weights_of_a_nac_are_flat_as_often_as_drawn():
    high, flat = saturated(2)
    w_hat = np.random.default_rng(2).uniform(-high, high, 400_000)
    assert flat == pytest.approx(np.mean(1 - np.tanh(w_hat) ** 2 < 1e-3), abs=3e-3)
    assert saturated(5)[1] < flat and saturated(10)[1] == 0

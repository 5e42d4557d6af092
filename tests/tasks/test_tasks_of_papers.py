"""What single papers ask of tasks: mirrored numbers, shares, powers, extra inputs."""

import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import norm, truncnorm

from arithmax.tasks import Functions, Subsets, input_distribution


def test_a_mirrored_normal_has_either_sign():
    """±N(10, 1): its density is the mean of those of N(10, 1) and N(−10, 1)."""
    u = jnp.asarray(np.random.default_rng(0).uniform(size=(1, 200_000)))
    for given, own in (
        ((10.0, 1.0), norm(10, 1)),
        ((1.0, 1.0, -2.0, 2.0), truncnorm(-3, 1, 1, 1)),
    ):
        law = input_distribution("mirrored-normal", given)
        x = np.asarray(law.quantile(jnp.asarray([law.numbers]), u, jnp))[0]
        for at in (-11.0, -9.5, -1.0, 0.3, 1.5, 10.2):
            expected = (own.cdf(at) + 1 - own.cdf(-at)) / 2
            assert np.mean(x < at) == pytest.approx(expected, abs=5e-3)


def test_shares_of_inputs_are_drawn_by_the_seed():
    task = Subsets("sub", 1000, shares=(0.5, 0.25))
    a, b = (set(row) for row in task.places(3))
    assert not a & b and task.places(3) == task.places(3) != task.places(4)
    assert len(a) == pytest.approx(500, abs=60) and len(b) == pytest.approx(250, abs=50)
    assert "shares" in str(task) and "shares" not in str(Subsets("sub"))
    # Two inputs in a, one in b, one in none: a − b is wrong by −2ε(a − b).
    small = Subsets("sub", 4, shares=(0.5, 0.25))
    error = small.threshold(1e-3)
    x = np.random.default_rng(0).uniform(2, 6, (4, 200_000))
    wrong = -2e-3 * (x[0] + x[1] - x[2])
    assert error == pytest.approx(np.mean(wrong**2), rel=0.02)
    with pytest.raises(ValueError, match="`shares`"):
        Subsets("sub", shares=(0.9, 0.2))


def test_powers_of_sums_are_a_task():
    plain = Subsets(simple=True)
    same = Subsets(simple=True, powers=(1.0, 1.0))
    assert "powers" not in str(plain) and "powers=(1.0, 1.0)" in str(same)
    assert plain.structure != same.structure and plain.structure[-1] == plain.kind
    assert same.threshold(1e-3) == pytest.approx(plain.threshold(1e-3), rel=0.01)
    assert Subsets(powers=(2.0, -1.0)).operations == ("mul", "div", "square")
    with pytest.raises(ValueError, match=r"`powers` \(=\(1.0,\)\)"):
        Subsets(powers=(1.0,))


def test_functions_may_have_inputs_to_ignore():
    task = Functions(("identity",), ((0, 2), (-0.1, 0.1)), ((2, 4), (-1, 1)), inputs=2)
    assert task.in_features == 2 and "inputs=2" in str(task)
    x = jnp.array([[1.0, 2.0], [5.0, 6.0]])
    np.testing.assert_array_equal(task.target({}, x), x[:1])
    three = Functions(("mul",), inputs=3)
    np.testing.assert_array_equal(
        three.target({}, jnp.array([[2.0], [3.0], [9.0]])), [[6.0]]
    )
    assert "inputs" not in str(Functions(("mul",)))
    with pytest.raises(ValueError, match=r"`inputs` \(=1\) must be at least 2"):
        Functions(("mul",), inputs=1)

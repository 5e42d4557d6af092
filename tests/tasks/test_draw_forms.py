"""One interval has a quantile function of its own."""

import numpy as np
import pytest

from arithmax.tasks import SingleModule, Subsets
from arithmax.tasks._distributions import UniformInputs, input_distribution

U = np.linspace(0, 1, 10_001, endpoint=False)[None]


@pytest.mark.parametrize("ends", [(1.0, 2.0), (-1.2, -1.1), (0.1, 0.2), (-2.0, 2.0)])
def test_one_interval_is_two_halves(ends):
    numbers = np.array([input_distribution("uniform", ends).numbers])
    halves = UniformInputs.quantile(numbers, U, np)
    whole = UniformInputs.within(numbers, U, np)
    assert np.allclose(whole, halves, rtol=0, atol=4e-16 * np.abs(ends).max())
    assert ends[0] == whole.min() and whole.max() < ends[1]


def test_tasks_share_a_program_if_their_ranges_have_as_many_parts():
    one = SingleModule("mul", interpolation=(-2.0, 2.0), extrapolation=(2.0, 6.0))
    two = SingleModule("mul", interpolation=(-2.0, 2.0), extrapolation=(-6, -2, 2, 6))
    assert one.structure == SingleModule("mul").structure != two.structure
    assert two.kind == ("interval", "uniform")


def test_a_range_is_drawn_in_parts_if_one_input_is():
    each = ((1.0, 2.0), (-2.0, -1.0, 1.0, 2.0))
    assert SingleModule("mul", interpolation=each).form("interpolation")[0] == "uniform"


def test_others_have_one_quantile_function():
    assert Subsets(distribution="normal").kind == ("normal", "normal")

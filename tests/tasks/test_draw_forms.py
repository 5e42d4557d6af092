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


def many(*given, **options):
    return SingleModule("mul", 100, *given, **options)


def test_tasks_share_a_program_if_their_ranges_have_as_many_parts():
    one = many((-2.0, 2.0), (2.0, 6.0))
    two = many((-2.0, 2.0), (-6.0, -2.0, 2.0, 6.0))
    assert one.structure == many().structure != two.structure
    assert two.kind == (("interval", 1), ("uniform", 1))


def test_few_inputs_share_a_program_whatever_their_ranges_are():
    two = SingleModule("mul", extrapolation=(-6.0, -2.0, 2.0, 6.0))
    each = SingleModule("mul", interpolation=((1.0, 2.0), (3.0, 4.0)))
    assert two.structure == each.structure == SingleModule("mul").structure
    shapes = {task.replica(0)["interpolation"].shape for task in (two, each)}
    assert shapes == {(2, 4)}


def test_a_range_is_drawn_in_parts_if_one_input_is():
    each = ((1.0, 2.0),) * 99 + ((-2.0, -1.0, 1.0, 2.0),)
    assert many(each).form("interpolation")[0] == "uniform"
    assert many(each).replica(0)["interpolation"].shape == (100, 4)


def test_others_have_one_quantile_function():
    assert Subsets(distribution="normal").form("interpolation")[0] == "normal"

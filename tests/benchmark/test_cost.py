"""What a study costs."""

import pytest

from arithmax import NMU, Cell, published
from arithmax.benchmark._cost import seconds
from arithmax.tasks import Subsets


def test_costs_grow_with_the_network():
    speed = {"fixed": 1e-6, "each": 1e-7}
    few = published(NMU(), Subsets("mul", simple=True))
    many = published(NMU(), Subsets("mul"))
    cost = [
        seconds(Cell(network, task, protocol, (0,)), speed)
        for (network, protocol), task in (
            (few, Subsets("mul", simple=True)),
            (many, Subsets("mul")),
        )
    ]
    assert cost == pytest.approx([1e-6 + 10 * 1e-7, 1e-6 + 202 * 1e-7])

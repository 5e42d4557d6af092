"""What rounded weights are worth: an error outside, in double precision."""

import numpy as np
import pytest

from arithmax import NAU, NMRU, NMU, Stack, train
from arithmax.results import exact_after_rounding, summarise
from arithmax.tasks import SingleModule
from arithmax.training import Measuring, Protocol, rounded_error
from arithmax.training._rounded import rounded_errors
from arithmax.units import Dense

TEN = SingleModule("div", input_size=10)


def near(seed, slip=0.0):
    """Weights of an NMRU that divides the operands of a seed, a little off."""
    (one,), (other,) = TEN.places(seed)
    w = np.full((1, 20), 0.02)
    w[0, one], w[0, 10 + other] = 0.97, 0.96
    w[0, 3] += slip
    return {"W": w}


@pytest.mark.parametrize("seed", range(4))
def test_weights_next_to_a_solution_are_rounded_to_it(seed):
    assert rounded_error(NMRU(), TEN, near(seed), seed) < 1e-25


def test_operands_are_those_of_the_seed():
    seeds = [s for s in range(20) if TEN.places(s) != TEN.places(0)]
    assert rounded_error(NMRU(), TEN, near(0), seeds[0]) > 1e-3


def test_wrong_weights_stay_wrong_and_infinite_ones_have_no_error():
    task = SingleModule("mul")
    wrong = rounded_error(NMU(), task, {"W": np.array([[0.4, 1.0]])}, 0)
    x = np.linspace(2, 6, 200_001)  # the mean of (x1 x2 − x2)² over [2, 6)²
    assert wrong == pytest.approx((x**2).mean() * ((x - 1) ** 2).mean(), rel=0.1)
    assert np.isnan(rounded_error(NMU(), task, {"W": np.array([[np.nan, 1.0]])}, 0))


def test_many_runs_are_judged_as_each_of_them():
    runs = [(NMRU(), TEN, near(s, slip), s) for s in range(6) for slip in (0.0, 0.9)]
    each = [rounded_error(*run) for run in runs]
    assert rounded_errors(runs) == each
    assert {e < 1e-20 for e in each} == {True, False}


def test_a_row_has_it():
    """Of a run that is stopped too early to be solved, but on its way."""
    protocol = Protocol(2000, measuring=Measuring(1000, 1000))
    rows = train(NAU(), SingleModule("add"), protocol, seeds=range(4)).rows
    assert [row["outcome"] for row in rows] == ["not solved"] * 4
    assert all(exact_after_rounding(row) for row in rows)
    summary = summarise({}, rows)
    assert summary.solved == 0 and summary.rounded and summary.rounded.value == 1
    older = [{n: v for n, v in row.items() if n != "rounded"} for row in rows]
    assert summarise({}, older).rounded is None


def test_a_network_without_discrete_weights_has_none():
    net = Stack((Dense("relu"), NMU()), hidden=(2,))
    declared = net.parameters(2, 1).items()
    params = {name: np.ones(p.shape) for name, p in declared}
    assert np.isnan(rounded_error(net, SingleModule("mul"), params, 0))
    (error,) = rounded_errors([(net, SingleModule("mul"), params, 0)])
    assert np.isnan(error)

"""Sums and products of some of the inputs: masks, targets, thresholds, programs."""

import numpy as np
import pytest

from arithmax import NMU, Cell, published
from arithmax.studies.success import arms
from arithmax.studies.success._among import Among
from arithmax.tasks import NumpyKey, SingleModule


@pytest.mark.parametrize("inputs", [10, 40])
@pytest.mark.parametrize("operation", ["add", "mul"])
def test_targets_are_of_the_relevant_inputs(operation, inputs):
    task = Among(operation, inputs, 3)
    replica = task.replica(5)
    x, t = task.draw("extrapolation", replica, NumpyKey(0), 50)
    first = int(np.flatnonzero(replica["mask"])[0])
    some = x[first : first + 3]
    assert replica["mask"].sum() == 3
    expected = some.sum(axis=0) if operation == "add" else some.prod(axis=0)
    np.testing.assert_allclose(t[0], expected, rtol=1e-12)


def test_each_seed_draws_a_place():
    task = Among("mul", 4, 3)
    places = {tuple(task.replica(seed)["mask"]) for seed in range(20)}
    assert places == {(1, 1, 1, 0), (0, 1, 1, 1)}


@pytest.mark.parametrize("operation", ["add", "mul"])
def test_two_operands_have_the_threshold_of_the_single_module_task(operation):
    ours = Among(operation, 7, 2).threshold(1e-4)
    theirs = SingleModule(operation, 7).threshold(1e-4)
    assert ours == pytest.approx(theirs, rel=1e-9)


def test_a_threshold_is_the_error_of_weights_that_are_wrong():
    task, epsilon = Among("mul", 6, 4, (0.9, 1.1), (1.1, 1.2)), 1e-4
    _, t = task.draw("extrapolation", task.replica(0), NumpyKey(1), 100_000)
    error = np.mean((t * (1 - epsilon) ** 4 - t) ** 2)
    assert task.threshold(epsilon) == pytest.approx(error, rel=1e-2)


def test_numbers_of_relevant_inputs_share_a_program():
    tasks = [Among("mul", 20, k, (0.9, 1.1), (1.1, 1.2)) for k in (2, 20)]
    assert tasks[0].structure == tasks[1].structure
    assert Among("add", 20, 2).structure != tasks[0].structure
    network, protocol = published(NMU(), SingleModule("mul", 10))
    Cell(network, tasks[1], protocol, (0,))  # nothing of it is refused


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"relevant": 11}, "relevant"),
        ({"relevant": 0}, "relevant"),
        ({"input_size": 50, "interpolation": (-1.0, 1.0)}, "interpolation"),
    ],
)
def test_a_task_that_cannot_be_is_refused(given, named):
    with pytest.raises(ValueError, match=f"`{named}`"):
        Among(**given)


def test_no_product_of_an_arm_overflows():
    for arm in arms():
        largest = max(arm.cell.task.largest(s) for s in ("training", "extrapolation"))
        assert largest**2 < 1e38 / 1e3, arm.name

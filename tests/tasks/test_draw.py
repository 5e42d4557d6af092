"""Every task draws its samples; what it must give, and what it has by default."""

from dataclasses import dataclass

import jax.numpy as jnp
import numpy as np
import pytest

from arithmax import NAU, Protocol, train
from arithmax.tasks import Functions, NumpyKey, Operands, SingleModule, Subsets, Task
from arithmax.training import Adam, Criterion, Measuring
from arithmax.training._random import DATA, Key

TASKS = [
    SingleModule("div", input_size=4, interpolation=(1, 2), extrapolation=(3, 4)),
    SingleModule("mul", interpolation=((1, 2), (5, 6)), extrapolation=((3, 4), (7, 8))),
    Subsets("sub", input_size=12, interpolation=(1, 2), extrapolation=(3, 4)),
    Subsets(simple=True, powers=(0.5, 2), interpolation=(1, 2), extrapolation=(3, 4)),
    Operands(operands=3, signs=(1, -1, 1), interpolation=(1, 2), extrapolation=(3, 4)),
    Functions(("mul", "log"), interpolation=(1, 2), extrapolation=(3, 4)),
]


@dataclass(frozen=True)
class Doubled(Task):
    """The least that a task can be."""

    factor: float = 2.0
    in_features = 2  # type: ignore[assignment]  # as users write it
    out_features = 1  # type: ignore[assignment]  # as users write it

    def draw(self, split, replica, key, size):
        x = key.fix(key.uniform((2, size)) + (split == "extrapolation"))
        return x, self.factor * x[:1] - x[1:]


@pytest.mark.parametrize("task", TASKS, ids=str)
def test_splits_come_from_their_ranges(task):
    for split, first in {"training": 1, "interpolation": 1, "extrapolation": 3}.items():
        x, t = task.draw(split, task.replica(2), NumpyKey(0), 500)
        assert x.shape == (task.in_features, 500) and t.shape[1] == 500
        assert len(t) == task.out_features
        assert x[0].min() >= first and x[0].max() <= first + 1
        np.testing.assert_array_equal(t, task.target(task.replica(2), x))


@pytest.mark.parametrize("task", TASKS, ids=str)
def test_the_target_is_one_in_both_frameworks(task):
    replica = task.replica(5)
    traced = {name: jnp.asarray(value) for name, value in replica.items()}
    key = Key("hash", jnp.uint32(0), DATA, jnp.uint32(0), jnp.dtype("float64"))
    x, t = task.draw("training", traced, key, 100)
    np.testing.assert_allclose(t, task.target(replica, np.asarray(x)), rtol=1e-12)


def test_inputs_are_fixed_before_their_targets():
    class Fixing(NumpyKey):
        def fix(self, x):
            return x + 1

    x, t = SingleModule("mul").draw("training", SingleModule().replica(0), Fixing(), 9)
    assert x.min() >= 2 and np.array_equal(t[0], x[0] * x[1])


def test_numbers_of_a_key_are_those_of_its_seed():
    one, other = NumpyKey(3), NumpyKey(3)
    first, second = one.uniform((5,)), one.uniform((5,))
    assert np.array_equal(first, other.uniform((5,)))
    assert not np.array_equal(first, second)


def test_a_task_needs_three_things():
    task = Doubled()
    assert task.operations == () and task.replica(0) == {} == task.shared()
    assert task.limits() == {"flat_1e5": 1e-5} and task.rows("training") is None
    assert task.input_shape == (2,) and task.structure == (Doubled, 2.0)
    assert str(task) == "Doubled()" and Doubled(3.0) != task
    with pytest.raises(ValueError, match="Give the protocol a flat `threshold`"):
        task.threshold(1e-5)
    protocol = Protocol(
        2000,
        optimiser=Adam(1e-2),
        measuring=Measuring(validation=100),
        criterion=Criterion(threshold=1e-5),
    )
    results = train(NAU(), Doubled(1.0), protocol, seeds=range(2), block=2)
    assert [row["outcome"] for row in results.rows] == ["solved", "solved"]


def test_a_task_is_a_frozen_dataclass():
    class Plain(Task):
        in_features = 1  # type: ignore[assignment]  # as users write it
        out_features = 1  # type: ignore[assignment]  # as users write it

        def draw(self, split, replica, key, size):
            raise AssertionError

    with pytest.raises(TypeError, match=r"`task` \(=Plain\) .*@dataclass"):
        Plain()
    with pytest.raises(TypeError, match="`facto` is not an option of Doubled"):
        Doubled(facto=2.0)  # type: ignore[call-arg]  # a mistake

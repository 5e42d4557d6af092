"""Schedules: the learning rate falls as it says, and scales what an optimiser does."""

import jax.numpy as jnp
import numpy as np
import optax
import pytest

from arithmax import NMU
from arithmax.tasks import SingleModule
from arithmax.training import (
    SGD,
    Batches,
    Cell,
    Cosine,
    Exponential,
    LevenbergMarquardt,
    Measuring,
    Protocol,
    train_cells,
)

STEPS = np.array([0, 5, 10, 17, 29, 40, 1000])


def oracle(kind, start, end, least):
    """The same schedule, by optax."""
    span = end - start
    if kind is Cosine:
        falling = optax.cosine_decay_schedule(1.0, span, least)
    else:
        falling = optax.exponential_decay(1.0, span, least, end_value=least)
    return optax.join_schedules([lambda _: 1.0, falling], [start])


@pytest.mark.parametrize("kind", [Cosine, Exponential])
def test_a_schedule_is_that_of_optax(kind):
    schedule, wanted = kind(10, 40, 0.1), oracle(kind, 10, 40, 0.1)
    ours = [float(schedule.factor(jnp.float64(step))) for step in STEPS]
    theirs = [np.asarray(wanted(jnp.float64(step))).item() for step in STEPS]
    np.testing.assert_allclose(ours, theirs, rtol=1e-6)
    assert ours[0] == 1.0 and ours[-1] == pytest.approx(0.1)


def test_the_last_of_a_cosine_may_be_nothing():
    assert float(Cosine(0, 10, 0.0).factor(jnp.float64(10))) == pytest.approx(0, abs=0)


def weights(folder, *protocols):
    """The weights that some protocols of one length end with."""
    cells = [Cell(NMU(), SingleModule("mul"), p, (0,)) for p in protocols]
    done = train_cells(cells, out=folder, block=2)
    return [done.weights(row["run"])["W"] for row in done.rows]


def test_an_update_is_scaled(tmp_path):
    """By a half throughout: plain descent with half of its learning rate."""
    base = Protocol(20, optimiser=SGD(2e-3), measuring=Measuring(20, 100, 1))
    half = base.updated(schedule=Cosine(0, 0, 0.5))  # from the second step on
    one = base.updated(steps=20, optimiser=SGD(1e-3))
    full, scaled, slow = weights(tmp_path, base, half, one)
    assert np.abs(full - slow).max() > 1e-3  # so that the difference is one
    assert np.abs(scaled - slow).max() < 0.2 * np.abs(full - slow).max()


def test_a_rate_of_nothing_stops_everything(tmp_path):
    base = Protocol(20, optimiser=SGD(1e-2), measuring=Measuring(20, 100, 1))
    stopped = base.updated(schedule=Cosine(0, 0, 0.0))
    once = Protocol(1, optimiser=SGD(1e-2), measuring=Measuring(1, 100, 1))
    np.testing.assert_allclose(
        *(weights(tmp_path / name, p)[0] for name, p in (("a", stopped), ("b", once))),
        rtol=1e-6,
    )


def test_an_optimiser_without_a_rate_is_refused():
    with pytest.raises(
        ValueError, match=r"`schedule` \(=Cosine\(\)\) must be None with"
    ):
        Protocol(
            batches=Batches(full=True),
            optimiser=LevenbergMarquardt(),
            schedule=Cosine(),
            precision="float64",
        )

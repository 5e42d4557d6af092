"""Four additions, each in thirty lines of public names: nothing in the core changes.

A second-order optimiser on a table, a recurrent network over sequences of images, a
distribution over weights, and a new restart rule.
"""
# pyright: reportAssignmentType=false, reportIncompatibleMethodOverride=false
# because sizes that never change are plain attributes in place of properties

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.flatten_util import ravel_pytree

from arithmax import NMU, Network, Noise, RealNaiveNPU, train
from arithmax.tasks import Dataset, SingleModule, Task
from arithmax.training import (
    SGD,
    Adam,
    Batches,
    Criterion,
    Measuring,
    Optimiser,
    Protocol,
    Restart,
    UnitPenalty,
    traced,
)
from arithmax.units import Constant, Normal, Parameter, matrix

FLAT = Criterion(threshold=1e-5)  # tables and tasks of one's own have no rule


@dataclass(frozen=True)
class LevenbergMarquardt(Optimiser):
    """Gauss–Newton steps with a damping that falls with each success."""

    damping: float = traced(1.0)

    def start(self, params):
        return jnp.asarray(self.damping)

    def step(self, objective, params, state, transform):
        flat, unflatten = ravel_pytree(params)

        def residuals(values):
            return objective.residuals(unflatten(values))

        error, slopes = residuals(flat), jax.jacobian(residuals)(flat)
        normal = slopes.T @ slopes + state * jnp.eye(len(flat), dtype=flat.dtype)
        moved = flat - jnp.linalg.solve(normal, slopes.T @ error)
        loss, after = (jnp.mean(e * e) for e in (error, residuals(moved)))
        params = unflatten(jnp.where(after < loss, moved, flat))
        return params, jnp.where(after < loss, 0.3 * state, 2.0 * state), loss


def test_levenberg_marquardt_on_a_table(tmp_path):
    """a²/b, to the last digit in forty steps."""
    x = np.random.default_rng(0).uniform(0.5, 2.0, (60, 2))
    rows, csv = np.c_[x, x[:, 0] ** 2 / x[:, 1]], tmp_path / "measured.csv"
    np.savetxt(csv, rows, delimiter=",", header="a,b,y", comments="")
    parts = {"measuring": Measuring(20), "criterion": FLAT}
    how = Protocol(40, Batches(60), LevenbergMarquardt(), **parts)
    done = train(RealNaiveNPU(), Dataset.from_csv(csv, target="y"), how, range(4))
    assert all(row["outcome"] == "solved" for row in done.rows)
    assert max(row["extrapolation"] for row in done.rows) < 1e-9


@dataclass(frozen=True)
class Recurrent(Network):
    """A state that every image of a sequence changes, and a line through its end."""

    title, input_axes = "Recurrent", 3

    def parameters(self, in_features, out_features):
        pixels = in_features[1] * in_features[2]
        sizes = {"A": (4, 4), "B": (pixels, 4), "C": (4, out_features)}
        return {n: matrix(i, o, Normal(0.0, 0.3)) for n, (i, o) in sizes.items()}

    def compute(self, params, x, *, training=False, noise=None, xp=None):
        def step(state, image):
            return params["A"] @ state + params["B"] @ image, None

        start = jnp.zeros((4, x.shape[-1]), x.dtype)
        images = x.reshape(x.shape[0], -1, x.shape[-1])
        return params["C"] @ jax.lax.scan(step, start, images)[0]


@dataclass(frozen=True)
class Brightness(Task):
    """The sum of the mean brightness of three images of 4 × 5 pixels."""

    in_features, out_features = (3, 4, 5), 1

    def draw(self, split, replica, key, size):
        scale = 2.0 if split == "extrapolation" else 1.0
        x = key.fix(scale * key.uniform((3, 4, 5, size)))
        return x, x.mean((1, 2)).sum(0)[None]


@pytest.mark.slow
def test_a_recurrent_network_over_images():
    parts = {"measuring": Measuring(200, 1000), "criterion": FLAT}
    how = Protocol(600, optimiser=Adam(1e-2), **parts)
    for row in train(Recurrent(), Brightness(), how, range(3)).rows:
        assert row["outcome"] in ("solved", "not solved")  # it has no weights to judge
        assert row["extrapolation"] < 0.02  # the mean of the targets is 3


@dataclass(frozen=True)
class Posterior(Network):
    """A line with a distribution over its weights: trained with draws of them."""

    title = "Posterior"

    def parameters(self, in_features, out_features):
        starts = {"mean": Constant(0.0), "log_std": Constant(-2.0)}
        return {name: Parameter((1, in_features), s) for name, s in starts.items()}

    def noise(self, in_features):
        return (Noise((1, in_features), Normal(0.0, 1.0), each_sample=False),)

    def compute(self, params, x, *, training=False, noise=None, xp=None):
        spread = jnp.exp(params["log_std"]) * noise[0] if noise else 0.0
        return (params["mean"] + spread) @ x  # one draw for the whole batch

    def penalty(self, params):
        mean, log_std = params["mean"], params["log_std"]  # against N(0, 1), the prior
        return 0.5 * (jnp.exp(2 * log_std) + mean**2 - 1 - 2 * log_std).sum()


def test_a_distribution_over_weights(tmp_path):
    """Mean and spread are those of the exact posterior of a line with known noise."""
    rng, noise, steps = np.random.default_rng(0), 0.3, 4000
    x = rng.uniform(-1, 1, (100, 1))
    y = 0.7 * x[:, 0] + rng.normal(0, noise, 100)
    task = Dataset.from_arrays(x, y, held_out=[98], extrapolation=[99])
    how = Protocol(steps, Batches(98), Adam(3e-3), criterion=FLAT)
    how = how.updated(penalties=(UnitPenalty(2 * noise**2 / 98),))
    how = how.updated(measuring__keep=(steps,))
    done = train(Posterior(), task, how, range(3), out=tmp_path)
    precision = (x[:98] ** 2).sum() / noise**2 + 1
    mean = (x[:98, 0] * y[:98]).sum() / noise**2 / precision
    for _, weights in (done.path(row["run"]) for row in done.rows):
        assert abs(weights["mean"].item() - mean) < precision**-0.5
        assert 0.7 < np.exp(weights["log_std"].item()) * precision**0.5 < 1.4


@dataclass(frozen=True)
class Deadline(Restart):
    """When the loss is above a limit at the time it is looked at."""

    limit: float = traced(0.1)

    def remember(self, steps, since, dtype):
        return jnp.zeros((), dtype)

    def watch(self, memory, loss, moment):
        return loss

    def is_due(self, memory, moment):
        return memory > self.limit


def test_a_new_restart_rule(tmp_path):
    """Without learning, a loss above the limit restarts at each look till the last."""
    at = Measuring(100, 100, keep=(0, 100, 200, 300))
    still = Protocol(300, optimiser=SGD(0.0), measuring=at)
    for limit, restarts in ((0.0, [True, True, False]), (1e9, [False] * 3)):
        how = still.updated(restart=Deadline(100, until=250, limit=limit))
        done = train(NMU(), SingleModule(), how, range(2), out=tmp_path)
        for _, path in (done.path(row["run"]) for row in done.rows):
            moved = np.any(np.diff(path["W"], axis=0) != 0, axis=(1, 2))
            assert moved.tolist() == restarts

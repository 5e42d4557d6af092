"""Four additions, each in a few lines of public names: nothing in the core changes.

A second-order optimiser on a table, a recurrent network over sequences of images, a
distribution over weights, and a new restart rule.
"""

import csv
from dataclasses import dataclass
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
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
        better = after < loss
        params = unflatten(jnp.where(better, moved, flat))
        return params, jnp.where(better, 0.3 * state, 2.0 * state), loss


def test_levenberg_marquardt_on_a_table(tmp_path):
    """a²/b, to the last digit in a hundred steps, where Adam is far from it."""
    rows = np.random.default_rng(0).uniform(0.5, 2.0, (60, 2)).round(4)
    with open(tmp_path / "measured.csv", "w", newline="") as file:
        table = [["a", "b", "y"], *([a, b, a * a / b] for a, b in rows.tolist())]
        csv.writer(file).writerows(table)
    task = Dataset.from_csv(tmp_path / "measured.csv", target="y")
    full = Protocol(100, batches=Batches(60), measuring=Measuring(20), criterion=FLAT)
    errors = {
        type(optimiser): [
            row["extrapolation"]
            for row in train(
                RealNaiveNPU(), task, full.updated(optimiser=optimiser), range(4)
            ).rows
        ]
        for optimiser in (LevenbergMarquardt(), Adam(1e-2))
    }
    assert np.median(errors[LevenbergMarquardt]) < 1e-9 < np.median(errors[Adam])


@dataclass(frozen=True)
class Recurrent(Network):
    """A state that every image of a sequence changes, and a line through its end."""

    title = "Recurrent"
    hidden: int = 4
    input_axes = 3

    def parameters(self, in_features, out_features):
        _, rows, columns = in_features
        return {
            "A": matrix(self.hidden, self.hidden, Normal(0.0, 0.3)),
            "B": matrix(rows * columns, self.hidden, Normal(0.0, 0.3)),
            "C": matrix(self.hidden, out_features, Normal(0.0, 0.3)),
        }

    def compute(self, params, x, *, training=False, noise=None, xp=None):
        images = x.reshape(x.shape[0], -1, x.shape[-1])

        def step(state, image):
            return params["A"] @ state + params["B"] @ image, None

        state = jnp.zeros((self.hidden, x.shape[-1]), x.dtype)
        return params["C"] @ jax.lax.scan(step, state, images)[0]


@dataclass(frozen=True)
class Brightness(Task):
    """The sum of the mean brightness of three images of 4 × 5 pixels."""

    in_features = (3, 4, 5)
    out_features = 1

    def draw(self, split, replica, key, size):
        scale = 2.0 if split == "extrapolation" else 1.0
        x = key.fix(scale * key.uniform((3, 4, 5, size)))
        return x, x.mean((1, 2)).sum(0)[None]


def test_a_recurrent_network_over_images():
    settings = Protocol(
        600, optimiser=Adam(1e-2), measuring=Measuring(200, 1000), criterion=FLAT
    )
    for row in train(Recurrent(), Brightness(), settings, range(3)).rows:
        assert row["outcome"] in ("solved", "not solved")
        assert row["extrapolation"] < 0.02  # the mean of the targets is 3


@dataclass(frozen=True)
class Posterior(Network):
    """A line with a distribution over its weights: trained with draws of them."""

    title = "Posterior"

    def parameters(self, in_features, out_features):
        shape = (out_features, in_features)
        start = {"mean": Constant(0.0), "log_std": Constant(-2.0)}
        return {name: Parameter(shape, drawn) for name, drawn in start.items()}

    def noise(self, in_features):
        return (Noise((1, in_features), Normal(0.0, 1.0), each_sample=False),)

    def compute(self, params, x, *, training=False, noise=None, xp=None):
        w = params["mean"]
        if training and noise:  # one draw of all weights for the whole batch
            w = w + xp.exp(params["log_std"]) * noise[0]
        return w @ x

    def penalty(self, params):  # from N(0, 1), the prior
        mean, log_std = params["mean"], params["log_std"]
        return 0.5 * (jnp.exp(2 * log_std) + mean**2 - 1 - 2 * log_std).sum()


def test_a_distribution_over_weights(tmp_path):
    """Mean and spread are those of the exact posterior of a line with known noise."""
    rng, noise = np.random.default_rng(0), 0.3
    x = rng.uniform(-1, 1, (100, 1))
    y = 0.7 * x[:, 0] + rng.normal(0, noise, 100)
    task = Dataset.from_arrays(x, y, held_out=[98], extrapolation=[99])
    trained = Protocol(
        4000,
        batches=Batches(98),
        optimiser=Adam(3e-3),
        penalties=(UnitPenalty(2 * noise**2 / 98),),
        measuring=Measuring(1000, keep=(4000,)),
        criterion=FLAT,
    )
    done = train(Posterior(), task, trained, range(3), out=tmp_path)
    precision = (x[:98] ** 2).sum() / noise**2 + 1
    mean = (x[:98, 0] * y[:98]).sum() / noise**2 / precision
    for row in done.rows:
        weights = done.path(row["run"])[1]
        assert abs(weights["mean"].item() - mean) < precision**-0.5
        assert 0.7 < np.exp(weights["log_std"].item()) * precision**0.5 < 1.4


class Last(NamedTuple):
    loss: jax.Array


@dataclass(frozen=True)
class Deadline(Restart):
    """When the loss is above a limit whenever it is looked at."""

    limit: float = traced(0.1)

    def remember(self, steps, since, dtype):
        return Last(jnp.zeros((), dtype))

    def watch(self, memory, loss, moment):
        return Last(loss)

    def is_due(self, memory, moment):
        return memory.loss > self.limit


def test_a_new_restart_rule(tmp_path):
    """Without learning, a loss above the limit restarts at each look till the last."""
    still = Protocol(
        300, optimiser=SGD(0.0), measuring=Measuring(100, 100, keep=(0, 100, 200, 300))
    )
    for limit, restarts in ((0.0, [True, True, False]), (1e9, [False] * 3)):
        rule = Deadline(100, until=250, limit=limit)
        settings = still.updated(restart=rule)
        done = train(NMU(), SingleModule(), settings, range(2), out=tmp_path)
        for row in done.rows:
            _, path = done.path(row["run"])
            moved = np.any(np.diff(path["W"], axis=0) != 0, axis=(1, 2))
            assert moved.tolist() == restarts

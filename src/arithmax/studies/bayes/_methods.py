"""The ways of training that are compared: by inference, by Adam with L1 or alone."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from ...networks import Network
from ...tasks import Dataset
from ...training import L1, Batches, Cell, Measuring, Penalty, Protocol
from ._problems import Problem, Rows, Targets

METHODS = ("ARD", "L1", "plain")
STARTS = 5  # of which one is chosen by the rows of the table
BATCH = 64
RATE = 0.02  # the learning rate of `variational`, and of Adam beside it
# The strength of L1 in the paper's large task, at first and at last, by operation.
STRENGTHS = {"+": (1e-5, 1e-4), "×": (1e-5, 1e-4), "÷": (1e-9, 1e-7), "√": (1e-6, 1e-4)}
TIMES = 10  # that the paper's strength can grow in a run
DRAWS = 400  # of a posterior
SMALL = 0.01  # a weight that is no more counts for nothing


@dataclass(frozen=True)
class Learned:
    """What one start has learned from a table.

    Args:
        params: the parameters; of a posterior, their means.
        score: by which the best start is chosen, the greater the better.
        posterior: the posterior of the weights, where there is one.
    """

    params: dict[str, np.ndarray]
    score: float
    posterior: Any = None

    def formula(self, network: Network, x: Rows, y: Targets) -> Any:
        """The formula that is read from the network without its small weights."""
        from ...readout import readout

        if not all(np.isfinite(v).all() for v in self.params.values()):
            return None
        if self.posterior is not None:
            return self.posterior.formula().formula
        return readout(network, without_small(self.params), x, y).formula


def without_small(params: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Parameters without the weights that are small beside the largest of their output.

    Sums may be of any size, since a factor of theirs is made up for by others; the
    powers of the last layer have one output.
    """
    return {
        name: np.where(np.abs(w) < SMALL * np.abs(w).max(1, keepdims=True), 0.0, w)
        for name, w in params.items()
    }


def learned(method: str, problem: Problem, seed: int, steps: int) -> list[Learned]:
    """What each start of a method learns from the table of a seed."""
    match method:
        case "ARD":
            return inferred(problem, seed, steps)
        case "L1":
            return trained(problem, seed, steps, [l1(problem, steps)])
    return trained(problem, seed, steps, [])


def inferred(problem: Problem, seed: int, steps: int) -> list[Learned]:
    """Mean-field inference under ARD; the bound on the evidence is the score."""
    from ...bayes import ARD, WeightPosterior, variational

    found = variational(
        problem.network,
        *problem.table(seed),
        prior=ARD(),
        seeds=STARTS,
        seed=STARTS * seed,
        steps=steps,
        learning_rate=RATE,
        batch=BATCH,
        draws=DRAWS,
        correlated=False,
    )
    weights = (p for p in found if isinstance(p, WeightPosterior))  # of a network, all
    return [Learned(p.params, p.log_evidence, p) for p in weights]


def trained(
    problem: Problem, seed: int, steps: int, penalties: Sequence[Penalty]
) -> list[Learned]:
    """Adam on the squared error, the least of which is the best score."""
    from ...training import train_cells

    x, y = problem.table(seed)
    seeds = tuple(STARTS * seed + i for i in range(STARTS))
    cell = Cell(problem.network, task(x, y), protocol(steps, penalties), seeds)
    with TemporaryDirectory() as folder:
        results = train_cells([cell], out=folder, block=STARTS, workers=1)
        if results.interrupted:
            raise KeyboardInterrupt
        paths = [results.path(row["run"])[1] for row in results.rows]
    ended = [{name: v[-1] for name, v in path.items()} for path in paths]
    return [Learned(p, -squared_error(problem.network, p, x, y)) for p in ended]


def squared_error(
    network: Network, params: dict[str, np.ndarray], x: Rows, y: Targets
) -> float:
    """The mean squared error of parameters, infinite for those that diverged."""
    with np.errstate(all="ignore"):
        error = float(np.mean((network.compute(params, x.T)[0] - y) ** 2))
    return error if np.isfinite(error) else float("inf")


def task(x: Rows, y: Targets) -> Dataset:
    """A table of which every row is trained on.

    A task must hold rows out, too: here they are the same ones again, since inference
    sees no others either.
    """
    again = np.arange(2 * len(y)) >= len(y)
    doubled = np.concatenate([x, x]), np.concatenate([y, y])
    return Dataset.from_arrays(*doubled, held_out=again, extrapolation=None)


def protocol(steps: int, penalties: Sequence[Penalty]) -> Protocol:
    """Adam with the steps, batches and learning rates that inference has."""
    return Protocol(
        steps,
        batches=Batches(BATCH),
        optimiser=falling()(RATE, steps),
        penalties=tuple(penalties),
        project=False,  # the authors' layers are not bounded
        measuring=Measuring(interval=steps, keep=(steps,)),
        precision="float64",
    )


def l1(problem: Problem, steps: int) -> L1:
    """The authors' penalty, which grows tenfold after each tenth of a run."""
    return L1(*STRENGTHS[problem.operation], every=max(steps // TIMES, 1))


@cache
def falling() -> Any:
    """The class of `falling_adam`."""
    from ...training import from_optax

    return from_optax(falling_adam)


def falling_adam(learning_rate: Any = RATE, steps: int = 5000) -> Any:
    """Adam as in `variational`: its rate falls in the last two fifths of the steps."""
    import optax

    level = int(0.6 * steps)
    fall = optax.cosine_decay_schedule(1.0, max(steps - level, 1), 1e-3)
    share = optax.join_schedules([optax.constant_schedule(1.0), fall], [level])
    return optax.chain(
        optax.scale_by_adam(b2=0.99),
        optax.scale_by_schedule(share),
        optax.scale(-1.0),
        optax.scale(learning_rate),
    )

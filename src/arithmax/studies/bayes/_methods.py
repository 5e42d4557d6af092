"""The ways of training that are compared: by inference, by Adam with L1 or alone."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from ...tasks import Dataset
from ...training import L1, Batches, Cell, Measuring, Penalty, Protocol
from ._problems import Problem, Rows, Targets

STARTS = 4  # of which one is chosen by the rows of the table
BATCH = 64
RATE = 0.02  # the learning rate of `variational`, and of Adam beside it
# The strength of L1 in the paper's large task, at first and at last, by operation.
STRENGTHS = {"+": (1e-5, 1e-4), "×": (1e-5, 1e-4), "÷": (1e-9, 1e-7), "√": (1e-6, 1e-4)}
GROWTHS = 10  # the paper's strength grows up to so many times in a run


@dataclass(frozen=True)
class Run:
    """One start on a table.

    Args:
        params: what was learned.
        score: by what the best start is chosen, the greater the better.
        posterior: the distribution of the weights, if there is one.
    """

    params: dict[str, np.ndarray]
    score: float
    posterior: Any = None


def inferred(
    problem: Problem, x: Rows, y: Targets, seed: int, steps: int, prior: Any
) -> list[Run]:
    """Mean-field variational inference; the bound of the evidence is the score."""
    from ...bayes import variational

    found = variational(
        problem.network,
        x,
        y,
        prior=prior,
        seeds=STARTS,
        seed=STARTS * seed,
        steps=steps,
        learning_rate=RATE,
        batch=BATCH,
        draws=400,
    )
    return [Run(p.params, p.log_evidence, p) for p in found]


def trained(
    problem: Problem,
    x: Rows,
    y: Targets,
    seed: int,
    steps: int,
    penalties: Sequence[Penalty],
) -> list[Run]:
    """Adam on the squared error, which scores what the last step has learned."""
    from ...training import train_cells

    seeds = tuple(STARTS * seed + i for i in range(STARTS))
    cell = Cell(problem.network, task(x, y), protocol(steps, penalties), seeds)
    with TemporaryDirectory() as folder:
        results = train_cells([cell], out=folder, block=STARTS, workers=1)
        ended = [results.path(row["run"])[1] for row in results.rows]
    learned = [{name: v[-1] for name, v in path.items()} for path in ended]
    return [Run(p, -squared_error(problem, p, x, y)) for p in learned]


def squared_error(
    problem: Problem, params: dict[str, np.ndarray], x: Rows, y: Targets
) -> float:
    """The mean squared error of parameters; infinite where one is not finite."""
    with np.errstate(all="ignore"):
        error = float(np.mean((problem.network.compute(params, x.T)[0] - y) ** 2))
    return error if np.isfinite(error) else float("inf")


def task(x: Rows, y: Targets) -> Dataset:
    """All rows are trained on; no others are seen, so that they are held out again."""
    again = np.arange(2 * len(y)) >= len(y)
    doubled = np.concatenate([x, x]), np.concatenate([y, y])
    return Dataset.from_arrays(*doubled, held_out=again, extrapolation=None)


def protocol(steps: int, penalties: Sequence[Penalty]) -> Protocol:
    """Adam with the batches, steps and learning rates that inference has."""
    return Protocol(
        steps,
        batches=Batches(BATCH),
        optimiser=falling()(RATE, steps),
        penalties=tuple(penalties),
        project=False,
        measuring=Measuring(interval=steps, keep=(steps,)),
        precision="float64",
    )


@cache
def falling() -> Any:
    """Adam with the learning rates of `variational`: level, then falling."""
    from ...training import from_optax

    return from_optax(falling_adam)


def falling_adam(learning_rate: float = RATE, steps: int = 1000) -> Any:
    """Adam whose rate falls to a thousandth in the last two fifths of the steps."""
    import optax

    level = int(0.6 * steps)
    fall = optax.cosine_decay_schedule(1.0, max(steps - level, 1), 1e-3)
    share = optax.join_schedules([optax.constant_schedule(1.0), fall], [level])
    return optax.chain(
        optax.scale_by_adam(b2=0.99), optax.scale_by_schedule(share), optax.scale(-1.0),
        optax.scale(learning_rate),
    )


def l1(problem: Problem, steps: int) -> L1:
    """The authors' penalty, which grows tenfold after each tenth of a run."""
    return L1(*STRENGTHS[problem.operation], every=max(steps // GROWTHS, 1))


def runs(method: str, problem: Problem, seed: int, steps: int) -> list[Run]:
    """All starts of a method on the table of a seed."""
    from ...bayes import ARD, StudentT

    given = (problem, *problem.table(seed), seed, steps)
    match method:
        case "ARD":
            return inferred(*given, ARD())
        case "Student-t":
            return inferred(*given, StudentT())
        case "L1":
            return trained(*given, [l1(problem, steps)])
    return trained(*given, [])


METHODS = ("ARD", "Student-t", "L1", "plain")

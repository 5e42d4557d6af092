"""Short runs that tests of the fleet share, so that programs are compiled once."""

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from arithmax import NMU, Network, networks, tasks, training, units
from arithmax.studies.success import _among
from arithmax.tasks import SingleModule, Task
from arithmax.training import Cell, Moment, published
from arithmax.training._declared import bind, numbers
from arithmax.training._machine import pinned
from arithmax.training._program import Configuration, program
from arithmax.training._replica import numbers_of
from arithmax.training.recipes import inalu

# What a row says of how a run went; the rest is cost, and who trained it.
MEASURED = ["outcome", "solved_at", "diverged_at", "best_step", "interpolation"]
MEASURED += ["extrapolation", "sparsity", "threshold"]

TASK = SingleModule("mul")
SHORT: dict[str, Any] = {"steps": 3000}
SHORT |= {"measuring__interval": 500, "measuring__validation": 1000}


def cell(network: Network | None = None, task: Task = TASK, seeds=(0, 1, 2), **changes):
    """A cell of few steps, as published but for some settings."""
    made, protocol = published(network or NMU(), task, **{**SHORT, **changes})
    return Cell(made, task, protocol, tuple(seeds))


def measured(results):
    """{run: measures}, exactly."""
    return {row["run"]: [row[name] for name in MEASURED] for row in results.rows}


def block_of(network, protocol, task: Task = TASK, seeds: Sequence[int] = range(4)):
    """A block, trained for one interval: its first parameters and its state."""
    made = program(Configuration(network, task, protocol))
    each = [numbers_of(task, protocol, seed) for seed in seeds]
    with pinned(protocol.precision):
        given = jax.tree.map(lambda *v: jnp.asarray(np.stack(v)), *each)
        state, targets = made.start(given), made.targets(given, {})
        first = {n: np.array(v) for n, v in state.params.items()}
        begin = jnp.uint32(0), jnp.asarray(True)
        state, _ = made.interval(state, given, {}, targets, *begin)
    return first, state


def bound(part):
    """A part whose traced numbers are arrays, as a program has them."""
    return bind(
        part, {path: jnp.asarray(float(v)) for path, v in numbers(part).items()}
    )


def at(step, error: Any = 0.0, **given):
    """The moment of a step."""
    known = {"predict": None, "target": None, "roles": {}, "padding": None} | given
    return Moment(jnp.uint32(step), jnp.asarray(float(step)), error=error, **known)


def evaluated(text):
    """The protocol, network or task that a row describes."""
    rooms = (tasks, training, inalu, units, networks, _among)  # one task is a study's
    names = {name: getattr(room, name) for room in rooms for name in dir(room)}
    return eval(text, names)

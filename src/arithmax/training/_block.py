"""Training one block of replicas from its first step, or its checkpoint, to its end."""

import time
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ._checkpoint import Saved, load_checkpoint, save
from ._machine import pinned
from ._meter import METER, Cost
from ._moment import Numbers, State
from ._padding import padding, starts
from ._program import Program, program, run_together
from ._record import record
from ._replica import cast, numbers_of
from ._replicas import KERNEL, Job, Replica


def train_job(job: Job, device, stop, advance) -> list[dict[str, Any]]:
    """Train a block to its end, or until it is asked to stop."""
    return train_jobs([job], device, stop, advance)


def train_jobs(jobs: Sequence[Job], device, stop, advance) -> list[dict[str, Any]]:
    """Train blocks side by side; all are as long, and measured as often."""
    if stop.is_set():
        return []
    with ExitStack() as stack:
        stack.enter_context(pinned(jobs[0].first.protocol.precision))
        for job in jobs:
            stack.enter_context(METER.running(id(job)))
        return _train([Block(job, device) for job in jobs], stop, advance)


def _train(blocks: list["Block"], stop, advance) -> list[dict[str, Any]]:
    first, saved = blocks[0].job, time.monotonic()
    interval = first.first.protocol.measuring.interval
    while (step := min(block.step for block in blocks)) < first.steps:
        if stop.is_set():
            for block in blocks:
                block.save()
            return []
        behind = [block for block in blocks if block.step == step]
        advance_together(behind)
        for block in behind:
            steps = len(block.job.replicas) * interval
            advance(block.job.name, steps, block.solved)
        if time.monotonic() - saved > first.checkpoint_seconds:
            for block in blocks:
                block.save()
            saved = time.monotonic()
    return [row for block in blocks for row in _finished(block, advance)]


def _finished(block: "Block", advance) -> list[dict[str, Any]]:
    rows = block.finish()
    # The count so far is of the last measurement but one, and not by the criterion.
    solved = sum(row["outcome"] == "solved" for row in rows)
    advance(block.job.name, 0, solved)
    return rows


def advance_together(blocks: Sequence["Block"]) -> None:
    """Measure, then train for one interval.

    What the interval before measured is fetched while this one runs.
    """
    began = time.monotonic()
    given = [block.arguments() for block in blocks]
    if len(blocks) == 1:
        results = [blocks[0].program.interval(*given[0])]
    else:
        together = run_together(tuple(block.program for block in blocks))
        results = together(*zip(*given, strict=True))
    for block, result in zip(blocks, results, strict=True):
        block.advanced(*result)
    took = (time.monotonic() - began) / sum(len(b.job.replicas) for b in blocks)
    for block in blocks:
        block.seconds += took * len(block.job.replicas)


def numbers_of_block(job: Job, device: Any) -> Numbers:
    """The numbers of all replicas, stacked; the last one fills a block up."""
    first = job.first
    filled = job.replicas + job.replicas[-1:] * (first.block - len(job.replicas))
    each = [
        numbers_of(r.task, r.protocol, r.seed)._replace(
            padding=padding(r.network, r.task, r.protocol)
        )
        for r in filled
    ]
    stacked = jax.tree.map(lambda *v: jax.device_put(np.stack(v), device), *each)
    if stacked.padding is None:
        return stacked
    networks = [r.network for r in filled]
    start = starts(networks, first.task, first.protocol, stacked.seed)
    return stacked._replace(padding=stacked.padding._replace(start=start))


def program_of(replica: Replica) -> Program:
    """The program that trains a replica, and those beside it."""
    kernel = replica.platform == KERNEL
    gpu = kernel and jax.default_backend() == "gpu"
    return program(replica.program, kernel, gpu)


class Block:
    """The state of a block and its curves."""

    def __init__(self, job: Job, device: Any) -> None:
        first = job.first
        self.job, self.program = job, program_of(first)
        self.numbers = numbers_of_block(job, device)
        shared, kind = first.task.shared().items(), first.protocol.precision
        self.shared = {n: jax.device_put(cast(v, kind), device) for n, v in shared}
        self.state: State = self.program.start(self.numbers)
        self.targets = self.program.targets(self.numbers, self.shared)
        self.thresholds = np.array([r.threshold for r in job.replicas])
        self.keep = {s for r in job.replicas for s in r.protocol.measuring.keep}
        self.step, self.solved = 0, 0
        self.seconds = self.cpu_before = 0.0  # by the clock, and before a checkpoint
        self.curves: list[dict[str, np.ndarray]] = []
        self.kept: dict[int, dict[str, np.ndarray]] = {}
        self._measured: dict[str, jax.Array] | None = None  # not fetched yet
        self._resume(device)

    def _keep(self) -> None:
        """Copy the parameters, if this is a step at which a replica stores them."""
        if self.step in self.keep:
            # A view would be of memory that the next interval writes to.
            params = self.state.params.items()
            self.kept[self.step] = {name: np.array(value) for name, value in params}

    def _eligible(self) -> Any:
        measuring = self.job.first.protocol.measuring
        left = (self.job.steps - self.step) // measuring.interval + 1
        return jnp.asarray(left <= measuring.window)

    def arguments(self) -> tuple:
        """What the program of an interval is given."""
        self._keep()
        step, eligible = jnp.uint32(self.step), self._eligible()
        given = self.state, self.numbers, self.shared, self.targets
        return *given, step, eligible

    def advanced(self, state: State, measured: dict[str, jax.Array]) -> None:
        """Take what an interval gave."""
        self.state = state
        self._fetch()
        self._measured = measured
        self.step += self.job.first.protocol.measuring.interval

    def _fetch(self) -> None:
        """The last measurement as NumPy arrays, and how many replicas it has right."""
        if self._measured is None:
            return
        self.curves.append({n: np.asarray(v) for n, v in self._measured.items()})
        self._measured = None
        errors = self.curves[-1]["extrapolation"][: len(self.thresholds)]
        self.solved = int(np.sum(errors < self.thresholds))

    def finish(self) -> list[dict[str, Any]]:
        """Measure once more; write rows, curves and weights; remove the checkpoint."""
        self._keep()
        began = time.monotonic()
        self._fetch()
        self.state, self._measured = self.program.measure(
            self.state, self.numbers, self.shared, self.targets, self._eligible()
        )
        self._fetch()
        self.seconds += time.monotonic() - began
        best = {name: np.asarray(value) for name, value in self.state.best.items()}
        cost = Cost(self.seconds, self.cpu_seconds)
        return record(self.job, cost, self.curves, best, self.kept)

    @property
    def cpu_seconds(self) -> float:
        """CPU seconds of this block, with those before it was stopped."""
        return self.cpu_before + METER.seconds(id(self.job))  # two may have a name

    def save(self) -> None:
        """Write state and curves so far."""
        self._fetch()
        if self.job.folder is not None and self.step:
            leaves = [np.asarray(leaf) for leaf in jax.tree.leaves(self.state)]
            cost = Cost(self.seconds, self.cpu_seconds)
            save(self.job, Saved(self.step, cost, leaves, self.curves, self.kept))

    def _resume(self, device: Any) -> None:
        """Go on from the checkpoint, if there is one."""
        leaves, tree = jax.tree.flatten(self.state)
        saved = load_checkpoint(self.job, [leaf.shape for leaf in leaves])
        if saved is not None:
            self.step, cost, loaded, self.curves, self.kept = saved
            self.seconds, self.cpu_before = cost
            put = [jax.device_put(leaf, device) for leaf in loaded]
            self.state = jax.tree.unflatten(tree, put)

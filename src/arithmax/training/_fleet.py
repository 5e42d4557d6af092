"""Training many replicas at once: blocks, devices, checkpoints, progress.

A replica's numbers depend on its configuration and seed alone. Replicas are trained in
blocks of a fixed size, padded if need be, so that the compiled program never depends on
how many there are; blocks are spread over processor cores or accelerators.
"""

import os
import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

import jax

from .._files import sweep, writable
from .._network import Network
from ..results import Results, read
from ..tasks import Task
from . import _block
from ._cell import Cell
from ._limits import checked_seeds
from ._plan import check_plan
from ._progress import Bar
from ._protocol import Protocol
from ._replicas import jobs, replicas
from .recipes import published

CHECKPOINT_SECONDS = 30.0


def train(
    network: Network,
    task: Task,
    protocol: Protocol | None = None,
    seeds: Iterable[int] = range(25),
    **options: Any,
) -> Results:
    """Train a network on a task with many seeds.

    Args:
        network: what to train: a unit, a stack, or any other network. Without a
            protocol, a unit is put into the network that its authors used.
        task: the task.
        protocol: the settings; the authors' if None.
        seeds: the seeds.
        options: those of `train_cells`.

    Returns:
        One row per seed.

    Examples:
        >>> from arithmax import NAU, published, train
        >>> from arithmax.tasks import SingleModule
        >>> network, protocol = published(NAU(), SingleModule("add"), steps=5000)
        >>> results = train(network, SingleModule("add"), protocol, seeds=range(3))
        >>> [row["outcome"] for row in results.rows]
        ['solved', 'solved', 'solved']
    """
    if protocol is None:
        network, protocol = published(network, task)
    cell = Cell(network, task, protocol, checked_seeds(seeds))
    return train_cells([cell], **options)


def train_cells(
    cells: Sequence[Cell],
    *,
    out: Path | str | None = None,
    progress: Any = False,
    block: int | None = None,
    workers: int | None = None,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
    watch: Callable[[list[dict[str, Any]]], None] | None = None,
) -> Results:
    """Train all cells; those that share a program share blocks.

    Args:
        cells: what to train.
        out: a folder for the results. What it holds already is not trained again, and a
            run that was stopped goes on from its last checkpoint.
        progress: whether to show a progress bar; or a `rich.progress.Progress` that
            gets a line for it.
        block: replicas in a block; chosen by the size of the network if None.
        workers: blocks that are trained at a time; one for each processor core or
            accelerator if None.
        checkpoint_seconds: how often a block that runs is saved.
        watch: called with the new rows whenever a block is finished.

    Returns:
        One row per replica, in the order of the cells. After an interrupt, those
        that were finished.
    """
    wanted = replicas(cells, block)
    folder = writable("out", out) if out is not None else None
    if folder is not None:
        sweep(folder)
    done = {row["run"]: row for row in read(folder).rows} if folder is not None else {}
    unique = {r.name: r for r in wanted}  # cells may share seeds
    missing = [r for name, r in unique.items() if name not in done]
    check_plan(missing, workers, checkpoint_seconds, watch)
    work = jobs(missing, folder, checkpoint_seconds)
    stop = threading.Event()
    with Bar(progress, work) as advance:
        interrupted = _run(
            work, workers or default_workers(), stop, advance, done, watch
        )
    rows = [done[name] for name in unique if name in done]
    return Results(rows, folder, interrupted)


def default_workers() -> int:
    """Blocks that are trained at a time if nothing else is said."""
    if jax.default_backend() == "cpu":
        return os.cpu_count() or 1
    return len(jax.local_devices())


def _run(jobs, workers, stop, advance, done, watch) -> bool:
    """Train all jobs, `workers` at a time; True if it was interrupted."""
    devices = jax.local_devices()
    interrupted = False
    with ThreadPoolExecutor(max_workers=workers) as pool:
        try:
            pending = {
                pool.submit(
                    _block.train_job, job, devices[i % len(devices)], stop, advance
                )
                for i, job in enumerate(jobs)
            }
            while pending:
                try:
                    finished, pending = wait(pending, 0.2, return_when=FIRST_COMPLETED)
                except KeyboardInterrupt:
                    interrupted = True
                    stop.set()
                    continue
                for future in finished:
                    rows = future.result()
                    done |= {row["run"]: row for row in rows}
                    if watch is not None and rows:
                        watch(rows)
        except BaseException:
            stop.set()  # the others save what they have
            raise
    return interrupted

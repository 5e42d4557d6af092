"""Training many replicas at once: blocks, devices, checkpoints, progress.

A replica's numbers depend on its configuration and seed alone. Replicas are trained in
blocks of a fixed size, padded if need be, so that the compiled program never depends on
how many there are; blocks are spread over processor cores or accelerators.
"""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from .._checks import shown
from .._files import sweep, writable
from .._network import Network
from ..results import Results, read
from ..tasks import Task
from ._cell import Cell
from ._checkpoint import saved_step
from ._engine import FleetEngine, Local, Rows
from ._limits import check_kind, checked_seeds
from ._plan import check_plan
from ._progress import Bar
from ._protocol import Protocol
from ._replicas import Job, jobs, replicas
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
    watch: Callable[[Rows], None] | None = None,
    engine: FleetEngine | None = None,
    kernel: bool = True,
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
        engine: what trains the blocks, such as `arithmax.cluster.Ray()`; `workers` of
            this machine if None.
        kernel: whether a GPU trains an interval as one kernel, where the network can be
            one; the column `platform` says which were.

    Returns:
        One row per replica, in the order of the cells. After an interrupt, those
        that were finished.
    """
    with _chosen(engine, workers) as place:
        wanted = replicas(cells, block, place.platform, kernel, place.devices)
        folder = writable("out", out) if out is not None else None
        if folder is not None:
            sweep(folder)
        done = {r["run"]: r for r in read(folder).rows} if folder is not None else {}
        unique = {r.name: r for r in wanted}  # cells may share seeds
        missing = [r for name, r in unique.items() if name not in done]
        check_plan(missing, checkpoint_seconds, watch, place.memory)
        work = jobs(missing, folder, checkpoint_seconds)
        saved = {job.name: step for job in work if (step := saved_step(job))}
        with Bar(progress, work, saved) as advance:
            interrupted = _run(work, place, advance, done, watch)
    rows = [done[name] for name in unique if name in done]
    return Results(rows, folder, interrupted)


def _chosen(engine: Any, workers: Any) -> FleetEngine:
    """The engine that was given, or this machine."""
    if engine is None:
        return Local(workers)
    check_kind("engine", engine, FleetEngine, "arithmax.cluster.Ray()")
    if workers is not None:
        raise ValueError(
            f"`workers` (={shown(workers)}) is for this machine, but `engine` "
            f"(={shown(engine)}) was given. Leave one of them out."
        )
    return engine


def _run(
    jobs: Sequence[Job],
    engine: FleetEngine,
    advance: Callable[..., None],
    done: dict[str, dict[str, Any]],
    watch: Callable[[Rows], None] | None,
) -> bool:
    """Train all jobs and note their rows; True if it was interrupted."""

    def finished(rows: Rows) -> None:
        done.update({row["run"]: row for row in rows})
        if watch is not None and rows:
            watch(rows)

    return engine.run(jobs, advance, finished)

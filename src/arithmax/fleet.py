"""Training many replicas at once: blocks, devices, checkpoints, progress.

A replica's numbers depend on its configuration and seed alone. Replicas are trained in
blocks of a fixed size, padded if need be, so that the compiled program never depends on
how many there are; blocks are spread over processor cores or accelerators.
"""

import os
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from . import __version__
from ._program import Program, State, configuration, program
from .measures import WINDOW, measure
from .networks import Stack
from .protocol import Protocol, published, represents
from .results import (
    FORMAT,
    Results,
    column,
    digest,
    read,
    settings,
    sweep,
    write_table,
    write_whole,
)
from .tasks import Task
from .units import Unit

# Replicas in a block. Small networks want more of them side by side.
CPU_BLOCKS = (32, 64)
ACCELERATOR_BLOCKS = (32, 128, 1024, 4096, 16384)
SMALL = 16  # inputs of a network that is small
CHECKPOINT_SECONDS = 30.0


@dataclass(frozen=True)
class Cell:
    """A network on a task under a protocol, for a number of seeds."""

    network: Unit
    task: Task
    protocol: Protocol
    seeds: tuple[int, ...]


@dataclass(frozen=True)
class Replica:
    """One run to be trained."""

    network: Unit
    task: Task
    protocol: Protocol
    seed: int
    block: int
    platform: str

    @property
    def name(self) -> str:
        """What tells this run from every other."""
        return digest(
            self.network, self.task, self.protocol, self.seed, self.block, self.platform
        )

    @property
    def threshold(self) -> float:
        """The extrapolation error below which this run counts as solved."""
        p = self.protocol
        return p.threshold or self.task.threshold(p.epsilon, p.rule)


def train(
    network: Unit,
    task: Task,
    protocol: Protocol | None = None,
    seeds: Iterable[int] = range(25),
    **options: Any,
) -> Results:
    """Train a network on a task with many seeds.

    Args:
        network: a unit or a stack. Without a protocol, a unit is put into the network
            that its authors used.
        task: the task.
        protocol: the settings; the authors' own if None.
        seeds: the seeds.
        options: those of `train_cells`.

    Returns:
        One row a seed.

    Examples:
        >>> from arithmax import NAU
        >>> from arithmax.fleet import train
        >>> from arithmax.tasks import SingleModule
        >>> from arithmax.protocol import published
        >>> network, protocol = published(NAU(), SingleModule("add"), steps=5000)
        >>> results = train(network, SingleModule("add"), protocol, seeds=range(3))
        >>> [row["outcome"] for row in results.rows]
        ['solved', 'solved', 'solved']
    """
    if protocol is None:
        network, protocol = published(network, task)
    return train_cells([Cell(network, task, protocol, tuple(seeds))], **options)


def train_cells(
    cells: Sequence[Cell],
    *,
    out: Path | str | None = None,
    progress: bool = False,
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
        progress: whether to show a progress bar.
        block: replicas in a block; chosen by the size of the network if None.
        workers: blocks that are trained at a time; one a processor core or accelerator
            if None.
        checkpoint_seconds: how often a block that runs is saved.
        watch: called with the new rows whenever a block is finished.

    Returns:
        One row a replica, in the order of the cells. After an interrupt, those
        that were finished.
    """
    replicas = _replicas(cells, block)
    folder = Path(out) if out is not None else None
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        sweep(folder)
    done = {row["run"]: row for row in read(folder).rows} if folder is not None else {}
    missing = [r for r in replicas if r.name not in done]
    jobs = _jobs(missing, folder, checkpoint_seconds)
    stop = threading.Event()
    with _bar(progress, jobs) as advance:
        interrupted = _run(jobs, workers or _workers(), stop, advance, done, watch)
    rows = [done[r.name] for r in replicas if r.name in done]
    return Results(rows, folder, interrupted)


def _replicas(cells: Sequence[Cell], block: int | None) -> list[Replica]:
    if not cells:
        raise ValueError("`cells` (=[]) must hold at least one cell.")
    platform = jax.default_backend()
    replicas = []
    for cell in cells:
        if not cell.seeds:
            raise ValueError("`seeds` (=()) must hold at least one seed.")
        if bad := [s for s in cell.seeds if not 0 <= int(s) < 2**32]:
            raise ValueError(f"`seeds` holds {bad[0]}, which is not in [0, 2³²).")
        if not represents(cell.network, cell.task):
            import warnings

            warnings.warn(
                f"{cell.network} cannot represent `operation` "
                f"(={'/'.join(cell.task.operations)!r}) exactly; it is trained all the "
                "same.",
                stacklevel=3,
            )
        size = block or block_size(cell, len(cell.seeds), platform)
        replicas += [
            Replica(cell.network, cell.task, cell.protocol, int(seed), size, platform)
            for seed in cell.seeds
        ]
    return replicas


def block_size(cell: Cell, seeds: int, platform: str) -> int:
    """Replicas in a block: on a CPU by the size of the network, else by a list."""
    if platform == "cpu":
        return CPU_BLOCKS[cell.task.in_features <= SMALL]
    return next((b for b in ACCELERATOR_BLOCKS if b >= seeds), ACCELERATOR_BLOCKS[-1])


def _workers() -> int:
    if jax.default_backend() == "cpu":
        return os.cpu_count() or 1
    return len(jax.local_devices())


@dataclass
class Job:
    """A block of replicas that one program trains."""

    replicas: list[Replica]
    folder: Path | None
    checkpoint_seconds: float

    @property
    def name(self) -> str:
        return digest(*(r.name for r in self.replicas))

    @property
    def first(self) -> Replica:
        return self.replicas[0]

    @property
    def steps(self) -> int:
        """How long the block is trained."""
        return self.first.protocol.steps


def _jobs(replicas: list[Replica], folder: Path | None, seconds: float) -> list[Job]:
    """Replicas of one program and length, in blocks."""
    groups: dict[tuple, list[Replica]] = {}
    for r in replicas:
        structure = (r.network, r.task.structure, r.protocol.structure)
        groups.setdefault((*structure, r.protocol.steps, r.block), []).append(r)
    return [
        Job(group[i : i + group[0].block], folder, seconds)
        for group in groups.values()
        for i in range(0, len(group), group[0].block)
    ]


def _run(jobs, workers, stop, advance, done, watch) -> bool:
    """Train all jobs, `workers` at a time; True if it was interrupted."""
    devices = jax.local_devices()
    with ThreadPoolExecutor(max_workers=workers) as pool:
        futures = {
            pool.submit(_train_job, job, devices[i % len(devices)], stop, advance): job
            for i, job in enumerate(jobs)
        }
        pending = set(futures)
        interrupted = False
        while pending:
            try:
                finished, pending = wait(pending, 0.2, return_when=FIRST_COMPLETED)
            except KeyboardInterrupt:
                interrupted = True
                stop.set()
                continue
            for future in finished:
                try:
                    rows = future.result()
                except BaseException:
                    stop.set()
                    raise
                done |= {row["run"]: row for row in rows}
                if watch is not None and rows:
                    watch(rows)
    return interrupted


def _train_job(job: Job, device, stop, advance) -> list[dict[str, Any]]:
    """Train a block to its end, or until it is asked to stop."""
    if stop.is_set():
        return []
    # Settings of the process change neither dtypes nor, with them, results. (optax
    # counts its steps in integers, which strict promotion forbids.)
    wide = job.first.protocol.precision == "float64"
    with jax.numpy_dtype_promotion("standard"), jax.enable_x64(wide):
        return _train_block(job, device, stop, advance)


def _train_block(job: Job, device, stop, advance) -> list[dict[str, Any]]:
    first = job.first
    trained = program(first.network, first.task, first.protocol)
    padded = job.replicas + job.replicas[-1:] * (first.block - len(job.replicas))
    numbers = [configuration(r.task, r.protocol, r.seed) for r in padded]
    stacked = jax.tree.map(lambda *v: jax.device_put(np.stack(v), device), *numbers)
    run = _Run(job, trained, stacked)
    run.resume()
    interval, saved = first.protocol.interval, time.monotonic()
    while run.step < job.steps:
        if stop.is_set():
            run.save()
            return []
        run.advance()
        advance(job.name, len(job.replicas) * interval, run.solved())
        if time.monotonic() - saved > job.checkpoint_seconds:
            run.save()
            saved = time.monotonic()
    return run.finish()


class _Run:
    """The state of a block, its curves, and their way to disk and back."""

    def __init__(self, job: Job, trained: Program, numbers: dict) -> None:
        self.job, self.trained = job, trained
        self.state: State = trained.start(numbers)
        self.numbers = trained.prepare(numbers)
        self.thresholds = np.array([r.threshold for r in job.replicas])
        self.step = 0
        self.seconds = 0.0
        self.curves: list[dict[str, np.ndarray]] = []

    def _eligible(self) -> Any:
        interval = self.job.first.protocol.interval
        left = (self.job.steps - self.step) // interval + 1
        return jnp.asarray(left <= WINDOW)

    def advance(self) -> None:
        """Measure, then train for one interval."""
        began = time.monotonic()
        state, measured = self.trained.interval(
            self.state, self.numbers, jnp.uint32(self.step), self._eligible()
        )
        self.curves.append({name: np.asarray(v) for name, v in measured.items()})
        self.state = state
        self.step += self.job.first.protocol.interval
        self.seconds += time.monotonic() - began

    def solved(self) -> int:
        """How many replicas were right at the last measurement."""
        errors = self.curves[-1]["extrapolation"][: len(self.thresholds)]
        return int(np.sum(errors < self.thresholds))

    def finish(self) -> list[dict[str, Any]]:
        """Measure once more; write rows, curves and weights; forget the checkpoint."""
        self.state, measured = self.trained.measure(
            self.state, self.numbers, self._eligible()
        )
        self.curves.append({name: np.asarray(v) for name, v in measured.items()})
        rows = self._rows()
        if self.job.folder is not None:
            self._write(rows)
            self._checkpoint.unlink(missing_ok=True)
        return rows

    def _rows(self) -> list[dict[str, Any]]:
        interval = self.job.first.protocol.interval
        names = self.curves[0]
        curves = {name: np.stack([c[name] for c in self.curves]) for name in names}
        at = np.arange(len(self.curves)) * interval
        share = self.seconds / len(self.job.replicas)
        return [
            _row_of(r, share, at, {name: curve[:, i] for name, curve in curves.items()})
            for i, r in enumerate(self.job.replicas)
        ]

    def _write(self, rows: list[dict[str, Any]]) -> None:
        from safetensors.numpy import save

        folder, name = self.job.folder, self.job.name
        assert folder is not None
        weights = {
            f"{r.name}/{p}": np.ascontiguousarray(np.asarray(value)[i])
            for p, value in self.state.best.items()
            for i, r in enumerate(self.job.replicas)
        }
        write_whole(
            folder / f"{name}.safetensors", lambda p: p.write_bytes(save(weights))
        )
        count, points = len(rows), len(self.curves)
        interval = self.job.first.protocol.interval
        long = {
            "run": np.repeat(
                np.array([row["run"] for row in rows], dtype=object), points
            ),
            "step": np.tile(np.arange(points) * interval, count),
        }
        for measure_name in self.curves[0]:
            stacked = np.stack([c[measure_name][:count] for c in self.curves], axis=1)
            long[measure_name] = stacked.reshape(-1)
        write_table(folder / f"{name}.curves.parquet", long)
        columns = {n: column([row[n] for row in rows]) for n in rows[0]}
        write_table(folder / f"{name}.rows.parquet", columns)

    @property
    def _checkpoint(self) -> Path:
        assert self.job.folder is not None
        return self.job.folder / f"{self.job.name}.checkpoint"

    def save(self) -> None:
        """Write state and curves so far."""
        from safetensors.numpy import save

        if self.job.folder is None or self.step == 0:
            return
        leaves = [np.asarray(leaf) for leaf in jax.tree.leaves(self.state)]
        arrays = {f"leaf/{i}": np.ascontiguousarray(a) for i, a in enumerate(leaves)}
        for name in self.curves[0]:
            arrays[f"curve/{name}"] = np.stack([c[name] for c in self.curves])
        arrays["step"] = np.array(self.step)
        arrays["seconds"] = np.array(self.seconds)
        write_whole(self._checkpoint, lambda path: path.write_bytes(save(arrays)))

    def resume(self) -> None:
        """Go on from the checkpoint, if there is one."""
        from safetensors import SafetensorError
        from safetensors.numpy import load_file

        if self.job.folder is None or not self._checkpoint.exists():
            return
        try:
            arrays = load_file(self._checkpoint)
            leaves, tree = jax.tree.flatten(self.state)
            loaded = [arrays[f"leaf/{i}"] for i in range(len(leaves))]
            if any(a.shape != b.shape for a, b in zip(loaded, leaves, strict=True)):
                raise KeyError("its arrays have other shapes")
            names = [n for n in arrays if n.startswith("curve/")]
            curves = {n.split("/", 1)[1]: arrays[n] for n in names}
            points = range(len(next(iter(curves.values()))))
            self.curves = [{n: c[k] for n, c in curves.items()} for k in points]
            self.step, self.seconds = int(arrays["step"]), float(arrays["seconds"])
        except (SafetensorError, KeyError, ValueError, StopIteration) as error:
            raise ValueError(
                f"the checkpoint {self._checkpoint} cannot be read: {error}. Delete "
                "it to train its replicas from the start; nothing else is lost."
            ) from error
        device = next(iter(leaves[0].devices()))
        self.state = jax.tree.unflatten(
            tree, [jax.device_put(a, device) for a in loaded]
        )


def _row_of(
    replica: Replica, seconds: float, at: np.ndarray, curves: dict[str, np.ndarray]
) -> dict[str, Any]:
    """One row: what was trained, how it ended, what it cost."""
    protocol, task = replica.protocol, replica.task
    measures = measure(at, threshold=replica.threshold, **curves)
    unit = (
        replica.network.units[-1]
        if isinstance(replica.network, Stack)
        else replica.network
    )
    return {
        "run": replica.name,
        "seed": replica.seed,
        "unit": type(unit).__name__,
        "network": repr(replica.network),
        "task": str(task),
        "protocol": repr(protocol),
        "outcome": measures.outcome.value,
        "sentence": measures.sentence,
        "solved_at": measures.solved_at,
        "diverged_at": measures.diverged_at,
        "best_step": measures.best_step,
        "interpolation": measures.interpolation,
        "extrapolation": measures.extrapolation,
        "sparsity": measures.sparsity,
        "threshold": replica.threshold,
        "threshold_rule": "flat" if protocol.threshold else protocol.rule,
        "seconds": seconds,
        "block": replica.block,
        "platform": replica.platform,
        "version": __version__,
        "format": FORMAT,
        **dict(settings("task", task)),
        **dict(settings("protocol", protocol)),
    }


class _bar:
    """A progress bar over replica-steps, or nothing."""

    def __init__(self, show: bool, jobs: list[Job]) -> None:
        self.show, self.total = show, sum(len(j.replicas) * j.steps for j in jobs)

    def __enter__(self) -> Callable[[str, int, int], None]:
        if not self.show or not self.total:
            return lambda job, steps, solved: None
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            Progress,
            TaskProgressColumn,
            TextColumn,
            TimeRemainingColumn,
        )

        self.progress = Progress(
            TextColumn("training"),
            BarColumn(),
            TaskProgressColumn(),
            TextColumn("{task.fields[rate]}"),
            TimeRemainingColumn(),
            TextColumn("{task.fields[solved]} solved"),
            console=Console(stderr=True),
        )
        self.progress.start()
        task = self.progress.add_task("training", total=self.total, rate="", solved=0)
        began, lock, right = time.monotonic(), threading.Lock(), {}

        def advance(job: str, steps: int, solved: int) -> None:
            with lock:
                right[job] = solved
                done = self.progress.tasks[0].completed + steps
                rate = done / max(time.monotonic() - began, 1e-9)
                self.progress.update(
                    task,
                    advance=steps,
                    rate=f"{rate / 1e6:.2f} M replica-steps/s",
                    solved=sum(right.values()),
                )

        return advance

    def __exit__(self, *error: object) -> None:
        if self.show and self.total:
            self.progress.stop()

"""Training one block of replicas: its state, its curves, their way to disk and back."""

import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from . import __version__
from ._blocks import Job, Replica
from ._files import write_table, write_whole
from ._machine import machine, pinned
from ._padding import cut, padding, starts
from ._program import Program, State, configuration, program
from .measures import measure
from .networks import Stack
from .results import FORMAT, IDENTITY, settings, write_rows


def train_job(job: Job, device, stop, advance) -> list[dict[str, Any]]:
    """Train a block to its end, or until it is asked to stop."""
    if stop.is_set():
        return []
    with pinned(job.first.protocol.precision):
        return train_block(job, device, stop, advance)


def train_block(job: Job, device, stop, advance) -> list[dict[str, Any]]:
    first = job.first
    trained = program(first.network, first.task, first.protocol)
    padded = job.replicas + job.replicas[-1:] * (first.block - len(job.replicas))
    numbers = [
        configuration(r.task, r.protocol, r.seed)
        | padding(r.network, r.task, r.protocol)
        for r in padded
    ]
    stacked = jax.tree.map(lambda *v: jax.device_put(np.stack(v), device), *numbers)
    stacked |= starts([r.network for r in padded], first.task, first.protocol, stacked)
    run = Run(job, trained, stacked)
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


class Run:
    """The state of a block, its curves, and their way to disk and back."""

    def __init__(self, job: Job, trained: Program, numbers: dict) -> None:
        self.job, self.trained = job, trained
        self.state: State = trained.start(numbers)
        self.numbers = trained.prepare(numbers)
        self.thresholds = np.array([r.threshold for r in job.replicas])
        self.step = 0
        self.seconds = 0.0
        self.curves: list[dict[str, np.ndarray]] = []
        self.kept: dict[int, dict[str, np.ndarray]] = {}

    def _keep(self) -> None:
        """Copy the parameters, if this is a step at which a replica keeps them."""
        if any(self.step in r.protocol.keep for r in self.job.replicas):
            # A view would be of memory that the next interval writes to.
            params = self.state.params.items()
            self.kept[self.step] = {name: np.array(value) for name, value in params}

    def _eligible(self) -> Any:
        protocol = self.job.first.protocol
        left = (self.job.steps - self.step) // protocol.interval + 1
        return jnp.asarray(left <= protocol.window)

    def advance(self) -> None:
        """Measure, then train for one interval."""
        self._keep()
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
        self._keep()
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
        best = {name: np.asarray(value) for name, value in self.state.best.items()}
        weights = {
            f"{r.name}/{p}": np.ascontiguousarray(value)
            for i, r in enumerate(self.job.replicas)
            for p, value in cut(
                r.network, r.task, {n: b[i] for n, b in best.items()}
            ).items()
        }
        for i, r in enumerate(self.job.replicas):
            weights |= self._path(i, r)
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
        write_rows(folder, name, rows)

    def _path(self, i: int, r: Replica) -> dict[str, np.ndarray]:
        """The parameters [step, ...] of a replica at the steps that it keeps."""
        at = sorted(self.kept.keys() & set(r.protocol.keep))
        if not at:
            return {}
        own = [
            cut(r.network, r.task, {n: v[i] for n, v in self.kept[step].items()})
            for step in at
        ]
        path = {name: np.stack([params[name] for params in own]) for name in own[0]}
        return {f"{r.name}@path/{n}": v for n, v in path.items()} | {
            f"{r.name}@path/step": np.array(at)
        }

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
        for at, params in self.kept.items():
            arrays |= {f"kept/{at}/{name}": value for name, value in params.items()}
        arrays["step"] = np.array(self.step)
        arrays["seconds"] = np.array(self.seconds)
        saved = save(arrays, {"job": self.job.name})
        write_whole(self._checkpoint, lambda path: path.write_bytes(saved))

    def resume(self) -> None:
        """Go on from the checkpoint, if there is one."""
        from safetensors import SafetensorError, safe_open
        from safetensors.numpy import load_file

        if self.job.folder is None or not self._checkpoint.exists():
            return
        try:
            with safe_open(self._checkpoint, framework="numpy") as file:
                if (file.metadata() or {}).get("job") != self.job.name:
                    raise ValueError("it is of other runs")
            arrays = load_file(self._checkpoint)
            leaves, tree = jax.tree.flatten(self.state)
            loaded = [arrays[f"leaf/{i}"] for i in range(len(leaves))]
            if any(a.shape != b.shape for a, b in zip(loaded, leaves, strict=True)):
                raise ValueError("its arrays have other shapes")
            names = [n for n in arrays if n.startswith("curve/")]
            curves = {n.split("/", 1)[1]: arrays[n] for n in names}
            points = range(len(next(iter(curves.values()))))
            self.curves = [{n: c[k] for n, c in curves.items()} for k in points]
            for n in (n for n in arrays if n.startswith("kept/")):
                _, at, name = n.split("/", 2)
                self.kept.setdefault(int(at), {})[name] = arrays[n]
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
    measures = measure(
        at,
        threshold=replica.threshold,
        window=protocol.window,
        limits=replica.limits,
        **curves,
    )
    unit = (
        replica.network.units[-1]
        if isinstance(replica.network, Stack)
        else replica.network
    )
    return {
        "run": replica.name,
        "unit": type(unit).__name__,
        **dict(zip(IDENTITY, replica.identity, strict=True)),
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
        **{f"first_below_{name}": at for name, at in measures.first_below.items()},
        "seconds": seconds,
        "block": replica.block,
        **machine(),
        "finished": datetime.now(UTC).isoformat(timespec="microseconds"),
        "version": __version__,
        "format": FORMAT,
        **dict(settings("task", task)),
        **dict(settings("protocol", protocol)),
    }

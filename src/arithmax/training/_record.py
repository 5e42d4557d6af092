"""What remains of a block that was trained: rows, curves and weights."""

from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

import numpy as np

from .. import __version__
from .._files import write_table, write_whole
from ..results import FORMAT, IDENTITY, settings, write_rows
from ..tasks import Task
from ._checkpoint import checkpoint_of
from ._machine import machine
from ._measures import measure
from ._meter import Cost
from ._padding import cut
from ._protocol import Protocol
from ._replicas import Job, Replica
from ._rounded import rounded_errors

Params = dict[str, np.ndarray]


def record(
    job: Job,
    cost: Cost,
    curves: list[dict[str, np.ndarray]],
    best: Params,
    kept: dict[int, Params],
) -> list[dict[str, Any]]:
    """One row per replica, written beside curves and weights if there is a folder.

    Args:
        job: the block.
        cost: how long it was trained.
        curves: what was measured of all replicas, one entry per measurement.
        best: the parameters of all replicas at their best steps.
        kept: the parameters of all replicas at the steps that some of them keep.
    """
    steps = np.arange(len(curves)) * job.first.protocol.measuring.interval
    measured = {name: np.stack([c[name] for c in curves]) for name in curves[0]}
    share = cost.share(len(job.replicas))
    rounded = rounded_errors(
        (r.network, r.task, _of_one(r, i, best), r.seed)
        for i, r in enumerate(job.replicas)
    )
    rows = [
        row_of(r, share, steps, {n: curve[:, i] for n, curve in measured.items()}, e)
        for i, (r, e) in enumerate(zip(job.replicas, rounded, strict=True))
    ]
    if job.folder is not None:
        _write_weights(job, best, kept)
        _write_curves(job, steps, measured)
        write_rows(job.folder, job.name, rows)
        checkpoint_of(job).unlink(missing_ok=True)
    return rows


def _write_weights(job: Job, best: Params, kept: dict[int, Params]) -> None:
    from safetensors.numpy import save

    weights = {
        f"{r.name}/{name}": np.ascontiguousarray(value)
        for i, r in enumerate(job.replicas)
        for name, value in _of_one(r, i, best).items()
    }
    for i, r in enumerate(job.replicas):
        weights |= _path(r, i, kept)
    assert job.folder is not None
    content = save(weights)
    file = job.folder / f"{job.name}.safetensors"
    write_whole(file, lambda path: path.write_bytes(content))


def _of_one(r: Replica, i: int, params: Params) -> Params:
    """The parameters of one replica of a block, without padding."""
    return cut(r.network, r.task, {name: value[i] for name, value in params.items()})


def _path(r: Replica, i: int, kept: dict[int, Params]) -> Params:
    """The parameters [step, ...] of a replica at the steps that it keeps."""
    steps = sorted(kept.keys() & set(r.protocol.measuring.keep))
    if not steps:
        return {}
    params = [_of_one(r, i, kept[step]) for step in steps]
    path = {name: np.stack([p[name] for p in params]) for name in params[0]}
    return {f"{r.name}@path/{n}": v for n, v in path.items()} | {
        f"{r.name}@path/step": np.array(steps)
    }


def _write_curves(job: Job, steps: np.ndarray, measured: Params) -> None:
    count = len(job.replicas)
    names = np.array([r.name for r in job.replicas], dtype=object)
    long = {"run": np.repeat(names, len(steps)), "step": np.tile(steps, count)}
    for name, curve in measured.items():
        long[name] = np.ascontiguousarray(curve[:, :count].T).reshape(-1)
    assert job.folder is not None
    write_table(job.folder / f"{job.name}.curves.parquet", long)


def row_of(
    replica: Replica,
    cost: Cost,
    steps: np.ndarray,
    curves: Params,
    rounded: float,
) -> dict[str, Any]:
    """One row: what was trained, how it ended, what it cost."""
    protocol, criterion = replica.protocol, replica.protocol.criterion
    measures = measure(
        steps,
        threshold=replica.threshold,
        window=protocol.measuring.window,
        limits=replica.limits,
        **curves,
    )
    return {
        "run": replica.name,
        "unit": type(replica.network.last).__name__,
        **dict(zip(IDENTITY, replica.identity, strict=True)),
        "outcome": measures.outcome.value,
        "sentence": measures.sentence,
        "solved_at": measures.solved_at,
        "diverged_at": measures.diverged_at,
        "best_step": measures.best_step,
        "interpolation": measures.interpolation,
        "extrapolation": measures.extrapolation,
        "sparsity": measures.sparsity,
        "rounded": rounded,
        "threshold": replica.threshold,
        "threshold_rule": "flat" if criterion.threshold else criterion.rule,
        **{f"first_below_{name}": at for name, at in measures.first_below.items()},
        **measures.further,
        **cost._asdict(),
        "block": replica.block,
        **machine(),
        "finished": datetime.now(UTC).isoformat(timespec="microseconds"),
        "version": __version__,
        "format": FORMAT,
        **_columns(replica.task, protocol),
    }


@lru_cache(maxsize=4096)
def _columns(task: Task, protocol: Protocol) -> dict[str, Any]:
    """The settings of a task and a protocol, which the rows of a cell share."""
    return dict(settings("task", task)) | dict(settings("protocol", protocol))

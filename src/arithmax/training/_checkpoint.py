"""A block that was stopped: its state and curves on disk and back."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .._files import write_whole
from ._meter import Cost
from ._replicas import Job


class Saved(NamedTuple):
    """What a block needs to go on."""

    step: int
    cost: Cost
    leaves: list[np.ndarray]
    curves: list[dict[str, np.ndarray]]
    kept: dict[int, dict[str, np.ndarray]]


def checkpoint_of(job: Job) -> Path:
    """The file of a block that runs."""
    assert job.folder is not None
    return job.folder / f"{job.name}.checkpoint"


def save(job: Job, saved: Saved) -> None:
    """Write a checkpoint, whole."""
    from safetensors.numpy import save as serialised

    arrays = {f"leaf/{i}": np.ascontiguousarray(a) for i, a in enumerate(saved.leaves)}
    for name in saved.curves[0]:
        arrays[f"curve/{name}"] = np.stack([c[name] for c in saved.curves])
    for at, params in saved.kept.items():
        arrays |= {f"kept/{at}/{name}": value for name, value in params.items()}
    arrays["step"] = np.array(saved.step)
    arrays["seconds"] = np.array(saved.cost)
    content = serialised(arrays, {"job": job.name})
    write_whole(checkpoint_of(job), lambda path: path.write_bytes(content))


def load_checkpoint(job: Job, shapes: list[tuple[int, ...]]) -> Saved | None:
    """The checkpoint of a job, if there is one.

    Args:
        job: the job.
        shapes: the shapes that the arrays of its state must have.
    """
    from safetensors.numpy import load_file

    if job.folder is None or not (path := checkpoint_of(job)).exists():
        return None
    with _reading(job):
        return _saved(load_file(path), shapes)


def saved_step(job: Job) -> int | None:
    """The step of a job's checkpoint, if there is one."""
    if job.folder is None or not checkpoint_of(job).exists():
        return None
    with _reading(job) as file:
        return int(file.get_tensor("step"))


@contextmanager
def _reading(job: Job) -> Iterator[Any]:
    """The open checkpoint of a job; what is wrong with it is said with its name."""
    from safetensors import SafetensorError, safe_open

    path = checkpoint_of(job)
    try:
        with safe_open(path, framework="numpy") as file:
            if (file.metadata() or {}).get("job") != job.name:
                raise ValueError("it is of other runs")
            yield file
    except (SafetensorError, KeyError, ValueError, StopIteration) as error:
        raise ValueError(
            f"the checkpoint {path} cannot be read: {error}. Delete it to train its "
            "replicas from the start; nothing else is lost."
        ) from error


def _saved(arrays: dict[str, np.ndarray], shapes: list[tuple[int, ...]]) -> Saved:
    leaves = [arrays[f"leaf/{i}"] for i in range(len(shapes))]
    if [a.shape for a in leaves] != shapes:
        raise ValueError("its arrays have other shapes")
    curves = {
        name.split("/", 1)[1]: array
        for name, array in arrays.items()
        if name.startswith("curve/")
    }
    points = range(len(next(iter(curves.values()))))
    kept: dict[int, dict[str, np.ndarray]] = {}
    for path in (name for name in arrays if name.startswith("kept/")):
        _, at, name = path.split("/", 2)
        kept.setdefault(int(at), {})[name] = arrays[path]
    return Saved(
        int(arrays["step"]),
        Cost(*np.broadcast_to(arrays["seconds"], 2).tolist()),  # earlier: the clock's
        leaves,
        [{name: curve[k] for name, curve in curves.items()} for k in points],
        kept,
    )

"""Arrays of many runs in one small file: what has one shape is one stack.

A file of stacks is Parquet, one line for each stack. An array is stored as the bytes of
its numbers, all first bytes before all second bytes and so on, since bytes of one kind
(exponents, say) compress well together. Runs are known by their places among the rows
of their pack, `NAME.rows.parquet`, `NAME.1.rows.parquet` and so on, since their names,
which are random, would be a tenth of all that is shipped; a hash of these names tells
whether the rows are those that the stacks were written with.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import count, takewhile
from pathlib import Path
from typing import Any

import numpy as np

from .._files import SHIPPED, tables, write_view
from ._rows import rows_file

VERSION = 1  # of the files; a reader refuses others
DTYPES = ("|b1", "|u1", "<i2", "<i4", "<i8", "<f2", "<f4", "<f8")
COLUMNS = {
    "version": "INTEGER",
    "runs": "VARCHAR",
    "places": "INTEGER[]",
    "names": "VARCHAR[]",
    "dtypes": "VARCHAR[]",
    "shapes": "INTEGER[][]",
    "bytes": "BLOB[]",
}


@dataclass(frozen=True)
class TensorStack:
    """Arrays of some runs.

    Attributes:
        places: where each run stands among the rows of its pack.
        arrays: by name; the first axis is the run, but for what all runs share.
    """

    places: np.ndarray
    arrays: dict[str, np.ndarray]


def write_stacks(
    path: Path, runs: Sequence[str], stacks: Sequence[TensorStack]
) -> None:
    """A file of stacks.

    Args:
        path: the file, `NAME.KIND.stacks.parquet`.
        runs: the names of all runs of the pack, in the order of its rows.
        stacks: what to write.
    """
    lines = [(VERSION, _hash(runs), *_line(stack)) for stack in stacks]

    def prepare(database: Any) -> None:
        kinds = ", ".join(f"{name} {kind}" for name, kind in COLUMNS.items())
        database.execute(f"CREATE TABLE stacks ({kinds})")
        marks = ", ".join("?" for _ in COLUMNS)
        database.executemany(f"INSERT INTO stacks VALUES ({marks})", lines)

    write_view(path, prepare, "stacks", SHIPPED)


def _line(stack: TensorStack) -> tuple:
    arrays = {n: _little(a) for n, a in stack.arrays.items()}
    return (
        stack.places.tolist(),
        list(arrays),
        [a.dtype.str for a in arrays.values()],
        [list(a.shape) for a in arrays.values()],
        [_shuffled(a) for a in arrays.values()],
    )


def _little(array: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(array, array.dtype.newbyteorder("<"))


def _shuffled(array: np.ndarray) -> bytes:
    """The bytes of an array, those of one significance together."""
    return array.reshape(-1).view(np.uint8).reshape(-1, array.itemsize).T.tobytes()


def _ordered(content: bytes, dtype: np.dtype, shape: Sequence[int]) -> np.ndarray:
    """The array that has these shuffled bytes."""
    planes = np.frombuffer(content, np.uint8).reshape(dtype.itemsize, -1)
    return np.ascontiguousarray(planes.T).reshape(-1).view(dtype).reshape(shape)


@lru_cache(maxsize=64)
def read_stacks(
    path: Path, changed: int, others: str
) -> tuple[list[TensorStack], dict[str, tuple[int, int]]]:
    """The stacks of a file, and for each run its stack and its index there.

    Args:
        path: the file.
        changed: when the file was changed; what was read before counts until then.
        others: what is still there if the file cannot be read, for the message.
    """
    names, lines = tables(path, f"Move it away; {others} are kept.")
    if missing := [name for name in COLUMNS if name not in names]:
        raise ValueError(
            f"{path} cannot be read: it has no column {missing[0]!r}, so it is no file "
            f"of stacks. Move it away; {others} are kept."
        )
    found = [dict(zip(names, line, strict=True)) for line in lines]
    if versions := {line["version"] for line in found} - {VERSION}:
        raise ValueError(
            f"{path} was written by another version of arithmax (its format is "
            f"{versions.pop()!r}, not {VERSION}). Read it with that version, or use "
            "another folder."
        )
    runs = _runs_of(path)
    if any(line["runs"] != _hash(runs) for line in found):
        raise ValueError(
            f"{path} cannot be read: the rows beside it are of other runs. Copy the "
            f"files of a pack together, or move it away; {others} are kept."
        )
    try:
        stacks = [_stack(line, len(runs)) for line in found]
    except (ValueError, TypeError) as error:
        raise ValueError(
            f"{path} cannot be read: {error}. Move it away; {others} are kept."
        ) from None
    homes = {
        runs[place]: (k, i)
        for k, stack in enumerate(stacks)
        for i, place in enumerate(stack.places.tolist())
    }
    return stacks, homes


def _stack(line: dict[str, Any], total: int) -> TensorStack:
    """A stack as it was before it was written."""
    places = np.array(line["places"], np.int64)
    if len(places) and not (0 <= places.min() and places.max() < total):
        raise ValueError(f"`places` has a run that is not among the {total} rows")
    parts = [line[name] for name in ("names", "dtypes", "shapes", "bytes")]
    arrays = {}
    for name, dtype, shape, content in zip(*parts, strict=True):
        if dtype not in DTYPES:
            raise ValueError(f"`dtypes` has {dtype!r}, not one of {', '.join(DTYPES)}")
        arrays[name] = _ordered(content, np.dtype(dtype), shape)
    return TensorStack(places, arrays)


def _runs_of(path: Path) -> list[str]:
    """The names of the runs of a pack, in the order of its rows."""
    pack = path.name.removesuffix(".stacks.parquet").rpartition(".")[0]
    files = (rows_file(path.parent, pack, i) for i in count())
    there = takewhile(Path.exists, files)
    return [run for f in there for run in _runs(f, f.stat().st_mtime_ns)]


@lru_cache(maxsize=64)
def _runs(file: Path, changed: int) -> list[str]:
    return [run for (run,) in tables(file, "Move it away.", ["run"])[1]]


def _hash(runs: Sequence[str]) -> str:
    return hashlib.sha256("\n".join(runs).encode()).hexdigest()[:16]

"""Many files of results as three small ones, to be shipped."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from .._files import folder_of, writable
from ._curves import SUFFIX as CURVES
from ._curves import read_curves, stacked_curves
from ._results import Results, read
from ._rows import compatible, rows_file, write_packed_rows
from ._stacks import TensorStack, write_stacks
from ._weights import SUFFIX as WEIGHTS

LARGE = 4000  # numbers in one parameter, of which more are left out
EXACT = 100  # numbers in one parameter, of which more are rounded
BITS = 11  # that are kept of each number then, as in 16-bit floats
Key = tuple[tuple[str, tuple[int, ...], str], ...]


def pack(folder: Path | str, to: Path | str, name: str, points: int = 50) -> None:
    """All results of a folder in three small files.

    `NAME.rows.parquet` has all rows as they are (and `NAME.1.rows.parquet` those that
    do not fit into one table with them), `NAME.curves.stacks.parquet` thinned curves to
    a hundredth of a decade, and `NAME.weights.stacks.parquet` the weights of the best
    step. Parameters that were kept on the way (`Results.path`) are left out: compute
    tables first.

    Args:
        folder: where the results are.
        to: the folder for those files.
        name: what their names begin with. Files of that name are never overwritten.
        points: how many measurements of each curve are kept at even distances, and as
            many again at distances that grow, so that its beginning can be seen.

    Weights are exact in parameters of up to `EXACT` numbers, and have the precision of
    16-bit floats in larger ones. Parameters of more than `LARGE` numbers are left out:
    nobody reads them off.
    """
    folder = folder_of("folder", folder)
    results = read(folder)
    if not results.rows:
        raise ValueError(f"`folder` (={folder}) holds no results to pack.")
    to = writable("to", to)
    kinds = ("rows.parquet", "curves.parquet", "stacks.parquet", "safetensors")
    there = [p for p in to.iterdir() if p.name.startswith(f"{name}.")]
    if there := [p for p in there if p.name.endswith(kinds)]:
        raise FileExistsError(f"{there[0]} exists. Choose another `name` (={name!r}).")
    # Rows of one cell lie side by side: they are alike, and compress well.
    order = ("unit", "network", "task", "protocol", "platform", "seed")
    tables = compatible(sorted(results.rows, key=lambda r: [r[n] for n in order]))
    runs = [row["run"] for table in tables for row in table]
    if stacks := _weights(results, runs):
        write_stacks(to / f"{name}{WEIGHTS}", runs, stacks)
    if curves := read_curves(folder, {run: run for run in runs}):
        stacks = stacked_curves(curves, runs, points)
        write_stacks(to / f"{name}{CURVES}", runs, stacks)
    for i, table in enumerate(tables):
        write_packed_rows(rows_file(to, name, i), table)


def _weights(results: Results, runs: Sequence[str]) -> list[TensorStack]:
    """The parameters of some runs, a stack for those that have the same shapes."""
    alike: dict[Key, list[tuple[int, dict[str, np.ndarray]]]] = {}
    for place, run in enumerate(runs):
        try:
            found = results.weights(run)
        except KeyError:
            continue
        kept = {n: found[n] for n in sorted(found) if found[n].size <= LARGE}
        if kept:
            key = tuple((n, v.shape, v.dtype.str) for n, v in kept.items())
            alike.setdefault(key, []).append((place, kept))
    return [_stack(found) for found in alike.values()]


def _stack(found: list[tuple[int, dict[str, np.ndarray]]]) -> TensorStack:
    stacked = {n: np.stack([params[n] for _, params in found]) for n in found[0][1]}
    places = np.array([place for place, _ in found])
    return TensorStack(places, {n: rounded(values) for n, values in stacked.items()})


def rounded(values: np.ndarray) -> np.ndarray:
    """Large parameters [run, ...] with fewer bits, others as they are.

    Numbers of up to `BITS` bits, such as the −1, 0, 1 and ½ of exact solutions, do not
    change, nor does the range of exponents.
    """
    if values[0].size <= EXACT or values.dtype.kind != "f":
        return values
    fraction, exponent = np.frexp(values)
    fraction = np.rint(fraction * 2**BITS) / 2**BITS
    with np.errstate(over="ignore"):
        shorter = np.ldexp(fraction, exponent).astype(values.dtype)
    return np.where(np.isfinite(shorter), shorter, values)

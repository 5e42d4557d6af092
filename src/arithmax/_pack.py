"""Many files of results as few, with curves of fewer points, to be shipped."""

from pathlib import Path

import numpy as np

from ._files import arrays, folder_of, scan, writable, write_table, write_whole
from .results import read, write_rows

LARGE = 4000  # numbers in one parameter


def pack(folder: Path | str, to: Path | str, name: str, points: int = 50) -> None:
    """All results of a folder in few files, with curves of fewer points.

    Args:
        folder: where the results are.
        to: the folder for those files.
        name: what their names begin with. Files of that name are never overwritten.
        points: how many measurements of each curve are kept at even distances, and as
            many again at distances that grow, so that its beginning can be seen.

    Parameters of more than `LARGE` numbers are left out: nobody reads them off.
    """
    folder = folder_of("folder", folder)
    rows = read(folder).rows
    if not rows:
        raise ValueError(f"`folder` (={folder}) holds no results to pack.")
    to = writable("to", to)
    kinds = ("rows.parquet", "curves.parquet", "safetensors")
    there = [p for p in to.iterdir() if p.name.startswith(f"{name}.")]
    if there := [p for p in there if p.name.endswith(kinds)]:
        raise FileExistsError(f"{there[0]} exists. Choose another `name` (={name!r}).")
    runs = {row["run"] for row in rows}
    if weights := _weights(folder, runs):
        _save(to / f"{name}.safetensors", weights)
    if curves := _curves(folder, runs, points):
        write_table(to / f"{name}.curves.parquet", curves)
    write_rows(to, name, rows)


def _weights(folder: Path, runs: set[str]) -> dict[str, np.ndarray]:
    """The parameters of some runs, but for large ones."""
    from safetensors.numpy import load_file

    weights: dict[str, np.ndarray] = {}
    for path in sorted(folder.glob("*.safetensors")):
        for key, value in load_file(path).items():
            run = key.partition("/")[0].partition("@")[0]
            if value.size <= LARGE and run in runs:
                weights[key] = value
    return weights


def _save(path: Path, weights: dict[str, np.ndarray]) -> None:
    from safetensors.numpy import save

    write_whole(path, lambda to: to.write_bytes(save(weights)))


def _curves(folder: Path, runs: set[str], points: int) -> dict[str, np.ndarray]:
    """Thinned curves of some runs, one after the other; each run once."""
    import duckdb

    curves: dict[str, list[np.ndarray]] = {}
    seen: set[str] = set()
    with duckdb.connect() as database:
        for path in sorted(folder.glob("*.curves.parquet")):
            found = arrays(scan(database, [path]))
            kept = np.isin(found["step"], thinned(np.unique(found["step"]), points))
            here = set(found["run"].tolist())
            kept &= np.isin(found["run"].astype(str), sorted(here & runs - seen))
            seen |= here
            for name, values in found.items():
                curves.setdefault(name, []).append(values[kept])
    return {name: np.concatenate(parts) for name, parts in curves.items()}


def thinned(steps: np.ndarray, points: int) -> np.ndarray:
    """Some of the measured steps: the first, the last, even and growing distances."""
    last = len(steps) - 1
    if last <= 2 * points:
        return steps
    even, growing = np.linspace(0, last, points), np.geomspace(1, last, points)
    return steps[np.unique(np.concatenate([even, growing]).round().astype(int))]

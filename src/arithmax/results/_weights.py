"""Weights of the best step, from files of the fleet and from packs."""

from functools import lru_cache
from pathlib import Path

import numpy as np

from ._stacks import read_stacks

SUFFIX = ".weights.stacks.parquet"


def read_weights(folder: Path, run: str) -> dict[str, np.ndarray]:
    """The parameters of a run at its best step, by name.

    Args:
        folder: where the results are.
        run: the name of the run; `RUN@path` for those that were kept on the way.

    Raises:
        KeyError: there are none.
    """
    if run not in _homes(folder, folder.stat().st_mtime_ns):
        _homes.cache_clear()  # a clock may tick too seldom to tell two writes apart
    home = _homes(folder, folder.stat().st_mtime_ns).get(run)
    if home is None:
        raise KeyError(f"`run` (={run!r}) has no weights in {folder}.")
    changed = home.stat().st_mtime_ns
    if not home.name.endswith(SUFFIX):
        return _tensors(home, changed)[run]
    stacks, places = _packed(home, changed)
    stack, i = places[run]
    return {name: a[i].copy() for name, a in stacks[stack].arrays.items()}


def _packed(path: Path, changed: int):
    return read_stacks(path, changed, "rows and curves")


@lru_cache(maxsize=8)
def _homes(folder: Path, changed: int) -> dict[str, Path]:
    """The file that holds the parameters of each run of a folder."""
    from safetensors import SafetensorError, safe_open

    homes = {}
    for path in sorted(folder.glob(f"*{SUFFIX}")):
        homes |= dict.fromkeys(_packed(path, path.stat().st_mtime_ns)[1], path)
    for path in sorted(folder.glob("*.safetensors")):
        try:
            with safe_open(path, framework="numpy") as file:
                homes |= {name.partition("/")[0]: path for name in file.keys()}
        except SafetensorError as error:
            raise ValueError(
                f"{path} cannot be read: {error}. Move it away; rows and curves are "
                "kept."
            ) from None
    return homes


@lru_cache(maxsize=64)
def _tensors(path: Path, changed: int) -> dict[str, dict[str, np.ndarray]]:
    """The parameters of every run of a file, by run."""
    from safetensors.numpy import load_file

    found: dict[str, dict[str, np.ndarray]] = {}
    for name, value in load_file(path).items():
        run, _, parameter = name.partition("/")
        found.setdefault(run, {})[parameter] = value
    return found

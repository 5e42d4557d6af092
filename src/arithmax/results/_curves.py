"""Learning curves, from files of the fleet and from packs."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from .._files import arrays, register, scan, tables
from ._quantised import codes, decoded, differences, summed
from ._stacks import TensorStack, read_stacks

SUFFIX = ".curves.stacks.parquet"
Columns = dict[str, np.ndarray]


def read_curves(folder: Path | None, series: Mapping[str, str]) -> Columns:
    """The learning curves of some runs, ordered by run and step.

    Args:
        folder: where the results are.
        series: what each run belongs to, by its name.

    Returns:
        The columns of the curves and `series`; empty if there are none. Those of a pack
        are right to half a hundredth of a decade.
    """
    if folder is None or not series:
        return {}
    parts = [_from_pack(path, series) for path in sorted(folder.glob(f"*{SUFFIX}"))]
    parts += [_from_fleet(folder, series)]
    parts = [part for part in parts if part]
    if not parts:
        return {}
    found = parts[0] if len(parts) == 1 else _joined(parts)
    owners = [series[run] for run in found["run"].tolist()]
    return found | {"series": np.array(owners, dtype=object)}


def _joined(parts: list[Columns]) -> Columns:
    """Parts as one, in order; a run may be in two of them.

    A task may measure what others do not, which is NaN for these.
    """
    names = dict.fromkeys(n for part in parts for n in part)
    whole = {n: np.concatenate([_column(n, part) for part in parts]) for n in names}
    _, number = np.unique(whole["run"].astype(str), return_inverse=True)
    order = np.lexsort((whole["step"], number))
    number, step = number[order], whole["step"][order]
    first = np.ones(len(order), bool)
    first[1:] = (np.diff(number) != 0) | (np.diff(step) != 0)
    return {n: values[order][first] for n, values in whole.items()}


def _column(name: str, part: Columns) -> np.ndarray:
    return part.get(name, np.full(len(part["step"]), np.nan))


def _from_fleet(folder: Path, series: Mapping[str, str]) -> Columns:
    """Curves from the files that the fleet wrote."""
    import duckdb

    files = sorted(folder.glob("*.curves.parquet"))
    if not files:
        return {}
    with duckdb.connect() as database:
        wanted = np.array(list(series), dtype=object)
        register(database, "wanted", {"run": wanted})
        try:
            scan(database, files).create_view("curves")
            # The same run may be in two files, as two processes may train it.
            return arrays(
                database.sql(
                    "SELECT DISTINCT ON (run, step) * FROM curves JOIN wanted "
                    "USING (run) ORDER BY run, step"
                )
            )
        except duckdb.Error as error:
            bad = next((f for f in files if not _readable(f)), folder)
            raise ValueError(
                f"{bad} cannot be read: {str(error).splitlines()[0]}. Move it away; "
                "rows and weights are kept."
            ) from None


def _readable(file: Path) -> bool:
    try:
        tables(file, "")
    except ValueError:
        return False
    return True


def _from_pack(path: Path, series: Mapping[str, str]) -> Columns:
    """Curves from a pack."""
    changed = path.stat().st_mtime_ns
    stacks, homes = read_stacks(path, changed, "rows and weights")
    chosen: dict[int, list[tuple[int, str]]] = {}
    for run in sorted(series):
        if run in homes:
            stack, i = homes[run]
            chosen.setdefault(stack, []).append((i, run))
    parts = [_of_stack(stacks[k], found) for k, found in chosen.items()]
    return parts[0] if len(parts) == 1 else _joined(parts) if parts else {}


def _of_stack(stack: TensorStack, chosen: list[tuple[int, str]]) -> Columns:
    """The curves of some runs of a stack, one after the other."""
    at = np.array([i for i, _ in chosen])
    runs = np.array([run for _, run in chosen], dtype=object)
    measured = dict(stack.arrays)
    steps = measured.pop("step")
    columns = {"run": np.repeat(runs, len(steps)), "step": np.tile(steps, len(runs))}
    return columns | {n: _values(a[at]).reshape(-1) for n, a in measured.items()}


def _values(stored: np.ndarray) -> np.ndarray:
    """Numbers as they were, or from codes."""
    return decoded(summed(stored)) if stored.dtype == np.int16 else stored


def stacked_curves(curves: Columns, runs: list[str], points: int) -> list[TensorStack]:
    """Thinned curves, a stack for those that are measured at the same steps.

    Args:
        curves: columns as `read_curves` gives them.
        runs: the runs of the pack, in the order of its rows.
        points: see `thinned`.
    """
    names, first = np.unique(curves["run"].astype(str), return_index=True)
    ends = [*first[1:].tolist(), len(curves["run"])]
    found = zip(names.tolist(), first.tolist(), ends, strict=True)
    spans = {run: (start, end) for run, start, end in found}
    alike: dict[bytes, list[tuple[int, int, int]]] = {}
    for place, run in enumerate(runs):
        if run in spans:
            start, end = spans[run]
            key = curves["step"][start:end].tobytes()
            alike.setdefault(key, []).append((place, start, end))
    measured = {n: v for n, v in curves.items() if n not in ("run", "step", "series")}
    return [_stack(curves["step"], measured, found, points) for found in alike.values()]


def _stack(
    steps: np.ndarray,
    measured: Columns,
    found: list[tuple[int, int, int]],
    points: int,
) -> TensorStack:
    _, start, end = found[0]
    own = steps[start:end]
    kept = np.flatnonzero(np.isin(own, thinned(own, points)))
    at = np.array([first for _, first, _ in found])[:, None] + kept
    places = np.array([place for place, _, _ in found])
    parts = {name: _stored(values[at]) for name, values in measured.items()}
    return TensorStack(places, {"step": own[kept].astype(np.int64), **parts})


def _stored(values: np.ndarray) -> np.ndarray:
    """Codes; negative numbers, which no error is, stay as they are."""
    return values if (values < 0).any() else differences(codes(values))


def thinned(steps: np.ndarray, points: int) -> np.ndarray:
    """Some of the measured steps: the first, the last, even and growing distances."""
    last = len(steps) - 1
    if last <= 2 * points:
        return steps
    even, growing = np.linspace(0, last, points), np.geomspace(1, last, points)
    return steps[np.unique(np.concatenate([even, growing]).round().astype(int))]

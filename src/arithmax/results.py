"""Results: one row for each run with its whole configuration, in Parquet files.

A folder of results holds, for each block of replicas that was trained together,
`NAME.rows.parquet`, `NAME.curves.parquet` and the weights of the best step in
`NAME.safetensors`. Files are written whole, under another name first, and never
overwritten; DuckDB reads them all as one table.
"""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from ._files import arrays, column, folder_of, register, scan, tables, write_table
from ._identity import describe
from ._json import dumps
from .statistics import Interval, Range, median, sparsity, steps, success_rate

FORMAT = 1  # of the files; a reader refuses others
# What a run is: rows that agree in these are one run, whoever trained it, and in
# whatever block.
IDENTITY = ("network", "task", "protocol", "seed", "platform", "code")
# What every row has.
NEEDED = (*IDENTITY[:5], "run", "unit", "outcome", "solved_at", "diverged_at")
NEEDED += ("best_step", "interpolation", "extrapolation", "sparsity", "threshold")
NEEDED += ("block", "format", "protocol_steps")


def write_rows(folder: Path, name: str, rows: Sequence[dict[str, Any]]) -> None:
    """`NAME.rows.parquet`, and more where rows have other columns.

    Tasks have settings of their own, and so have versions.
    """
    kinds: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for row in rows:
        kinds.setdefault(tuple(row), []).append(row)
    for i, (names, own) in enumerate(kinds.items()):
        path = folder / (f"{name}.{i}.rows.parquet" if i else f"{name}.rows.parquet")
        write_table(path, {n: column([row[n] for row in own]) for n in names})


@dataclasses.dataclass(frozen=True)
class Summary:
    """The replicas of one cell together."""

    cell: dict[str, Any]
    total: int
    solved: int
    diverged: int
    success: Interval
    solved_at_median: float | None
    solved_at: Interval | Range | None
    sparsity: Interval | Range | None


@dataclasses.dataclass(frozen=True)
class Results:
    """Rows of finished replicas, and the folder they came from, if any.

    `interrupted` says that the run was stopped before all replicas were finished.
    """

    rows: list[dict[str, Any]]
    folder: Path | None = None
    interrupted: bool = False

    def __len__(self) -> int:
        return len(self.rows)

    def query(self, sql: str) -> list[dict[str, Any]]:
        """The answer to a query on the table `runs`, by DuckDB."""
        import duckdb

        names = list(self.rows[0]) if self.rows else ["run"]
        runs = {name: column([row.get(name) for row in self.rows]) for name in names}
        with duckdb.connect() as database:
            register(database, "runs", runs)
            answer = database.sql(sql)
            return [
                dict(zip(answer.columns, row, strict=True)) for row in answer.fetchall()
            ]

    def summaries(
        self, by: Sequence[str] = ("network", "task", "protocol")
    ) -> list[Summary]:
        """Each cell's rates, steps and sparsity errors with their intervals."""
        cells: dict[tuple, list[dict[str, Any]]] = {}
        for row in self.rows:
            cells.setdefault(tuple(row[name] for name in by), []).append(row)
        return [
            summarise(dict(zip(by, key, strict=True)), rows)
            for key, rows in cells.items()
        ]

    def weights(self, run: str) -> dict[str, np.ndarray]:
        """The parameters of a run at its best step."""
        folder = self.folder or Path()
        if run not in _homes(folder, folder.stat().st_mtime_ns):
            _homes.cache_clear()  # a clock may tick too seldom to tell two writes apart
        home = _homes(folder, folder.stat().st_mtime_ns).get(run)
        if home is None:
            raise KeyError(f"`run` (={run!r}) has no weights in {self.folder}.")
        return _tensors(home, home.stat().st_mtime_ns)[run]

    def path(self, run: str) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """The steps of `Protocol.keep`, and a run's parameters [step, ...] there."""
        kept = dict(self.weights(f"{run}@path"))
        return kept.pop("step"), kept

    def curves(self, runs: Sequence[str]) -> dict[str, dict[str, np.ndarray]]:
        """The learning curves of some runs: step, errors and sparsity by name.

        Runs without curves are left out.
        """
        found = read_curves(self.folder, {run: run for run in runs})
        if not found:
            return {}
        found.pop("series")
        own, first = np.unique(found.pop("run").astype(str), return_index=True)
        parts = {name: np.split(values, first[1:]) for name, values in found.items()}
        places = {run: i for i, run in enumerate(own.tolist())}
        return {
            run: {name: part[places[run]] for name, part in parts.items()}
            for run in dict.fromkeys(runs)
            if run in places
        }


def read_curves(
    folder: Path | None, series: Mapping[str, str]
) -> dict[str, np.ndarray]:
    """The learning curves of some runs, ordered by run and step.

    Args:
        folder: where the results are.
        series: what each run belongs to, by its name.

    Returns:
        The columns of the curves and `series`; empty if there are none.
    """
    import duckdb

    files = sorted(folder.glob("*.curves.parquet")) if folder else []
    if not files or not series:
        return {}
    wanted = {"run": list(series), "series": list(series.values())}
    with duckdb.connect() as database:
        register(
            database,
            "wanted",
            {name: np.array(values, dtype=object) for name, values in wanted.items()},
        )
        try:
            scan(database, files).create_view("curves")
            # The same run may be in two files, as packed folders may share runs.
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


@lru_cache(maxsize=8)
def _homes(folder: Path, changed: int) -> dict[str, Path]:
    """The file that holds the parameters of each run of a folder."""
    from safetensors import SafetensorError, safe_open

    homes = {}
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


def summarise(cell: dict[str, Any], rows: list[dict[str, Any]]) -> Summary:
    """One cell's summary."""
    solved = [row for row in rows if row["outcome"] == "solved"]
    at = [max(row["solved_at"], 1) for row in solved]
    errors = [min(row["sparsity"], 0.5) for row in solved]
    return Summary(
        cell,
        len(rows),
        len(solved),
        sum(row["outcome"] == "diverged" for row in rows),
        success_rate(len(solved), len(rows)),
        median(at) if at else None,
        steps(at) if at else None,
        sparsity(errors) if errors else None,
    )


def read(folder: Path | str) -> Results:
    """All results in a folder, one row for each run.

    A run may have been trained twice, by two processes at once or in blocks of other
    sizes, and stand in two files. The one that was finished first counts.
    """
    folder = folder_of("folder", folder)
    if not folder.is_dir():
        raise FileNotFoundError(
            f"`folder` (={folder}) does not exist. Check the path, or train with `out` "
            "first."
        )
    rows = [row for file in sorted(folder.glob("*.rows.parquet")) for row in _of(file)]
    return Results(one_each(rows), folder)


def one_each(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """One row for each run: of several, the one that was finished first."""
    first: dict[tuple, dict[str, Any]] = {}
    for row in rows:
        known = first.setdefault(identity(row), row)
        if row.get("finished", "") < known.get("finished", ""):
            first[identity(row)] = row
    return list(first.values())


def identity(row: Mapping[str, Any]) -> tuple:
    """What tells a run from every other."""
    return tuple(row.get(name, "") for name in IDENTITY)


def _of(file: Path) -> list[dict[str, Any]]:
    """The rows of a file."""
    names, values = tables(file, "Move it away.")
    if missing := [name for name in NEEDED if name not in names]:
        raise ValueError(
            f"{file} has no column {missing[0]!r}: it is no file of runs, or one of "
            "another version of arithmax. Move it away."
        )
    rows = [dict(zip(names, v, strict=True)) for v in values]
    if others := {row["format"] for row in rows} - {FORMAT}:
        raise ValueError(
            f"{file} was written by another version of arithmax (its format is "
            f"{others.pop()!r}, not {FORMAT}). Read it with that version, or use "
            "another folder."
        )
    return [_row(row) for row in rows]


def _row(row: dict[str, Any]) -> dict[str, Any]:
    """Steps that may be missing as None, measures that are not numbers as NaN."""
    for name, value in row.items():
        if name in ("solved_at", "diverged_at") or name.startswith("first_below_"):
            row[name] = None if value is None or np.isnan(value) else int(value)
        elif name in ("interpolation", "extrapolation", "sparsity"):
            row[name] = np.nan if value is None else value
    return row


def plain(value: Any) -> Any:
    """A setting as a column can hold it."""
    return value if isinstance(value, bool | int | float | str) else repr(value)


def settings(prefix: str, thing: Any) -> Iterator[tuple[str, Any]]:
    """The fields of a dataclass as columns, those of its parts under their names."""
    for field in dataclasses.fields(thing):
        yield from _columns(f"{prefix}_{field.name}", getattr(thing, field.name))


def _columns(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, tuple) and any(map(dataclasses.is_dataclass, value)):
        yield name, describe(value)
        for i, part in enumerate(value):
            yield from _columns(f"{name}_{i}", part)
    elif dataclasses.is_dataclass(value):
        yield name, type(value).__name__
        yield from settings(name, value)
    else:
        yield name, plain(value)


def to_json(summaries: Sequence[Summary]) -> str:
    """Summaries for scripts."""
    return dumps([dataclasses.asdict(s) for s in summaries], indent=2)

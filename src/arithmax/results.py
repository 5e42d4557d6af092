"""Results: one row a replica with its whole configuration, in Parquet files.

A folder of results holds, for each block of replicas that was trained together,
`NAME.rows.parquet`, `NAME.curves.parquet` and the weights of the best step in
`NAME.safetensors`. Files are written whole, under another name first, and never
overwritten; DuckDB reads them all as one table.
"""

import dataclasses
import hashlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from ._json import dumps
from .statistics import Interval, median, sparsity, steps, success_rate

FORMAT = 1  # of the files; a reader refuses others


def digest(*parts: object) -> str:
    """A short name for a configuration."""
    text = "\n".join(map(str, parts))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def write_whole(path: Path, write: Callable[[Path], object]) -> None:
    """Write a file under a temporary name, then give it its own."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        write(temporary)
        with open(temporary, "rb+") as file:
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError as error:
        raise OSError(
            f"`out` (={path.parent}) could not be written to: {error}. Free some "
            "space or choose another folder; what was finished before is kept."
        ) from error
    finally:
        temporary.unlink(missing_ok=True)


def sweep(folder: Path) -> None:
    """Remove what a process that was killed left half written."""
    for part in folder.glob(".*.part"):
        process = int(part.name.split(".")[-2])
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            part.unlink(missing_ok=True)
        except PermissionError:
            continue  # somebody else's, and alive


def write_table(path: Path, columns: Mapping[str, Any]) -> None:
    """A Parquet file from columns of equal length."""
    import duckdb

    def write(to: Path) -> None:
        table = dict(columns)
        with duckdb.connect() as database:
            database.register("columns_of", table)
            database.sql("SELECT * FROM columns_of").write_parquet(
                str(to), compression="zstd"
            )

    write_whole(path, write)


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


def column(values: Sequence[Any]) -> np.ndarray:
    """One column, typed by its values; None becomes a missing number."""
    present = [v for v in values if v is not None]
    if present and all(isinstance(v, bool) for v in present):
        return np.array([bool(v) for v in values])
    if (
        present
        and all(isinstance(v, int) for v in present)
        and len(present) == len(values)
    ):
        return np.array(values, dtype=np.int64)
    if all(isinstance(v, int | float) for v in present):
        return np.array([np.nan if v is None else v for v in values], dtype=np.float64)
    return np.array(["" if v is None else str(v) for v in values], dtype=object)


@dataclasses.dataclass(frozen=True)
class Summary:
    """The replicas of one cell together."""

    cell: dict[str, Any]
    total: int
    solved: int
    diverged: int
    success: Interval
    solved_at_median: float | None
    solved_at: Interval | None
    sparsity: Interval | None


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
            database.register("runs", runs)
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
        import duckdb

        files = sorted((self.folder or Path()).glob("*.curves.parquet"))
        if not files or not runs:
            return {}
        query = "FROM read_parquet(?) JOIN wanted USING (run) ORDER BY run, step"
        with duckdb.connect() as database:
            wanted = np.array(list(dict.fromkeys(runs)), dtype=object)
            database.register("wanted", {"run": wanted})
            names = list(map(str, files))
            found = database.execute(query, [names]).fetchnumpy()
        own, first = np.unique(found.pop("run").astype(str), return_index=True)
        parts = {
            name: np.split(np.ma.filled(values, np.nan), first[1:])
            for name, values in found.items()
        }
        places = {run: i for i, run in enumerate(own.tolist())}
        return {
            run: {name: part[places[run]] for name, part in parts.items()}
            for run in dict.fromkeys(runs)
            if run in places
        }


@lru_cache(maxsize=8)
def _homes(folder: Path, changed: int) -> dict[str, Path]:
    """The file that holds the parameters of each run of a folder."""
    from safetensors import safe_open

    homes = {}
    for path in sorted(folder.glob("*.safetensors")):
        with safe_open(path, framework="numpy") as file:
            homes |= {name.partition("/")[0]: path for name in file.keys()}
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
    """All results in a folder."""
    import duckdb

    folder = Path(folder)
    if not folder.is_dir():
        raise FileNotFoundError(f"`folder` (={folder}) does not exist.")
    files = sorted(folder.glob("*.rows.parquet"))
    rows: list[dict[str, Any]] = []
    with duckdb.connect() as database:
        for file in files:
            try:
                table = database.read_parquet(str(file))
                names = table.columns
                values = table.fetchall()
            except duckdb.Error as error:
                raise ValueError(
                    f"{file} cannot be read: {error}. Move it away."
                ) from None
            if "format" not in names or any(
                dict(zip(names, v, strict=True))["format"] != FORMAT for v in values
            ):
                raise ValueError(
                    f"{file} was written by another version of arithmax (its format is "
                    f"not {FORMAT}). Read it with that version, or use another folder."
                )
            rows += [_row(dict(zip(names, v, strict=True))) for v in values]
    return Results(rows, folder)


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
    import duckdb
    from safetensors.numpy import load_file, save

    rows, to = read(folder).rows, Path(to)
    if not rows:
        raise ValueError(f"`folder` (={folder}) holds no results to pack.")
    kinds = ("rows.parquet", "curves.parquet", "safetensors")
    paths = {kind: to / f"{name}.{kind}" for kind in kinds}
    if there := [str(path) for path in paths.values() if path.exists()]:
        raise FileExistsError(f"{there[0]} exists. Choose another `name` (={name!r}).")
    to.mkdir(parents=True, exist_ok=True)
    weights: dict[str, np.ndarray] = {}
    for path in sorted(Path(folder).glob("*.safetensors")):
        found = load_file(path).items()
        weights |= {name: value for name, value in found if value.size <= LARGE}
    write_whole(paths["safetensors"], lambda path: path.write_bytes(save(weights)))
    curves: dict[str, list[np.ndarray]] = {}
    with duckdb.connect() as database:
        for path in sorted(Path(folder).glob("*.curves.parquet")):
            found = database.read_parquet(str(path)).fetchnumpy()
            kept = np.isin(found["step"], thinned(np.unique(found["step"]), points))
            for column_name, values in found.items():
                curves.setdefault(column_name, []).append(values[kept])
    write_table(
        paths["curves.parquet"],
        {column_name: np.concatenate(parts) for column_name, parts in curves.items()},
    )
    write_rows(to, name, rows)


def thinned(steps: np.ndarray, points: int) -> np.ndarray:
    """Some of the measured steps: the first, the last, even and growing distances."""
    last = len(steps) - 1
    if last <= 2 * points:
        return steps
    even, growing = np.linspace(0, last, points), np.geomspace(1, last, points)
    return steps[np.unique(np.concatenate([even, growing]).round().astype(int))]


def _row(row: dict[str, Any]) -> dict[str, Any]:
    """Steps that may be missing as None, measures that are not numbers as NaN."""
    for name in ("solved_at", "diverged_at"):
        value = row[name]
        missing = value is None or (isinstance(value, float) and np.isnan(value))
        row[name] = None if missing or value is None else int(value)
    for name in ("interpolation", "extrapolation", "sparsity"):
        row[name] = np.nan if row[name] is None else row[name]
    return row


def plain(value: Any) -> Any:
    """A setting as a column can hold it."""
    return value if isinstance(value, bool | int | float | str) else repr(value)


def settings(prefix: str, thing: Any) -> Iterator[tuple[str, Any]]:
    """The fields of a dataclass, as columns."""
    for field in dataclasses.fields(thing):
        yield f"{prefix}_{field.name}", plain(getattr(thing, field.name))


def to_json(summaries: Sequence[Summary]) -> str:
    """Summaries for scripts."""
    return dumps([dataclasses.asdict(s) for s in summaries], indent=2)

"""Results: one row a replica with its whole configuration, in Parquet files.

A folder of results holds, for each block of replicas that was trained together,
`NAME.rows.parquet`, `NAME.curves.parquet` and the weights of the best step in
`NAME.safetensors`. Files are written whole, under another name first, and never
overwritten; DuckDB reads them all as one table.
"""

import dataclasses
import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

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
        from safetensors import safe_open

        for path in sorted((self.folder or Path()).glob("*.safetensors")):
            with safe_open(path, framework="numpy") as file:
                names = [n for n in file.keys() if n.startswith(f"{run}/")]
                if names:
                    return {n.split("/", 1)[1]: file.get_tensor(n) for n in names}
        raise KeyError(f"`run` (={run!r}) has no weights in {self.folder}.")


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


def _row(row: dict[str, Any]) -> dict[str, Any]:
    """NaN as None for what may be missing, whole numbers as such."""
    for name in ("solved_at", "diverged_at"):
        value = row[name]
        missing = value is None or (isinstance(value, float) and np.isnan(value))
        row[name] = None if missing or value is None else int(value)
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
    return json.dumps([dataclasses.asdict(s) for s in summaries], indent=2)

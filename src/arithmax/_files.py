"""Files of results: written whole or not at all, tables with NaN as NaN.

DuckDB takes a NaN of NumPy for a missing value, reads special characters of a file name
as a pattern and folders like `run=3` as columns. Tables pass through here alone.
"""

import os
import re
import socket
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

SHIPPED = 19  # level of compression of what is shipped: slow to write, as fast to read
HOST = re.sub(r"[^A-Za-z0-9-]", "-", socket.gethostname())
# A temporary name: what it becomes, on which machine, and by which process.
PART = re.compile(
    r"\..+\.(parquet|safetensors|checkpoint|json|html|gz)\.(?P<host>[A-Za-z0-9-]+)"
    r"\.(?P<process>\d+)\.part"
)


def folder_of(argument: str, value: Path | str) -> Path:
    """A folder that a user named, which may begin with `~`; it need not exist."""
    try:
        folder = Path(value).expanduser()
    except RuntimeError as error:
        raise ValueError(f"`{argument}` (={value}) names no folder: {error}.") from None
    if folder.exists() and not folder.is_dir():
        raise NotADirectoryError(
            f"`{argument}` (={value}) is a file, not a folder. Choose another name."
        )
    return folder


def writable(argument: str, value: Path | str) -> Path:
    """A folder that is there and can be written to, made if need be."""
    folder = folder_of(argument, value)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        trial = folder / f".trial.json.{HOST}.{os.getpid()}.part"
        trial.write_bytes(b"")
        trial.unlink()
    except OSError as error:
        raise OSError(
            f"`{argument}` (={value}) cannot be written to: {error.strerror}. Choose "
            "another folder."
        ) from None
    return folder


def cache_folder() -> Path:
    """Where what can be made or fetched again is kept; it need not exist."""
    if named := os.environ.get("ARITHMAX_CACHE"):
        return folder_of("ARITHMAX_CACHE", named)
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return home / "arithmax"


def write_whole(
    path: Path, write: Callable[[Path], object], argument: str = "out"
) -> None:
    """Write a file under a temporary name, then give it its own.

    Args:
        path: the file.
        write: writes to the path that it is given.
        argument: what the user chose the file's folder by, for the message.
    """
    temporary = path.with_name(f".{path.name}.{HOST}.{os.getpid()}.part")
    try:
        write(temporary)
        with open(temporary, "rb+") as file:
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError as error:
        raise OSError(
            f"`{argument}` (={path.parent}) could not be written to: {error}. Free "
            "some space or choose another folder; what was finished before is kept."
        ) from error
    finally:
        temporary.unlink(missing_ok=True)


def sweep(folder: Path) -> None:
    """Remove what a process of this machine that was killed left half written."""
    for path in folder.glob(".*.part"):
        if not (name := PART.fullmatch(path.name)) or name["host"] != HOST:
            continue
        try:
            os.kill(int(name["process"]), 0)
        except (ProcessLookupError, OverflowError):
            path.unlink(missing_ok=True)
        except PermissionError:
            continue  # somebody else's, and alive


def column(values: Sequence[Any]) -> np.ndarray:
    """One column, typed by its values; among numbers, None is masked."""
    present = [v for v in values if v is not None]
    if len(present) == len(values) and present:
        if all(isinstance(v, bool | np.bool_) for v in values):
            return np.array(values, dtype=bool)
        if all(isinstance(v, int | np.integer) for v in values):
            return np.array(values, dtype=np.int64)
    if all(isinstance(v, int | float | np.number) for v in present):
        numbers = np.array([0.0 if v is None else v for v in values], dtype=np.float64)
        return np.ma.array(numbers, mask=[v is None for v in values])
    return np.array(["" if v is None else str(v) for v in values], dtype=object)


def register(database: Any, name: str, columns: Mapping[str, np.ndarray]) -> None:
    """Columns as a view of DuckDB: masked values are missing, NaN is NaN."""
    given: dict[str, np.ndarray] = {}
    chosen = []
    for i, (title, values) in enumerate(columns.items()):
        given[f"v{i}"] = np.ascontiguousarray(np.ma.getdata(values))
        value = f"v{i}"
        if values.dtype.kind == "f":
            kind = {4: "FLOAT", 8: "DOUBLE"}[values.dtype.itemsize]
            value = f"coalesce(v{i}, 'NaN'::{kind})"
        if np.ma.is_masked(values):
            given[f"m{i}"] = np.ma.getmaskarray(values)
            value = f"CASE WHEN m{i} THEN NULL ELSE {value} END"
        quoted = title.replace('"', '""')
        chosen.append(f'{value} AS "{quoted}"')
    database.register(f"{name}_given", given)
    database.sql(f"SELECT {', '.join(chosen)} FROM {name}_given").create_view(name)


def write_table(path: Path, columns: Mapping[str, Any], *, level: int = 3) -> None:
    """A Parquet file from columns of equal length.

    Args:
        path: the file.
        columns: the columns by name; masked values are missing.
        level: how hard the compression tries, from 1 to 22.
    """
    write_view(path, lambda db: register(db, "written", columns), "written", level)


def write_view(
    path: Path, prepare: Callable[[Any], object], view: str, level: int
) -> None:
    """A Parquet file of a table or view that `prepare` makes in an empty database."""
    import duckdb

    def write(to: Path) -> None:
        quoted = str(to).replace("'", "''")
        with duckdb.connect() as database:
            prepare(database)
            try:
                database.execute(
                    f"COPY {view} TO '{quoted}' (FORMAT parquet, COMPRESSION zstd, "
                    f"COMPRESSION_LEVEL {level})"
                )
            except duckdb.IOException as error:  # a full disk is no OSError to DuckDB
                raise OSError(str(error).splitlines()[0]) from None

    write_whole(path, write)


def scan(database: Any, files: Sequence[Path]) -> Any:
    """Parquet files as one table, each name taken as it is."""
    special = {"*": "[*]", "?": "[?]", "[": "[[]"}
    names = ["".join(special.get(c, c) for c in str(file)) for file in files]
    return database.read_parquet(names, hive_partitioning=False, union_by_name=True)


def arrays(table: Any) -> dict[str, np.ndarray]:
    """A table of DuckDB as arrays; a number that is missing is NaN."""
    return {name: _plain(values) for name, values in table.fetchnumpy().items()}


def _plain(values: np.ndarray) -> np.ndarray:
    if not np.ma.isMaskedArray(values):
        return values
    if values.dtype.kind in "iub" and np.ma.is_masked(values):
        values = values.astype(np.float64)
    if values.dtype.kind == "f":
        return np.ma.filled(values, np.nan)
    plain = np.ma.getdata(values).copy()
    if plain.dtype == object:
        plain[np.ma.getmaskarray(values)] = None
    return plain


def tables(
    file: Path, remedy: str, columns: Sequence[str] = ()
) -> tuple[list[str], list[tuple]]:
    """The names of a Parquet file's columns, and its rows.

    Args:
        file: the file.
        remedy: what helps if it cannot be read, for the message.
        columns: those to read; all if empty.
    """
    import duckdb

    with duckdb.connect() as database:
        try:
            table = scan(database, [file])
            table = table.select(*columns) if columns else table
            return table.columns, table.fetchall()
        except duckdb.Error as error:
            said = str(error).splitlines()[0]
            raise ValueError(f"{file} cannot be read: {said}. {remedy}") from None

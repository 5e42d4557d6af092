"""Columns of a user's file: CSV or Parquet, as numbers, with errors that say where.

CSV is read by Python's own reader: it guesses neither delimiters nor types, so that a
file means the same on every machine, and it needs nothing installed.
"""

import csv
import difflib
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from .._arrays import Array
from .._checks import shown
from .._extras import install

PARQUET = b"PAR1"  # the first and the last bytes of such a file


@runtime_checkable
class Columns(Protocol):
    """A table of named columns."""

    names: list[str]

    def numbers(self, name: str) -> Array:
        """A column as numbers."""
        ...

    def words(self, name: str) -> list[str]:
        """A column as text."""
        ...


class CsvColumns:
    """The columns of a CSV file whose first line has their names."""

    def __init__(self, path: Path, delimiter: str) -> None:
        self._path = path
        lines = _lines(path, delimiter)
        if not lines:
            raise ValueError(
                f"`path` (={path}) is empty. The first line must hold the names of the "
                "columns, and each other line one row."
            )
        self.names = [name.strip() for name in lines[0][1]]
        _check_names(path, self.names)
        if all(map(_is_number, self.names)):
            raise ValueError(
                f"`path` (={path}) has numbers alone in its first line, "
                f"{shown(self.names)}, which must hold the names of the columns. Add "
                "such a line."
            )
        for number, values in lines[1:]:
            if len(values) != len(self.names):
                raise ValueError(
                    f"`path` (={path}) has {len(values)} values in line {number}, but "
                    f"{len(self.names)} columns. Correct the line, or give another "
                    f"`delimiter` than {delimiter!r}."
                )
        self._lines = lines[1:]

    def numbers(self, name: str) -> Array:
        import numpy as np

        at = self.names.index(name)
        return np.array([self._number(n, name, row[at]) for n, row in self._lines])

    def words(self, name: str) -> list[str]:
        at = self.names.index(name)
        return [row[at].strip() for _, row in self._lines]

    def _number(self, line: int, name: str, text: str) -> float:
        try:
            if "_" in text:  # Python would read 1_000 as a number
                raise ValueError
            return float(text)
        except ValueError:
            held = f"the text {shown(text)}" if text.strip() else "nothing"
            raise ValueError(
                f"`path` (={self._path}) has {held} in line {line}, column {name!r}, "
                "where a number must be. Correct or remove the line, or list other "
                "columns in `inputs`."
            ) from None


class ParquetColumns:
    """The columns of a Parquet file, read through DuckDB."""

    def __init__(self, path: Path) -> None:
        try:
            import duckdb
        except ImportError:
            raise ImportError(
                f"`path` (={path}) is read by DuckDB (duckdb), which is not installed: "
                f"{install('fleet')}, or write the table as CSV.",
                name="duckdb",
            ) from None
        from .._files import scan

        self._path = path
        try:
            with duckdb.connect() as database:
                table = scan(database, [path])
                self.names, kinds = table.columns, table.types
                self._values = dict(
                    zip(self.names, zip(*table.fetchall(), strict=True), strict=False)
                )
        except duckdb.Error as error:
            reason = str(error).splitlines()[0]
            raise ValueError(
                f"`path` (={path}) cannot be read as Parquet: {reason}. Write the file "
                "again."
            ) from None
        self._kinds = dict(zip(self.names, map(str, kinds), strict=True))
        _check_names(path, self.names)

    def numbers(self, name: str) -> Array:
        import numpy as np

        values = self._values.get(name, ())
        if None in values:
            raise ValueError(
                f"`path` (={self._path}) has nothing in row {values.index(None)}, "
                f"column {name!r}, where a number must be. Remove the row, or list "
                "other columns in `inputs`."
            )
        try:
            return np.array([_float(value) for value in values])
        except (TypeError, ValueError):
            raise ValueError(
                f"`path` (={self._path}) has values of type {self._kinds[name]} in "
                f"column {name!r}, where numbers must be. List other columns in "
                "`inputs`."
            ) from None

    def words(self, name: str) -> list[str]:
        return [str(value) for value in self._values.get(name, ())]


def columns_of(path: Any, delimiter: str = ",") -> Columns:
    """The columns of a file, which may be CSV or Parquet: its first bytes say which.

    Args:
        path: the file.
        delimiter: what stands between two values of a CSV file.

    Returns:
        The columns by name, as numbers or as text.
    """
    file = _file(path, "csv")
    if _is_parquet(file):
        return ParquetColumns(file)
    return CsvColumns(file, delimiter)


def existing(path: Any, kind: str) -> Path:
    """The file that a user named, which must be there and of its kind."""
    file = _file(path, kind)
    if (parquet := _is_parquet(file)) != (kind == "parquet"):
        other = "from_parquet" if parquet else "from_csv"
        words = "is a Parquet file" if parquet else "is no Parquet file"
        raise ValueError(f"`path` (={path}) {words}. Try `Dataset.{other}`.")
    return file


def _file(path: Any, kind: str) -> Path:
    if not isinstance(path, str | Path):
        raise TypeError(
            f"`path` (={shown(path)}) must be the name of a file, such as "
            f"'table.{kind}'."
        )
    file = Path(path).expanduser()
    if file.is_dir():
        raise IsADirectoryError(
            f"`path` (={path}) is a folder. Give the name of a file in it."
        )
    if not file.is_file():
        raise FileNotFoundError(
            f"`path` (={path}) does not exist. Check its name; the current folder is "
            f"{Path.cwd()}."
        )
    return file


def _is_parquet(file: Path) -> bool:
    with open(file, "rb") as opened:
        return opened.read(4) == PARQUET


def check_column(argument: str, name: Any, names: list[str]) -> str:
    """A column that a user named, which must be there."""
    if not isinstance(name, str):
        raise TypeError(f"`{argument}` (={shown(name)}) must be the name of a column.")
    if name not in names:
        near = difflib.get_close_matches(name, names, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise ValueError(
            f"`{argument}` (={name!r}) must be one of the columns "
            f"{', '.join(map(shown, names))}.{hint}"
        )
    return name


def _float(value: Any) -> float:
    if isinstance(value, str | bytes):  # float('1') would be accepted
        raise TypeError
    return float(value)


def _lines(path: Path, delimiter: Any) -> list[tuple[int, list[str]]]:
    """The lines of a CSV file that hold anything, each with its number."""
    if not isinstance(delimiter, str) or len(delimiter) != 1 or delimiter in '"\r\n':
        raise ValueError(
            f"`delimiter` (={shown(delimiter)}) must be one character, such as ','."
        )
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            reader = csv.reader(file, delimiter=delimiter, strict=True)
            return [(reader.line_num, row) for row in reader if any(row)]
    except UnicodeDecodeError as error:
        raise ValueError(
            f"`path` (={path}) is no text in UTF-8: byte {error.start} is not. Save it "
            "as CSV in UTF-8."
        ) from None
    except csv.Error as error:
        raise ValueError(
            f"`path` (={path}) cannot be read as CSV: {error}. Correct it, or save it "
            "again."
        ) from None


def _check_names(path: Path, names: list[str]) -> None:
    for name in names:
        if not name:
            raise ValueError(
                f"`path` (={path}) has a column without a name, number "
                f"{names.index(name) + 1}. Name all columns in the first line."
            )
        if names.count(name) > 1:
            raise ValueError(
                f"`path` (={path}) has two columns of the name {name!r}. Rename one."
            )


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True

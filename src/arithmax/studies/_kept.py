"""A long table that is computed row by row, and goes on where it was stopped."""

import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from .._files import column, tables, write_table
from .._identity import describe, digest
from ..training import Cell
from ._study import Table, columns

OFTEN = 30.0  # seconds between two times that rows are written


class Kept:
    """Rows of a table in the folder of a study, those of earlier commands among them.

    Args:
        folder: where the table is; None to keep it in memory alone.
        study: the name of the study.
        table: the name of the table.
        names: its columns; the first `keys` of them tell rows apart.
        keys: how many columns tell rows apart.
    """

    def __init__(
        self,
        folder: Path | None,
        study: str,
        table: str,
        names: Sequence[str],
        keys: int,
    ) -> None:
        self.names, self.keys = tuple(names), keys
        self.path = folder and folder / f"{study}.{table}.table.parquet"
        self.rows: dict[tuple[Hashable, ...], tuple[Any, ...]] = {}
        self._written = time.monotonic()
        self._is_new = False  # whether there is anything that the file lacks
        if self.path and self.path.exists():
            remedy = f"Delete it and run `arithmax reproduce {study}` again."
            titles, rows = tables(self.path, remedy)
            if tuple(titles) == self.names:  # else it is another version's
                self.rows = {row[:keys]: row for row in rows}

    def add(self, row: tuple[Any, ...]) -> None:
        """One more row; now and then all are written."""
        self.rows[row[: self.keys]] = row
        self._is_new = True
        if time.monotonic() - self._written > OFTEN:
            self.write()

    def write(self) -> None:
        """The table as it is, unless the file has all of it already."""
        self._written = time.monotonic()
        if self.path and self._is_new:
            listed = self.table(self.rows.values())
            typed = {name: column(values) for name, values in listed.items()}
            write_table(self.path, typed)
            self._is_new = False

    def table(self, rows: Iterable[tuple[Any, ...]]) -> Table:
        """Rows as columns."""
        return columns(self.names, rows)


def name_of_setting(cell: Cell) -> str:
    """A short name for how a cell is trained, whatever its seeds."""
    return digest(describe(cell.network), describe(cell.task), describe(cell.protocol))


@contextmanager
def counted(what: str, total: int, show: bool) -> Iterator[Callable[[str], None]]:
    """A progress bar over `total` things, or nothing; each is counted with a word."""
    if not show or not total:
        yield lambda word: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    shown = (TextColumn(what), BarColumn(), MofNCompleteColumn())
    shown += (TimeRemainingColumn(), TextColumn("{task.fields[word]}"))
    with Progress(*shown, console=Console(stderr=True)) as bar:
        task = bar.add_task(what, total=total, word="")
        yield lambda word: bar.update(task, advance=1, word=word)

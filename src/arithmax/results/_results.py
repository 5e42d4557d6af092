"""Results: rows, and whatever else a folder has of their runs."""

import dataclasses
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from .._extras import extras
from .._files import column, folder_of, register, scan
from ._curves import read_curves
from ._rows import read_rows
from ._summary import Summary, summarise
from ._weights import read_weights

TABLE = ".table.parquet"  # what studies compute


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

    @cached_property
    def by_cell(self) -> dict[tuple[str, str, str], dict[int, list[dict[str, Any]]]]:
        """Rows by network, task and code, and then by steps."""
        cells: dict[tuple[str, str, str], dict[int, list[dict[str, Any]]]] = {}
        for row in self.rows:
            key = (row["network"], row["task"], row.get("code", ""))
            cells.setdefault(key, {}).setdefault(row["protocol_steps"], []).append(row)
        return cells

    def query(self, sql: str) -> list[dict[str, Any]]:
        """The answer to a query, by DuckDB.

        Tables are called as the files of a folder are: `rows` are those of
        `NAME.rows.parquet`, one for each run, `curves` those of `NAME.curves.parquet`,
        and `"STUDY.TABLE"` is `STUDY.TABLE.table.parquet`.

        Args:
            sql: the query.

        Examples:
            >>> from arithmax.results import Results
            >>> results = Results([{"run": "a", "seed": 0}, {"run": "b", "seed": 1}])
            >>> results.query("SELECT max(seed) AS last FROM rows")
            [{'last': 1}]
        """
        import duckdb

        with duckdb.connect() as database:
            for name in self._mentioned(sql):
                self._enter(database, name)
            answer = database.sql(sql)
            return [
                dict(zip(answer.columns, row, strict=True)) for row in answer.fetchall()
            ]

    def _mentioned(self, sql: str) -> list[str]:
        """The tables that a query may ask for."""
        files = self.folder.glob(f"*{TABLE}") if self.folder else ()
        tables = [file.name.removesuffix(TABLE) for file in files]
        return ["rows", *(name for name in ("curves", *tables) if name in sql)]

    def _enter(self, database: Any, name: str) -> None:
        """Make a table of a folder known to a database."""
        if name == "rows":
            names = dict.fromkeys(n for row in self.rows for n in row) or ["run"]
            columns = {n: column([row.get(n) for row in self.rows]) for n in names}
            register(database, name, columns)
        elif name == "curves":
            runs = {row["run"]: row["run"] for row in self.rows}
            columns = read_curves(self.folder, runs) or {"run": column([])}
            columns.pop("series", None)
            register(database, name, columns)
        else:
            assert self.folder is not None
            scan(database, [self.folder / f"{name}{TABLE}"]).create_view(name)

    def to_pandas(self) -> Any:
        """All rows as a data frame of pandas, one row for each run.

        Returns:
            A `pandas.DataFrame`; what a row does not have is missing there.

        Examples:
            >>> from arithmax.results import Results
            >>> rows = [{"run": "a", "seed": 0}, {"run": "b", "seed": 1}]
            >>> Results(rows).to_pandas().seed.tolist()
            [0, 1]
        """
        with extras():
            import pandas

        return pandas.DataFrame(self.rows)

    def summaries(
        self, by: Sequence[str] = ("network", "task", "protocol", "platform")
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
        return read_weights(self.folder or Path(), run)

    def path(self, run: str) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """The steps of `Measuring.keep`, and a run's parameters [step, ...] there.

        Packs do not have them: tables are computed before runs are packed.
        """
        kept = dict(self.weights(f"{run}@path"))
        return kept.pop("step"), kept

    def curves(self, runs: Sequence[str]) -> dict[str, dict[str, np.ndarray]]:
        """The learning curves of some runs: step, errors and sparsity by name.

        Runs without curves are left out.
        """
        columns = read_curves(self.folder, {run: run for run in runs})
        if not columns:
            return {}
        columns.pop("series")
        names, first = np.unique(columns.pop("run").astype(str), return_index=True)
        parts = {name: np.split(values, first[1:]) for name, values in columns.items()}
        places = {run: i for i, run in enumerate(names.tolist())}
        return {
            run: {name: part[places[run]] for name, part in parts.items()}
            for run in dict.fromkeys(runs)
            if run in places
        }


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
    return Results(read_rows(folder), folder)

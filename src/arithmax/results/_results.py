"""Results: rows, and whatever else a folder has of their runs."""

import dataclasses
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from .._files import column, folder_of, register
from ._curves import read_curves
from ._rows import read_rows
from ._summary import Summary, summarise
from ._weights import read_weights


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
        """The answer to a query on the table `runs`, by DuckDB."""
        import duckdb

        names = dict.fromkeys(name for row in self.rows for name in row) or ["run"]
        runs = {name: column([row.get(name) for row in self.rows]) for name in names}
        with duckdb.connect() as database:
            register(database, "runs", runs)
            answer = database.sql(sql)
            return [
                dict(zip(answer.columns, row, strict=True)) for row in answer.fetchall()
            ]

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

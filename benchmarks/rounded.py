"""Add what older runs lack: the error of their rounded weights.

    python benchmarks/rounded.py results

Rows of every study's arms whose weights are there get the column `rounded`, as runs
have it since; all else of a file stays as it is. What studies compute from it is
computed again by `python benchmarks/ship.py --out results`.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

from arithmax.results import Results, read
from arithmax.results._rows import read_file, write_packed_rows
from arithmax.studies import studies
from arithmax.studies._evaluate import find
from arithmax.training import Cell
from arithmax.training._rounded import rounded_errors


def cells(results: Results) -> Iterator[tuple[Cell, str, int]]:
    """The cell, name and seed of each run that belongs to a study and lacks it."""
    known: set[str] = set()
    for study in studies().values():
        for runs in find(study, results):
            for row in runs.rows:
                if "rounded" not in row and row["run"] not in known:
                    known.add(row["run"])
                    yield runs.arm.cell, row["run"], row["seed"]


def missing(results: Results) -> dict[str, float]:
    """The error of the rounded weights of each run that lacks it."""
    names, given = [], []
    for cell, run, seed in cells(results):
        try:
            params = results.weights(run)
        except KeyError:
            continue
        sizes = cell.task.in_features, cell.task.out_features
        if params.keys() == cell.network.parameters(*sizes).keys():
            names.append(run)
            given.append((cell.network, cell.task, params, seed))
    return dict(zip(names, rounded_errors(given), strict=True))


def main() -> None:
    """Every file of rows of a folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    errors = missing(read(folder))
    for file in sorted(folder.glob("*.rows.parquet")):
        rows = read_file(file)
        if any(row["run"] in errors for row in rows):
            also = (errors.get(row["run"], row.get("rounded")) for row in rows)
            pairs = zip(rows, also, strict=True)
            write_packed_rows(file, [r | {"rounded": error} for r, error in pairs])
            print(f"{file.name}: {sum(row['run'] in errors for row in rows)} runs")


if __name__ == "__main__":
    main()

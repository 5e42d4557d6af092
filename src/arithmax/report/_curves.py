"""Learning curves out of Parquet files."""

from collections.abc import Mapping

import numpy as np

from ..results import Results, thinned

POINTS = 100  # of a curve at even distances, and as many at distances that grow

QUERY = """
    SELECT series, step, quantile_cont(error, [0.25, 0.5, 0.75]) AS quartiles
    FROM (
        SELECT series, step,
            -- What is no number is no small error either.
            CASE WHEN isnan(extrapolation) THEN 'Infinity'::DOUBLE
                 ELSE extrapolation::DOUBLE END AS error
        FROM read_parquet(?, union_by_name = true) JOIN wanted USING (run)
    )
    GROUP BY series, step ORDER BY series, step
"""


def curves(results: Results, runs: Mapping[str, str]) -> dict[str, np.ndarray]:
    """The quartiles of the extrapolation error of runs that belong together.

    Args:
        results: where the curves are.
        runs: the series that each run belongs to, by the name of the run.

    Returns:
        For each series, rows of step, lower quartile, median and upper quartile.
        Empty if there are no curves.
    """
    files = sorted(results.folder.glob("*.curves.parquet")) if results.folder else []
    if not files or not runs:
        return {}
    found: dict[str, list[tuple[float, ...]]] = {}
    for series, step, quartiles in _asked([str(f) for f in files], runs):
        found.setdefault(series, []).append((step, *quartiles))
    return {series: _thin(np.array(rows)) for series, rows in found.items()}


def _asked(files: list[str], runs: Mapping[str, str]) -> list[tuple]:
    import duckdb

    wanted = {
        "run": np.array(list(runs), dtype=object),
        "series": np.array(list(runs.values()), dtype=object),
    }
    with duckdb.connect() as database:
        database.register("wanted", wanted)
        return database.execute(QUERY, [files]).fetchall()


def _thin(rows: np.ndarray) -> np.ndarray:
    return rows[np.isin(rows[:, 0], thinned(rows[:, 0], POINTS))]

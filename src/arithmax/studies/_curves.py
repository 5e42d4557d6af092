"""Quartiles of learning curves, which a plot of convergence shows."""

from collections.abc import Mapping

import numpy as np

from ..results import Results, read_curves, thinned

POINTS = 100  # of a curve at even distances, and as many at distances that grow


def quartiles(results: Results, runs: Mapping[str, str]) -> dict[str, np.ndarray]:
    """The quartiles of the extrapolation error of runs that belong together.

    A run whose error is no number is as wrong as can be: it counts as infinite.

    Args:
        results: where the curves are.
        runs: the series that each run belongs to, by the name of the run.

    Returns:
        For each series, rows of step, lower quartile, median and upper quartile.
        Empty if there are no curves.
    """
    curves = read_curves(results.folder, runs)
    if not curves:
        return {}
    errors = np.asarray(curves["extrapolation"], np.float64)
    errors = np.where(np.isnan(errors), np.inf, errors)
    series = curves["series"].astype(str)
    return {
        name: _of_series(curves["step"][series == name], errors[series == name])
        for name in dict.fromkeys(runs.values())
        if (series == name).any()
    }


def _of_series(steps: np.ndarray, errors: np.ndarray) -> np.ndarray:
    """Rows of step and quartiles, of fewer steps."""
    order = np.lexsort((errors, steps))
    at, first = np.unique(steps[order], return_index=True)
    groups = dict(zip(at.tolist(), np.split(errors[order], first[1:]), strict=True))
    return np.array(
        [
            (step, *(_quantile(groups[step], q) for q in (0.25, 0.5, 0.75)))
            for step in thinned(at, POINTS).tolist()
        ]
    )


def _quantile(ordered: np.ndarray, q: float) -> float:
    """A quantile of sorted values; between a finite and an infinite one, infinite."""
    place = q * (len(ordered) - 1)
    below, above = ordered[int(np.floor(place))], ordered[int(np.ceil(place))]
    if below == above or np.isinf(above):
        return float(above)
    return float(below + (place - np.floor(place)) * (above - below))

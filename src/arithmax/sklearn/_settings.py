"""The parameters of the estimator, checked when it is fitted."""

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from .._checks import WORD, check_number, check_whole, choose, is_finite, plain, shown
from ..discover import DOMAINS, Search, Stage


def check_settings(model: Any) -> None:
    """The parameters of a model must be possible.

    Raises:
        ValueError: a parameter is not one of those that are possible.
        TypeError: it is of another kind.
    """
    check_whole("candidates", plain(model.candidates), 1)
    if model.max_seconds is not None and (
        not is_finite(model.max_seconds) or model.max_seconds <= 0
    ):
        raise ValueError(
            f"`max_seconds` (={shown(model.max_seconds)}) must be a number above 0, or "
            "None for no limit."
        )
    choose("domain", model.domain, DOMAINS)
    check_jobs(model.n_jobs)
    verbose = plain(model.verbose)  # True counts as 1, as elsewhere in scikit-learn
    check_whole("verbose", int(verbose) if isinstance(verbose, bool) else verbose, 0)
    check_number("tolerance", model.tolerance, 0)
    if not isinstance(plain(model.uncertainty), bool):
        raise TypeError(
            f"`uncertainty` (={shown(model.uncertainty)}) must be True or False."
        )
    stages_of(model.stages, None if model.units is None else ())


def searches_of(model: Any, columns: int, targets: int) -> list[Search]:
    """The search for each target that a model's parameters ask for."""
    return [
        Search(
            stages=stages_of(model.stages, units),
            candidates=int(model.candidates),
            max_seconds=model.max_seconds,
            tolerance=float(model.tolerance),
            units=units,
        )
        for units in units_of(model.units, columns, targets)
    ]


def units_of(
    units: Any, columns: int, targets: int
) -> list[tuple[str, ...]] | list[None]:
    """The units of all columns and of one target, for each target."""
    if units is None:
        return [None] * targets
    texts = isinstance(units, tuple | list) and all(isinstance(u, str) for u in units)
    if not texts:
        raise TypeError(
            f"`units` (={shown(units)}) must be a tuple of texts such as "
            '"kg*m/s^2", one for each column and then for each target, or None.'
        )
    if len(units) != columns + targets:
        raise ValueError(
            f"`units` (={shown(units)}) must have {columns + targets} entries: one for "
            f"each of {columns} columns, then one for each of {targets} targets."
        )
    inputs = tuple(units[:columns])
    return [(*inputs, each) for each in units[columns:]]


def check_jobs(n_jobs: Any) -> None:
    """`n_jobs` must be a number of processes as joblib counts them."""
    jobs = plain(n_jobs)
    whole = isinstance(jobs, int) and not isinstance(jobs, bool) and jobs != 0
    if jobs is not None and not whole:
        raise ValueError(
            f"`n_jobs` (={shown(n_jobs)}) must be a number of processes, None for one, "
            "or -1 for as many as there are cores."
        )


def stages_of(stages: Any, units: tuple[str, ...] | None) -> tuple[Stage, ...] | None:
    """The stages of a search, given by name or as objects; None for all of them."""
    if stages is None:
        return None
    known = Search(units=units).ladder()
    names = tuple(dict.fromkeys(stage.name for stage in known))
    if not isinstance(stages, tuple | list) or not stages:
        raise TypeError(
            f"`stages` (={shown(stages)}) must be a tuple of names or stages, such as "
            f"{names[:2]!r}, or None for all."
        )
    found: list[Stage] = []
    for stage in stages:
        if isinstance(stage, Stage):
            found.append(stage)
        else:
            choose("stages", stage, names)
            found += [each for each in known if each.name == stage]
    return tuple(found)


def seed_of(random_state: Any) -> int:
    """The seed of a search: `random_state` if it is whole, otherwise drawn from it."""
    if random_state is None or isinstance(random_state, np.random.RandomState):
        return int(check_random_state(random_state).randint(2**31 - 1))
    seed = plain(random_state)
    check_whole("random_state", seed, 0, WORD)
    return seed


def share_of(extrapolation: Any) -> float:
    """The share of rows that only measure how a formula extrapolates."""
    if extrapolation is None:
        return 0.0
    if not is_finite(extrapolation) or not 0 < extrapolation < 1:
        raise ValueError(
            f"`extrapolation` (={shown(extrapolation)}) must be a share between 0 and "
            "1, or None. Rows of your own go to `fit` as `X_outside` and `y_outside`."
        )
    return float(extrapolation)

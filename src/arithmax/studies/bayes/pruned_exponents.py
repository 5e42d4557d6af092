"""x₁²/x₂ beside two irrelevant inputs: what is pruned, and what exponents are known."""

from collections.abc import Iterator
from time import process_time
from typing import Any

import numpy as np

from ...bayes import FormulaPosterior, WeightPosterior, laplace, variational
from ...discover import discover
from ...statistics import success_rate
from ...units import RealNaiveNPU
from .._evaluate import Trained
from .._kept import Kept, counted
from .._sheet import sheet
from .._study import Computed, Study, Table, columns
from .._tables import ends

SHEET = sheet("bayes", "pruned-exponents")
SETS, ROWS, NOISE, RANGE = 50, 500, 0.01, (0.5, 3.0)
SEEDS, STEPS = 8, 3000
TRUTH = {"x1": 2.0, "x2": -1.0}
NAMES = ("x1", "x2", "x3", "x4")
METHODS = ("discovery, Laplace", "NPU, full rank", "NPU, mean field")
EXPONENTS = ("mean", "low", "high")
SET_NAMES = ("method", "set", "pruned", "inside", "both", "seconds")
SET_NAMES += tuple(f"{n}, {end}" for n in NAMES for end in EXPONENTS)


def table(number: int) -> tuple[np.ndarray, np.ndarray]:
    """Inputs [row, column] and targets of one data set."""
    rng = np.random.default_rng([17, number])
    x = rng.uniform(*RANGE, (ROWS, len(NAMES)))
    truth = x[:, 0] ** 2 / x[:, 1]
    return x, truth + NOISE * np.std(truth) * rng.standard_normal(ROWS)


def exponents(method: str, number: int) -> tuple[dict[str, float], dict[str, Any]]:
    """The probability that each column matters, and the posterior of its exponent."""
    x, y = table(number)
    if method == METHODS[0]:
        found = discover(x, y, names=NAMES, seed=number)
        told = laplace(found.formula, x, y)
        assert isinstance(told, FormulaPosterior)
        names = {f"exponent of {name}": name for name in NAMES}
        known = {names[m.name]: m for m in told.marginals if m.name in names}
        # A column that the formula has not is out of it.
        used = found.formula.variables
        return {n: told.relevance[n] if n in used else 0.0 for n in NAMES}, known
    options = {"seeds": SEEDS, "steps": STEPS, "correlated": method == METHODS[1]}
    seeds = variational(RealNaiveNPU(), x, y, names=NAMES, **options)
    best = max(seeds, key=lambda posterior: posterior.log_evidence)
    assert isinstance(best, WeightPosterior)
    return best.relevance, {n: best.marginal(f"W[0, {i}]") for i, n in enumerate(NAMES)}


def measured(method: str, number: int) -> tuple[Any, ...]:
    """One data set: what was pruned, whether both intervals hold the truth."""
    began = process_time()
    matters, known = exponents(method, number)
    seconds = process_time() - began
    kept = {name for name, probability in matters.items() if probability > 0.5}
    pruned = kept == set(TRUTH)
    inside = all(n in known and known[n].contains(v) for n, v in TRUTH.items())
    numbers = [
        getattr(known[n], end) if n in known else None
        for n in NAMES
        for end in EXPONENTS
    ]
    told = (pruned, inside, pruned and inside, round(seconds, 3))
    return (method, number, *told, *numbers)


def missing(kept: Kept, sets: int) -> Iterator[tuple[str, int]]:
    """What is not there yet."""
    for method in METHODS:
        for number in range(sets):
            if (method, number) not in kept.rows:
                yield method, number


def compute(trained: Trained) -> Computed:
    """All data sets; those that the folder has already are not computed again."""
    sets = trained.seeds or SETS
    kept = Kept(trained.results.folder, SHEET.name, "sets", SET_NAMES, 2)
    left = list(missing(kept, sets))
    try:
        with counted("data sets", len(left), trained.progress) as count:
            for method, number in left:
                kept.add(measured(method, number))
                count(method)
    finally:
        kept.write()
    rows = [
        dict(zip(SET_NAMES, row, strict=True))
        for row in kept.rows.values()
        if row[1] < sets
    ]
    tables = {"sets": kept.table(kept.rows.values()), "methods": methods(rows)}
    return Computed({**tables, "exponents": drawn(rows)})


def methods(rows: list[dict[str, Any]]) -> Table:
    """How often each method is right, and what it costs."""
    made = []
    for method in METHODS:
        own = [row for row in rows if row["method"] == method]
        pruned, inside, both = (
            ends(success_rate(sum(row[name] for row in own), len(own)))
            for name in ("pruned", "inside", "both")
        )
        seconds = float(np.median([row["seconds"] for row in own]))
        made.append((method, len(own), pruned[0], inside[0], *both, seconds))
    names = ("method", "data sets", "inputs right", "exponents inside", "all right")
    return columns((*names, "low", "high", "median seconds"), made)


def drawn(rows: list[dict[str, Any]]) -> Table:
    """How far each exponent is off, with its interval, data set by data set."""
    made = []
    for row in rows:
        for name, truth in TRUTH.items():
            numbers = [row[f"{name}, {end}"] for end in EXPONENTS]
            if None not in numbers:
                off = (number - truth for number in numbers)
                made.append((row["method"], name, row["set"], *off))
    names = ("method", "input", "data set", "exponent − truth", "low", "high")
    return columns(names, made)


def study() -> Study:
    """A law beside irrelevant inputs."""
    return SHEET.study((), compute)

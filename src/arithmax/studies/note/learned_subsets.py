"""The multiplication note's problem: the product of two learned sums."""

from typing import Any

import numpy as np

from ...networks import Stack
from ...statistics import success_rate
from ...units import Linear
from .._evaluate import ArmRuns, Trained
from .._learned import solved
from .._sheet import sheet
from .._study import Arm, Computed, Study, columns
from ._runs import LOGS, TASK, hard, learned, linear, models

SHEET = sheet("note", "learned-subsets")
PRINTED = SHEET.front["printed"]  # the two solutions of section 2
ENDINGS = SHEET.front["endings"]
DRAWN = [(w, log) for w in ("tanh-σ", linear(0.1)) for log in LOGS] + [("NMU", "none")]
SAMPLES = 100_000
ZERO = 0.01  # a power below this in magnitude takes its sum out of the product
TINY = 0.05  # a sum of which all weights are below this is nearly nothing


def ending(runs: ArmRuns, row: dict[str, Any], params: Any) -> str:
    """What kind of solution a run ended in, a key of `ENDINGS`."""
    if row["outcome"] == "solved":
        return "solved"
    matrices = runs.arm.cell.network.weights(params)
    w1, powers = np.asarray(matrices["0.W"]), np.asarray(matrices["1.W"])[0]
    log = runs.arm.labels["log"]
    sums = w1 @ np.random.default_rng(0).uniform(1.0, 2.0, (4, 256))  # in training
    if log == "max-safe" and (sums < 1).all(axis=1).any():
        return "flat"
    if (powers < -ZERO).any():
        divisors = np.abs(w1[powers < -ZERO]).max(axis=1)
        return "nothing" if divisors.min() < TINY else "divides"
    if log == "safe" and (sums < 0).all(axis=1).any():
        return "mirrored"
    return "ignores" if (np.abs(powers) < ZERO).any() else "between"


def _endings(runs: ArmRuns, trained: Trained) -> list[int]:
    """How many runs of an arm ended in each kind of solution."""
    ended = [ending(runs, row, trained.weights(row)) for row in runs.rows]
    return list(map(ended.count, ENDINGS))


def _summary(runs: ArmRuns) -> tuple[Any, ...]:
    """How many seeds an arm solved, when, and how the others fit what they saw."""
    at = sorted(r["solved_at"] for r in runs.rows if r["outcome"] == "solved")
    rest = [r["interpolation"] for r in runs.rows if r["outcome"] != "solved"]
    rate = success_rate(len(at), len(runs.rows))
    when = (float(at[0]), float(np.median(at)), float(at[-1])) if at else (None,) * 3
    error = float(np.median(rest)) if rest else None
    return (len(runs.rows), len(at), rate.low, rate.high, *when, error)


def _quartiles(runs: ArmRuns, trained: Trained, measure: str) -> list[tuple[Any, ...]]:
    """Step, median, lower and upper quartile of an arm's errors on the way."""
    curves = list(trained.results.curves([r["run"] for r in runs.rows]).values())
    if not curves:
        return []
    errors = np.stack([curve[measure] for curve in curves]).astype(np.float64)
    errors[np.isnan(errors)] = np.inf  # what is no number is no small error either
    low, middle, high = np.quantile(errors, [0.25, 0.5, 0.75], axis=0, method="nearest")
    shown = zip(curves[0]["step"].tolist(), middle, low, high, strict=True)
    return [(runs.arm.name, s, *map(float, v)) for s, *v in shown if s > 0]


def printed_errors(name: str) -> tuple[float, float]:
    """Train and extrapolation error of a solution that the note prints."""
    network = Stack((Linear(bias=False), hard()), (2,))
    params = {f"{k}.W": np.array(w) for k, w in enumerate(PRINTED[name])}
    errors = []
    for low, high in (TASK.interpolation, TASK.extrapolation):
        x = np.random.default_rng(0).uniform(low, high, (4, SAMPLES))
        y = network.compute(params, x)[0]
        errors.append(float(np.mean((y - x.sum(0) * x[:2].sum(0)) ** 2)))
    return errors[0], errors[1]


def _text(matrix: Any) -> str:
    rows = (" ".join(f"{w:.4g}" for w in row) for row in np.asarray(matrix).tolist())
    return ("[" + "; ".join(rows) + "]").replace("-", "−")


def _matrices(drawn: list[ArmRuns], trained: Trained) -> list[tuple[Any, ...]]:
    """The note's two solutions, and the first of each kind that ours found."""
    made: list[tuple[Any, ...]] = [
        (name, None, *map(_text, matrices), *printed_errors(name))
        for name, matrices in PRINTED.items()
    ]
    for runs in drawn:
        for kind, which in (("not solved", ~solved(runs)), ("solved", solved(runs))):
            for k in np.flatnonzero(which)[:1]:
                row = runs.rows[k]
                w = runs.arm.cell.network.weights(trained.weights(row))
                texts = (_text(w["0.W"]), _text(w["1.W"]))
                errors = (row["interpolation"], row["extrapolation"])
                made.append((f"{runs.arm.name}: {kind}", row["seed"], *texts, *errors))
    return made


def convergence(trained: Trained) -> Computed:
    """Which combinations converge, what the others end in, and errors by step."""
    arms = {tuple(runs.arm.labels.values()): runs for runs in trained.arms()}
    drawn = [runs for labels, runs in arms.items() if labels in DRAWN]
    names = ("seeds", "solved", "low", "high", "first step", "median step", "last step")
    fit = "median train error of the others"
    solutions = ("solution", "seed", "W₁", "W₂", "train error", "extrapolation error")
    summaries = [(*labels, *_summary(runs)) for labels, runs in arms.items()]
    ends = [(*labels, *_endings(runs, trained)) for labels, runs in arms.items()]
    tables = {
        "convergence": columns(("weights", "log", *names, fit), summaries),
        "endings": columns(("weights", "log", *ENDINGS.values()), ends),
        "matrices": columns(solutions, _matrices(drawn, trained)),
    }
    for measure, name in (("interpolation", "train"), ("extrapolation", "test")):
        rows = [row for runs in drawn for row in _quartiles(runs, trained, measure)]
        tables[f"{name}-error"] = columns(("model", "step", "error", "q1", "q3"), rows)
    return Computed({name: t for name, t in tables.items() if any(t.values())})


def study() -> Study:
    """Sections 2 to 4 of the note, and its Figure 1."""
    arms = [
        Arm({"weights": weights, "log": log}, learned(network, strength))
        for (weights, log), (network, strength) in models().items()
    ]
    return SHEET.study(arms, convergence)

"""Which inputs matter: automatic relevance determination, L1, and neither."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ...statistics import success_rate
from .._evaluate import Trained
from .._kept import Kept, counted
from .._sheet import sheet
from .._study import Computed, Study, Table, columns
from .._tables import ends
from ._methods import METHODS, SMALL, STARTS, Learned, learned
from ._problems import Problem, problems, relative_error

SHEET = sheet("bayes", "relevant-inputs")
TABLES, STEPS = 4, 5000
MATTERS = 0.01  # of the spread of the target: what a shuffled column must change
RIGHT = 0.01  # the relative error below which a network is right
SAME = 1e-9  # the relative error of a formula that is the target's
EXAMPLE = ("√a", 10)  # the problem whose weights are drawn
LEAST = 1e-4  # the smallest weight that is drawn: zero has no logarithm
KEYS = ("problem", "inputs", "method", "table", "start")
RUN_NAMES = (*KEYS, "score", "right inputs", "missed", "needless", "weights")
RUN_NAMES += ("error inside", "error outside", "formula", "formula's error")
WEIGHT_NAMES = ("map", "x", "y", "weight")
METHOD_NAMES = (*KEYS[:3], "runs", "right inputs", "low", "high")
METHOD_NAMES += ("right outside", "low outside", "high outside")
METHOD_NAMES += ("median error inside", "median error outside", "median weights")
CHOSEN_NAMES = (*KEYS[:3], "tables", "right inputs", "right outside", "exact formula")
FORMULA_NAMES = (*KEYS[:3], "formula", "relative error outside")
SHARE_NAMES = ("problem", "method", "right inputs, %", "right outside, %")
SHARE_NAMES += ("exact formula, %", "weights")
WIDEST = 60  # letters of a formula that is shown


def measured(
    problem: Problem, method: str, seed: int, runs: Sequence[Learned]
) -> Iterator[tuple[Any, ...]]:
    """One row for each start on a table; the chosen one has a formula.

    Fresh rows judge what was chosen by the rows of the table.
    """
    best = chosen([run.score for run in runs])
    for start, run in enumerate(runs):
        keys = (problem.name, problem.inputs, method, seed, start)
        formula = read(problem, seed, run) if start == best else ("", None)
        yield (*keys, run.score, *inputs_found(problem, seed, run), *formula)


def chosen(scores: Sequence[float]) -> int:
    """The place of the greatest score; one that is not finite is never chosen."""
    return int(np.argmax([s if np.isfinite(s) else -np.inf for s in scores]))


def inputs_found(problem: Problem, seed: int, run: Learned) -> tuple[Any, ...]:
    """Whether the inputs are right, which are not, weights, and errors."""
    found = relevant(problem, seed, run)
    missed, needless = problem.relevant - found, found - problem.relevant
    right = not missed and not needless
    counted = sum(int((np.abs(v) >= SMALL).sum()) for v in run.params.values())
    errors = [error(problem, span, run) for span in (problem.trained, problem.beyond)]
    return right, len(missed), len(needless), counted, *errors


def relevant(problem: Problem, seed: int, run: Learned) -> frozenset[int]:
    """The columns that change the output by more than `MATTERS` when shuffled."""
    from ...bayes import shares_that_matter

    x, y = problem.table(seed)
    one = {name: np.asarray(v)[None] for name, v in run.params.items()}
    most = MATTERS * float(np.std(y))
    shares = shares_that_matter(problem.network, one, x, most)
    return frozenset(i for i, share in enumerate(shares) if share > 0)


def error(problem: Problem, span: tuple[float, float], run: Learned) -> float:
    """The relative error of a network on fresh rows of a range."""
    x, target = problem.fresh(span)
    with np.errstate(all="ignore"):
        return relative_error(problem.network.compute(run.params, x.T)[0], target)


def read(problem: Problem, seed: int, run: Learned) -> tuple[str, float | None]:
    """The formula of a network, and its relative error outside."""
    formula = run.formula(problem.network, *problem.table(seed))
    if formula is None:
        return "", None
    x, target = problem.fresh(problem.beyond)
    return str(formula), relative_error(formula.evaluate(x), target)


def arms() -> list[tuple[Problem, str]]:
    """Every problem with every method."""
    return [(problem, method) for problem in problems() for method in METHODS]


def missing(kept: Kept, tables: int) -> Iterator[tuple[Problem, str, int]]:
    """What is not there yet: one table of everything, then another."""
    for seed in range(tables):
        for problem, method in arms():
            key = (problem.name, problem.inputs, method, seed, STARTS - 1)
            if key not in kept.rows:
                yield problem, method, seed


def compute(trained: Trained) -> Computed:
    """All tables; those that the folder has already are not computed again."""
    tables, folder = trained.seeds or TABLES, trained.results.folder
    kept = Kept(folder, SHEET.name, "runs", RUN_NAMES, len(KEYS))
    drawn = Kept(folder, SHEET.name, "weights", WEIGHT_NAMES, 3)
    left = list(missing(kept, tables))
    try:
        with counted("tables", len(left), trained.progress) as count:
            for problem, method, seed in left:
                add(kept, drawn, problem, method, seed)
                count(f"{problem.name}, {problem.inputs} inputs, {method}")
    finally:
        kept.write()
        drawn.write()
    rows = [row for row in kept.rows.values() if row[3] < tables]
    made = {
        "runs": kept.table(kept.rows.values()),  # of longer commands too
        "weights": drawn.table(drawn.rows.values()),
        "methods": by_method(rows),
        "chosen": of_chosen(rows),
        "formulas": formulas(rows),
        "shares": shares(rows),
    }
    return Computed(made)


def add(kept: Kept, drawn: Kept, problem: Problem, method: str, seed: int) -> None:
    """All starts of a method on a table, and weights of the example."""
    runs = learned(method, problem, seed, STEPS)
    if seed == 0 and (problem.name, problem.inputs) == EXAMPLE:
        best = runs[chosen([run.score for run in runs])]
        for (y, x), w in np.ndenumerate(np.abs(best.params["0.W"])):
            drawn.add((method, x + 1, y + 1, max(float(w), LEAST)))
        drawn.write()  # before the runs, which are not done again
    for row in measured(problem, method, seed, runs):
        kept.add(row)


def of(
    rows: Sequence[tuple], problem: Problem, method: str
) -> list[list[dict[str, Any]]]:
    """The runs of a method on a problem: a list of starts for each table."""
    key = (problem.name, problem.inputs, method)
    named = (zip(RUN_NAMES, row, strict=True) for row in rows if row[:3] == key)
    runs: list[dict[str, Any]] = [dict(pairs) for pairs in named]
    seeds = sorted({run["table"] for run in runs})
    return [[run for run in runs if run["table"] == seed] for seed in seeds]


def is_right(run: dict[str, Any]) -> bool:
    """Whether a network is right outside the range of its table."""
    return run["error outside"] < RIGHT


def is_exact(run: dict[str, Any]) -> bool:
    """Whether its formula is the target's."""
    return bool(run["formula"]) and run["formula's error"] < SAME


def by_method(rows: Sequence[tuple]) -> Table:
    """How many of all runs find the inputs, and are right outside."""
    made = []
    for problem, method in arms():
        runs = [run for starts in of(rows, problem, method) for run in starts]
        found = success_rate(sum(run["right inputs"] for run in runs), len(runs))
        right = success_rate(sum(map(is_right, runs)), len(runs))
        middle = [
            float(np.median([run[name] for run in runs]))
            for name in ("error inside", "error outside", "weights")
        ]
        key = (problem.name, problem.inputs, method, len(runs))
        made.append((*key, *ends(found), *ends(right), *middle))
    return columns(METHOD_NAMES, made)


def best_of(starts: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The run that the rows of its table choose."""
    return starts[chosen([run["score"] for run in starts])]


def of_chosen(rows: Sequence[tuple]) -> Table:
    """The same of the runs that the rows of their tables choose, in tables."""
    made = []
    for problem, method in arms():
        best = [best_of(starts) for starts in of(rows, problem, method)]
        found = sum(run["right inputs"] for run in best)
        exact = sum(map(is_exact, best))
        key = (problem.name, problem.inputs, method, len(best))
        made.append((*key, found, sum(map(is_right, best)), exact))
    return columns(CHOSEN_NAMES, made)


def formulas(rows: Sequence[tuple]) -> Table:
    """The formulas of the runs that are chosen on the first table."""
    made = []
    for problem, method in arms():
        best = best_of(of(rows, problem, method)[0])
        text = best["formula"] or "none"
        if len(text) > WIDEST:
            text = text[: WIDEST - 1] + "…"
        key = (problem.name, problem.inputs, method)
        made.append((*key, text, best["formula's error"]))
    return columns(FORMULA_NAMES, made)


def shares(rows: Sequence[tuple]) -> Table:
    """What is drawn, by problem and method: shares in per cent, and weights."""
    made = []
    for problem, method in arms():
        tables = of(rows, problem, method)
        runs = [run for starts in tables for run in starts]
        drawn = [
            percent([run["right inputs"] for run in runs]),
            percent(list(map(is_right, runs))),
            percent([is_exact(best_of(starts)) for starts in tables]),
            float(np.median([run["weights"] for run in runs])),
        ]
        made.append((problem.label, method, *drawn))
    return columns(SHARE_NAMES, made)


def percent(values: Sequence[bool]) -> float:
    """The share of values that are true, in per cent."""
    return 100 * sum(values) / len(values)


def study() -> Study:
    """The experiments that the draft's authors dropped."""
    return SHEET.study((), compute)

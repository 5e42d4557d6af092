"""What decides success: the start of a run, the inputs that there are, the training."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ...results import exact_after_rounding
from ...statistics import success_rate
from ...training import first_parameters
from .._evaluate import ArmRuns, Trained
from .._kept import Kept, counted
from .._learned import solved
from .._sheet import sheet
from .._study import Computed, Study, Table, columns
from .._tables import ends
from ._basins import KEYS, NAMES, Key, basin, in_order
from ._remedies import RUNS, SEVERAL
from ._rules import RuleScore, judge
from ._runs import arms
from ._scaling import RECIPE, SIZES
from ._starts import FINE, Features, bins, counts, features, numbers, telling
from ._theory import RULES, Rule, saturated

SHEET = sheet("success", "what-decides")
FITTED = 20_000  # seeds from which rules are learned; maps have them all
OUTCOMES = ("solved", "exact after rounding")
RATE_NAMES = (*KEYS, "seeds", "solved", "low", "high", "exact", "low exact")
RATE_NAMES += ("high exact",)
RULE_NAMES = (
    *KEYS,
    "success is",
    "base rate",
    "logistic",
    "AUC",
    "tree",
    "AUC of tree",
)
RULE_NAMES += ("tree of depth 2", "rule")
THEORY_NAMES = (*KEYS, "rule", "starts it is true of", "solved", "low", "high")
THEORY_NAMES += ("runs it is right about",)
SIGN_NAMES = (*KEYS, "Ŵ with the right sign", *RATE_NAMES[3:])
SIGNS = {2: "both", 1: "one", 0: "none"}
SECOND = {"+": 1, "×": 1, "−": -1, "÷": -1}  # the sign of the second weight
GUESS_NAMES = ("cell", "guessed by", "right, %")
MAP_NAMES = ("map", "x", "y", "solved, %")
SCALE_NAMES = ("unit", "operation", "range", "inputs", "relevant", "runs", "solved")
SCALE_NAMES += ("low", "high", "exact", "low exact", "high exact", "line")
SIZE_NAMES = (*SCALE_NAMES[:4], *(f"k = {k}" for k in SIZES))
FLAT_NAMES = ("inputs", "Ŵ and M̂ start up to", "share with a slope below 0.001")
WAY_NAMES = ("unit", "operation", "range", "inputs", "training", "trials", "solved")
WAY_NAMES += ("low", "high", "exact", "low exact", "high exact")


def compute(trained: Trained) -> Computed:
    """Rates, rules and maps of the stored outcomes; tables of the runs."""
    folder = trained.results.folder
    kept = Kept(folder, SHEET.name, "outcomes", NAMES, len(KEYS))
    cells = {key: kept.rows[key][len(KEYS) :] for key in in_order(kept.rows)}
    rates, rules, guesses, maps, theory, by_sign = [], [], [], [], [], []
    with counted("cells", len(cells), trained.progress) as count:
        for key, texts in cells.items():
            ended = [
                np.frombuffer(t.encode(), dtype=np.uint8) == ord("1") for t in texts
            ]
            params = first_parameters(basin(key, range(len(ended[0]))))
            rates.append((*key, len(ended[0]), *both(*ended)))
            count(", ".join(key))
            few = {name: value[:FITTED] for name, value in features(params).items()}
            if not few:  # all start alike, so that batches decide
                continue
            judged = [judge(few, outcome[:FITTED]) for outcome in ended]
            rules += [
                (*key, name, *j) for name, j in zip(OUTCOMES, judged, strict=True)
            ]
            by_sign += signs(key, params, *ended)
            guesses += guessed(key, judged[0])
            if rule := RULES.get(key[:2]):
                theory.append((*key, *predicted(rule, key, params, ended[0])))
            maps += mapped(key, numbers(params), ended[0])
    tables = {
        "outcomes": kept.table(kept.rows.values()),
        "rates": columns(RATE_NAMES, rates),
        "rules": columns(RULE_NAMES, rules),
        "theory": columns(THEORY_NAMES, theory),
        "signs": columns(SIGN_NAMES, by_sign),
        "guesses": columns(GUESS_NAMES, guesses),
        "maps": columns(MAP_NAMES, maps),
        "saturation": columns(FLAT_NAMES, ((n, *saturated(n)) for n in SIZES)),
        "scaling": (scaled := scaling(trained.arms(training=RECIPE))),
        "sizes": sizes(scaled),
        "ways": ways(trained.arm_runs),
    }
    return Computed(tables)


def both(solved: np.ndarray, exact: np.ndarray) -> tuple[float, ...]:
    """The rates of solved runs and of those exact after rounding, with intervals."""
    pairs = [success_rate(int(done.sum()), done.size) for done in (solved, exact)]
    return tuple(value for rate in pairs for value in ends(rate))


def predicted(
    rule: Rule, key: Key, params: Mapping[str, np.ndarray], solved: np.ndarray
) -> tuple[Any, ...]:
    """A rule of theory, of how many starts it is true, and how often it is right."""
    low, high = basin(key, (0,)).task.interpolation  # type: ignore[attr-defined]  # of the single module task
    text, expected = rule(params["W"].sum(axis=(1, 2)), abs(low + high) / 2)
    rate = success_rate(int(solved.sum()), solved.size)
    right = float(np.mean(expected == solved))
    return text, float(expected.mean()), *ends(rate), right


def signs(
    key: Key, params: Mapping[str, np.ndarray], *ended: np.ndarray
) -> Iterator[tuple[Any, ...]]:
    """Success by how many weights of a NAC start with the right sign."""
    if "W_hat" not in params:
        return
    right = params["W_hat"][:, 0] * [1, SECOND[key[1]]] > 0
    for count, name in SIGNS.items():
        if (here := right.sum(axis=1) == count).any():
            yield *key, name, int(here.sum()), *both(*(done[here] for done in ended))


def label(key: Key) -> str:
    """A cell in one line."""
    return "{} {} {}".format(*key)


def guessed(key: Key, judged: RuleScore) -> Iterator[tuple[str, str, float]]:
    """How often each guess is right, for drawing."""
    named = {
        "the more frequent outcome": judged.base,
        "logistic regression": judged.linear,
        "tree of depth 3": judged.tree,
    }
    cell = " ".join(key[:2])  # each is on one range
    return ((cell, name, 100 * share) for name, share in named.items())


def mapped(
    key: Key, found: Features, solved: np.ndarray
) -> Iterator[tuple[str, float, float, float]]:
    """The share of solved runs over the two numbers that say most about it."""
    first, second = telling(found, solved)
    x, y = found[first], found[second]
    every, right = counts(x, y, solved, FINE)
    title = f"{label(key)}: {second} over {first}"
    middles = bins(x, FINE)[1], bins(y, FINE)[1]
    for (row, column), n in np.ndenumerate(every):
        rate = 100 * right[row, column] / n if n else float("nan")
        place = float(middles[0][column]), float(middles[1][row])
        yield title, *place, float(rate)


def exact(runs: ArmRuns) -> np.ndarray:
    """Whether the weights of each run are exact after rounding."""
    return np.array([exact_after_rounding(row) for row in runs.rows], dtype=bool)


def scaling(found: Sequence[ArmRuns]) -> Table:
    """Success by the number of inputs, and of those that matter."""
    rows = []
    for runs in found:
        labels = runs.arm.labels
        values = [labels[name] for name in SCALE_NAMES[:5]]
        line = f"{labels['unit']}, k = {labels['relevant']}"
        rates = both(solved(runs), exact(runs))
        rows.append((*values, len(runs.rows), *rates, line))
    return columns(SCALE_NAMES, rows)


def sizes(scaled: Table) -> Table:
    """The same in short: per cent that are solved, one column for each k.

    Where more or fewer are exact after rounding, that is added.
    """
    texts: dict[tuple[Any, ...], dict[int, str]] = {}
    for *key, k, done, rounded in zip(
        *(scaled[name] for name in (*SCALE_NAMES[:5], "solved", "exact")), strict=True
    ):
        also = "" if done == rounded else f" ({100 * rounded:.0f} exact)"
        texts.setdefault(tuple(key), {})[k] = f"{100 * done:.0f}{also}"
    rows = [(*key, *(by.get(k, "") for k in SIZES)) for key, by in texts.items()]
    return columns(SIZE_NAMES, rows)


def ways(found: Sequence[ArmRuns]) -> Table:
    """Success of each way of training: of trials, each of the same number of steps."""
    rows: list[tuple[Any, ...]] = []
    for runs in found:
        labels = runs.arm.labels
        if labels["training"] == RECIPE or not runs.rows:
            continue
        size = RUNS if labels["training"] == SEVERAL else 1
        best = chosen_runs([row["interpolation"] for row in runs.rows], size)
        rates = both(solved(runs)[best], exact(runs)[best])
        values = [labels[name] for name in WAY_NAMES[:5]]
        rows.append((*values, len(best), *rates))
    return columns(WAY_NAMES, rows)


def chosen_runs(errors: Sequence[float], size: int) -> np.ndarray:
    """Of each trial of so many runs, the place of that with the least training error.

    Examples:
        >>> from arithmax.studies.success.what_decides import chosen_runs
        >>> chosen_runs([0.2, 0.1, float("nan"), 0.3], 2).tolist()
        [1, 3]
    """
    given = np.array(errors, dtype=np.float64)
    whole = given[: given.size // size * size].reshape(-1, size)
    finite = np.where(np.isfinite(whole), whole, np.inf)
    return np.arange(len(whole)) * size + finite.argmin(axis=1)


def study() -> Study:
    """Starts, sizes and ways of training."""
    return SHEET.study(arms(), compute)

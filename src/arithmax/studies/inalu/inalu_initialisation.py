"""iNALU's experiment 3: from which means its parameters should start."""

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import product
from typing import Any

from .._evaluate import Trained
from .._grid import SYMBOLS, combinations
from .._sheet import sheet
from .._study import Arm, Computed, Published, Study
from .._tables import columns, ends
from ._counts import (
    OUTSIDE,
    USUAL,
    WITHIN,
    having,
    published_rows,
    rate,
    solved,
    total,
    usual,
)
from ._runs import HIDDEN, OPERATIONS, network, run, sums
from ._tries import tried

SHEET = sheet("inalu", "inalu-initialisation")
COUNTED = published_rows("inalu-initialisation")  # of + and −, start by start
CHANGES = {"steps": 201_000, "restart": None}
TRAINED, TESTED = (0.0, 1.0, -2.0, 2.0), (10.0, 1.0)
# Means of the parameters and their deviation, and the labels by which arms have them.
MEANS, DEVIATIONS = (-1, 0, 1), (0.1, 0.5)
NAMES = {"G": "mean G", "M": "mean M̂", "W": "mean Ŵ", "sd": "deviation"}
VALUES = {name: DEVIATIONS if name == "sd" else MEANS for name in NAMES}
MAPS = ("+, ours", "+, published", "−, ours", "−, published")
MAPS += ("×, ours", "×, ours within")
RUNS = 1074 // 2  # published runs of × and of ÷; those of + and − are counted


def labels(operation: str, **start: float) -> dict[str, Any]:
    """The labels of arms with an operation and some numbers of their start."""
    return {"operation": SYMBOLS[operation]} | {NAMES[k]: v for k, v in start.items()}


def claim(operation: str, measure: str, **start: float) -> str:
    """The name of a rate over all starts that have one thing in common."""
    common = [f"{NAMES[k]} = {v:g}".replace("-", "−") for k, v in start.items()]
    labels_of_claim = {
        "start": common[0] if common else "all starts",
        "measure": measure,
    }
    return SHEET.claim("rate", operation=SYMBOLS[operation], **labels_of_claim)


def counted(operation: str, **start: float) -> tuple[int, int] | None:
    """Published runs with these numbers, solved and all, if there are any."""
    wanted = {"operation": operation, **start}
    rows = [r for r in COUNTED if wanted.items() <= r.items()]
    return (
        (sum(r[OUTSIDE] for r in rows), sum(r["runs"] for r in rows)) if rows else None
    )


def _rate(solved: int, runs: int, note: str = "") -> Published:
    """A published count, and what was tried."""
    return rate(solved, runs, note, tried=SHEET.texts["tried"].format(tries=_tried()))


@cache
def _tried() -> str:
    """What was tried, and how many arms differ with it."""
    operations = {symbol: name for name, symbol in SYMBOLS.items()}

    def published(labels: Sequence[Any]) -> tuple[int, int]:
        operation, *start = labels
        found = counted(operations[operation], **dict(zip(NAMES, start, strict=True)))
        assert found is not None
        return found

    return tried("inalu-initialisation", published)


def claims() -> dict[str, Published]:
    """Published rates over all starts with one mean, or one deviation."""
    made = {}
    for operation, name in product(("add", "sub"), ("M", "W", "sd")):
        for value in VALUES[name]:
            if count := counted(operation, **{name: value}):
                made[claim(operation, OUTSIDE, **{name: value})] = _rate(*count)
    for operation in ("mul", "div"):
        made[claim(operation, OUTSIDE)] = _rate(0, RUNS)
    for r in published_rows("inalu-initialisation-rates"):
        name, value = r["parameter"], r["value"]
        runs = RUNS // len(VALUES[name])
        figure = _rate(round(r[WITHIN] * runs), runs, SHEET.texts["equally"])
        made[claim("mul", WITHIN, **{name: value})] = figure
    return made


def means(trained: Trained) -> Iterator[tuple[Any, ...]]:
    """Our rates over all starts with one thing in common, where all runs are there."""
    order = ("M", "W", "G", "sd")
    common = [{}, *({name: value} for name in order for value in VALUES[name])]
    for operation, start, measure in product(OPERATIONS, common, (OUTSIDE, WITHIN)):
        share = total(having(trained, **labels(operation, **start)), measure)
        if share is not None:
            yield claim(operation, measure, **start), share


def maps(trained: Trained) -> list[tuple[Any, ...]]:
    """Rates over the means of M̂ and Ŵ, over all else: ours, and published."""
    made = []
    for operation, m, w in product(OPERATIONS, MEANS, MEANS):
        symbol, place = SYMBOLS[operation], (str(m), str(w))
        arms = trained.arms(**labels(operation, M=m, W=w))
        runs = sum(len(f.rows) for f in arms)
        for measure, suffix in ((OUTSIDE, ""), (WITHIN, " within")) if runs else ():
            share = 100 * sum(solved(f, measure) for f in arms) / runs
            made.append((f"{symbol}, ours{suffix}", *place, share))
        if theirs := counted(operation, M=m, W=w):
            share = 100 * (theirs[0] / theirs[1])
            made.append((f"{symbol}, published", *place, share))
    return [row for name in MAPS for row in made if row[0] == name]


def compute(trained: Trained) -> Computed:
    """Counts start by start, by the mean of each parameter, and as maps."""
    rows = []
    for runs in trained.arms():
        place, theirs = runs.arm.labels.values(), runs.arm.published.get("success")
        share = 100 * theirs.value if theirs else None
        ours = (len(runs.rows), solved(runs, OUTSIDE), share)
        rows.append((*place, *ours, solved(runs, WITHIN), usual(runs)))
    wanted, shares = claims(), dict(means(trained))
    listed = [
        (name, *ends(share), wanted[name].value if name in wanted else None)
        for name, share in shares.items()
    ]
    names = ("seeds", "solved", "published, in %", "solved within", USUAL)
    titles = ("map", "mean M̂", "mean Ŵ", "solved, in %")
    tables = {
        "starts": columns((*trained.study.labels, *names), rows),
        "means": columns(("starts", "rate", "low", "high", "published"), listed),
        "maps": columns(titles, maps(trained)),
    }
    figures = {name: share for name, share in shares.items() if name in wanted}
    return Computed(tables, figures)


def study() -> Study:
    """Experiment 3, the influence of the start."""
    arms = []
    for operation in OPERATIONS:
        task = sums(operation, "mirrored-normal", TRAINED, TESTED)
        for start in combinations(**VALUES):
            unit = network("iNALU (iw)", HIDDEN, one_program=True, **start)
            count = counted(operation, **start)
            theirs = {"success": _rate(*count)} if count else {}
            cell = run(unit, task, **CHANGES)
            arms.append(Arm(labels(operation, **start), cell, theirs))
    return SHEET.study(arms, compute, claims())

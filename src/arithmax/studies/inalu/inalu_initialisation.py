"""iNALU's experiment 3: from which means its parameters should start."""

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import product
from typing import Any

from ...statistics import overlap, success_rate
from .._evaluate import Trained
from .._grid import NAMED, SYMBOLS, combinations
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
from ._runs import HIDDEN, OPERATIONS, SEEDS, network, run, sums
from ._tries import Count, differing, start_by_start, tried

SHEET = sheet("inalu", "inalu-initialisation")
COUNTED = published_rows("inalu-initialisation")  # of + and −, start by start
CHANGES = {"steps": 201_000, "restart": None}
TRAINED, TESTED = (0.0, 1.0, -2.0, 2.0), (10.0, 1.0)
# Means of the parameters and their deviation, and the labels by which arms have them.
MEANS, DEVIATIONS = (-1, 0, 1), (0.1, 0.5)
NAMES = {"G": "mean G", "M": "mean M̂", "W": "mean Ŵ", "sd": "deviation"}
VALUES = {name: DEVIATIONS if name == "sd" else MEANS for name in NAMES}
READING = "reread"  # of the script: shared weights, an early joint penalty
MAPS = ("+, ours", "+, published", "−, ours", "−, published")
MAPS += (f"+, {READING}", f"−, {READING}", "×, ours", "×, ours within")
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


def counted(operation: str, **start: float) -> Count | None:
    """Published runs with these numbers, solved and all, if there are any."""
    wanted = {"operation": operation, **start}
    rows = [r for r in COUNTED if wanted.items() <= r.items()]
    return (
        (sum(r[OUTSIDE] for r in rows), sum(r["runs"] for r in rows)) if rows else None
    )


def of_reading(part: str, operation: str, measure: str, **start: float) -> Count:
    """Our runs with these numbers, solved and all; of ÷, which is not there, none.

    Args:
        part: as `start_by_start` takes it.
        operation: of the runs.
        measure: within or outside the training range.
        start: some numbers of their start.
    """
    place = (OUTSIDE, WITHIN).index(measure)
    wanted = labels(operation, **start).items()
    names = ("operation", *NAMES.values())
    rows = [
        counts[place]
        for of_arm, counts in start_by_start(part).items()
        if wanted <= dict(zip(names, of_arm, strict=True)).items()
    ]
    return sum(rows), SEEDS * len(rows)


def _rate(theirs: Count, note: str = "") -> Published:
    """A published count, and what was tried where ours is another."""
    return rate(*theirs, note, tried=_tried())


def _published_count(of_arm: Sequence[Any]) -> Count:
    """The published runs of an arm with these labels, solved and all."""
    symbol, *start = of_arm
    count = counted(NAMED[symbol], **dict(zip(NAMES, start, strict=True)))
    assert count is not None
    return count


@cache
def _tried() -> str:
    """Every try, and what comes of the reading that is trained from all starts."""
    tries = tried("inalu-initialisation", _published_count)
    return SHEET.texts["tried"].format(tries=tries, **reread())


def chose_the_reading(of_arm: Sequence[Any]) -> bool:
    """Whether the start with these labels had a part in choosing the other reading."""
    operation, g, m, _, sd = of_arm
    return operation in "+−" and g == 0 and (sd == DEVIATIONS[0] or m == -1)


def reread() -> dict[str, int]:
    """How many published numbers differ by the other reading, and by the study.

    Of the starts of + and − that had no part in choosing it, and of the rates over all
    starts that have something in common: of + and −, and of × within the range.
    """
    others = [
        start
        for start in start_by_start("study")
        if start[0] in "+−" and not chose_the_reading(start)
    ]
    theirs = [_published_count(start) for start in others]
    found = {"starts": len(others)}
    for part, suffix in (("solved", ""), ("study", "_before")):
        by_start = start_by_start(part)
        found[f"differ{suffix}"] = differing([by_start[s] for s in others], theirs)
        found[f"sums{suffix}"], found["sums_all"] = apart(part, "add", "sub")
        found[f"products{suffix}"], found["products_all"] = apart(part, "mul")
    return found


def apart(part: str, *operations: str) -> tuple[int, int]:
    """How many rates of starts with something in common differ, and how many are."""
    differ = [
        not overlap(
            success_rate(*of_reading(part, operation, measure, **start)),
            success_rate(*count),
        )
        for operation, measure, start, count, _ in in_common()
        if operation in operations
    ]
    return sum(differ), len(differ)


def in_common() -> Iterator[tuple[str, str, dict[str, float], Count, str]]:
    """Published counts of starts that have one mean, or one deviation, in common.

    The operation, the measure, what is common, solved runs and all, and a note.
    """
    for operation, name in product(("add", "sub"), ("M", "W", "sd")):
        for value in VALUES[name]:
            start = {name: value}
            if count := counted(operation, **start):
                yield operation, OUTSIDE, start, count, ""
    for r in published_rows("inalu-initialisation-rates"):
        start = {r["parameter"]: r["value"]}
        runs = RUNS // len(VALUES[r["parameter"]])
        count = round(r[WITHIN] * runs), runs
        yield "mul", WITHIN, start, count, SHEET.texts["equally"]


def claims() -> dict[str, Published]:
    """Published rates over all starts with one mean, or one deviation."""
    made = {
        claim(operation, measure, **start): _rate(count, note)
        for operation, measure, start, count, note in in_common()
    }
    never = ("mul", "div")  # outside
    return made | {claim(name, OUTSIDE): _rate((0, RUNS)) for name in never}


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
        otherwise = of_reading("solved", operation, OUTSIDE, M=m, W=w)
        counts = {READING: otherwise, "published": counted(operation, M=m, W=w)}
        for whose, found in counts.items():
            if found and found[1]:
                share = 100 * (found[0] / found[1])
                made.append((f"{symbol}, {whose}", *place, share))
    return [row for name in MAPS for row in made if row[0] == name]


def compute(trained: Trained) -> Computed:
    """Counts start by start, by the mean of each parameter, and as maps."""
    rows, otherwise = [], start_by_start("solved")
    for runs in trained.arms():
        place, theirs = runs.arm.labels.values(), runs.arm.published.get("success")
        share = 100 * theirs.value if theirs else None
        other, _ = otherwise.get(tuple(place), (None, None))
        ours = (len(runs.rows), solved(runs, OUTSIDE), other, share)
        rows.append((*place, *ours, solved(runs, WITHIN), usual(runs)))
    wanted, shares = claims(), dict(means(trained))
    listed = [
        (name, *ends(share), wanted[name].value if name in wanted else None)
        for name, share in shares.items()
    ]
    names = ("seeds", "solved", READING, "published, in %", "solved within", USUAL)
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
            theirs = {"success": _rate(count)} if count else {}
            cell = run(unit, task, **CHANGES)
            arms.append(Arm(labels(operation, **start), cell, theirs))
    return SHEET.study(arms, compute, claims())

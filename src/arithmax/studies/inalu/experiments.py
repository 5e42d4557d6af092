"""iNALU's experiments 1, 2 and 4: one operation, of two inputs or of two sums."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from typing import Any

from ...statistics import success_rate
from ...tasks import SingleModule, Task
from .._evaluate import Trained
from .._grid import SYMBOLS, combinations
from .._published import figures_file
from .._sheet import Sheet, sheet
from .._study import Arm, Computed, Published, Study
from .._tables import columns
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
from ._runs import HIDDEN, OPERATIONS, UNITS, network, run, sums, truncated
from ._tries import tried

MINIMAL = "inalu-minimal"
# What two inputs are drawn from: its kind, where it is trained and where it is tested.
NORMAL = "truncated-normal"
INPUTS: dict[str, tuple[str, tuple[float, ...], tuple[float, ...]]] = {
    "Exp(0.2)": ("exponential", (0.2,), (0.5,)),
    "Exp(0.8)": ("exponential", (0.8,), (0.5,)),
    "N(−2, 4)": (NORMAL, truncated(-2, 4), truncated(8, 10)),
    "N(−3, 3)": (NORMAL, truncated(-3, 3), truncated(8, 10)),
    "N(−4, 2)": (NORMAL, truncated(-4, 2), truncated(8, 10)),
    "U(−1, 1)": ("uniform", (-1.0, 1.0), (-10.0, -5.0)),
    "U(−5, 5)": ("uniform", (-5.0, 5.0), (-10.0, -5.0)),
}
# The same of the hundred inputs of two sums.
SUMMED: dict[str, tuple[str, tuple[float, ...], tuple[float, ...]]] = {
    "N(−3, 3)": (NORMAL, truncated(-3, 3), truncated(3, 4)),
    "U(−3, 3)": ("uniform", (-3.0, 3.0), (-5.0, -3.0)),
}


def described(name: str) -> Sheet:
    """The sheet of an experiment, with {data} and {settings} of the first one's."""
    page = sheet("inalu", name)
    texts = {**sheet("inalu", MINIMAL).texts, **restarted(name)}
    return replace(page, prose=page.prose.format(**texts))


def restarted(name: str) -> dict[str, str]:
    """How often published runs of ÷ began anew, if their file was read for that."""
    runs = figures_file("inalu", name).get("restarts", [])
    if not runs:
        return {}
    most = max(run["restarts"] for run in runs)
    count = sum(run["restarts"] == most for run in runs)
    words = (f"{count} of the first {len(runs)}", f"{most} times")
    return dict(zip(("runs", "times"), words, strict=True))


def remarks(name: str, rows: list[dict[str, Any]], measure: str) -> dict[str, str]:
    """Why ours differs from some rows: the script does so, or what was tried.

    The script is the reason where at least half of its runs end otherwise than the
    published runs with the same seeds.
    """
    texts = sheet("inalu", name).texts
    other = texts["tried"].format(tries=tried_instead(name)) if "tried" in texts else ""
    ported = [row for row in rows if "ported" in row]
    right, runs = (sum(row["ported"][i] for row in ported) for i in (0, 1))
    theirs = sum(row[measure] for row in ported)
    if 2 * abs(right - theirs) < max(runs, 1):  # of the same runs, not of others
        return {"tried": other}
    text = sheet("inalu", MINIMAL).texts["ported"]
    return {"tried": other, "reason": text.format(solved=right, runs=runs)}


@cache
def tried_instead(name: str) -> str:
    """What was tried, and how many arms differ with it."""
    counts = {
        tuple(labels_of(row).values()): (row[OUTSIDE], row["runs"])
        for row in published_rows(name)
    }
    return tried(name, lambda labels: counts[tuple(labels)])


def totals(name: str) -> Iterator[tuple[str, dict[str, str], str, Published]]:
    """Of each operation and model over all distributions: claim, labels and figure."""
    for chosen_labels in combinations(operation=OPERATIONS, model=UNITS):
        rows = [r for r in published_rows(name) if chosen_labels.items() <= r.items()]
        labels = chosen_labels | {"operation": SYMBOLS[chosen_labels["operation"]]}
        runs = sum(r["runs"] for r in rows)
        for measure in (OUTSIDE, WITHIN):
            claim = sheet("inalu", name).claim("total", measure=measure, **labels)
            count = sum(r[measure] for r in rows)
            yield (
                claim,
                labels,
                measure,
                rate(count, runs, **remarks(name, rows, measure)),
            )


def compute(trained: Trained) -> Computed:
    """Counts arm by arm, and over all distributions."""
    rows, name = [], trained.study.name
    listed = published_rows(name)
    published: dict[tuple, Any] = {tuple(labels_of(r).values()): r for r in listed}
    for runs in trained.arms():
        theirs = published[tuple(runs.arm.labels.values())]
        count, seeds = solved(runs, OUTSIDE), len(runs.rows)
        share = success_rate(count, seeds)
        ours = (seeds, count, share.low, share.high, theirs[OUTSIDE])
        last = (solved(runs, WITHIN), theirs[WITHIN], usual(runs))
        rows.append((*runs.arm.labels.values(), *ours, *last))
    figures = {
        claim: figure
        for claim, labels, measure, _ in totals(name)
        if (figure := total(having(trained, **labels), measure)) is not None
    }
    names = ("seeds", "solved", "low", "high", "published")
    names += ("solved within", "published within", USUAL)
    return Computed({"counts": columns((*trained.study.labels, *names), rows)}, figures)


def labels_of(row: dict[str, Any]) -> dict[str, str]:
    """What distinguishes the arm of a published row from the others."""
    return {
        "operation": SYMBOLS[row["operation"]],
        "model": row["model"],
        "distribution": row["distribution"],
    }


def experiment(name: str, task: Callable[[str, str], Task], *hidden: int) -> Study:
    """Every operation, model and distribution with its published count.

    Args:
        name: that of the study.
        task: the task of an operation and a distribution.
        hidden: how many values there are between the layers.
    """
    arms = []
    rows = published_rows(name)
    for row in sorted(rows, key=lambda r: OPERATIONS.index(r["operation"])):
        on = task(row["operation"], row["distribution"])
        theirs = rate(row[OUTSIDE], row["runs"], **remarks(name, [row], OUTSIDE))
        trained = run(network(row["model"], *hidden), on)
        arms.append(Arm(labels_of(row), trained, {"success": theirs}))
    claims = {claim: figure for claim, _, _, figure in totals(name)}
    return described(name).study(arms, compute, claims)


def of_two(inputs: int) -> Callable[[str, str], Task]:
    """Two inputs of a distribution, perhaps among others."""

    def task(operation: str, distribution: str) -> Task:
        kind, inner, outer = INPUTS[distribution]
        return SingleModule(operation, inputs, inner, outer, kind)  # type: ignore[arg-type]  # literals

    return task


def minimal() -> Study:
    """Experiment 1, the minimal arithmetic task."""
    return experiment(MINIMAL, of_two(2))


def simple() -> Study:
    """Experiment 2, the simple arithmetic task."""
    return experiment("inalu-simple", of_two(10))


def function() -> Study:
    """Experiment 4, the simple function learning task."""
    return experiment("inalu-function", lambda o, d: sums(o, *SUMMED[d]), HIDDEN)

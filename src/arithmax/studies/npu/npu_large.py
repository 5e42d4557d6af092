"""The NPU paper's large task: + × ÷ √ of sums of a hundred inputs."""

from typing import Any

import numpy as np

from ...networks import Stack
from ...tasks import Subsets
from ...training import L1, ArrayNorms, Cell, Measuring, Protocol, RMSProp
from ...units import Constant, Uniform
from .._evaluate import ArmRuns, Trained
from .._published import figures_file, row_with
from .._sheet import sheet
from .._study import Arm, Computed, Published, Study
from .._tables import columns, ends, ranked
from ._runs import SUMS, UNITS

SHEET = sheet("npu", "npu-large")
PRINTED = figures_file("npu", "npu-large")["rows"]
INPUTS = 100
# The operation, or the power of the one sum that a task has in its place, where it is
# trained and tested, and how: learning rate, and the L1 penalty at first and at last.
TASKS: dict[str, tuple[Any, tuple[float, float], tuple[float, float], Any]] = {
    "+": ("add", (-1.0, 1.0), (-2.0, 2.0), (1e-2, 1e-5, 1e-4)),
    "×": ("mul", (-1.0, 1.0), (-2.0, 2.0), (5e-3, 1e-5, 1e-4)),
    "÷": ((-1.0,), (0.0, 0.5), (-0.5, 0.0), (5e-3, 1e-9, 1e-7)),
    "√": ((0.5,), (0.0, 2.0), (0.0, 4.0), (5e-3, 1e-6, 1e-4)),
}
SEEDS = {"+": 10, "×": 20, "÷": 10, "√": 10}
# Of twenty runs the authors kept the better half.
SHARE = {operation: 10 / count for operation, count in SEEDS.items()}
# The NMU has settings of its own for two tasks: steps, and the penalty at first.
OF_NMU = {"+": (10_000, 1e-7), "×": (20_000, 1e-9)}
# What `norm(ps, 1)` is in Julia where `ps` holds arrays, and what it was taken for.
SCRIPTS, PRINTED_AS = "norms of arrays", "L1"
NONE = "none"
PENALTIES = {SCRIPTS: ArrayNorms, PRINTED_AS: L1}
# The models, and what does not start uniform on [0, 0.1].
MODELS: dict[str, dict[str, float]] = {
    "NPU": {"1.W_im": 0.0, "1.g": 1.0},
    "RealNPU": {"1.g": 0.5},
    "NALU": {"0.b": 0.0, "1.b": 0.0},
    "NMU": {},
    "NaiveNPU": {"1.W_im": 0.0},
}
# 1.96 standard errors of a median of ten normal values, in units of their MAD.
ERROR = 1.96 * float(np.sqrt(np.pi / 2 / 10)) / 0.6745


def network(model: str) -> Stack:
    """Sums, as many as inputs, and a unit on top; NALU twice."""
    last, others = UNITS[model], MODELS[model]
    made = Stack((last if model == "NALU" else SUMS, last), (INPUTS,))
    starts = tuple(
        (name, Constant(others[name]) if name in others else Uniform(0.0, 0.1))
        for name in made.parameters(INPUTS, 1)
    )
    return Stack(made.units, made.hidden, starts=starts)


def task(operation: str) -> Subsets:
    """a + b, ab, 1/a or √a of sums of 50 inputs that have 12 in common."""
    kind, inner, outer, _ = TASKS[operation]
    powers = {"powers": kind, "subsets": 1}
    return Subsets(
        **(powers if isinstance(kind, tuple) else {"operation": kind}),
        input_size=INPUTS,
        subset_ratio=0.5,
        overlap_ratio=0.25,
        interpolation=inner,
        extrapolation=outer,
    )


def cell(model: str, operation: str, penalty: str = SCRIPTS) -> Cell:
    """A model on a task, trained and judged as the authors' scripts do."""
    steps = 100_000
    rate, first, last = TASKS[operation][3]
    if model == "NMU" and operation in OF_NMU:
        steps, first = OF_NMU[operation]
    kind = PENALTIES.get(penalty)
    protocol = Protocol(
        steps,
        optimiser=RMSProp(rate),
        penalties=(kind(first, last),) if kind else (),
        project=False,  # their units are bounded in their formulas alone
        measuring=Measuring(window=1),
    )
    seeds = tuple(range(SEEDS[operation]))
    return Cell(network(model), task(operation), protocol, seeds)


def test_error(runs: ArmRuns, trained: Trained, row: dict[str, Any]) -> float:
    """The error on the test range after the last step, in float64 if it must be."""
    if np.isfinite(row["extrapolation"]):
        return float(row["extrapolation"])
    if row["diverged_at"] is not None:
        return float("inf")
    on, made = task(str(runs.arm.labels["operation"])), runs.arm.cell.network
    rng = np.random.default_rng(row["seed"])
    low, high = on.extrapolation
    x = rng.uniform(low, high, (INPUTS, 1000))
    params = {n: np.float64(v) for n, v in trained.weights(row).items()}
    if params.keys() != made.parameters(INPUTS, 1).keys():
        return float("inf")  # packed results have no weights of this size
    with np.errstate(over="ignore", invalid="ignore"):
        y = made.compute(params, x)[0]
        error = float(np.mean((y - answers(on, row["seed"], x)) ** 2))
    return error if np.isfinite(error) else float("inf")


def answers(task: Subsets, seed: int, x: np.ndarray) -> np.ndarray:
    """What the task asks of inputs [in, batch]."""
    sums = [x[row].sum(0) for row in task.places(seed)]
    if task.powers:
        return sums[0] ** task.powers[0]
    return sums[0] + sums[1] if task.operation == "add" else sums[0] * sums[1]


def claim(operation: str, model: str, measure: str) -> str:
    """The name of a figure."""
    which = "median" if SHARE[operation] == 1 else "better half's median"
    labels = {"operation": operation, "model": model, "which": which}
    return SHEET.claim("error", measure=measure, **labels)


def compute(trained: Trained) -> Computed:
    """Medians of the errors after the last step, ours and published."""
    rows, lines, figures = [], [], {}
    for runs in trained.arms():
        model, operation, penalty = map(str, runs.arm.labels.values())
        theirs = row_with(PRINTED, operation=operation, model=model) or {}
        errors = [test_error(runs, trained, row) for row in runs.rows]
        inside = [
            row["interpolation"] if row["diverged_at"] is None else float("inf")
            for row in runs.rows
        ]
        share = SHARE[operation]
        beyond, within = ranked(errors, share), ranked(inside, share)
        if penalty == SCRIPTS and not runs.reduced:
            figures[claim(operation, model, "test")] = beyond
            figures[claim(operation, model, "training")] = within
        ended = (len(errors), sum(e["outcome"] == "solved" for e in runs.rows))
        middle = float(np.median(errors))
        compared = (*ends(beyond), theirs["test"])
        last = (theirs["mad"], within.value, theirs["training"])
        rows.append((operation, model, penalty, *ended, middle, *compared, *last))
        if penalty == SCRIPTS:
            lines.append((operation, model, *compared))
    names = ("seeds", "solved", "median", "compared", "low", "high", "published")
    names += ("MAD", "training error", "published training error")
    drawn = ("test error", "low", "high", "published")
    tables = {
        "errors": columns(("operation", "model", "penalty", *names), rows),
        "lines": columns(("operation", "model", *drawn), lines),
    }
    return Computed(tables, figures)


def claims() -> dict[str, Published]:
    """The printed medians; an interval where a MAD is printed."""
    made, texts = {}, SHEET.texts
    for row in PRINTED:
        which, value = (row["operation"], row["model"]), row["test"]
        best = texts["best"] if SHARE[row["operation"]] < 1 else ""
        figure = Published(value, note=texts["no_spread"] + best)
        if row["mad"] is not None:
            half = ERROR * row["mad"]
            around = (max(value - half, 0.0), value + half)
            note, zero = texts["spread"] + best, which == ("+", "NaiveNPU")
            reason = texts["zero"] if zero else ""
            tried = texts.get(f"tried {row['model']} {row['operation']}", "")
            figure = Published(value, *around, note, reason, tried)
        inside = Published(row["training"], note=texts["batch"] + best)
        made |= {claim(*which, "test"): figure, claim(*which, "training"): inside}
    return made


def study() -> Study:
    """Section 4.3 of the paper."""
    arms = [
        Arm(
            {"model": model, "operation": operation, "penalty": penalty},
            cell(model, operation, penalty),
        )
        for penalty in (*PENALTIES, NONE)
        for operation in (TASKS if penalty in PENALTIES else ("×",))
        for model in MODELS
    ]
    return SHEET.study(arms, compute, claims())

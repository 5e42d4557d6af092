"""Table 1 of the NPU draft: + × ÷ √ in one network, under all stated settings."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...networks import Network, Stack
from ...tasks import Functions
from ...training import L1, Adam
from ...units import NAU, NPU
from .._evaluate import ArmRuns, Trained
from .._published import figures_file, row_with
from .._sheet import sheet
from .._study import Arm, Computed, Study
from .._tables import columns, mean
from ._readings import last_weights
from ._runs import MODELS, SUMS, UNITS, dense, network, run

SHEET = sheet("npu", "npu-arithmetic")
PRINTED = figures_file("npu", "npu-arithmetic")["rows"]
FUNCTIONS = {"add": "Add", "mul": "Mult", "div": "Div", "sqrt": "Sqrt"}
TASKS = tuple(FUNCTIONS.values())
STEPS = 20_000
# The authors test on −4.1:0.2:4 in both inputs, and square roots on 0.1:0.1:4.
SIGNED, POSITIVE = np.arange(-41, 40, 2) / 10, np.arange(1, 41) / 10
CODE, FINAL = "draft's code", "table A2's code"
CAPTION = "caption: 2 × 2, U(−2, 2)"
SPARSE = {"penalties": (L1(1e-5, 1e-5),)}


def four(low: float = 0.1, high: float = 2.1) -> Functions:
    """(x, y) → (x + y, xy, x/y, √x)."""
    return Functions(tuple(FUNCTIONS), (low, high), (0.1, 4.0))


TWO = Functions(("mul", "div"), (-2.0, 2.0), (-4.0, -0.1, 0.1, 4.0))


def square(axis: np.ndarray) -> np.ndarray:
    """All pairs [2, points] of an axis."""
    return np.stack(np.meshgrid(axis, axis)).reshape(2, -1)


def answers(function: str, x: np.ndarray) -> np.ndarray:
    """What a function of the task is."""
    exact = {"add": x[0] + x[1], "mul": x[0] * x[1], "div": x[0] / x[1]}
    return np.sqrt(x[0]) if function == "sqrt" else exact[function]


def test_errors(runs: ArmRuns, trained: Trained) -> dict[str, np.ndarray]:
    """The mean absolute error of each run after its last step, by task."""
    cell = runs.arm.cell
    params = [last_weights(trained, row) for row in runs.rows]
    errors = {}
    for k, function in enumerate(cell.task.functions):  # type: ignore[attr-defined]  # `Functions`
        x = square(POSITIVE if function == "sqrt" else SIGNED)
        with np.errstate(over="ignore", invalid="ignore"):
            out = np.stack([cell.network.compute(p, x)[k] for p in params])
        distance = np.abs(out - answers(function, x)).mean(axis=1)
        errors[FUNCTIONS[function]] = np.where(np.isnan(distance), np.inf, distance)
    return errors


def compute(trained: Trained) -> Computed:
    """Means and medians of the test errors, and a line for each model."""
    means, medians, lines, figures = [], [], [], {}
    for runs in trained.arms():
        settings, model = which = tuple(map(str, runs.arm.labels.values()))
        errors = test_errors(runs, trained)
        ours = {task: mean(values) for task, values in errors.items()}
        means.append((*which, *(str(ours.get(t, "")) for t in TASKS)))
        middle = (float(np.median(errors[t])) if t in errors else None for t in TASKS)
        medians.append((*which, *middle))
        for task, value in ours.items():
            labels = {"settings": settings, "model": model, "task": task}
            figures[SHEET.claim("error", **labels)] = value
            if settings == CODE and (theirs := row_with(PRINTED, **labels)):
                lines.append((model, task, value.value, theirs["value"]))
    names = ("settings", "model", *TASKS)
    tables = {
        "means": columns(names, means),
        "medians": columns(names, medians),
        "lines": columns(("model", "task", "mean absolute error", "printed"), lines),
    }
    return Computed(tables, figures)


def printed() -> Iterator[dict[str, Any]]:
    """The printed means; an interval is ± 1.96 of the standard errors."""
    for row in PRINTED:
        value, half = row["value"], 1.96 * row["error"]
        ends = {"low": max(value - half, 0.0), "high": value + half}
        yield row | ends | {"note": SHEET.texts[row["settings"]]}


def setups() -> Iterator[tuple[str, str, Network, Functions, dict[str, Any]]]:
    """As the code has it; then each setting on which text and code disagree."""
    npu, sums_first = network("NPU"), Stack((SUMS, NPU()), (6,))
    slow: dict[str, Any] = {"optimiser": Adam(1e-3)}
    yield CODE, "NPU", npu, four(), SPARSE
    for model in ("NALU", "NMU", "Dense"):
        yield CODE, model, network(model), four(), {}
    for model in ("NPU", "RealNPU"):
        yield FINAL, model, network(model), four(), {}
    yield "text: learning rate 0.001", "NPU", npu, four(), SPARSE | slow
    yield "text: U(0.1, 2)", "NPU", npu, four(high=2.0), SPARSE
    yield "later code: U(0.01, 2)", "NPU", npu, four(0.01, 2.0), SPARSE
    yield "text: NAU(2, 6) → NPU(6, 4)", "NPU", sums_first, four(), SPARSE
    clipped = Stack((NPU(), NAU()), (6,))
    yield "eq. 6: NAU in [−1, 1]", "NPU", clipped, four(), SPARSE
    yield "text: Adam, 0.001", "NALU", network("NALU"), four(), slow
    yield "later code: 2-50-50-4", "Dense", dense(50, 50), four(), {}
    for model in MODELS:
        yield CAPTION, model, UNITS[model], TWO, {}
    yield CAPTION, "Dense", network("Dense"), TWO, {}


def study() -> Study:
    """Table 1 of the draft."""
    arms = [
        Arm(
            {"settings": s, "model": m},
            run(m, net, task, measuring__keep=(STEPS,), **changes),
        )
        for s, m, net, task, changes in setups()
    ]
    return SHEET.study(arms, compute, derived={"error": printed()})

"""Table 1 of the NPU draft: + × ÷ √ in one network, under all stated settings."""

from typing import Any

import numpy as np

from ..networks import Stack
from ..tasks import Functions
from ..units import NAU, NPU, Unit
from ._evaluate import Found, Trained
from ._npu import DRAFT, SUMS, UNITS, dense, last_weights, mean, network, run
from ._plots import Lines
from ._study import Arm, Computed, Published, Study, columns

FUNCTIONS = {"add": "Add", "mul": "Mult", "div": "Div", "sqrt": "Sqrt"}
TASKS = tuple(FUNCTIONS.values())
STEPS = 20_000
# The authors test on −4.1:0.2:4 in both inputs, and square roots on 0.1:0.1:4.
SIGNED, POSITIVE = np.arange(-41, 40, 2) / 10, np.arange(1, 41) / 10
CODE, FINAL = "draft's code", "table A2's code"
CAPTION = "caption: 2 × 2, U(−2, 2)"
SPARSE = {"l1": 1e-5, "l1_end": 1e-5}

# Mean absolute error and its standard error over 20 runs.
Row = dict[str, tuple[tuple[float, float], ...]]
TABLE_1: Row = {
    "NPU": ((0.183, 0.11), (0.34, 0.23), (0.216, 0.14), (0.028, 0.024)),
    "NALU": ((2.691, 0.22), (4.552, 0.2), (3.333, 0.18), (0.034, 0.006)),
    "NMU": ((0.196, 0.18), (0.005, 0.004), (11.399, 0.035), (0.16, 0.002)),
    "Dense": ((2.103, 0.04), (3.546, 0.035), (14.158, 0.23), (0.084, 0.007)),
}
TABLE_A2: Row = {
    "NPU": ((0.2, 0.11), (0.37, 0.23), (0.23, 0.13), (0.031, 0.025)),
    "RealNPU": ((0.08, 0.021), (0.066, 0.026), (0.085, 0.038), (0.004, 0.001)),
}


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


def test_errors(found: Found, trained: Trained) -> dict[str, np.ndarray]:
    """The mean absolute error of each run after its last step, by task."""
    cell = found.arm.cell
    params = [last_weights(trained, row) for row in found.rows]
    errors = {}
    for k, function in enumerate(cell.task.functions):  # type: ignore[attr-defined]  # `Functions`
        x = square(POSITIVE if function == "sqrt" else SIGNED)
        with np.errstate(over="ignore", invalid="ignore"):
            out = np.stack([cell.network.compute(p, x)[k] for p in params])
        own = np.abs(out - answers(function, x)).mean(axis=1)
        errors[FUNCTIONS[function]] = np.where(np.isnan(own), np.inf, own)
    return errors


def claim(settings: str, model: str, task: str) -> str:
    """The name of a figure."""
    return f"{settings}: {model}, {task}"


def tables(trained: Trained) -> Computed:
    """Means and medians of the test errors, and a line for each model."""
    means, medians, lines, figures = [], [], [], {}
    for found in trained.found:
        if not found.rows:
            continue
        settings, model = map(str, found.arm.labels.values())
        errors = test_errors(found, trained)
        own = {task: mean(values) for task, values in errors.items()}
        figures |= {claim(settings, model, task): m for task, m in own.items()}
        means.append((settings, model, *(str(own.get(t, "")) for t in TASKS)))
        middle = (float(np.median(errors[t])) if t in errors else None for t in TASKS)
        medians.append((settings, model, *middle))
        if settings == CODE:
            printed = (p for p, _ in TABLE_1[model])
            lines += [
                (model, task, m.value, p)
                for (task, m), p in zip(own.items(), printed, strict=True)
            ]
    names = ("settings", "model", *TASKS)
    line_names = ("model", "task", "mean absolute error", "printed")
    return Computed(
        {
            "means": columns(names, means),
            "medians": columns(names, medians),
            "lines": columns(line_names, lines),
        },
        figures,
    )


def _claims() -> dict[str, Published]:
    """The printed means; an interval is ± 1.96 of the standard errors."""
    sources = {
        CODE: (
            TABLE_1,
            "the ± is that of the same table a commit later in the authors'"
            " repository (papers/simple_err.tex): standard errors of 20 runs",
        ),
        FINAL: (TABLE_A2, "table A2 of the NeurIPS paper, which has no L1 penalty"),
    }
    claims = {}
    for settings, (table, note) in sources.items():
        for model, row in table.items():
            for task, (value, error) in zip(TASKS, row, strict=True):
                ends = max(value - 1.96 * error, 0.0), value + 1.96 * error
                name = claim(settings, model, task)
                claims[name] = Published(value, *ends, note, REASONS.get(name, ""))
    return claims


REASONS: dict[str, str] = {}


def _arms() -> list[Arm]:
    """As the code has it; then each setting on which text and code disagree."""
    npu = network("NPU")
    rows: list[tuple[str, str, Unit, Functions, dict[str, Any]]] = [
        (CODE, "NPU", npu, four(), SPARSE),
        *((CODE, m, network(m), four(), {}) for m in ("NALU", "NMU", "Dense")),
        *((FINAL, m, network(m), four(), {}) for m in ("NPU", "RealNPU")),
        (
            "text: learning rate 0.001",
            "NPU",
            npu,
            four(),
            SPARSE | {"learning_rate": 1e-3},
        ),
        ("text: U(0.1, 2)", "NPU", npu, four(high=2.0), SPARSE),
        ("later code: U(0.01, 2)", "NPU", npu, four(0.01, 2.0), SPARSE),
        (
            "text: NAU(2, 6) → NPU(6, 4)",
            "NPU",
            Stack((SUMS, NPU()), (6,)),
            four(),
            SPARSE,
        ),
        ("eq. 6: NAU in [−1, 1]", "NPU", Stack((NPU(), NAU()), (6,)), four(), SPARSE),
        (
            "text: Adam, 0.001",
            "NALU",
            network("NALU"),
            four(),
            {"optimiser": "adam", "learning_rate": 1e-3},
        ),
        ("later code: 2-50-50-4", "Dense", dense(50, 50), four(), {}),
        *((CAPTION, m, unit, TWO, {}) for m, unit in UNITS.items()),
        (CAPTION, "Dense", network("Dense"), TWO, {}),
    ]
    return [
        Arm({"settings": s, "model": m}, run(m, net, task, keep=(STEPS,), **changes))
        for s, m, net, task, changes in rows
    ]


ABOUT = """
One network learns (x, y) → (x + y, xy, x/y, √x). Table 1 of the draft prints the mean
absolute error of 20 runs on the grid −4.1, −3.9, … 3.9 in x and y (√x: 0.1 … 4), after
20,000 steps. Its caption, “2 × 2 layers, (xy, x/y), U(−2, 2)”, belongs to an older
table: on negative x there is no √x to learn. The script of the same commit has two
layers with 6 hidden units, U(0.1, 2.1), Adam at 0.005 (RMSProp for the NALU), batch
100, an L1 penalty of 1e-5 for the NPU, a dense network 2-10-10-4, NALU → NALU, a NAU
that is not clipped (eq. 6 prints [0, 1]; it should read [−1, 1]) and an NMU that is
clipped in its formula only. These settings are taken as **draft's code**, and compared
with the table, and those of the final paper (no penalty) with its table A2. All other
settings on which text, caption and code disagree are shown, each as one change:
learning rate, range, order of the layers, clipped NAU, the NALU's optimiser, the size
of the dense network, and the caption's task. Means are taken after the last step, as
published, with ± 1.96 standard errors; the final paper says “median and MAD”, so
medians are listed too.

**What to look for.** Every printed figure is met with the settings of the code. With
those of the text, not all are: the dense network of the later code (2-50-50-4) has
other errors than those printed for it, NAU → NPU learns nothing but √, and a learning
rate of 0.001 is too small for 20,000 steps. On U(−2, 2) the seeds that draw a y of
exactly zero diverge, whatever the model, and the others are far from the table. Means
of 20 runs are governed by the one or two worst: the NPU's medians for + × ÷ are 8 to 40
times smaller than its means, the NMU's for + and × even more. NPU and RealNPU without
penalty are the same unit here (`npu-imaginary`): the printed difference between them is
luck.
"""


def npu_arithmetic() -> Study:
    """Table 1 of the draft."""
    return Study(
        "npu-arithmetic",
        "+ × ÷ √ of two numbers, learned on positive ones",
        f"{DRAFT}, table 1; Neural Power Units, NeurIPS 2020, section 4.2 and tables "
        "A2 and A3; the authors' scripts (github.com/nmheim/NeuralPowerUnits)",
        ABOUT.strip(),
        tuple(_arms()),
        compute=tables,
        claims=_claims(),
        shown={
            "means": "Mean absolute error on the test grid after the last step: mean of"
            " 20 seeds ± 1.96 standard errors.",
            "medians": "The same: median of the seeds.",
        },
        plots=(
            Lines(
                "Test error under the settings of the draft's code; dashed: printed.",
                "lines",
                "task",
                "mean absolute error",
                "model",
                dashed="printed",
                log_y=True,
            ),
        ),
    )

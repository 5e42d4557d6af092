"""The NPU paper's large task: + × ÷ √ of sums of a hundred inputs."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.stats import binom

from ..networks import Stack
from ..protocol import Cell, Protocol
from ..statistics import Interval
from ..tasks import Subsets
from ..units import NALU, NMU, NPU, Constant, Linear, NaiveNPU, RealNPU, Uniform, Unit
from ._evaluate import Found, Trained
from ._plots import Convergence, Lines, Seeds
from ._study import Arm, Computed, Published, Study, columns

PAPER = "N. Heim, T. Pevný and V. Šmídl, Neural Power Units, NeurIPS 2020"
INPUTS = 100
# The powers of the sums that a task has in place of an operation, where it is trained
# and tested, and how: learning rate, and the L1 penalty at first and at last.
TASKS: dict[str, tuple[Any, tuple[float, float], tuple[float, float], Any]] = {
    "+": ("add", (-1.0, 1.0), (-2.0, 2.0), (1e-2, 1e-5, 1e-4)),
    "×": ("mul", (-1.0, 1.0), (-2.0, 2.0), (5e-3, 1e-5, 1e-4)),
    "÷": ((-1.0,), (0.0, 0.5), (-0.5, 0.0), (5e-3, 1e-9, 1e-7)),
    "√": ((0.5,), (0.0, 2.0), (0.0, 4.0), (5e-3, 1e-6, 1e-4)),
}
SEEDS = {"+": 10, "×": 20, "÷": 10, "√": 10}
# The NMU has settings of its own for two tasks.
OWN = {
    ("NMU", "+"): {"steps": 10_000, "l1": 1e-7},
    ("NMU", "×"): {"steps": 20_000, "l1": 1e-9},
}
DRAWN, SUMS = Uniform(0.0, 0.1), Linear(bias=False)
# The two layers of each model, and what does not start uniform on [0, 0.1].
MODELS: dict[str, tuple[Unit, Unit, dict[str, float]]] = {
    "NPU": (SUMS, NPU(), {"1.W_im": 0.0, "1.g": 1.0}),
    "RealNPU": (SUMS, RealNPU(), {"1.g": 0.5}),
    "NALU": (
        NALU(gate_bias=True, eps=1e-8),
        NALU(gate_bias=True, eps=1e-8),
        {"0.b": 0.0, "1.b": 0.0},
    ),
    "NMU": (SUMS, NMU(), {}),
    "NaiveNPU": (SUMS, NaiveNPU(), {"1.W_im": 0.0}),
}
# Median and MAD of ten runs' mean squared error on the test range; None: not printed.
Entry = tuple[float, float | None]
TESTED: dict[str, tuple[Entry, ...]] = {
    "+": (
        (0.092, 0.031),
        (0.063, 0.014),
        (740, 330),
        (0.00602, 1.9e-4),
        (161.65, 0.11),
    ),
    "×": ((4.28, 0.9), (3.09, 0.74), (2.9e83, None), (1.7, 1.4), (3750, 870)),
    "÷": ((1e-7, 1e-7), (1.4e-6, 4e-7), (530, 200), (1.622, 0.081), (5.4e17, None)),
    "√": ((0.054, 0.0078), (0.017, 0.011), (7300, 7200), (10.96, 0.89), (9.3e8, None)),
}
# The same of the loss of the last batch (plots/arithmetic100_mse.tex).
TRAINED: dict[str, tuple[float, ...]] = {
    "+": (0.017, 0.0023, 0.0045, 0.00098, 41.6),
    "×": (0.32, 0.2, 0.126, 0.109, 86.0),
    "÷": (1.3e-6, 1.3e-6, 3.3e-6, 1.2e-4, 0.0065),
    "√": (0.0106, 0.0093, 0.0072, 0.0379, 9.3e24),
}
# 1.96 standard errors of a median of ten normal values, in units of their MAD.
ERROR = 1.96 * float(np.sqrt(np.pi / 2 / 10)) / 0.6745


def network(model: str) -> Stack:
    """Sums, as many as inputs, and a unit on top; NALU twice."""
    *units, others = MODELS[model]
    made = Stack(tuple(units), (INPUTS,))
    starts = tuple(
        (name, Constant(others[name]) if name in others else DRAWN)
        for name in made.parameters(INPUTS, 1)
    )
    return Stack(made.units, made.hidden, starts=starts)


def task(operation: str) -> Subsets:
    """a + b, ab, 1/a or √a of sums of 50 inputs that have 12 in common."""
    kind, inner, outer, _ = TASKS[operation]
    options: dict[str, Any] = (
        {"powers": kind, "subsets": 1}
        if isinstance(kind, tuple)
        else {"operation": kind}
    )
    return Subsets(
        **options,
        input_size=INPUTS,
        subset_ratio=0.5,
        overlap_ratio=0.25,
        interpolation=inner,
        extrapolation=outer,
    )


def cell(model: str, operation: str) -> Cell:
    """A model on a task, trained and judged as the authors' scripts do."""
    rate, first, last = TASKS[operation][3]
    settings: dict[str, Any] = {
        "steps": 100_000,
        "optimiser": "rmsprop",
        "learning_rate": rate,
        "l1": first,
        "l1_end": last,
        "project": False,  # their units are bounded in their formulas alone
        "window": 1,
    } | OWN.get((model, operation), {})
    seeds = tuple(range(SEEDS[operation]))
    return Cell(network(model), task(operation), Protocol(**settings), seeds)


def ranked(
    values: Sequence[float] | np.ndarray, share: float, level: float = 0.95
) -> Interval:
    """The middle of the least `share` of values, with an interval from their ranks.

    With a share of 1 that is the median, with ½ the median of the better half. The
    interval is that of the quantile, whatever the distribution.
    """
    x = np.sort(np.asarray(values, dtype=np.float64))
    kept, count, q = x[: max(1, round(share * x.size))], x.size, share / 2
    below, above = binom.ppf([(1 - level) / 2, (1 + level) / 2], count, q).astype(int)
    low = float(x[below - 1]) if below > 0 else 0.0
    high = float(x[above]) if above < count else float("inf")
    return Interval(float(np.median(kept)), low, high)


def test_error(found: Found, trained: Trained, row: dict[str, Any]) -> float:
    """The error on the test range after the last step, in float64 if it must be."""
    if np.isfinite(row["extrapolation"]):
        return float(row["extrapolation"])
    if row["diverged_at"] is not None:
        return float("inf")
    own = task(str(found.arm.labels["operation"]))
    rng = np.random.default_rng(row["seed"])
    low, high = own.extrapolation
    x = rng.uniform(low, high, (INPUTS, 1000))
    params = {n: np.float64(v) for n, v in trained.weights(row).items()}
    if params.keys() != found.arm.cell.network.parameters(INPUTS, 1).keys():
        return float("inf")  # packed results have no weights of this size
    with np.errstate(over="ignore", invalid="ignore"):
        y = found.arm.cell.network.compute(params, x)[0]
        error = float(np.mean((y - answers(own, row["seed"], x)) ** 2))
    return error if np.isfinite(error) else float("inf")


def answers(task: Subsets, seed: int, x: np.ndarray) -> np.ndarray:
    """What the task asks of inputs [in, batch]."""
    sums = [x[row].sum(0) for row in task.places(seed)]
    if task.powers:
        return sums[0] ** task.powers[0]
    return sums[0] + sums[1] if task.operation == "add" else sums[0] * sums[1]


def claim(operation: str, model: str, measure: str = "test") -> str:
    """The name of a figure."""
    which = "better half's median" if SEEDS[operation] == 20 else "median"
    return f"{operation}, {model}: {which} {measure} error"


def tables(trained: Trained) -> Computed:
    """Medians of the errors after the last step, ours and published."""
    rows, lines, figures = [], [], {}
    for found in (f for f in trained.found if f.rows):
        model, operation = map(str, found.arm.labels.values())
        place = list(MODELS).index(model)
        errors = [test_error(found, trained, row) for row in found.rows]
        inside = [
            row["interpolation"] if row["diverged_at"] is None else float("inf")
            for row in found.rows
        ]
        share = 0.5 if SEEDS[operation] == 20 else 1.0
        own, within = ranked(errors, share), ranked(inside, share)
        if not found.reduced:
            figures[claim(operation, model)] = own
            figures[claim(operation, model, "training")] = within
        printed, spread = TESTED[operation][place]
        ended = (len(errors), sum(e["outcome"] == "solved" for e in found.rows))
        middle = float(np.median(errors))
        compared = (own.value, own.low, own.high, printed)
        last = (spread, within.value, TRAINED[operation][place])
        rows.append((operation, model, *ended, middle, *compared, *last))
        lines.append((operation, model, *compared))
    names = ("seeds", "solved", "median", "compared", "low", "high", "published")
    others = ("MAD", "training error", "published training error")
    drawn = ("operation", "model", "test error", "low", "high", "published")
    return Computed(
        {
            "errors": columns(("operation", "model", *names, *others), rows),
            "lines": columns(drawn, lines),
        },
        figures,
    )


NOTE = "median ± 1.15 MAD, which is 1.96 standard errors of a median of ten if normal"
BEST = "; the ten best of twenty runs by their test error"


def _claims() -> dict[str, Published]:
    """The printed medians; an interval where a MAD is printed."""
    made = {}
    for operation, row in TESTED.items():
        for k, (value, spread) in enumerate(row):
            model = list(MODELS)[k]
            best = BEST if SEEDS[operation] == 20 else ""
            ends = (None, None)
            if spread is not None:
                ends = (max(value - ERROR * spread, 0.0), value + ERROR * spread)
            note = (NOTE if spread else "no spread printed") + best
            made[claim(operation, model)] = Published(value, *ends, note)
            of_batch = "of one batch, without a spread" + best
            inside = Published(TRAINED[operation][k], note=of_batch)
            made[claim(operation, model, "training")] = inside
    return made


ABOUT = """
100 inputs, a the sum of 50 of them and b the sum of 50 of which 12 are in a: a + b, ab,
1/a and √a, by a layer of 100 sums and a unit on top (NALU: two layers of NALU). Table 1
of the paper prints the median test error of ten runs ± their MAD and says that the NPUs
extrapolate best, but for + and ×, where the NMU does. It prints no success rates, and
an error of 0.06 is not “+ learned”: **solved** here means an error below that of
weights wrong by 10⁻⁵.

**Settings** are those of the scripts: RMSProp, batch 128, 100,000 steps (NMU: 10,000
for + and 20,000 for ×), an L1 penalty on all parameters that grows tenfold every 10,000
steps, all weights from U(0, 0.1), the gate of the NPU from 1 and that of the RealNPU
from ½. Where text and code disagree the code is taken: test ranges are twice the
training range and (−½, 0) for 1/a (table A5: (−4, 4) and (−½, ½)), which the published
error of a NaiveNPU that answers 0 confirms; the penalty for × is 1e-5 to 1e-4 (table
A6: 1e-7). Their inputs are Sobol sequences, ours independent.

**How medians are compared.** Errors are those after the last step. Ours have the
interval that ranks give, without any assumption; theirs is the median ± 1.15 MAD, 1.96
standard errors if errors were normal. For × the authors ran 20 and kept the ten with
the least *test* error: what is printed is the median of the better half, and is
compared with that of ours (“compared”); the honest median of all is beside it.

**What to look for.** The order of the units on each operation, how far the median of
all twenty runs of × is from that of the better half, and how few runs are solved.
"""


def npu_large() -> Study:
    """Section 4.3 of the paper."""
    arms = [
        Arm({"model": model, "operation": operation}, cell(model, operation))
        for operation in TASKS
        for model in MODELS
    ]
    return Study(
        "npu-large",
        "+ × ÷ √ of sums of a hundred inputs",
        f"{PAPER}, section 4.3 and tables 1, A5 and A6; the authors' scripts "
        "(github.com/nmheim/NeuralPowerUnits)",
        ABOUT.strip(),
        tuple(arms),
        compute=tables,
        claims=_claims(),
        shown={
            "errors": "Mean squared error on the test range after the last step: the "
            "median of all seeds, what is compared (for × the median of the better "
            "half) with its 95 % interval, and what is printed; then the error on the "
            "training range.",
        },
        plots=(
            Lines(
                "Test error; dashed: printed.",
                *("lines", "operation", "test error", "model", "low", "high"),
                dashed="published",
                log_y=True,
            ),
            Convergence(
                "÷: test error while the penalty grows.", "model", {"operation": "÷"}
            ),
            Convergence("+: test error.", "model", {"operation": "+"}),
            Seeds("√: every seed.", "model", {"operation": "√"}),
        ),
    )

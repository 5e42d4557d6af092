"""Networks that cannot learn y = x: error against x, by activation function."""

from itertools import combinations
from typing import Any

import numpy as np

from ..networks import Stack
from ..protocol import Cell, Protocol
from ..statistics import Interval, success_rate
from ..tasks import Functions
from ..units import Dense, Linear
from ._evaluate import Found, Trained
from ._extrapolation import COMPARED, REPORT, SEEDS, right
from ._plots import Lines
from ._study import Arm, Computed, Published, Study, Table, columns

TRASK = "A. Trask et al., “Neural Arithmetic Logic Units”, NeurIPS 2018, figure 1"
HERE, ORIGINAL = "report", "NALU paper"
# Hidden layers of 8, the range to train on and the range to test on.
SETTINGS = {
    HERE: (2, (-10.0, 10.0), (-10.0, 20.0)),
    ORIGINAL: (3, (-5.0, 5.0), (-20.0, 20.0)),
}
NAMES = {
    "relu": "ReLU",
    "sigmoid": "Sigmoid",
    "tanh": "Tanh",
    "relu6": "ReLU6",
    "leaky_relu": "LeakyReLU",
    "elu": "ELU",
    "selu": "SELU",
    "prelu": "PReLU",
    "swish": "Swish",
    "softsign": "Softsign",
    "softplus": "Softplus",
    "hardtanh": "Hardtanh",
    "hardshrink": "Hardshrink",
    "softshrink": "Softshrink",
    "tanhshrink": "Tanhshrink",
    "threshold": "Threshold",
}
NINE = tuple(NAMES)[:9]
# Mean absolute error at |x| = 20, read off the figure.
FIGURE_1 = {
    "threshold": 16.5,
    "hardtanh": 15.5,
    "tanh": 14.5,
    "tanhshrink": 14.5,
    "sigmoid": 14.0,
    "relu6": 13.5,
    "hardshrink": 10.0,
    "softsign": 4.3,
    "leaky_relu": 3.3,
    "prelu": 2.5,
    "softplus": 2.5,
    "softshrink": 1.7,
    "relu": 1.0,
    "elu": 0.5,
    "selu": 0.5,
}
POINTS = 121  # of the axis
KEPT = (1000, 2000, 5000, 10_000)
BEYOND = "runs right on (10, 20): "
AT_20 = "mean |error| at |x| = 20: "
ORDER = "rank correlation of nonlinearity and error at x = 20"


def learned(found: Found, trained: Trained) -> tuple[np.ndarray, np.ndarray]:
    """The axis of the test range [point], and what each seed makes of it."""
    low, high = found.arm.cell.task.extrapolation
    x = np.linspace(low, high, POINTS)
    network = found.arm.cell.network
    answers = [network.compute(trained.weights(r), x[None])[0] for r in found.rows]
    return x, np.array(answers)


def nonlinearity(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """How far functions y [..., point] are from their best straight line.

    The root of the mean squared deviation, relative to the range of the function: 0 is
    straight. A constant has no range, and counts as straight.
    """
    centred = x - x.mean()
    slope = (y @ centred / (centred @ centred))[..., None]
    rest = y - y.mean(axis=-1, keepdims=True) - slope * centred
    extent = y.max(axis=-1) - y.min(axis=-1)
    deviation = np.sqrt((rest**2).mean(axis=-1))
    return np.divide(deviation, extent, out=np.zeros_like(extent), where=extent > 1e-9)


def concordance(a: list[float], b: list[float]) -> float:
    """Kendall's τ: agreeing less disagreeing pairs, as a share of all pairs."""
    pairs = list(combinations(range(len(a)), 2))
    agree = [np.sign(a[i] - a[j]) * np.sign(b[i] - b[j]) for i, j in pairs]
    return float(np.mean(agree)) if pairs else float("nan")


def identity(trained: Trained) -> Computed:
    """Errors against x, and the order of activations."""
    tables: dict[str, Table] = {}
    figures: dict[str, Interval] = {}
    for setting, name in ((HERE, "errors"), (ORIGINAL, "original")):
        functions = {
            str(found.arm.labels["activation"]): learned(found, trained)
            for found in trained.found
            if found.arm.labels["setting"] == setting and found.rows
        }
        tables[name] = _errors(functions)
        tables[f"{name}-order"], own = _order(setting, functions)
        figures |= own
    here = [f for f in trained.found if f.arm.labels["setting"] == HERE and f.rows]
    rows = [row for found in here for row in _straightening(found, trained)]
    tables["steps"] = columns(("activation", "step", "median |error| at x = 20"), rows)
    return Computed(tables, figures)


def _straightening(found: Found, trained: Trained) -> list[tuple[Any, ...]]:
    """The median error of an arm's seeds at the end of the test range, by step."""
    paths = [trained.results.path(row["run"]) for row in found.rows]
    end = np.array([[found.arm.cell.task.extrapolation[1]]])
    rows = []
    for k, step in enumerate(paths[0][0]):
        own = [{name: value[k] for name, value in kept.items()} for _, kept in paths]
        y = np.array([found.arm.cell.network.compute(p, end)[0, 0] for p in own])
        error = float(np.median(np.abs(y - end)))
        rows.append((found.arm.labels["activation"], int(step), error))
    return rows


def _errors(functions: dict[str, tuple[np.ndarray, np.ndarray]]) -> Table:
    """The mean and median error of all seeds at each x, by activation."""
    rows = []
    for name, (x, y) in functions.items():
        error = np.abs(y - x)
        for at, mean, middle in zip(
            x, error.mean(axis=0), np.median(error, axis=0), strict=True
        ):
            rows.append((name, float(at), float(mean), float(middle)))
    return columns(("activation", "x", "mean |error|", "median |error|"), rows)


def _order(setting: str, functions: dict[str, tuple[np.ndarray, np.ndarray]]) -> Any:
    """Activations by how nonlinear the learned function is, and the claims' figures."""
    _, (inner, outer), _ = SETTINGS[setting]
    rows, figures = [], {}
    for name, (x, y) in functions.items():
        bend, error = nonlinearity(x, y), np.abs(y - x)
        inside = float(np.median(error[:, (x >= inner) & (x <= outer)].mean(axis=1)))
        beyond = (x < inner) | (x > outer)
        passed = right(y, x, COMPARED)[:, beyond].all(axis=1)
        share = success_rate(int(passed.sum()), len(y))
        ends = error[:, [0, -1]].mean(axis=1) if setting == ORIGINAL else error[:, -1]
        spread = 1.96 * float(ends.std(ddof=1)) / len(ends) ** 0.5 if len(y) > 1 else 0
        mean = float(ends.mean())
        measured = (float(np.median(bend)), inside, float(np.median(ends)), mean)
        rows.append((name, len(y), *measured, share.value))
        if setting == HERE:
            figures[BEYOND + name] = share
        else:
            figures[AT_20 + name] = Interval(mean, mean - spread, mean + spread)
    rows.sort(key=lambda row: -row[2])
    if setting == HERE:
        tau = concordance([row[2] for row in rows], [row[4] for row in rows])
        figures[ORDER] = Interval(tau, tau, tau)
    names = ("activation", "seeds", "nonlinearity", "median |error| inside")
    far = "x = 20" if setting == HERE else "|x| = 20"
    last = (f"median |error| at {far}", f"mean |error| at {far}", "right beyond")
    return columns((*names, *last), rows), figures


ABOUT = """
The first claim of the report, after the NALU paper: networks that could represent y = x
fail to learn it, and how badly “directly corresponds to the degree of non-linearity
within the chosen activation function”. Two hidden layers of 8, squared error, SGD,
trained on (−10, 10), tested on (−10, 20). Rate, steps and batch are not printed; taken
are 0.001 (at 0.01 most runs with PReLU and ELU diverge), 10,000 steps and 128 samples.
The output layer is linear, and layers start as in PyTorch's recipes for each function.
The NALU paper's own figure has three hidden layers, (−5, 5) and (−20, 20); it names no
optimiser, rate or steps, so the same SGD is taken, and ours stand beside what can be
read off it without a verdict; farthest off are Softsign (ours saturates), Threshold and
Tanhshrink.

Look at two things. **Saturating functions fail, always**: sigmoid, tanh, ReLU6 are flat
beyond what they saw, and the error grows with slope one. **Rectifiers need not fail**:
after enough steps ReLU, LeakyReLU and PReLU have become straight lines, and most of
their runs are right to a hundredth twice as far out. That the error follows the
nonlinearity of what was learned holds, as the rank correlation shows; the sentence that
*all* fail does not. (Nonlinearity: the root mean squared deviation of the learned
function from its best straight line over the test range, relative to its range.)
"""


def _arm(setting: str, activation: str) -> Arm:
    hidden, inner, outer = SETTINGS[setting]
    layers = (Dense(activation),) * hidden  # type: ignore[arg-type]  # a literal
    network = Stack((*layers, Linear()), (8,) * hidden)
    settings = {"optimiser": "sgd", "learning_rate": 1e-3, "validation": 1000}
    own = Protocol(steps=KEPT[-1], keep=KEPT if setting == HERE else (), **settings)
    task = Functions(("identity",), inner, outer)
    labels = {"setting": setting, "activation": NAMES[activation]}
    return Arm(labels, Cell(network, task, own, tuple(range(SEEDS))))


def _claims() -> dict[str, Published]:
    words = (
        "“all nonlinear functions fail to learn to represent numbers outside of the "
    )
    words += "range seen during training” (section 2)"
    said = "“directly corresponds to the degree of non-linearity” (section 2)"
    read = f"read off the figure of {TRASK}, to about half a unit"
    why = "what is learned straightens as training goes on (see the plot by step); the "
    why += "report prints neither steps nor errors"
    claims = {BEYOND + NAMES[a]: Published(0.0, 0.0, 0.0, words, why) for a in NINE}
    claims[ORDER] = Published(1.0, note=said)
    return claims | {
        AT_20 + NAMES[a]: Published(value, note=read) for a, value in FIGURE_1.items()
    }


def mlp_identity() -> Study:
    """Section 2."""
    arms = [_arm(HERE, a) for a in NINE] + [_arm(ORIGINAL, a) for a in FIGURE_1]
    order = (
        "activations by how nonlinear the learned function is, with the error "
        "inside the range to train on (median over seeds), at the end of the test "
        "range, and the share of runs that are right within 0.01 · max(1, |x|) all the "
        "way beyond it."
    )
    return Study(
        "mlp-identity",
        "Networks that cannot learn y = x",
        f"{REPORT}, section 2; {TRASK}",
        ABOUT.strip(),
        tuple(arms),
        compute=identity,
        claims=_claims(),
        shown={
            "errors-order": f"The report's setting: {order}",
            "original-order": f"The NALU paper's setting: {order}",
        },
        plots=(
            Lines(
                "The report's setting, trained on (−10, 10): mean error of 100 seeds.",
                *("errors", "x", "mean |error|", "activation"),
            ),
            Lines(
                "The same, median error by its logarithm.",
                *("errors", "x", "median |error|", "activation"),
                log_y=True,
            ),
            Lines(
                "Rectifiers straighten as training goes on.",
                *("steps", "step", "median |error| at x = 20", "activation"),
                log_x=True,
                log_y=True,
            ),
            Lines(
                "The NALU paper's setting, trained on (−5, 5): mean error.",
                *("original", "x", "mean |error|", "activation"),
            ),
        ),
    )

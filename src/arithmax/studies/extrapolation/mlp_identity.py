"""Networks that cannot learn y = x: error against x, by activation function."""

from itertools import combinations
from typing import Any

import numpy as np

from ...networks import Stack
from ...statistics import Interval, success_rate
from ...tasks import Functions
from ...units import Dense, Linear
from .._evaluate import ArmRuns, Trained
from .._learned import ends_of_range, predictions
from .._sheet import sheet
from .._snapshots import snapshots
from .._study import Arm, Computed, Study, Table, columns
from .._tables import exact, mean
from ._accuracy import COMPARED, right
from ._runs import descended

SHEET = sheet("extrapolation", "mlp-identity")
HERE, ORIGINAL = "report", "NALU paper"
Range = tuple[float, float]
# Hidden layers of 8, the range to train on, the range to test on, steps to keep.
SETTINGS: dict[str, tuple[int, Range, Range, tuple[int, ...]]] = {
    HERE: (2, (-10.0, 10.0), (-10.0, 20.0), (1000, 2000, 5000, 10_000)),
    ORIGINAL: (3, (-5.0, 5.0), (-20.0, 20.0), ()),
}
POINTS = 121  # of the axis


def learned(runs: ArmRuns, trained: Trained) -> tuple[np.ndarray, np.ndarray]:
    """The axis of the test range [point], and what each seed makes of it."""
    x = np.linspace(*ends_of_range(runs, "extrapolation"), POINTS)
    return x, predictions(runs, trained, x[None])[:, 0]


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
            str(runs.arm.labels["activation"]): learned(runs, trained)
            for runs in trained.arms(setting=setting)
        }
        tables[name] = _errors(functions)
        tables[f"{name}-order"], concordances = _order(setting, functions)
        figures |= concordances
    rows = [r for f in trained.arms(setting=HERE) for r in _straightening(f, trained)]
    tables["steps"] = columns(("activation", "step", "median |error| at x = 20"), rows)
    return Computed(tables, figures)


def _straightening(arm_runs: ArmRuns, trained: Trained) -> list[tuple[Any, ...]]:
    """The median error of an arm's seeds at the end of the test range, by step."""
    cell, (steps, runs) = arm_runs.arm.cell, snapshots(arm_runs, trained)
    end = np.array([[ends_of_range(arm_runs, "extrapolation")[1]]])
    rows = []
    for k, step in enumerate(steps):
        y = np.array([cell.network.compute(run[k], end)[0, 0] for run in runs])
        error = float(np.median(np.abs(y - end)))
        rows.append((arm_runs.arm.labels["activation"], step, error))
    return rows


def _errors(functions: dict[str, tuple[np.ndarray, np.ndarray]]) -> Table:
    """The mean and median error of all seeds at each x, by activation."""
    rows = []
    for name, (x, y) in functions.items():
        error = np.abs(y - x)
        points = zip(x, error.mean(axis=0), np.median(error, axis=0), strict=True)
        rows += [(name, *map(float, point)) for point in points]
    return columns(("activation", "x", "mean |error|", "median |error|"), rows)


def _order(setting: str, functions: dict[str, tuple[np.ndarray, np.ndarray]]) -> Any:
    """Activations by how nonlinear the learned function is, and the claims' figures."""
    _, (inner, outer), _, _ = SETTINGS[setting]
    rows, figures = [], {}
    for name, (x, y) in functions.items():
        error, outside = np.abs(y - x), (x < inner) | (x > outer)
        inside = float(np.median(error[:, ~outside].mean(axis=1)))
        passed = right(y, x, COMPARED)[:, outside].all(axis=1)
        share = success_rate(int(passed.sum()), len(y))
        far = error[:, [0, -1]].mean(axis=1) if setting == ORIGINAL else error[:, -1]
        bend, middle = np.median(nonlinearity(x, y)), np.median(far)
        measured = (float(bend), inside, float(middle), float(far.mean()))
        rows.append((name, len(y), *measured, share.value))
        if setting == HERE:
            figures[SHEET.claim("beyond", activation=name)] = share
        else:
            figures[SHEET.claim("far", activation=name)] = mean(far)
    rows.sort(key=lambda row: -row[2])
    if setting == HERE:
        tau = concordance([row[2] for row in rows], [row[4] for row in rows])
        figures[SHEET.claim("order")] = exact(tau)
    names = ("activation", "seeds", "nonlinearity", "median |error| inside")
    far = "x = 20" if setting == HERE else "|x| = 20"
    last = (f"median |error| at {far}", f"mean |error| at {far}", "right beyond")
    return columns((*names, *last), rows), figures


def _arm(setting: str, activation: str) -> Arm:
    hidden, inner, outer, keep = SETTINGS[setting]
    name = {"LeakyReLU": "leaky_relu"}.get(activation, activation.lower())
    layers = (Dense(name),) * hidden  # type: ignore[arg-type]  # a literal
    network = Stack((*layers, Linear()), (8,) * hidden)
    task = Functions(("identity",), inner, outer)
    labels = {"setting": setting, "activation": activation}
    return Arm(labels, descended(network, task, keep))


def study() -> Study:
    """Section 2."""
    arms = [_arm(HERE, **labels) for labels in SHEET.labels("beyond")]
    arms += [_arm(ORIGINAL, **labels) for labels in SHEET.labels("far")]
    return SHEET.study(arms, identity)

"""Figure 2 of the NPU draft: exp, log and sin by sums of powers."""

import math
from typing import Any

import numpy as np

from ...networks import Network, Stack
from ...tasks import Functions
from ...training import L1, Adam, Batches, Cell
from ...units import Params
from .._evaluate import Trained
from .._grid import combinations
from .._learned import predictions
from .._sheet import sheet
from .._study import Arm, Computed, Study
from .._tables import columns
from ._readings import chosen, formula
from ._runs import SUMS, UNITS, dense, scripted

# The scripts' ranges: trained on, tested on; and how many powers are summed.
RANGES = {
    "log": ((0.1, 2.0), (0.1, 8.0)),
    "exp": ((-5.0, 5.0), (-10.0, 10.0)),
    "sin": ((-5.0, 5.0), (-10.0, 10.0)),
}
HIDDEN = {"log": 10, "exp": 10, "sin": 4}
EXACT: dict[str, Any] = {"log": np.log, "exp": np.exp, "sin": np.sin}
MODELS = ("Dense", "NPU", "NaiveNPU", "RealNaiveNPU")
POINTS, CURVE = 401, 161  # on which errors are measured, and curves are drawn
DRAWN = 5.0  # beyond it a curve of log or sin is not drawn
WHOLE = 0.05  # how near to a whole number a power of a Taylor series is


def cell(function: str, model: str) -> Cell:
    """The scripts' run of a model on a function."""
    task = Functions((function,), *RANGES[function])
    settings: dict[str, Any] = {"steps": 50_000, "batches": Batches(100)}
    if model == "Dense":
        return scripted(dense(10, 10), task, **settings, optimiser=Adam(1e-2))
    if model != "RealNaiveNPU":  # the others' imaginary weights are penalised
        settings["penalties"] = (L1(1e-3, 1e-3, of="W_im"),)
    network = Stack((UNITS[model], SUMS), (HIDDEN[function],))
    return scripted(network, task, **settings)


def relative_error(out: np.ndarray, exact: np.ndarray) -> float:
    """Root mean square of the error, over that of the function."""
    with np.errstate(over="ignore", invalid="ignore"):
        error = float(np.sqrt(((out - exact) ** 2).mean() / (exact**2).mean()))
    return error if np.isfinite(error) else float("inf")


def axis(function: str, points: int) -> np.ndarray:
    """Inputs of the test range, without 0, where powers of NPUs are ε to a power."""
    x = np.linspace(*RANGES[function][1], points)
    return x[x != 0]


def errors(out: np.ndarray, function: str) -> list[float]:
    """The relative error within the training range and beyond."""
    x, (low, high) = axis(function, POINTS), RANGES[function][0]
    exact, inside = EXACT[function](x), (x >= low) & (x <= high)
    return [relative_error(out[w], exact[w]) for w in (inside, ~inside)]


def taylor(function: str) -> tuple[Any, ...]:
    """A Taylor series at zero with as many terms as the networks have powers."""
    x, terms = axis(function, POINTS), range(HIDDEN[function])
    if function == "exp":
        series = sum(x**k / math.factorial(k) for k in terms)
    else:
        odd = ((-1) ** k * x ** (2 * k + 1) / math.factorial(2 * k + 1) for k in terms)
        series = sum(odd)
    pair = errors(np.asarray(series), function)
    return (function, "Taylor series", len(terms), *pair, None, None)


def written(network: Network, params: Params, function: str) -> str:
    """The formula of a network, or what a half-open gate makes powers of."""
    text = formula(network, params, "x", positive=function == "log")
    if text:
        return text
    gate = float(np.clip(params["0.g"][0], 0.0, 1.0))
    return f"powers of {gate:.3g}·|x| + {1 - gate:.3g}: the gate is half open"


def whole(params: Params) -> float:
    """The share of powers that are whole numbers, by the weight of their terms."""
    power = params["0.W_re" if "0.W_re" in params else "0.W"][:, 0]
    weight = np.abs(params["1.W"][0])
    near = np.abs(power - np.round(power)) < WHOLE
    return float(weight[near].sum() / weight.sum())


def curve(function: str, network: Network, params: Params) -> list[tuple[float, ...]]:
    """A learned function to be drawn; exp as a magnitude, in a logarithmic plot."""
    x = axis(function, CURVE)
    with np.errstate(over="ignore", invalid="ignore"):
        out = network.compute(params, x[None])[0]
    if function == "exp":
        out = np.clip(np.abs(out), 1e-6, 1e6)
    else:
        out = np.where(np.abs(out) <= DRAWN, out, np.nan)
    exact = EXACT[function](x)
    return list(zip(x.tolist(), out.tolist(), exact.tolist(), strict=True))


def compute(trained: Trained) -> Computed:
    """Errors, curves and formulae."""
    summary, curves, formulae = [], {name: [] for name in RANGES}, []
    for runs in trained.arms():
        function, model = map(str, runs.arm.labels.values())
        network, run = runs.arm.cell.network, chosen(runs)
        params = trained.weights(run)
        out = predictions(runs, trained, axis(function, POINTS)[None])[:, 0]
        pairs = np.array([errors(seed, function) for seed in out])
        at = [row["run"] for row in runs.rows].index(run["run"])
        size = sum(int(np.size(v)) for v in params.values())
        middle = np.median(pairs, axis=0)
        summary.append((function, model, size, *map(float, (*middle, *pairs[at]))))
        drawn = curve(function, network, params)
        curves[function] += [(model, *point) for point in drawn]
        if model != "Dense":
            text = written(network, params, function)
            formulae.append((function, model, run["seed"], whole(params), text))
    summary += [taylor(function) for function in ("exp", "sin")]
    names = ("function", "model", "parameters", "within", "beyond")
    titles = ("function", "model", "seed", "whole powers", "formula")
    tables = {
        "errors": columns((*names, "chosen: within", "chosen: beyond"), summary),
        "formulae": columns(titles, formulae),
    }
    for name, rows in curves.items():
        tables[name] = columns(("model", "x", "learned", "exact"), rows)
    return Computed(tables)


def study() -> Study:
    """Figure 2 of the draft."""
    grid = combinations(function=RANGES, model=MODELS)
    arms = [Arm(labels, cell(**labels)) for labels in grid]
    return sheet("npu", "npu-functions").study(arms, compute)

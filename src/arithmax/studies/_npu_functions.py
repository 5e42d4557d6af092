"""Figure 2 of the NPU draft: exp, log and sin by sums of powers."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..networks import Stack
from ..protocol import Cell, Protocol
from ..tasks import Functions
from ..units import NPU, NaiveNPU, Params, RealNaiveNPU, Unit
from ._evaluate import Found, Trained
from ._npu import DRAFT, SEEDS, SUMS, chosen, dense, formula
from ._plots import Lines
from ._study import Arm, Computed, Study, Table, columns

# The scripts' ranges: trained on, tested on; and how many powers are summed.
RANGES = {
    "log": ((0.1, 2.0), (0.1, 8.0)),
    "exp": ((-5.0, 5.0), (-10.0, 10.0)),
    "sin": ((-5.0, 5.0), (-10.0, 10.0)),
}
HIDDEN = {"log": 10, "exp": 10, "sin": 4}
STEPS = 50_000
EXACT: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "log": np.log,
    "exp": np.exp,
    "sin": np.sin,
}
POWERS: dict[str, Unit] = {
    "NPU": NPU(),
    "NaiveNPU": NaiveNPU(),
    "RealNaiveNPU": RealNaiveNPU(),
}
POINTS = 401
DRAWN = 5.0  # beyond it a curve of log or sin is not drawn
WHOLE = 0.05  # how near to a whole number a power of a Taylor series is


def cell(function: str, model: str) -> Cell:
    """The scripts' run of a model on a function."""
    inner, outer = RANGES[function]
    task = Functions((function,), inner, outer)
    settings: dict[str, Any] = {"steps": STEPS, "batch": 100}
    if model == "Dense":
        network, settings["learning_rate"] = dense(10, 10), 1e-2
    else:
        network = Stack((POWERS[model], SUMS), (HIDDEN[function],))
        if model != "RealNaiveNPU":  # the others' imaginary weights are penalised
            settings |= {"l1": 1e-3, "l1_end": 1e-3, "l1_of": "W_im"}
    return Cell(network, task, Protocol(**settings), tuple(range(SEEDS)))


def relative_error(out: np.ndarray, exact: np.ndarray) -> float:
    """Root mean square of the error, over that of the function."""
    with np.errstate(over="ignore", invalid="ignore"):
        error = float(np.sqrt(((out - exact) ** 2).mean() / (exact**2).mean()))
    return error if np.isfinite(error) else float("inf")


def written(network: Unit, params: Params, function: str) -> str:
    """The formula of a network, or what a half-open gate makes powers of."""
    found = formula(network, params, "x", positive=function == "log")
    if found:
        return found
    gate = float(np.clip(params["0.g"][0], 0.0, 1.0))
    return f"powers of {gate:.3g}·|x| + {1 - gate:.3g}: the gate is half open"


def whole(params: Params) -> float:
    """The share of powers that are whole numbers, by the weight of their terms."""
    power = params["0.W_re" if "0.W_re" in params else "0.W"][:, 0]
    weight = np.abs(params["1.W"][0])
    near = np.abs(power - np.round(power)) < WHOLE
    return float(weight[near].sum() / weight.sum())


def axis(function: str) -> tuple[np.ndarray, np.ndarray]:
    """Inputs of the test range, and which of them are in the training range."""
    (low, high), outer = RANGES[function]
    x = np.linspace(*outer, POINTS)
    x = x[x != 0]  # where powers of NPUs are ε to a power
    return x, (x >= low) & (x <= high)


def taylor(function: str) -> tuple[Any, ...]:
    """A Taylor series at zero with as many terms as the networks have powers."""
    x, inside = axis(function)
    terms = range(HIDDEN[function])
    if function == "exp":
        series = sum(x**k / math.factorial(k) for k in terms)
    else:
        odd = ((-1) ** k * x ** (2 * k + 1) / math.factorial(2 * k + 1) for k in terms)
        series = sum(odd)
    exact = EXACT[function](x)
    own = (relative_error(np.asarray(series)[w], exact[w]) for w in (inside, ~inside))
    return (function, "Taylor series", len(terms), *own, None, None)


def errors(found: Found, trained: Trained, function: str) -> np.ndarray:
    """The relative error [seed, 2] within the training range and beyond."""
    x, inside = axis(function)
    exact, network = EXACT[function](x), found.arm.cell.network
    rows = []
    for row in found.rows:
        with np.errstate(over="ignore", invalid="ignore"):
            out = network.compute(trained.weights(row), x[None])[0]
        rows.append([relative_error(out[w], exact[w]) for w in (inside, ~inside)])
    return np.array(rows)


def learned(trained: Trained) -> Computed:
    """Errors, curves and formulae."""
    summary, curves, formulae = [], {name: [] for name in RANGES}, []
    for found in trained.found:
        if not found.rows:
            continue
        function, model = map(str, found.arm.labels.values())
        network, run = found.arm.cell.network, chosen(found)
        params = trained.weights(run)
        own = errors(found, trained, function)
        at = [row["run"] for row in found.rows].index(run["run"])
        size = sum(int(np.size(v)) for v in params.values())
        middle = np.median(own, axis=0)
        summary.append((function, model, size, *map(float, (*middle, *own[at]))))
        curves[function] += _curve(function, model, network, params)
        if model != "Dense":
            text = written(network, params, function)
            formulae.append((function, model, run["seed"], whole(params), text))
    summary += [taylor(function) for function in ("exp", "sin")]
    names = ("function", "model", "parameters", "within", "beyond")
    tables: dict[str, Table] = {
        "errors": columns((*names, "chosen: within", "chosen: beyond"), summary),
        "formulae": columns(
            ("function", "model", "seed", "whole powers", "formula"), formulae
        ),
    }
    for name, rows in curves.items():
        tables[name] = columns(("model", "x", "learned", "exact"), rows)
    return Computed(tables)


def _curve(
    function: str, model: str, network: Unit, params: Params
) -> list[tuple[Any, ...]]:
    """A learned function to be drawn; exp as a magnitude, in a logarithmic plot."""
    x = np.linspace(*RANGES[function][1], 161)
    x = x[x != 0]
    with np.errstate(over="ignore", invalid="ignore"):
        out = network.compute(params, x[None])[0]
    if function == "exp":
        out = np.clip(np.abs(out), 1e-6, 1e6)
    else:
        out = np.where(np.abs(out) <= DRAWN, out, np.nan)
    exact = EXACT[function](x)
    points = zip(x.tolist(), out.tolist(), exact.tolist(), strict=True)
    return [(model, *point) for point in points]


ABOUT = """
A sum of powers Σ aᵢ x^wᵢ with learned aᵢ and wᵢ can be a Taylor series. The draft says
in its abstract that the NPU learns “Taylor expansions with very few parameters, which
makes the NPU highly explainable”, and draws log, exp and sin beyond the training range
(figure 2, without legend or numbers). Here are the networks of its scripts: a power
unit with 10 hidden units (4 for sin) and a sum, against a dense network 1-10-10-1; the
draft's NPU, which has no gate, is the NaiveNPU. Choices: 50,000 steps for all (the
scripts have 10,000 to 100,000), batches of 100 uniform inputs instead of a grid with
steps of 0.1, Adam at 0.001 (dense: 0.01), 20 seeds, and as in the scripts a penalty on
imaginary weights, 0.001 of their L1 norm. Curves and formulae are of the seed with the
least error within the training range, never of the least error beyond.

**What to look for.** On log, which is trained on positive numbers, powers extrapolate
far better than the dense network, and the formulae tell why: small powers of both
signs, since log x is the limit of (xᵃ − x⁻ᵃ)/2a. On exp they are nearer the truth than
the dense network up to x = 10, and useless at negative x. On sin nothing extrapolates.
None of it is a Taylor series: hardly any power is a whole number. A Taylor series of as
many terms, listed beside them, is the better extrapolation of exp. Where a gate stays
half open the network computes powers of g|x| + 1 − g, of which there is no formula in
x.
"""


def npu_functions() -> Study:
    """Figure 2 of the draft."""
    arms = [
        Arm({"function": function, "model": model}, cell(function, model))
        for function in RANGES
        for model in ("Dense", *POWERS)
    ]
    drawn = (
        Lines(
            f"{name}{note}: the seed with the least error in the training range.",
            name,
            "x",
            "learned",
            "model",
            dashed="exact",
            log_y=name == "exp",
        )
        for name, note in (
            ("log", ", trained on [0.1, 2]"),
            ("exp", ", magnitude, trained on [−5, 5]"),
            ("sin", ", trained on [−5, 5]"),
        )
    )
    return Study(
        "npu-functions",
        "exp, log and sin as sums of powers",
        f"{DRAFT}, section 4 and figure 2",
        ABOUT.strip(),
        tuple(arms),
        compute=learned,
        shown={
            "errors": "Root mean square error relative to that of the function, within "
            "the training range and beyond it: median of 20 seeds, and the seed that "
            "is chosen by its error within.",
            "formulae": "What the chosen seed has learned, and which share of it (by "
            "weight) has powers within 0.05 of a whole number, as a Taylor series has.",
        },
        plots=tuple(drawn),
    )

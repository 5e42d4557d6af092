"""What is expected at initialisation: theory beside Monte Carlo."""

import math
from dataclasses import astuple
from typing import Any

import numpy as np

from ...statistics import Interval
from ...units import NAC, NMU, MultiplicativeNAC, Params, Uniform, Unit
from .._sheet import sheet
from .._study import Computed, Study, Table, columns
from .._tables import estimate

SHEET = sheet("slides", "gradients")
SEED = 2020
EPS = 1e-7
NUMBERS = 2_000_000  # about as many are drawn of each parameter of a layer
LAYERS = (4, 10, 100)  # inputs of the NAC₊
WIDTHS = (2, 3, 5, 10, 20, 50, 100)  # inputs of the NAC•
MEANS = (0.5, 1.0, 3.0, 5.0)  # E[z] of the layer before
FACTORS = (2, 3, 4, 6, 8)  # inputs of the NMU
CENTRED = "inputs of mean 0 and variance 1"
COMPARED = ("E[z]", "Var[z]", "E[(∂z/∂x)²]")  # moments of the NMU
PRODUCTS = {(2, 5.0): "few", (100, 0.5): "many"}  # claims by H and E[z] before
RANGES = {CENTRED: (-math.sqrt(3), math.sqrt(3)), "inputs in [1, 2]": (1.0, 2.0)}


def start(unit: Unit, inputs: int, name: str) -> Uniform:
    """The distribution that a unit with one output draws a parameter from."""
    drawn = unit.parameters(inputs, 1)[name].distribution
    assert isinstance(drawn, Uniform)
    return drawn


def nac_draws(inputs: int, draws: int, stream: int) -> tuple[float, Params]:
    """The NAC's r for one output, and that many draws of Ŵ and M̂ [draw, input]."""
    rng = np.random.default_rng([SEED, stream, inputs])
    r = start(NAC(), inputs, "W_hat").high
    drawn = rng.uniform(-r, r, (2, draws, inputs))
    return r, {"W_hat": drawn[0], "M_hat": drawn[1]}


def mean_gradient(r: float, x_squared: float) -> float:
    """E[∂L/∂M̂] of a NAC₊ and a squared error: 2 E[x²] E[tanh² Ŵ] E[σσ′].

    Of y = Σ wᵢxᵢ in ∂L/∂M̂ⱼ = 2 (y − t) xⱼ tanh(Ŵⱼ) σ′(M̂ⱼ) only i = j remains: the
    other terms, and t, have the factor E[tanh Ŵ] = 0. So this holds for any inputs and
    targets that do not depend on the parameters.
    """
    tanh_squared = 1 - math.tanh(r) / r
    sigmoid_and_slope = math.tanh(r / 2) / (4 * r)
    return 2 * x_squared * tanh_squared * sigmoid_and_slope


def slopes(params: Params, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """∂L/∂W and ∂W/∂M̂ [draw, input] of L = (y − x₁ − x₂)²."""
    w = NAC().weights(params)["W"]
    error = (w * x).sum(axis=1) - x[:, :2].sum(axis=1)
    sigmoid = 1 / (1 + np.exp(-params["M_hat"]))
    return 2 * error[:, None] * x, w * (1 - sigmoid)  # since σ′ = σ (1 − σ)


def gradients(inputs: int) -> dict[str, np.ndarray]:
    """Draws of ∂L/∂M̂ [draw, input], for x uniform on [1, 2]."""
    draws = NUMBERS // inputs
    _, params = nac_draws(inputs, draws, 1)
    x = np.random.default_rng([SEED, 0, inputs]).uniform(1.0, 2.0, (draws, inputs))
    upstream, slope = slopes(params, x)
    # Another draw's ∂L/∂W has the same distribution, and knows nothing of this Ŵ.
    other = np.roll(upstream, 1, axis=0)
    return {"independent": other * slope, "real": upstream * slope}


CASES = {"independent": "∂L/∂W of another draw", "real": "∂L/∂W of the network"}


def gradient_tables() -> tuple[dict[str, Table], dict[str, Interval]]:
    """Theory and measurement for each size; histograms; the claims' figures."""
    rows, bars, figures = [], [], {}
    for inputs in LAYERS:
        theory = mean_gradient(start(NAC(), inputs, "W_hat").high, 7 / 3)
        for case, values in gradients(inputs).items():
            # The inputs of one draw are not independent; their mean is one sample.
            measured = estimate(values.mean(axis=1))
            exact = theory if case == "real" else 0.0
            spread = float(np.sqrt((values**2).mean()))
            row = (CASES[case], inputs, len(values), exact, *astuple(measured), spread)
            rows.append(row)
            if inputs == 100:
                figures[SHEET.claim(case)] = measured
                bars += _histogram(CASES[case], values)
    names = ("gradient", "inputs", "draws", "theory", "measured", "low", "high")
    return {
        "gradient": columns((*names, "root mean square"), rows),
        "histogram": columns(("case", "∂L/∂M̂", "share"), bars),
    }, figures


def _histogram(case: str, values: np.ndarray) -> list[tuple[str, float, float]]:
    counts, _ = np.histogram(values, np.linspace(-2.05, 2.05, 42))
    shares = (counts / values.size).tolist()
    return [(case, k / 10, s) for k, s in zip(range(-20, 21), shares, strict=True)]


def weight_variance(r: float) -> float:
    """Var[W] of W = tanh(Ŵ) σ(M̂) with Ŵ and M̂ uniform on [−r, r], as printed."""
    return (1 - math.tanh(r) / r) * (r - math.tanh(r / 2)) / (2 * r)


def printed_expectation(variance: float, inputs: int, mean: float) -> float:
    """(1 + ½ Var[W] log(|E[z]| + ε)²)^H, the second-order approximation of E[z]."""
    return (1 + variance * math.log(abs(mean) + EPS) ** 2 / 2) ** inputs


def exact_expectation(r: float, inputs: int, mean: float, *, spread: bool) -> float:
    """E[z] of NAC• for independent inputs, by quadrature over Ŵ and M̂.

    The inputs are all `mean`, or with `spread` uniform on [0, 2 `mean`], for which the
    expectation of (z + ε)^w has a closed form.
    """
    nodes, heights = np.polynomial.legendre.leggauss(160)
    w = np.tanh(r * nodes)[:, None] / (1 + np.exp(-r * nodes))
    if spread:
        ends = (2 * mean + EPS) ** (w + 1) - EPS ** (w + 1)
        powers = ends / (2 * mean * (w + 1))
    else:
        powers = (mean + EPS) ** w
    return float(heights @ powers @ heights / 4) ** inputs


def product_table() -> tuple[Table, dict[str, Interval]]:
    """E[z] of NAC•: printed, exact and measured."""
    rows, figures = [], {}
    for inputs in WIDTHS:
        draws = 2 * NUMBERS // max(inputs, 40)
        r, params = nac_draws(inputs, draws, 2)
        # Each draw of weights is an output of one wide layer, each mean a sample.
        x = np.tile(np.array(MEANS), (inputs, 1))
        z = MultiplicativeNAC(eps=EPS).compute(params, x)
        for mean, values in zip(MEANS, z.T, strict=True):
            measured = estimate(values)
            rows.append((*_theory(r, inputs, mean), draws, *astuple(measured)))
            if (inputs, mean) in PRODUCTS:
                figures[SHEET.claim(PRODUCTS[inputs, mean])] = measured
    names = ("E[z] before", "H", "printed", "exact", "exact, inputs spread")
    return columns((*names, "draws", "measured", "low", "high"), rows), figures


def _theory(r: float, inputs: int, mean: float) -> tuple[float, ...]:
    printed = printed_expectation(weight_variance(r), inputs, mean)
    exact = [exact_expectation(r, inputs, mean, spread=s) for s in (False, True)]
    return mean, inputs, printed, *exact


def nmu_moments(inputs: int, mean: float, variance: float) -> dict[str, float]:
    """Moments of z = Π (Wᵢxᵢ + 1 − Wᵢ), exact for independent inputs."""
    drawn = start(NMU(), inputs, "W")
    w = (drawn.low + drawn.high) / 2
    w_squared = w**2 + (drawn.high - drawn.low) ** 2 / 12
    # A factor is 1 + W (x − 1).
    first = 1 + w * (mean - 1)
    second = 1 + 2 * w * (mean - 1) + w_squared * (variance + (mean - 1) ** 2)
    return {
        "E[z]": first**inputs,
        "Var[z]": second**inputs - first ** (2 * inputs),
        "E[∂z/∂x]": w * first ** (inputs - 1),
        "E[(∂z/∂x)²]": w_squared * second ** (inputs - 1),
    }


def printed_moments(inputs: int, variance: float) -> dict[str, float]:
    """The same as the paper prints them, for inputs of mean zero."""
    drawn = start(NMU(), inputs, "W")
    both = (drawn.high - drawn.low) ** 2 / 12 + 1 / 4
    second = both**inputs * (variance + 1) ** inputs
    return {
        "E[z]": 0.5**inputs,
        "Var[z]": second - 0.25**inputs,
        "E[∂z/∂x]": 0.5**inputs,
        "E[(∂z/∂x)²]": second / (variance + 1),
    }


def products(w: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """z and ∂z/∂x₁ of the NMU, each [draw], of weights and inputs [draw, input]."""
    factors = w * x + 1 - w
    return factors.prod(axis=1), w[:, 0] * factors[:, 1:].prod(axis=1)


def measured_moments(inputs: int, low: float, high: float) -> dict[str, Interval]:
    """The same by Monte Carlo, of inputs uniform on [low, high]."""
    rng = np.random.default_rng([SEED, 3, inputs, round(100 * high)])
    shape = (NUMBERS // 4, inputs)
    drawn = start(NMU(), inputs, "W")
    w = rng.uniform(drawn.low, drawn.high, shape)
    z, slope = products(w, rng.uniform(low, high, shape))
    return {
        "E[z]": estimate(z),
        "Var[z]": estimate((z - z.mean()) ** 2),
        "E[∂z/∂x]": estimate(slope),
        "E[(∂z/∂x)²]": estimate(slope**2),
    }


def moment_table() -> tuple[Table, dict[str, Interval]]:
    """The NMU's moments: printed, exact and measured."""
    rows, figures = [], {}
    for kind, (low, high) in RANGES.items():
        mean, variance = (low + high) / 2, (high - low) ** 2 / 12
        for inputs in FACTORS:
            printed = printed_moments(inputs, variance)
            exact = nmu_moments(inputs, mean, variance)
            for name, measured in measured_moments(inputs, low, high).items():
                values = (printed[name], exact[name], *astuple(measured))
                rows.append((f"{name}, {kind}", inputs, NUMBERS // 4, *values))
                if kind == CENTRED and inputs == 4 and name in COMPARED:
                    figures[SHEET.claim("moment", moment=name)] = measured
    names = ("moment", "H", "draws", "printed", "exact", "measured")
    return columns((*names, "low", "high"), rows), figures


def at_initialisation(_: Any) -> Computed:
    """Everything above."""
    tables, figures = gradient_tables()
    tables["nac-mean"], more = product_table()
    tables["nmu-moments"], last = moment_table()
    return Computed(tables, figures | more | last)


def _printed() -> dict[str, list[dict[str, Any]]]:
    """What the slides, the note and the paper's appendix print, as numbers."""
    printed: dict[str, list[dict[str, Any]]] = {}
    for (inputs, mean), key in PRODUCTS.items():
        variance = weight_variance(start(NAC(), inputs, "W_hat").high)
        printed[key] = [{"exact": printed_expectation(variance, inputs, mean)}]
    moments = printed_moments(4, 1.0)
    printed["moment"] = [{"moment": m, "exact": moments[m]} for m in COMPARED]
    return printed


def study() -> Study:
    """Gradients and moments at initialisation."""
    return SHEET.study(compute=at_initialisation, derived=_printed())

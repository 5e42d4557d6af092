"""What is expected at initialisation: theory beside Monte Carlo."""

import math
from dataclasses import astuple
from typing import Any

import numpy as np

from ..statistics import Interval
from ..units import NAC, NMU, MultiplicativeNAC, Params, Uniform, Unit
from ._plots import Bars, Lines
from ._study import Computed, Published, Study, Table, columns

SEED = 2020
EPS = 1e-7
NUMBERS = 2_000_000  # about as many are drawn of each parameter of a layer
LAYERS = (4, 10, 100)  # inputs of the NAC₊
WIDTHS = (2, 3, 5, 10, 20, 50, 100)  # inputs of the NAC•
MEANS = (0.5, 1.0, 3.0, 5.0)  # E[z] of the layer before
FACTORS = (2, 3, 4, 6, 8)  # inputs of the NMU
CENTRED = "inputs of mean 0 and variance 1"
RANGES = {CENTRED: (-math.sqrt(3), math.sqrt(3)), "inputs in [1, 2]": (1.0, 2.0)}


def estimate(samples: np.ndarray) -> Interval:
    """The mean of independent samples ± 1.96 standard errors."""
    mean = float(samples.mean())
    half = 1.96 * float(samples.std(ddof=1)) / math.sqrt(samples.size)
    return Interval(mean, mean - half, mean + half)


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
                figures[M_HAT[case]] = measured
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
                figures[PRODUCTS[inputs, mean]] = measured
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
                if kind == CENTRED and inputs == 4 and name in MOMENTS:
                    figures[MOMENTS[name]] = measured
    names = ("moment", "H", "draws", "printed", "exact", "measured")
    return columns((*names, "low", "high"), rows), figures


# What documents state, by the names of the claims.
M_HAT = {
    "independent": "E[∂L/∂M̂] of 100 inputs, ∂L/∂W independent of Ŵ",
    "real": "E[∂L/∂M̂] of 100 inputs, NAC₊ and squared error",
}
PRODUCTS = {
    (2, 5.0): "E[z] of NAC•, 2 inputs of 5",
    (100, 0.5): "E[z] of NAC•, 100 inputs of 0.5",
}
MOMENTS = {
    name: f"{name} of the NMU, 4 {CENTRED}"
    for name in ("E[z]", "Var[z]", "E[(∂z/∂x)²]")
}


def at_initialisation(_: Any) -> Computed:
    """Everything above."""
    tables, figures = gradient_tables()
    tables["nac-mean"], more = product_table()
    tables["nmu-moments"], last = moment_table()
    return Computed(tables, figures | more | last)


def _stated(value: float, note: str, reason: str = "") -> Published:
    return Published(value, value, value, note, reason)


def _claims() -> dict[str, Published]:
    """What the slides, the note and the paper's appendix print, as numbers."""
    assumed = "it takes ∂L/∂W to be independent of Ŵ. A squared error's ∂L/∂W has y in "
    assumed += "it, and so Ŵ: what remains is 2 E[x²] E[tanh² Ŵ] E[σσ′] > 0"
    order = "it is of second order in W log z, and Var[W] of so small a layer is 2/5. "
    order += "E[z] > 1 holds all the more: see the column of exact values"
    slides = "slides on weight issues: E[∂L/∂M̂] = 0"
    claims = {
        M_HAT["independent"]: _stated(0.0, slides),
        M_HAT["real"]: _stated(0.0, slides, assumed),
    }
    for (inputs, mean), name in PRODUCTS.items():
        variance = weight_variance(start(NAC(), inputs, "W_hat").high)
        value = printed_expectation(variance, inputs, mean)
        note = "second-order approximation of slides and note"
        claims[name] = _stated(value, note, order if inputs == 2 else "")
    printed = printed_moments(4, 1.0)
    for moment, name in MOMENTS.items():
        claims[name] = _stated(printed[moment], "paper, appendix on moments")
    return claims


ABOUT = """
The NAU and the NMU were designed because of what is to be expected of older units at
their first step. Here those expectations stand beside Monte Carlo with the units' own
initialisation. Intervals are mean ± 1.96 standard errors: about one in twenty misses.

**The gradient of M̂.** The slides derive E[∂L/∂M̂] = 0 from E[tanh Ŵ] = 0. That takes
∂L/∂W to be independent of Ŵ; where it is made so, by taking that of another draw, the
mean is zero. In a NAC₊ that is trained with a squared error it is positive, whatever
the target: on average, gradient descent first lowers M̂ and so shrinks every weight. But
it is small beside the root mean square: that M̂ gets little direction stands.

**NAC• exceeds 1.** W = tanh(Ŵ) σ(M̂) is symmetric about zero, so that E[exp(W log z)] is
E[cosh(W log z)], and E[z] ≥ 1 exactly and for any inputs. The printed formula is its
second order: close for wide layers with inputs that are all alike, less so for few
inputs, and far off where inputs come near zero (column “exact, inputs spread”).

**The NMU.** The printed moments are exact for independent inputs of mean zero; the
exact ones extend them to any mean. The ideal variance of W is said to be ¼, which on
[0, 1] only weights that are all 0 or 1 have. Its start on [¼, ¾] has 1/48, so that the
variance of z shrinks as inputs of mean zero and variance 1 are added.
"""


def _lines(caption: str, columns: tuple[str, str, str, str], logs: str) -> Lines:
    table, x, by, dashed = columns
    ends = ("low", "high", dashed, "x" in logs, "y" in logs)
    return Lines(caption, table, x, "measured", by, *ends)


GRADIENTS = Study(
    name="gradients",
    title="Gradients and moments at initialisation",
    source="Madsen and Johansen, “Neural Arithmetic Units”, ICLR 2020, its slides and "
    "its appendix on moments; NALU project note of April 2019, sections 3.1 and 3.4",
    about=ABOUT.strip(),
    compute=at_initialisation,
    claims=_claims(),
    shown={
        "gradient": "The mean of ∂L/∂M̂ over the inputs of a NAC₊ with one output, "
        "for L = (y − x₁ − x₂)² and x uniform on [1, 2]. Theory: 0, and 2 E[x²] "
        "E[tanh² Ŵ] E[σσ′].",
        "nac-mean": "E[z] of NAC• with H inputs: printed, exact and measured for "
        "inputs that all equal the mean before; exact for inputs uniform between 0 and "
        "twice that mean.",
        "nmu-moments": "Moments of the NMU with H independent inputs: printed, "
        "for a mean of zero; exact, for the inputs named; and measured.",
    },
    plots=(
        _lines(
            "Mean of ∂L/∂M̂ over the number of inputs; dashed: theory.",
            ("gradient", "inputs", "gradient", "theory"),
            logs="x",
        ),
        Bars(
            "∂L/∂M̂ of 100 inputs, as far as it lies between −2 and 2.",
            *("histogram", "∂L/∂M̂", "share", "case"),
        ),
        _lines(
            "E[z] of NAC• over the number of its inputs; dashed: as printed.",
            ("nac-mean", "H", "E[z] before", "printed"),
            logs="xy",
        ),
        _lines(
            "Moments of the NMU over the number of its inputs; dashed: exact.",
            ("nmu-moments", "H", "moment", "exact"),
            logs="y",
        ),
    ),
)

"""The multiplication note's moments at initialisation, beside Monte Carlo."""

import math
from itertools import product
from typing import Any

import numpy as np

from ...statistics import Interval
from ...units import Linear, Uniform
from .._sheet import sheet
from .._study import Computed, Study, Table, columns
from .._tables import ends, estimate

SHEET = sheet("note", "moments")
SEED = 2019
EPS = 1e-7
NUMBERS = 2_000_000  # about as many weights are drawn for each figure
NOTES = "x in [1, 2]"
CENTRED = "mean 0, variance 1"
FIRST = ((NOTES, 4, 2), (CENTRED, 4, 2), (CENTRED, 4, 4), (CENTRED, 100, 2))
INPUTS = {NOTES: (1.0, 2.0), CENTRED: (-math.sqrt(3), math.sqrt(3))}
WIDTH_MEAN = 0.5  # E[z₁] of the layers of several widths
SECOND = (*((h, WIDTH_MEAN) for h in (2, 4, 10, 30, 100)), (2, 5.0))  # H₁ and E[z₁]
COMPARED = {(2, 5.0): "2 inputs of 5", (100, 0.5): "100 inputs of 0.5"}
SPREADS = {"all the same": 0.0, "within half their mean": 0.5}
E_Z, VAR_Z, VAR_BACK = "E[z₂]", "Var[z₂]", "Var[∂L/∂z₁] / Var[∂L/∂z₂]"
EPSILONS = (1e-1, 1e-3, 1e-5, 1e-7)
NODES, HEIGHTS = np.polynomial.legendre.leggauss(100)
TARGET = 18.0  # the note's t at x = 1.5


def bound(inputs: int, outputs: int) -> float:
    """The r of Glorot's U[−r, r], as linear weights start; their variance is r²/3."""
    drawn = Linear(bias=False).parameters(inputs, outputs)["W"].distribution
    assert isinstance(drawn, Uniform)
    return drawn.high


def first_layer() -> tuple[Table, dict[str, Interval]]:
    """E[z₁] and Var[z₁] of eq. 10."""
    rows, figures = [], {}
    for kind, h0, h1 in FIRST:
        (low, high), r = INPUTS[kind], bound(h0, h1)
        mean, variance = (low + high) / 2, (high - low) ** 2 / 12
        rng = np.random.default_rng([SEED, 0, h0, h1])
        shape = (NUMBERS // h0, h0)
        z = (rng.uniform(-r, r, shape) * rng.uniform(low, high, shape)).sum(axis=1)
        theory = [r**2 / 3 * v for v in (h1 * variance, h0 * variance)]
        exact = r**2 / 3 * h0 * (variance + mean**2)
        first, second = estimate(z), estimate(z**2)
        rows.append(("E[z₁]", kind, h0, h1, 0.0, 0.0, 0.0, *ends(first)))
        rows.append(("Var[z₁]", kind, h0, h1, *theory, exact, *ends(second)))
        if kind == NOTES:
            figures = {SHEET.claim("first_mean"): first}
            figures[SHEET.claim("first_variance")] = second
    names = ("moment", "inputs", "H₀", "H₁", "printed", "with H₀ for H₁", "exact")
    return columns((*names, "measured", "low", "high"), rows), figures


def printed_moments(
    h1: int, variance: float, mean: float, spread: float, eps: float = EPS
) -> dict[str, float]:
    """Eq. 10 and 11 as printed, for one output: `spread` is Var[z₁]."""
    base = abs(mean) + eps
    a = variance * math.log(base) ** 2
    square = (1 + 2 * a) ** h1
    return {
        E_Z: (1 + a / 2) ** h1,
        VAR_Z: square - (1 + a / 2) ** (2 * h1),
        VAR_BACK: square * variance * (1 / base**2 + 3 * spread / base**4),
    }


def exact_moments(h1: int, r: float, mean: float, half: float) -> dict[str, float]:
    """The same by quadrature, for independent z₁ uniform on `mean` ± `half`."""
    z, w = (mean + half * NODES + EPS)[:, None], r * NODES[None, :]

    def expected(values: np.ndarray) -> float:
        return float(HEIGHTS @ values @ HEIGHTS / 4)

    first, second = expected(z**w) ** h1, expected(z ** (2 * w))
    back = expected(w**2 * z ** (2 * w - 2)) * second ** (h1 - 1)
    return {E_Z: first, VAR_Z: second**h1 - first**2, VAR_BACK: back}


def drawn_layer(h1: int, mean: float, half: float) -> tuple[np.ndarray, ...]:
    """z₂ and ∂z₂/∂z₁ of one input, over draws of weights and z₁."""
    rng = np.random.default_rng([SEED, 1, h1, round(100 * mean), round(100 * half)])
    r, shape = bound(h1, 1), (4 * NUMBERS // max(h1, 20), h1)
    w, z1 = rng.uniform(-r, r, shape), mean + half * rng.uniform(-1, 1, shape)
    z2 = np.exp((w * np.log(z1 + EPS)).sum(axis=1))
    return z2, z2 * w[:, 0] / (z1[:, 0] + EPS)


def second_layer() -> tuple[Table, dict[str, Interval]]:
    """E[z₂], Var[z₂] and by what the variance of a gradient is multiplied."""
    rows, figures = [], {}
    for (kind, share), (h1, mean) in product(SPREADS.items(), SECOND):
        r, half = bound(h1, 1), share * mean
        printed = printed_moments(h1, r**2 / 3, mean, half**2 / 3)
        exact = exact_moments(h1, r, mean, half)
        z2, slope = drawn_layer(h1, mean, half)
        squares = {E_Z: z2, VAR_Z: (z2 - z2.mean()) ** 2, VAR_BACK: slope**2}
        for name, values in squares.items():
            measured = estimate(values)
            theory = (printed[name], exact[name])
            rows.append((name, kind, mean, h1, len(z2), *theory, *ends(measured)))
            if share == 0 and (h1, mean) in COMPARED:
                inputs = COMPARED[h1, mean]
                claim = SHEET.claim("moment", moment=name, inputs=inputs)
                figures[claim] = measured
    names = ("moment", "z₁", "E[z₁]", "H₁", "draws", "printed", "exact")
    return columns((*names, "measured", "low", "high"), rows), figures


def by_width(table: Table) -> Table:
    """The part of it that is drawn: moments along H₁."""
    rows = [row for row in zip(*table.values(), strict=True) if row[2] == WIDTH_MEAN]
    named = [(f"{row[0]}, z₁ {row[1]}", *row[3:]) for row in rows]
    return columns(("moment", *list(table)[3:]), named)


def backward() -> tuple[Table, dict[str, Interval]]:
    """E[∂L/∂z₁] of eq. 11, for two inputs of 5, and for the loss's own ∂L/∂z₂."""
    h1, mean = 2, 5.0
    z2, slope = drawn_layer(h1, mean, 0.0)
    r, base = bound(h1, 1), mean + EPS
    w = r * NODES

    def expected(power: float, order: int) -> float:
        return float(HEIGHTS @ (w**order * base ** (power * w)) / 2)

    rng = np.random.default_rng([SEED, 2])
    apart = estimate(rng.uniform(-1, 1, slope.shape) * slope)
    real = estimate(2 * (z2 - TARGET) * slope)
    squares, singles = (expected(k, 1) * expected(k, 0) ** (h1 - 1) for k in (2, 1))
    exact = 2 / base * (squares - TARGET * singles)
    names = (SHEET.claim("apart"), SHEET.claim("real"))
    rows = [
        (names[0], len(z2), 0.0, 0.0, *ends(apart)),
        (names[1], len(z2), 0.0, exact, *ends(real)),
    ]
    titles = ("moment", "draws", "printed", "exact", "measured", "low", "high")
    return columns(titles, rows), {names[0]: apart, names[1]: real}


def density(z: np.ndarray, a: np.ndarray) -> np.ndarray:
    """The density at z [n] of a sum of four numbers, each uniform on [−aᵢ, aᵢ]."""
    total = np.zeros_like(z)
    for signs in product((1.0, -1.0), repeat=4):
        total += math.prod(signs) * np.maximum(z + np.dot(signs, a), 0) ** 3
    return total / (6 * np.prod(2 * a))


def at_start(eps: float, power: int, draws: int = 300) -> Interval:
    """E[z₂^power] of the note's network with linear weights, before the first step.

    Given x, both sums have a density that is a spline, and are independent. Over its
    weight, the power of one is sinh(rL)/(rL) on average, where L = power · log(|z| +
    ε). The integral is over log z, since all of it may lie at z ≈ ε.
    """
    r1, r2 = bound(4, 2), bound(2, 1)
    u = np.linspace(math.log(1e-14), math.log(8 * r1), 2000)
    z = np.exp(u)
    scaled = r2 * power * np.log(z + eps)
    average = np.where(scaled == 0, 1.0, np.sinh(scaled) / scaled)
    x = np.random.default_rng([SEED, 3]).uniform(1, 2, (draws, 4))
    weighted = (
        2 * np.trapezoid(density(z, r1 * scale) * average * z, u) for scale in x
    )
    return estimate(np.array([one**2 for one in weighted]))


def start_table() -> tuple[Table, dict[str, Interval]]:
    """Eq. 10 at the E[z₁] = 0 that it gives itself, for several ε."""
    rng = np.random.default_rng([SEED, 4])
    r1, r2, draws = bound(4, 2), bound(2, 1), NUMBERS // 4
    x = rng.uniform(1, 2, (draws, 1, 4))
    z1 = (rng.uniform(-r1, r1, (draws, 2, 4)) * x).sum(axis=2)
    w2 = rng.uniform(-r2, r2, (draws, 2))
    rows, figures = [], {}
    for eps in EPSILONS:
        printed = printed_moments(2, r2**2 / 3, 0.0, 0.0, eps)
        first, second = at_start(eps, 1), at_start(eps, 2)
        variance = Interval(*(s - first.value**2 for s in ends(second)))
        z2 = np.exp((w2 * np.log(np.abs(z1) + eps)).sum(axis=1))
        seen = (float(z2.mean()), float(np.median(z2)))
        rows.append((E_Z, eps, printed[E_Z], first.value, *seen))
        rows.append((VAR_Z, eps, printed[VAR_Z], variance.value, float(z2.var()), None))
        if eps == EPS:
            stated = {E_Z: first, VAR_Z: variance}
            figures = {SHEET.claim("start", moment=m): v for m, v in stated.items()}
    names = ("moment", "ε", "printed", "exact", "over 500,000 draws", "median")
    return columns(names, rows), figures


def start_means(table: Table) -> Table:
    """The part of it that is drawn: means along ε, each way to know them a line."""
    rows = [row for row in zip(*table.values(), strict=True) if row[0] == E_Z]
    ways = list(table)[2:]
    long = [
        (method, row[1], row[2 + k]) for k, method in enumerate(ways) for row in rows
    ]
    return columns(("E[z₂]", "ε", "z₂"), long)


def moments(_: Any) -> Computed:
    """Everything above."""
    made = {
        "first-layer": first_layer(),
        "second-layer": second_layer(),
        "backward": backward(),
        "start": start_table(),
    }
    figures = {k: v for _, measured in made.values() for k, v in measured.items()}
    tables = {name: table for name, (table, _) in made.items()}
    tables["widths"] = by_width(tables["second-layer"])
    tables["start-means"] = start_means(tables["start"])
    return Computed(tables, figures)


def _stated() -> dict[str, list[dict[str, Any]]]:
    """Eq. 10 and 11 as numbers, for the claims of the sheet."""
    moments = []
    for (h1, mean), inputs in COMPARED.items():
        values = printed_moments(h1, bound(h1, 1) ** 2 / 3, mean, 0.0)
        for moment, value in values.items():
            labels = {"moment": moment, "inputs": inputs, "exact": value}
            source = "eq. 11" if moment == VAR_BACK else "eq. 10"
            why = SHEET.texts["few"] if h1 == 2 else ""
            moments.append({**labels, "note": source, "reason": why})
    at_zero = printed_moments(2, bound(2, 1) ** 2 / 3, 0.0, 0.0)
    return {
        "first_variance": [{"exact": 2 * bound(4, 2) ** 2 / 3 / 12}],
        "moment": moments,
        "start": [{"moment": m, "exact": at_zero[m]} for m in (E_Z, VAR_Z)],
    }


def study() -> Study:
    """Section 3.4 of the note, eq. 10 and 11."""
    return SHEET.study(compute=moments, derived=_stated())

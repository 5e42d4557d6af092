"""The multiplication note's gradients against automatic differentiation."""

from typing import Any

import numpy as np

from ...networks import Network, Stack
from ...statistics import Interval
from ...units import NAC, Linear, Params
from .._sheet import sheet
from .._study import Computed, Study, Table, columns
from .._tables import exact
from ._runs import LOGS, hard

SHEET = sheet("note", "gradient-formulae")
EQ5W, EQ5M, EQ8, EQ9, FULL1, FULL2 = (
    labels["formula"] for labels in SHEET.labels("difference")
)
SEED = 2019
EPS = 1e-7
POINTS = 2_000  # random weights and inputs at which gradients are compared
STARTS = 100_000  # draws of first weights
SIZES = ((4, 2, 1), (6, 3, 4))  # H₀, H₁, H₂: the note's, and one with more outputs


def logarithm(z: np.ndarray, log: str) -> tuple[np.ndarray, np.ndarray]:
    """What is inside a log of the note, and its slope; plain: |z| + ε and abs′(z)."""
    if log == "plain":
        return np.abs(z) + EPS, np.sign(z)
    if log == "safe":
        return np.abs(z - 1) + 1, np.sign(z - 1)
    return np.maximum(0, z - 1) + 1, (z > 1).astype(float)


def printed(
    w1: np.ndarray, w2: np.ndarray, x: np.ndarray, t: np.ndarray, log: str = "plain"
) -> dict[str, np.ndarray]:
    """Eq. 8, 9 and the full gradients as printed, for points along the first axis.

    `w1` is [point, H₁, H₀], `w2` [point, H₂, H₁], `x` [point, H₀], `t` [point, H₂].
    """
    z1 = np.einsum("pji,pi->pj", w1, x)
    base, slope = logarithm(z1, log)
    z2 = np.exp(np.einsum("pkj,pj->pk", w2, np.log(base)))
    upstream = 2 * (z2 - t)  # ∂L/∂z₂
    back = np.einsum("pk,pk,pkj->pj", upstream, z2, w2) * slope / base
    summed = np.einsum("pk,pkj->pj", (z2 - t) * z2, w2)
    return {
        EQ8: (upstream * z2)[:, :, None] * np.log(base)[:, None, :],
        EQ9: back,
        FULL1: (2 * slope / base * summed)[:, :, None] * x[:, None, :],
        FULL2: 2 * ((z2 - t) * z2)[:, :, None] * np.log(base)[:, None, :],
    }


def printed_soft(params: Params, upstream: np.ndarray) -> dict[str, np.ndarray]:
    """Eq. 5: the gradients of Ŵ and M̂, given that of W = tanh(Ŵ) σ(M̂)."""
    tanh, sigmoid = np.tanh(params["W_hat"]), 1 / (1 + np.exp(-params["M_hat"]))
    return {
        EQ5W: upstream * (1 - tanh**2) * sigmoid,
        EQ5M: upstream * tanh * sigmoid * (1 - sigmoid),
    }


def automatic(unit: Network, params: Params, x: np.ndarray, t: np.ndarray) -> Any:
    """∂L/∂parameters and ∂L/∂x of L = Σ (y − t)² at each point, by JAX in float64."""
    import jax
    import jax.numpy as jnp

    def loss(params: Params, x: Any, t: Any) -> Any:
        return jnp.sum((unit.compute(params, x, xp=jnp) - t) ** 2)

    with jax.enable_x64(True):
        slopes = jax.jit(jax.vmap(jax.grad(loss, argnums=(0, 1))))(params, x, t)
        return jax.tree.map(np.asarray, slopes)


def draw(sizes: tuple[int, int, int]) -> tuple[np.ndarray, ...]:
    """Random W₁, W₂, x and t [point, ...]."""
    h0, h1, h2 = sizes
    rng = np.random.default_rng([SEED, h0])
    w1 = rng.uniform(-2, 2, (POINTS, h1, h0))
    w2 = rng.uniform(-1, 1, (POINTS, h2, h1))
    x = rng.uniform(1, 2, (POINTS, h0))
    return w1, w2, x, rng.uniform(1, 20, (POINTS, h2))


def difference(ours: np.ndarray, exact: np.ndarray) -> float:
    """The largest difference at any point, relative to the gradient there."""
    axes = tuple(range(1, exact.ndim))
    gap, size = np.abs(ours - exact).max(axes), np.abs(exact).max(axes)
    return float(np.max(np.where(size > 0, gap / np.where(size > 0, size, 1), gap)))


def compare_layers(sizes: tuple[int, int, int], log: str) -> dict[str, float]:
    """Differences of eq. 8, 9 and the full gradients."""
    w1, w2, x, t = draw(sizes)
    second = hard(log, eps=EPS)
    whole = Stack((Linear(bias=False), second), (sizes[1],))
    full, _ = automatic(whole, {"0.W": w1, "1.W": w2}, x, t)
    z1 = np.einsum("pji,pi->pj", w1, x)
    slopes, back = automatic(second, {"W": w2}, z1, t)
    right = {EQ8: slopes["W"], EQ9: back, FULL1: full["0.W"], FULL2: full["1.W"]}
    stated = printed(w1, w2, x, t, log)
    return {name: difference(stated[name], right[name]) for name in right}


def compare_soft(sizes: tuple[int, int, int]) -> dict[str, float]:
    """Differences of eq. 5, in the first layer of a NAC and a NAC•."""
    _, w2, x, t = draw(sizes)
    rng = np.random.default_rng([SEED, 1, sizes[0]])
    hats = rng.uniform(-3, 3, (2, POINTS, sizes[1], sizes[0]))
    soft: Params = {"W_hat": hats[0], "M_hat": hats[1]}
    w1, last = NAC().weights(soft)["W"], hard(eps=EPS)
    linear = Stack((Linear(bias=False), last), (sizes[1],))
    gradient, _ = automatic(linear, {"0.W": w1, "1.W": w2}, x, t)
    named = {"0.W_hat": hats[0], "0.M_hat": hats[1], "1.W": w2}
    full, _ = automatic(Stack((NAC(), last), (sizes[1],)), named, x, t)
    stated = printed_soft(soft, gradient["0.W"])
    right = {EQ5W: full["0.W_hat"], EQ5M: full["0.M_hat"]}
    return {name: difference(stated[name], right[name]) for name in right}


def formula_table() -> tuple[Table, dict[str, Interval]]:
    """Every printed formula, and how far it is from automatic differentiation."""
    rows, worst = [], {}
    for sizes in SIZES:
        compared = [("plain", n, d) for n, d in compare_soft(sizes).items()]
        for log in LOGS:
            compared += [(log, n, d) for n, d in compare_layers(sizes, log).items()]
        for log, name, value in compared:
            rows.append((name, log, "–".join(map(str, sizes)), POINTS, value))
            if log == "plain":
                worst[name] = max(value, worst.get(name, 0.0))
    names = ("formula", "log", "layers", "points", "largest relative difference")
    figures = {SHEET.claim("difference", formula=n): exact(v) for n, v in worst.items()}
    return columns(names, rows), figures


def slip_table() -> Table:
    """What is printed wrongly, with the number that shows it."""
    w_hat, m_hat = 2.0, -20.0  # a weight that M̂ has switched off
    w = np.tanh(w_hat) / (1 + np.exp(-m_hat))
    rows = [
        ("eq. 3", "Ŵ₂ and M̂₂ are 1 × 4", "1 × 2, as z₁ is", "columns of Ŵ₂", 4.0, 2.0),
        (
            *("eq. 6", "ŵ²(1 − |w|)²", "w²(1 − |w|)²", "penalty of w = 0 by M̂ = −20"),
            *(w_hat**2 * (1 - abs(w)) ** 2, float(w**2 * (1 - abs(w)) ** 2)),
        ),
    ]
    names = ("where", "printed", "meant", "number", "as printed", "as meant")
    return columns(names, rows)


EXAMPLES = ((1e-4, 1.0), (1e-4, -1.0), (2.0, 1.0), (2.0, -1.0))  # z₁ and power


def explosion_table() -> Table:
    """Gradients of the note's network where both sums and both powers are alike."""
    rows = []
    for log in LOGS:
        for z1, power in EXAMPLES:
            x, t = np.full((1, 4), 1.5), np.array([[18.0]])
            w1 = np.full((1, 2, 4), z1 / 6)
            w2 = np.full((1, 1, 2), power)
            slopes = printed(w1, w2, x, t, log)
            base, _ = logarithm(np.array([z1]), log)
            sizes = (float(np.abs(slopes[n]).max()) for n in (FULL1, FULL2))
            rows.append((log, z1, power, float(base[0] ** (2 * power)), *sizes))
    return columns(("log", "z₁", "w₂", "z₂", "|∂L/∂W₁|", "|∂L/∂W₂|"), rows)


def start_table() -> Table:
    """How large ∂L/∂W₁ is at first, over draws of Glorot's weights and of inputs."""
    rng = np.random.default_rng([SEED, 2])
    w1 = rng.uniform(-1, 1, (STARTS, 2, 4))  # √(6 / (4 + 2))
    w2 = rng.uniform(-np.sqrt(2), np.sqrt(2), (STARTS, 1, 2))  # √(6 / (2 + 1))
    x = rng.uniform(1, 2, (STARTS, 4))
    t = x.sum(axis=1, keepdims=True) * x[:, :2].sum(axis=1, keepdims=True)
    rows = []
    for log in LOGS:
        size = np.abs(printed(w1, w2, x, t, log)[FULL1]).max(axis=(1, 2))
        rows.append((log, STARTS, *np.quantile(size, [0.5, 0.9, 0.99, 1.0]).tolist()))
    return columns(("log", "draws", "median", "90 %", "99 %", "largest"), rows)


def soft_slopes() -> Table:
    """∂W/∂Ŵ and ∂W/∂M̂ of eq. 5 along Ŵ, for three M̂."""
    rows, w_hat = [], np.linspace(-6, 6, 121)
    for m_hat in (-4.0, 0.0, 2.0):
        params = {"W_hat": w_hat, "M_hat": np.full_like(w_hat, m_hat)}
        for name, slope in printed_soft(params, np.ones_like(w_hat)).items():
            kind = "∂W/∂Ŵ" if name == EQ5W else "∂W/∂M̂"
            label = f"{kind}, M̂ = {m_hat:g}".replace("-", "−")
            pairs = zip(w_hat.tolist(), slope.tolist(), strict=True)
            rows += [(label, *pair) for pair in pairs]
    return columns(("slope of", "Ŵ", "slope"), rows)


def gradient_formulae(_: Any) -> Computed:
    """Every formula of section 3 that has a gradient in it."""
    formulas, figures = formula_table()
    tables = {
        "formulae": formulas,
        "slips": slip_table(),
        "explosion": explosion_table(),
        "starts": start_table(),
        "slopes": soft_slopes(),
    }
    return Computed(tables, figures)


def study() -> Study:
    """Sections 3.1 and 3.3 of the note."""
    return SHEET.study(compute=gradient_formulae)

"""Figure 2 of the NAU/NMU paper: the loss over two shared weights."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import root_scalar

from ...statistics import Interval
from ...units import NAU, NMU, Linear, MultiplicativeNAC, Unit
from .._sheet import sheet
from .._study import Computed, Study, Table, columns
from .._tables import exact

SHEET = sheet("slides", "loss-curvature")
# W₁ = w₁ · PATTERN: the first output sums two inputs, the second all four.
PATTERN = np.array([[1.0, 1.0, 0.0, 0.0], [1.0, 1.0, 1.0, 1.0]])
GRID = np.arange(-20, 21) / 20  # the original's [−1, 1], with −1, 0 and 1 on it
FINE = np.arange(-2000, 2001) / 2000  # where zeros of the error are looked for
DRAWN = 500.0  # the height at which the original cuts its plots
EPS = 1e-7
ZERO = 1e-9  # of an error at a point of the grid, which is off by rounding
LEVELS = (-1.0, -0.5, -0.1, 1.0)  # the w₂ for which zeros are listed


@dataclass(frozen=True)
class Model:
    """A network of two layers, and the one sample that it is to fit."""

    name: str
    first: Unit
    second: Unit
    x: tuple[float, ...]
    target: float
    least: float = -1.0  # the NMU has no negative weights

    @property
    def w2(self) -> np.ndarray:
        """The w₂ that are drawn."""
        return GRID[GRID >= self.least]


def _nac(name: str, x: tuple[float, ...], target: float, **options: Any) -> Model:
    # The figures give effective weights, and tanh(Ŵ) σ(M̂) never is exactly 1 (`encode`
    # takes −1, 0 and 1 only). So the sums are those of the linear layer, which are the
    # NAC₊'s at such weights, and the products those of the NAC• with linear weights.
    second = MultiplicativeNAC(weight_map="linear", **options)
    return Model(name, Linear(bias=False), second, x, target)


SAMPLE = (1.0, 1.2, 1.8, 2.0)
PAPER = (
    _nac("NAC•, ε = 1e-7", SAMPLE, 13.2, eps=EPS),
    _nac("NAC•, ε = 0.1", SAMPLE, 13.2, eps=0.1),
    _nac("NAC•, ε = 1", SAMPLE, 13.2, eps=1.0),
    Model("NAU and NMU", NAU(), NMU(), SAMPLE, 13.2, least=0.0),
)
NOTE = (
    _nac("plain log", (1.0, 1.0, 2.0, 2.0), 12.0, eps=EPS),
    _nac("safe log", (1.0, 1.0, 2.0, 2.0), 12.0, log="safe"),
    _nac("max-safe log", (1.0, 1.0, 2.0, 2.0), 12.0, log="max-safe"),
)


def outputs(model: Model, w1: np.ndarray, w2: np.ndarray) -> np.ndarray:
    """What the network computes of its sample, for every pair of weights [w2, w1]."""
    # Every w₁ is two outputs of one wide first layer, and one sample of the second, of
    # which every w₂ is an output: the units themselves compute all pairs at once.
    rows = (w1[:, None, None] * PATTERN).reshape(-1, 4)
    hidden = model.first.compute({"W": rows}, np.array(model.x)).reshape(-1, 2).T
    return model.second.compute({"W": np.stack([w2, w2], axis=1)}, hidden)


def losses(model: Model) -> np.ndarray:
    """The squared error over the grid [w2, w1]."""
    return (outputs(model, GRID, model.w2) - model.target) ** 2


def brackets(model: Model, w2: float) -> list[tuple[float, float]]:
    """Intervals of w₁ that hold a zero of the error; of length 0 at a grid point."""
    error = outputs(model, FINE, np.array([w2]))[0] - model.target
    at = np.abs(error) < ZERO
    between = (error[:-1] * error[1:] < 0) & ~at[:-1] & ~at[1:]
    pairs = [(w, w) for w in FINE[at]]
    pairs += list(zip(FINE[:-1][between], FINE[1:][between], strict=True))
    return sorted((float(low), float(high)) for low, high in pairs)


def zeros(model: Model, w2: float) -> list[float]:
    """Every w₁ in [−1, 1] at which the network is right."""

    def error(w1: float) -> float:
        out = outputs(model, np.array([w1]), np.array([w2]))
        return float(out[0, 0]) - model.target

    return [
        # Zeros of the NAC• lie as close to 0 as its ε does.
        low if low == high else root_scalar(error, bracket=(low, high), xtol=1e-20).root
        for low, high in brackets(model, w2)
    ]


def curvature(model: Model, w1: float, w2: float) -> float:
    """∂²L/∂w₁² at a zero of the error, where it is 2 (∂z/∂w₁)²."""
    inner = w1 * (1 - 1e-6)  # inwards, since the NAU clips beyond 1
    out = outputs(model, np.array([inner, w1]), np.array([w2]))[0]
    return float(2 * ((out[1] - out[0]) / (w1 - inner)) ** 2)


def surfaces(models: tuple[Model, ...], *, captioned: bool) -> Table:
    """The loss of every model over the grid, cut where the original cuts it."""
    rows: list[tuple[Any, ...]] = []
    for model in models:
        w2, w1 = (
            w.ravel().tolist() for w in np.meshgrid(model.w2, GRID, indexing="ij")
        )
        for name, height in _heights(model, captioned).items():
            points = zip(w1, w2, height.ravel().tolist(), strict=True)
            rows += [(name, *point) for point in points]
    return columns(("surface", "w1", "w2", "loss"), rows)


def _heights(model: Model, captioned: bool) -> dict[str, np.ndarray]:
    loss = np.minimum(losses(model), DRAWN)
    if not captioned:
        return {model.name: loss}
    return {
        f"{model.name}, squared error (as drawn)": loss,
        f"{model.name}, RMS (as captioned)": np.sqrt(loss),
    }


def summary(models: tuple[Model, ...]) -> Table:
    """How high each surface is, and on which side of w₂ = 0 it has zeros."""
    rows = []
    for model in models:
        loss = losses(model)
        heights = (float(loss[-1, -1]), float(loss.min()), float(loss.max()))
        sides = (model.w2[model.w2 > 0], model.w2[model.w2 < 0])
        rows.append((model.name, *heights, *(_share(model, w2) for w2 in sides)))
    names = ("network", "loss at w₁ = w₂ = 1", "least loss on the grid")
    names += ("largest loss on the grid", "w₂ > 0 with a zero", "w₂ < 0 with a zero")
    return columns(names, rows)


def _share(model: Model, w2: np.ndarray) -> str:
    if not w2.size:
        return "no such weight"
    return f"{sum(bool(brackets(model, float(w))) for w in w2)} of {w2.size}"


def solutions(models: tuple[Model, ...]) -> Table:
    """Every weight at which a network is right, and how steep the loss is beside it."""
    rows = [
        (model.name, w2, w1, curvature(model, w1, w2))
        for model in models
        for w2 in LEVELS
        if w2 in model.w2
        for w1 in zeros(model, w2)
    ]
    return columns(("network", "w₂", "w₁", "∂²L/∂w₁²"), rows)


def _figures() -> dict[str, Interval]:
    positive = losses(PAPER[0])[:, GRID > 0]  # the network ignores the sign of w₁
    row, column = np.unravel_index(positive.argmin(), positive.shape)
    below = losses(NOTE[2])[:, 6 * GRID < 1]
    measured = {
        "at-one": positive[-1, -1],
        "w1": GRID[GRID > 0][column],
        "w2": GRID[row],
        "valid": losses(NOTE[0])[-1, -1],
        "flat": below.max() - below.min(),
    }
    return {SHEET.claim(key): exact(value) for key, value in measured.items()}


def loss_curvature(_: Any) -> Computed:
    """The surfaces, what they have for minima, and the claims about them."""
    tables = {
        "surfaces": surfaces(PAPER, captioned=True),
        "note-surfaces": surfaces(NOTE, captioned=False),
        "heights": summary(PAPER),
        "note-heights": summary(NOTE),
        "solutions": solutions(PAPER),
        "note-solutions": solutions(NOTE),
    }
    return Computed(tables, _figures())


def _within_eps(target: float) -> list[dict[str, float]]:
    """A loss of zero, as far as ε lets it be."""
    worst = (target * ((1 + EPS) ** 2 - 1)) ** 2
    return [{"value": 0.0, "low": 0.0, "high": worst}]


def study() -> Study:
    """Figure 2 of the paper, and figure 2 of the note."""
    zero = {"at-one": _within_eps(13.2), "valid": _within_eps(12.0)}
    return SHEET.study(compute=loss_curvature, derived=zero)

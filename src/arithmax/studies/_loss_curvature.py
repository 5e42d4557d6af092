"""Figure 2 of the NAU/NMU paper: the loss over two shared weights."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import root_scalar

from ..statistics import Interval
from ..units import NAU, NMU, Linear, MultiplicativeNAC, Unit
from ._plots import Surface
from ._study import Computed, Published, Study, Table

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

    @property
    def w2(self) -> np.ndarray:
        """The w₂ that are drawn: the NMU has no negative weights."""
        return GRID[GRID >= 0] if isinstance(self.second, NMU) else GRID


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
    Model("NAU and NMU", NAU(), NMU(), SAMPLE, 13.2),
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
    found = [(w, w) for w in FINE[at]]
    found += list(zip(FINE[:-1][between], FINE[1:][between], strict=True))
    return sorted((float(low), float(high)) for low, high in found)


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
    table: dict[str, list[Any]] = {"surface": [], "w1": [], "w2": [], "loss": []}
    for model in models:
        w2, w1 = np.meshgrid(model.w2, GRID, indexing="ij")
        for name, height in _heights(model, captioned).items():
            table["surface"] += [name] * height.size
            table["w1"] += w1.ravel().tolist()
            table["w2"] += w2.ravel().tolist()
            table["loss"] += height.ravel().tolist()
    return table


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
    table: dict[str, list[Any]] = {}
    for model in models:
        loss = losses(model)
        row = {
            "network": model.name,
            "loss at w₁ = w₂ = 1": float(loss[-1, -1]),
            "least loss on the grid": float(loss.min()),
            "largest loss on the grid": float(loss.max()),
            "w₂ > 0 with a zero": _share(model, model.w2[model.w2 > 0]),
            "w₂ < 0 with a zero": _share(model, model.w2[model.w2 < 0]),
        }
        for name, value in row.items():
            table.setdefault(name, []).append(value)
    return table


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
    names = ("network", "w₂", "w₁", "∂²L/∂w₁²")
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


AT_ONE = "NAC•, ε = 1e-7: loss at w₁ = w₂ = 1"
W1 = "NAC•, ε = 1e-7: w₁ > 0 of least loss"
W2 = "NAC•, ε = 1e-7: w₂ of least loss"
VALID = "the note's valid solution: loss for x = (1, 1, 2, 2)"
FLAT = "max-safe log: change of the loss where both sums are below 1"


def _figures() -> dict[str, Interval]:
    positive = losses(PAPER[0])[:, GRID > 0]  # the network ignores the sign of w₁
    row, column = np.unravel_index(positive.argmin(), positive.shape)
    below = losses(NOTE[2])[:, 6 * GRID < 1]
    exact = {
        AT_ONE: positive[-1, -1],
        W1: GRID[GRID > 0][column],
        W2: GRID[row],
        VALID: losses(NOTE[0])[-1, -1],
        FLAT: below.max() - below.min(),
    }
    return {name: Interval(float(v), float(v), float(v)) for name, v in exact.items()}


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


def _within_eps(target: float) -> Published:
    """A loss of zero, as far as ε lets it be."""
    worst = (target * ((1 + EPS) ** 2 - 1)) ** 2
    note = (
        "The paper grants NAC• a precision of ε; the interval is what ε = 1e-7 can do "
        "to a product of two numbers above 1."
    )
    return Published(0.0, 0.0, worst, note)


ABOUT = """
A layer of sums and a layer of products are to compute (x₁ + x₂)(x₁ + x₂ + x₃ + x₄) of
one sample, x = (1, 1.2, 1.8, 2), t = 13.2. All weights that should be one are tied: w₁
in the sums, w₂ in the product. The paper draws the loss over the two and says that w₁ =
w₂ = 1 is the solution, with many unstable alternatives, and that NAC• has a singularity
at w₂ < 0, where it divides by sums near zero. Its caption says RMS; its script plots
the squared error, cut at 500, for weights in [−1, 1]. Both are here, RMS cut at √500
too, and the NMU's panel, which the script has and the paper left out.

**What to look for.** Without ε the network computes 13.2 w₁² to the power of w₂, which
is right wherever w₂ = ln 13.2 / ln(13.2 w₁²). Besides |w₁| = w₂ = 1 that is a whole
curve of exact solutions from |w₁| = 1/13.2, w₂ = −1 to w₁ = 0, at the foot of a wall.
The tables list points of it with the curvature of the loss, to be compared with that at
w₁ = w₂ = 1. A larger ε lowers the wall, but moves the solution away from one. The NMU
has neither wall nor curve: its loss is zero at w₂ = 1, w₁ = ±1 alone (two negative sums
have a positive product).

The note of April 2019 draws the same for x = (1, 1, 2, 2), t = 12, and tries logarithms
that do not explode. It does not say over which weights it draws; [−1, 1] and the cut at
500 are ours. Its safe log, log(|z − 1| + 1), has further solutions at negative w₁; its
max-safe log, log(max(0, z − 1) + 1), is flat where both sums are below 1.
"""

_SOLUTIONS = (
    "Weights at which the network is right, for four values of w₂, with the curvature "
    "of the squared error along w₁"
)
_HEIGHTS = (
    "Squared error on the grid (not cut), and for how many of the grid's w₂ there is a "
    "w₁ in [−1, 1] with no error at all"
)

LOSS_CURVATURE = Study(
    name="loss-curvature",
    title="The loss surface of a product of two sums",
    source="Madsen and Johansen, “Neural Arithmetic Units”, ICLR 2020, figure 2, and "
    "its slides; “Gradient-based optimization of multiplication from learned input "
    "subsets” (NALU project note, April 2019), section 3.2 and figure 2",
    about=ABOUT.strip(),
    compute=loss_curvature,
    claims={
        AT_ONE: _within_eps(13.2),
        W1: Published(1.0, 1.0, 1.0, "“The solution is w₁ = w₂ = 1 in (a)”."),
        W2: Published(1.0, 1.0, 1.0, "“The solution is w₁ = w₂ = 1 in (a)”."),
        VALID: _within_eps(12.0),
        FLAT: Published(
            0.0, 0.0, 0.0, "“There is no gradient for all input values less than one”."
        ),
    },
    shown={
        "heights": f"{_HEIGHTS}: t = 13.2.",
        "solutions": f"{_SOLUTIONS}: t = 13.2.",
        "note-heights": f"{_HEIGHTS}: the note's t = 12.",
        "note-solutions": f"{_SOLUTIONS}: the note's t = 12.",
    },
    plots=(
        Surface(
            "Loss over w₁ and w₂ for x = (1, 1.2, 1.8, 2), t = 13.2.",
            table="surfaces",
            x="w1",
            y="w2",
            z="loss",
            choice="surface",
        ),
        Surface(
            "The note's loss for x = (1, 1, 2, 2), t = 12, by its logarithm.",
            table="note-surfaces",
            x="w1",
            y="w2",
            z="loss",
            choice="surface",
        ),
    ),
)

"""The extrapolation report's NAC: sums and differences of 1 to 10 operands."""

from typing import Any

import numpy as np

from ..networks import Stack
from ..protocol import Cell, Protocol
from ..statistics import Interval
from ..tasks import Operands
from ..units import NAC, Unit
from ._evaluate import Found, Trained
from ._extrapolation import (
    COMPARED,
    REPORT,
    SEEDS,
    SYMBOLS,
    TOLERANCES,
    accuracy_table,
    measured_arms,
    printed,
    protocol,
    spread,
    torch_start,
)
from ._plots import Lines, Seeds, Weights
from ._study import Arm, Computed, Published, Study, Table, columns

AT = TOLERANCES.index(COMPARED)
USUAL = "±1/√n"
VARIANCE = "NAU/NMU paper's start"
TRIED = 1000  # steps of a short run


def runs(unit: Unit, inputs: int) -> dict[str, tuple[Unit, Protocol]]:
    """The starts, rates and lengths that are tried of a NAC."""
    usual = torch_start((unit,), (inputs,))
    return {
        USUAL: (usual, protocol(steps=10_000)),
        VARIANCE: (unit, protocol(steps=10_000)),
        f"{USUAL}, rate 0.001": (usual, protocol(steps=10_000, learning_rate=1e-3)),
        f"{USUAL}, {TRIED:,} steps": (usual, protocol(steps=TRIED)),
    }


def claim(operation: str, operands: int) -> str:
    """The report's own words."""
    return f"Test Accuracy for [{operation}] with {operands} operands"


def compare(measured: dict[Any, tuple[Found, np.ndarray]]) -> dict[str, Interval]:
    """The figure of each arm, for the claims."""
    return {
        claim(*(found.arm.labels[n] for n in ("operation", "operands"))): spread(  # type: ignore[arg-type]  # a symbol and a count
            values[:, AT]
        )
        for found, values in measured.values()
    }


def nac_accuracy(trained: Trained) -> Computed:
    """Accuracies of the NAC by run, and where its weights end."""
    measured = measured_arms(trained)
    usual = {key: value for key, value in measured.items() if key[2] == USUAL}
    tables = {"accuracy": accuracy_table(usual), "lines": accuracy_table(measured)}
    tables["lines"] = {**tables["lines"], "arm": [f"{k[2]}: {k[0]}" for k in measured]}
    tables["runs"] = _beside(measured)
    ends = [
        (*key[:2], *_ends(found, trained))
        for key, (found, _) in measured.items()
        if key[2] == VARIANCE
    ]
    names = ("operation", "operands", "seeds", "seeds with a wrong weight", "weights")
    tables["ends"] = columns((*names, "right", "at 0", "at −target", "between"), ends)
    return Computed(tables, compare(usual))


def _beside(measured: dict[Any, tuple[Found, np.ndarray]]) -> Table:
    """Mean accuracies at the tolerance compared, one column a run."""
    tasks = dict.fromkeys(key[:2] for key in measured)
    names = list(dict.fromkeys(key[2] for key in measured))
    means = {key: float(values[:, AT].mean()) for key, (_, values) in measured.items()}
    rows = [(*t, *(means.get((*t, run), np.nan) for run in names)) for t in tasks]
    return columns(("operation", "operands", *names), rows)


def _ends(found: Found, trained: Trained) -> tuple[int, ...]:
    """How many seeds and weights of an arm ended where; near is within 0.01."""
    task = found.arm.cell.task
    assert isinstance(task, Operands)
    signs = np.ones(task.operands)
    if task.operation == "sub":
        signs[1:] = -1
    learned = [found.arm.cell.network.weights(trained.weights(r)) for r in found.rows]
    w = np.array([next(iter(m.values()))[0] for m in learned]) * signs
    near = [np.abs(w - target) < 0.01 for target in (1, 0, -1)]
    counts = [int(here.sum()) for here in near]
    wrong = int((~near[0]).any(axis=1).sum())
    return len(w), wrong, w.size, *counts, w.size - sum(counts)


NAC_ABOUT = """
The report trains one NAC layer to add, and to subtract, 1 to 10 operands on (20, 40),
tests it on (0, 60) and prints 100 % everywhere (its line for [+] with 10 operands is
missing). It states its loss (smooth L1) and optimiser (RMSProp), but neither rate,
steps, batch nor start, and does not define its accuracy. Taken here: PyTorch's rate of
0.01, 10,000 steps of 128 samples, Ŵ and M̂ uniform on ±1/√n for n operands, as public
PyTorch versions start them, and a prediction is right when |ŷ − y| ≤ tol · max(1, |y|),
compared at tol = 0.01. A printed accuracy is one run; ours is the median of 100 seeds,
with the ends between which 95 of them lie.

**100 % is what one gets, from a narrow start.** The start of the NAU/NMU paper gives W
Glorot's variance, for which a layer of up to four inputs needs Ŵ and M̂ on ±9.47: there
tanh and σ are saturated. Where Ŵ starts far out with the wrong sign, M̂ closes the
weight before Ŵ can turn; then neither has a gradient, and W stays at 0. The table of
ends counts such weights. From five operands on (six for differences) that start is
narrow enough (±5.4 and less), and all runs are right. A rate of 0.001, or only 1,000
steps at 0.01, is enough for sums; differences come near zero, and weights that are
0.001 off then show at a tolerance of 0.01. (The rows of “solved” ask for more than
that: an error below that of weights which are 10⁻⁵ off.)
"""


def nac_operands() -> Study:
    """Sections 3.1 and 3.2."""
    arms = []
    for operation in ("add", "sub"):
        for count in range(1, 11):
            task = Operands(operation, count)
            for name, (network, own) in runs(NAC(), count).items():
                labels = {"operation": SYMBOLS[operation], "operands": count}
                cell = Cell(network, task, own, tuple(range(SEEDS)))
                arms.append(Arm({**labels, "run": name}, cell))
    return Study(
        "nac-operands",
        "Adding and subtracting 1 to 10 operands with a NAC",
        f"{REPORT}, sections 3.1 and 3.2",
        NAC_ABOUT.strip(),
        tuple(arms),
        compute=nac_accuracy,
        claims={
            claim(SYMBOLS[operation], count): printed(100.0)
            for operation in ("add", "sub")
            for count in range(1, 11)
            if (operation, count) != ("add", 10)  # not printed
        },
        shown={
            "accuracy": f"{USUAL}: accuracy on (0, 60), as means over seeds at three "
            "tolerances; at 0.01 also the median seed and the ends of 95 of 100 seeds.",
            "runs": "Mean accuracy at a tolerance of 0.01, by start, rate and steps.",
            "ends": f"{VARIANCE}: seeds with a weight that is not within 0.01 of its "
            "target, and how many weights are right, closed, at the other sign or "
            "between.",
        },
        plots=(
            Lines(
                "Mean accuracy at a tolerance of 0.01.",
                *("lines", "operands", "mean at 0.01", "arm"),
            ),
            Seeds(
                "+ of four operands: every seed.",
                "run",
                {"operation": "+", "operands": 4},
            ),
        ),
    )


SIGNS = (1, 1, -1, 1, -1, 1, -1, -1)
W_HAT = (8.6499, 8.4963, -8.4905, 8.6622, -8.4617, 8.5317, -8.4859, -8.5097)
M_HAT = (14.0710, 14.0996, 14.1673, 14.0797, 14.1597, 14.0898, 14.1709, 14.1493)
KEPT = (1000, 2000, 5000, 10_000, 20_000, 30_000)
SIZE, GATE, UNITS = "mean of |Ŵ|", "mean of M̂", "runs whose W are all ±1.0000"


def growth(trained: Trained) -> Computed:
    """Ŵ and M̂ against step, and those of the first seed beside the printed ones."""
    rows, figures, learned = [], {}, []
    for found in trained.found:
        start = found.arm.labels["start"]
        paths = [trained.results.path(row["run"]) for row in found.rows]
        for step, size, gate, w in _steps(paths):
            ends = (spread(size), spread(gate))
            flat = [v for e in ends for v in (e.value, e.low, e.high)]
            rows.append((start, step, *flat, float(np.median(w))))
            if start == USUAL:  # the last step is what remains
                rounded = float((w >= 0.99995).mean())
                figures = {SIZE: ends[0], GATE: ends[1]}
                figures[UNITS] = Interval(rounded, rounded, rounded)
        learned += _first(found, paths)
    names = ("start", "step", SIZE, "low", "high", GATE, "M̂ low", "M̂ high", "least |W|")
    shown = columns(("input", "sign", "printed Ŵ", "printed M̂"), _printed())
    table = dict(shown) | {
        f"{start}, {name}": values for start, name, values in learned
    }
    return Computed({"growth": columns(names, rows), "learned": table}, figures)


def _steps(paths: list[Any]):
    """Of each kept step: mean |Ŵ|, mean M̂ and least |W| of each seed."""
    for k, step in enumerate(paths[0][0] if paths else ()):
        params = [{name: value[k] for name, value in kept.items()} for _, kept in paths]
        w_hat = np.array([p["0.W_hat"][0] for p in params])
        m_hat = np.array([p["0.M_hat"][0] for p in params])
        w = np.abs(np.tanh(w_hat) / (1 + np.exp(-m_hat)))
        yield int(step), np.abs(w_hat).mean(axis=1), m_hat.mean(axis=1), w.min(axis=1)


def _printed() -> list[tuple[Any, ...]]:
    return [
        (i + 1, "+" if sign > 0 else "−", w, m)
        for i, (sign, w, m) in enumerate(zip(SIGNS, W_HAT, M_HAT, strict=True))
    ]


def _first(found: Found, paths: list[Any]) -> list[tuple[Any, str, list[float]]]:
    """Ŵ, M̂ and W of an arm's first seed at its last kept step."""
    if not paths:
        return []
    last = {name: value[-1][0] for name, value in paths[0][1].items()}
    w = np.tanh(last["0.W_hat"]) / (1 + np.exp(-last["0.M_hat"]))
    start = found.arm.labels["start"]
    named = (("Ŵ", last["0.W_hat"]), ("M̂", last["0.M_hat"]), ("W", w))
    return [(start, name, [float(v) for v in values]) for name, values in named]


SIGNS_ABOUT = """
The report draws a function of eight inputs at random, x₁ + x₂ − x₃ + x₄ − x₅ + x₆ − x₇
− x₈, and prints the Ŵ, M̂ and W that a NAC learned: |Ŵ| about 8.5, M̂ about 14.1, W
equal to ±1.0000. Here 100 seeds learn the same function from each of two starts, and
the parameters are kept on the way.

The printed parameters tell what the report leaves out. tanh(Ŵ) σ(M̂) reaches ±1 only as
both go to infinity. RMSProp, which divides each gradient by its size, drives them there
even where gradients have become tiny: M̂ grows with the logarithm of the steps, and has
the printed value after about 30,000 steps at the rate of 0.01. That is how long runs
are here; |Ŵ| is then a check, and agrees. (It takes an RMSProp that adds its ε to the
root, as PyTorch's does. With ε within the root M̂ would stop near 12.) All runs find
the signs, from both starts, and their W are ±1.0000 in the four digits that are
printed.
"""


def nac_signs() -> Study:
    """Section 3.3."""
    task = Operands("add", len(SIGNS), SIGNS)
    long = protocol(steps=KEPT[-1], keep=KEPT)
    starts = {
        USUAL: torch_start((NAC(),), (len(SIGNS),)),
        VARIANCE: Stack((NAC(),)),
    }
    arms = [
        Arm({"start": name}, Cell(network, task, long, tuple(range(SEEDS))))
        for name, network in starts.items()
    ]
    digits = "the eight printed values, of one run"
    sizes = np.abs(W_HAT)
    return Study(
        "nac-signs",
        "A random function of eight signs",
        f"{REPORT}, section 3.3",
        SIGNS_ABOUT.strip(),
        tuple(arms),
        compute=growth,
        claims={
            SIZE: Published(
                float(sizes.mean()), float(sizes.min()), float(sizes.max()), digits
            ),
            GATE: Published(
                float(np.mean(M_HAT)),
                min(M_HAT),
                max(M_HAT),
                f"{digits}; the length of our runs was chosen by it",
            ),
            UNITS: Published(1.0, note="one run"),
        },
        shown={
            "learned": "The printed parameters, and those that our first seed has "
            "after 30,000 steps.",
            "growth": "Means over the eight inputs against the step: the median seed "
            "and the ends of 95 of 100; and the least |W|, of the median seed.",
        },
        plots=(
            Lines(
                "M̂ goes on growing.",
                *("growth", "step", GATE, "start", "M̂ low", "M̂ high"),
                log_x=True,
            ),
            Lines(
                "Ŵ stops where float32 rounds tanh to 1.",
                *("growth", "step", SIZE, "start", "low", "high"),
                log_x=True,
            ),
            Weights("The learned W.", {"start": USUAL}),
        ),
    )

"""The multiplication note's problem: the product of two learned sums."""

from typing import Any

import numpy as np

from ..networks import Stack
from ..protocol import Cell, Protocol, network_for
from ..statistics import success_rate
from ..tasks import Subsets
from ..units import NAC, NMU, Linear, MultiplicativeNAC, Unit
from ._evaluate import Found, Trained
from ._plots import Convergence, Grid, Lines, Seeds, Weights
from ._study import Arm, Computed, Published, Study, columns

NOTE = (
    "“Gradient-based optimization of multiplication from learned input subsets” (NALU "
    "project note, April 2019)"
)
SEEDS, STEPS = 100, 100_000
LOGS = ("plain", "safe", "max-safe")
STRENGTHS = (0.0, 0.1, 1.0, 10.0)  # of the penalty on linear weights
TASK = Subsets("mul", simple=True, interpolation=(1.0, 2.0), extrapolation=(1.0, 6.0))
NEVER = Published(
    0.0,
    note="“we have never been able to converge to a solution that gives zero error” "
    "(section 2), “even with our suggested improvements” (section 4); the note prints "
    "neither a number of runs nor the strength of its penalty",
)
# The two solutions that the note prints in section 2.
PRINTED = {
    "the note's invalid solution": (
        [[-0.00044, -0.00047, 0.00076, 0.00128], [1.0, 1.0, 0.53895, 0.81870]],
        [[-0.1996, 1.0]],
    ),
    "the note's valid solution": (
        [[1.0, 1.0, 0.0, 0.0], [1.0, 1.0, 1.0, 1.0]],
        [[1.0, 1.0]],
    ),
}
SAMPLES = 100_000
ZERO = 0.01  # a power below this in magnitude takes its sum out of the product
TINY = 0.05  # a sum of which all weights are below this is nearly nothing


def linear(strength: float) -> str:
    """The label of linear weights with a penalty of this strength."""
    return f"linear, λ = {strength:g}"


def models() -> dict[tuple[str, str], tuple[Unit, float]]:
    """The network and the penalty's strength of each arm, by weights and log."""
    made: dict[tuple[str, str], tuple[Unit, float]] = {}
    for log in LOGS:
        second = MultiplicativeNAC(log=log)
        made["tanh-σ", log] = Stack((NAC(), second), (2,)), 0.0
    for strength in STRENGTHS:
        for log in LOGS:
            second = MultiplicativeNAC(weight_map="linear", log=log)
            first = Linear(bias=False, regulariser="squared")
            made[linear(strength), log] = Stack((first, second), (2,)), strength
    for log in LOGS:
        unit = MultiplicativeNAC(weight_map="clipped", log=log)
        made["powers in [0, 1]", log] = network_for(unit, TASK), 0.0
    made["NMU", "none"] = network_for(NMU(), TASK), 0.0
    return made


DRAWN = [(w, log) for w in ("tanh-σ", linear(0.1)) for log in LOGS] + [("NMU", "none")]
ENDINGS = {
    "solved": "solved",
    "flat": "a sum is below 1: the max-safe log is flat",
    "nothing": "divides by a sum that is nearly nothing",
    "divides": "divides by a sum",
    "mirrored": "a sum is negative: the safe log takes −s for s + 2",
    "ignores": "ignores a sum",
    "between": "weights in between",
}


def ending(found: Found, row: dict[str, Any], params: Any) -> str:
    """What kind of solution a run ended in."""
    if row["outcome"] == "solved":
        return "solved"
    matrices = found.arm.cell.network.weights(params)
    w1, powers = np.asarray(matrices["0.W"]), np.asarray(matrices["1.W"])[0]
    log = found.arm.labels["log"]
    sums = w1 @ np.random.default_rng(0).uniform(1.0, 2.0, (4, 256))  # in training
    if log == "max-safe" and (sums < 1).all(axis=1).any():
        return "flat"
    if (powers < -ZERO).any():
        divisors = np.abs(w1[powers < -ZERO]).max(axis=1)
        return "nothing" if divisors.min() < TINY else "divides"
    if log == "safe" and (sums < 0).all(axis=1).any():
        return "mirrored"
    return "ignores" if (np.abs(powers) < ZERO).any() else "between"


def _summary(found: Found) -> tuple[Any, ...]:
    """How many seeds an arm solved, when, and how the others fit what they saw."""
    at = sorted(r["solved_at"] for r in found.rows if r["outcome"] == "solved")
    rest = [r["interpolation"] for r in found.rows if r["outcome"] != "solved"]
    rate = success_rate(len(at), len(found.rows))
    when = (float(at[0]), float(np.median(at)), float(at[-1])) if at else (None,) * 3
    error = float(np.median(rest)) if rest else None
    return (len(found.rows), len(at), rate.low, rate.high, *when, error)


def _quartiles(found: Found, trained: Trained, measure: str) -> list[tuple[Any, ...]]:
    """Step, median, lower and upper quartile of an arm's errors on the way."""
    curves = list(trained.results.curves([r["run"] for r in found.rows]).values())
    if not curves:
        return []
    errors = np.stack([curve[measure] for curve in curves]).astype(np.float64)
    errors[np.isnan(errors)] = np.inf  # what is no number is no small error either
    low, middle, high = np.quantile(errors, [0.25, 0.5, 0.75], axis=0, method="nearest")
    shown = zip(curves[0]["step"].tolist(), middle, low, high, strict=True)
    return [(found.arm.name, s, *map(float, v)) for s, *v in shown if s > 0]


def printed_errors(name: str) -> tuple[float, float]:
    """Train and extrapolation error of a solution that the note prints."""
    w1, w2 = PRINTED[name]
    network = Stack((Linear(bias=False), MultiplicativeNAC(weight_map="linear")), (2,))
    errors = []
    for low, high in (TASK.interpolation, TASK.extrapolation):
        x = np.random.default_rng(0).uniform(low, high, (4, SAMPLES))
        y = network.compute({"0.W": np.array(w1), "1.W": np.array(w2)}, x)[0]
        errors.append(float(np.mean((y - x.sum(0) * x[:2].sum(0)) ** 2)))
    return errors[0], errors[1]


def _text(matrix: Any) -> str:
    rows = (" ".join(f"{w:.4g}" for w in row) for row in np.asarray(matrix).tolist())
    return ("[" + "; ".join(rows) + "]").replace("-", "−")


def _matrices(trained: Trained) -> list[tuple[Any, ...]]:
    """The note's two solutions, and the first of each kind that ours found."""
    made: list[tuple[Any, ...]] = [
        (name, None, _text(w1), _text(w2), *printed_errors(name))
        for name, (w1, w2) in PRINTED.items()
    ]
    for found in trained.found:
        if tuple(found.arm.labels.values()) not in DRAWN:
            continue
        for solved, kind in ((False, "not solved"), (True, "solved")):
            rows = [r for r in found.rows if (r["outcome"] == "solved") is solved]
            for row in rows[:1]:
                w = found.arm.cell.network.weights(trained.weights(row))
                texts = (_text(w["0.W"]), _text(w["1.W"]))
                errors = (row["interpolation"], row["extrapolation"])
                made.append((f"{found.arm.name}: {kind}", row["seed"], *texts, *errors))
    return made


def learned_subsets_tables(trained: Trained) -> Computed:
    """Which combinations converge, what the others end in, and errors by step."""
    arms = [found for found in trained.found if found.rows]
    ended = {
        found.arm.name: [ending(found, r, trained.weights(r)) for r in found.rows]
        for found in arms
    }
    names = ("seeds", "solved", "low", "high", "first step", "median step", "last step")
    labels = ("weights", "log")
    drawn = [f for f in arms if tuple(f.arm.labels.values()) in DRAWN]
    tables = {
        "convergence": columns(
            (*labels, *names, "median train error of the others"),
            [(*f.arm.labels.values(), *_summary(f)) for f in arms],
        ),
        "endings": columns(
            (*labels, *ENDINGS.values()),
            [
                (*f.arm.labels.values(), *map(ended[f.arm.name].count, ENDINGS))
                for f in arms
            ],
        ),
        "matrices": columns(
            ("solution", "seed", "W₁", "W₂", "train error", "extrapolation error"),
            _matrices(trained),
        ),
    }
    for measure, name in (("interpolation", "train"), ("extrapolation", "test")):
        rows = [row for f in drawn for row in _quartiles(f, trained, measure)]
        tables[f"{name}-error"] = columns(("model", "step", "error", "q1", "q3"), rows)
    return Computed({name: t for name, t in tables.items() if any(t.values())})


ABOUT = """
Four inputs in [1, 2], t = (x₁ + x₂ + x₃ + x₄)(x₁ + x₂); a layer of two sums and NAC• on
top; 100,000 steps of Adam with batches of 128. The note says that this network never
converged to a valid solution: neither with tanh(Ŵ) σ(M̂) nor with its proposals, linear
weights with the penalty w²(1 − |w|)² and logarithms that do not explode. It prints one
invalid solution, and closes on “even with our suggested improvements, it is still not
possible to optimize towards a valid solution”.

**What was chosen.** 100 seeds, the learning rate 0.001 (Adam's default). Solved means
an error on [1, 6] below that of a solution whose first weights are wrong by 10⁻⁵ (1.6 ×
10⁻⁶), at the step with the least error on [1, 2]. “Train error” is that of 10,000 other
samples of [1, 2]. The note prints the penalty as a sum over weights and without a
strength; here it is λ times the *mean* of each layer, summed, from the first step, for
λ = 0.1 (what the authors' code had at the time, growing slowly), 1 and 10 (their later
default), and 0 for comparison. Their code adds to the max-safe log a penalty on sums
below 1, which the note does not mention; it is left out.

**What to look for.** A hundred seeds do not bear the note out. Its own network
converges in about one seed of five, and its own proposal, linear weights with the
penalty, in most seeds, if the penalty is weak and the logarithm plain. (Without the
penalty those weights fit [1, 2] nearly perfectly and are never right.) What fails is
the other proposal. Sums start on both sides of zero. The plain log does not see their
sign, and −1 is as good as 1; the safe log takes a sum of −s for s + 2, and leads to
solutions that hold on [1, 2] alone; the max-safe log has no slope below 1. With the
plain log, the note's own network fails by dividing: like its invalid solution, which
our seed 0 finds again, it takes a negative power of a sum that is nearly nothing, which
is a constant. So what solves it is to forbid negative powers (“powers in [0, 1]”: the
later paper's NAC•,NMU behind a NAU), or to multiply without a logarithm (NMU), in a
quarter of the steps. An NMU that fails has dropped one of its sums for good.
"""


def learned_subsets() -> Study:
    """Sections 2 to 4 of the note, and its Figure 1."""
    arms = [
        Arm(
            {"weights": weights, "log": log},
            Cell(
                network,
                TASK,
                Protocol(steps=STEPS, penalty=strength),
                tuple(range(SEEDS)),
            ),
            {"success": NEVER} if weights == "tanh-σ" or strength else {},
        )
        for (weights, log), (network, strength) in models().items()
    ]
    band = {"x": "step", "y": "error", "by": "model", "low": "q1", "high": "q3"}
    return Study(
        "learned-subsets",
        "Can the product of two learned sums be learned?",
        f"{NOTE}, sections 2 to 4 and figure 1",
        ABOUT.strip(),
        tuple(arms),
        compute=learned_subsets_tables,
        shown={
            "convergence": "Which combinations converge: how many seeds (with the 95 % "
            "interval of the rate), at which step, and how well the other seeds fit "
            "the training range.",
            "endings": "What the runs end in, in seeds. “Nearly nothing” is a sum "
            "whose weights are all below 0.05, as in the note's invalid solution.",
            "matrices": "The two solutions that the note prints, and of each "
            "combination the first seed that was not solved and the first that was.",
        },
        plots=(
            Grid("Solved, in %.", "log", "weights"),
            Lines(
                "Train error (median and quartiles of the seeds).",
                *("train-error",),
                **band,
                log_x=True,
                log_y=True,
            ),
            Lines(
                "Extrapolation error on [1, 6].",
                *("test-error",),
                **band,
                log_x=True,
                log_y=True,
            ),
            Convergence(
                "The plain log: extrapolation error and threshold.",
                "weights",
                {"log": "plain"},
            ),
            Seeds("The plain log: every seed.", "weights", {"log": "plain"}),
            Seeds("The NMU: every seed.", "weights", {"weights": "NMU"}),
            Weights(
                "The note's network: a valid and an invalid solution.",
                {"weights": "tanh-σ", "log": "plain"},
            ),
            Weights(
                "Linear weights with a weak penalty.",
                {"weights": linear(0.1), "log": "plain"},
            ),
            Weights("The NMU.", {"weights": "NMU"}),
        ),
    )

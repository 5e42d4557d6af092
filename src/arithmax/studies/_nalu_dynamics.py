"""The multiplication note on how NALU learns: gates and paths along training."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..networks import Stack
from ..protocol import Cell, Protocol
from ..statistics import Interval, success_rate
from ..tasks import Subsets
from ..units import NALU
from . import _oscillation as oscillation
from ._evaluate import Found, Trained
from ._learned_subsets import NOTE
from ._madsen_johansen import SYMBOLS
from ._plots import Bars, Lines, Seeds
from ._study import Arm, Computed, Published, Study, Table, columns

SEEDS = 100
EARLY = 1_000  # the step until which gates are on their way to a side
SAMPLES = 256
EDGES = np.linspace(0.0, 1.0, 21)
KEPT = {
    4: (0, 500, 1_000, 2_000, 5_000, 20_000, 100_000),
    100: (0, 500, 1_000, 5_000, 20_000),
}
BIASES = {False: "no gate bias", True: "gate bias"}


def gate_arms() -> list[Arm]:
    """Two layers of NALU on × and +: 4 inputs, with and without bias, and 100."""
    made = []
    for size, bias in ((4, False), (4, True), (100, False)):
        for operation in ("mul", "add"):
            task = Subsets(operation, simple=size == 4, extrapolation=(1.0, 6.0))
            protocol = Protocol(steps=KEPT[size][-1], interval=500, keep=KEPT[size])
            unit = NALU(gate_bias=bias)
            labels = {
                "task": f"{SYMBOLS[operation]}, {size} inputs",
                "model": "NALU",
                "setting": BIASES[bias],
            }
            cell = Cell(Stack((unit, unit), (2,)), task, protocol, tuple(range(SEEDS)))
            made.append(Arm(labels, cell))
    return made


@dataclass(frozen=True)
class Followed:
    """What was seen of the seeds of an arm at each kept step, arrays [seed, step].

    `first` is the share of the first layer's gates that add, `second` the gate of the
    second layer, averaged over inputs; `added` and `multiplied` are the errors of its
    two paths, each taken alone.
    """

    steps: list[int]
    first: np.ndarray
    second: np.ndarray
    added: np.ndarray
    multiplied: np.ndarray

    @property
    def early(self) -> int:
        """The last kept step that is early."""
        return max(k for k, step in enumerate(self.steps) if step <= EARLY)


def gate(own: Any, x: np.ndarray) -> np.ndarray:
    """The gate of a NALU: 1 adds, 0 multiplies."""
    logits = own["G"] @ x + (own["b"][:, None] if "b" in own else 0.0)
    with np.errstate(over="ignore"):
        return 1 / (1 + np.exp(-logits))


def look(network: Stack, params: Any, x: np.ndarray, t: np.ndarray) -> tuple:
    """The share of first gates that add, the second gate, and its paths' errors."""
    (one, first), (two, second) = network.layers(params)
    with np.errstate(over="ignore", invalid="ignore"):
        z = one.compute(first, x)
        w = two.weights(second)["W"]
        added, multiplied = w @ z, np.exp(w @ np.log(np.abs(z) + 1e-7))
        errors = (float(np.mean((y - t) ** 2)) for y in (added, multiplied))
        adding = gate(first, x).mean(axis=1) > 0.5
        return float(adding.mean()), float(gate(second, z).mean()), *errors


def follow(found: Found, trained: Trained) -> Followed:
    """The gates and paths of every seed of an arm, at every step that was kept."""
    cell = found.arm.cell
    task, network = cell.task, cell.network
    assert isinstance(network, Stack) and isinstance(task, Subsets)
    x = np.random.default_rng(0).uniform(1.0, 2.0, (task.in_features, SAMPLES))
    combine = np.prod if task.operation == "mul" else np.sum
    seen, steps = [], np.zeros(0, dtype=int)
    for row in found.rows:
        t = combine(task.replica(row["seed"])["masks"] @ x, axis=0)
        steps, kept = trained.results.path(row["run"])
        at = [{n: np.float64(v[k]) for n, v in kept.items()} for k in range(len(steps))]
        seen.append([look(network, params, x, t) for params in at])
    arrays = np.moveaxis(np.array(seen), 2, 0)
    return Followed([int(step) for step in steps], *arrays)


def _gates(arms: list[tuple[Found, Followed]]) -> Table:
    """Shares of seeds along training."""
    rows = []
    for found, f in arms:
        task, _, setting = found.arm.labels.values()
        better = (f.added < f.multiplied).mean(axis=0)
        for k, step in enumerate(f.steps):
            adds = success_rate(int((f.second[:, k] > 0.5).sum()), len(f.second))
            sure = float((np.abs(f.second[:, k] - 0.5) > 0.4).mean())
            first = float(f.first[:, k].mean())
            shares = (adds.value, adds.low, adds.high, float(better[k]), sure, first)
            rows.append((task, setting, len(f.second), step, *shares))
    names = ("task", "setting", "seeds", "step", "second gate adds", "low", "high")
    return columns(
        (*names, "its sum is the better", "it has a side", "first gates add"), rows
    )


def _switches(arms: list[tuple[Found, Followed]]) -> Table:
    """How many seeds change sides, when, and what came of it."""
    rows = []
    for found, f in arms:
        task, _, setting = found.arm.labels.values()
        adds = f.second > 0.5
        changed = adds[:, 1:] != adds[:, :-1]
        late = changed[:, f.early :].any(axis=1)
        solved = np.array([row["outcome"] == "solved" for row in found.rows])
        to_product = adds[:, f.early] & ~adds[:, -1]
        to_sum = ~adds[:, f.early] & adds[:, -1]
        groups = (changed[:, : f.early].any(axis=1), late, to_product, to_sum)
        ends = (adds[:, -1] & solved, ~adds[:, -1] & solved)
        counts = (int(g.sum()) for g in (*groups, solved, *ends, solved & late))
        rows.append((task, setting, len(adds), *counts))
    names = ("task", "setting", "seeds", f"switch by step {EARLY:,}", "switch later")
    ways = ("of these + to ×", "of these × to +", "solved", "solved adding")
    return columns((*names, *ways, "solved multiplying", "solved after a switch"), rows)


def _histograms(arms: list[tuple[Found, Followed]]) -> Table:
    rows = []
    for found, f in arms:
        task, _, setting = found.arm.labels.values()
        counts, _ = np.histogram(f.second[:, -1], EDGES)
        middles = ((EDGES[1:] + EDGES[:-1]) / 2).tolist()
        pairs = zip(middles, map(int, counts), strict=True)
        rows += [(f"{task}, {setting}", *pair) for pair in pairs]
    return columns(("arm", "gate", "seeds"), rows)


def _lines(table: Table) -> Table:
    """What is drawn of the gates: shares of seeds from the first kept step on."""
    rows = [
        (f"{task}, {setting}", step, *shares)
        for task, setting, _, step, *shares in zip(*table.values(), strict=True)
        if step > 0
    ]
    names = ("arm", "step", "second gate adds", "low", "high")
    return columns((*names, "its sum is the better"), rows)


ADDS = "{}: share of seeds whose second gate adds after 1,000 steps"
SUMS = "{}: share of seeds in which the sum is then the better estimator"
LUCKY = "{}: share of seeds that switch from + to × later"
CLAIMED = ("×, 4 inputs", "×, 100 inputs")


def _figures(arms: list[tuple[Found, Followed]]) -> dict[str, Interval]:
    """What section 5 claims about ×, without a bias."""
    figures = {}
    for found, f in arms:
        task, _, setting = found.arm.labels.values()
        if task not in CLAIMED or setting != BIASES[False]:
            continue
        adds = f.second > 0.5
        counted = {
            ADDS: adds[:, f.early],
            SUMS: (f.added < f.multiplied)[:, f.early],
            LUCKY: adds[:, f.early] & ~adds[:, -1],
        }
        for name, here in counted.items():
            figures[name.format(task)] = success_rate(int(here.sum()), len(here))
    return figures


def nalu_dynamics_tables(trained: Trained) -> Computed:
    """Gates along training, and whether weights oscillate."""
    arms = [
        (found, follow(found, trained))
        for found in trained.found
        if found.arm.labels["model"] == "NALU" and found.rows
    ]
    gates = _gates(arms)
    tables = {
        "gates": gates,
        "gate-lines": _lines(gates),
        "switches": _switches(arms),
        "gate-values": _histograms(arms),
        "oscillation": oscillation.oscillation_table(trained),
        "restless": oscillation.example_table(trained),
    }
    return Computed(
        {n: t for n, t in tables.items() if any(t.values())}, _figures(arms)
    )


WORDS = "; words, no number is printed"
FIRST = "“the addition operator becomes the best estimator, first”" + WORDS
ALWAYS = "“a network will thus almost always converge to addition”" + WORDS
LUCK = "“for a very lucky seed … the gate will switch to multiplication”" + WORDS

ABOUT = """
Section 5 of the note explains why NALU “could converge given a very lucky seed”: the
network almost always learns to add first, since the sum has the higher and steadier
gradient; once an operation has been learned its gate hardly ever changes sides; a bias
in the gate would change how much it explores. Section 2 says that even *adding* two
learned sums with two layers of NALU rarely converges, section 3.3 that weights
oscillate even at small learning rates.

**What was chosen.** Two layers of NALU on the note's problem (4 inputs in [1, 2], (Σ a)
∘ (Σ b)) for 100,000 steps, and on that of the NALU paper as the note describes it (100
inputs, here in [1, 2] too) for 20,000. Parameters are kept at some steps on the way
(`keep`). A gate is that of the second layer, averaged over inputs in [1, 2]: above ½ it
adds. At the same steps the two paths of that layer are taken alone, and the one with
the smaller error is called the better estimator. “Switching” is to cross ½ between two
kept steps. For oscillation, weights are looked at 50 times on a way on which Adam can
move each by 5 at most, whatever the learning rate: they oscillate if more than a tenth
of the way leads back, against the move before. Runs with the same batch in every step
tell the network's own part in that from the noise of sampling. (Those runs are short,
and their success rates mean nothing.)

**What to look for.** *Addition first* is refuted: after 1,000 steps most second gates
multiply, on + as much as on ×, and the product is the better estimator in most seeds
from the start, because sums with weights around zero are near zero while products are
near one. It is the first layer, in the problem of 4 inputs, whose gates come to add.
*The gate rarely switches* is nearly right: two seeds in five change sides in their
first thousand steps and about one in five later. But luck is not what it takes: the
runs that are solved mostly have the right gate by step 1,000, and keep it. *A bias*
lets gates take a side sooner, more of them that of ×, and makes success rarer. *Adding
rarely converges* is right; with 100 inputs it takes longer than these runs, see the
study `arithmetic-dataset`. *Oscillation*: in most seeds weights go nearly straight, at
every rate. With the plain log some seeds oscillate, and mostly by the noise of batches:
with one batch hardly any do. Smaller rates do not cure all of them, but those that are
left hardly move at all; they are stuck. With the safe log, for which the note expects
oscillation too, none is left at small rates, and of the NMU there is none at any.
"""


def nalu_dynamics() -> Study:
    """Section 5 of the note, and two claims from sections 2 and 3.3."""
    band = {"low": "low", "high": "high", "log_x": True}
    return Study(
        "nalu-dynamics",
        "How NALU learns: which operation first, and does its gate switch?",
        f"{NOTE}, section 5, and remarks in sections 2 and 3.3",
        ABOUT.strip(),
        (*gate_arms(), *oscillation.arms()),
        compute=nalu_dynamics_tables,
        claims={
            name.format(task): Published(value, note=note)
            for task in CLAIMED
            for name, value, note in (
                (ADDS, 1.0, ALWAYS),
                (SUMS, 1.0, FIRST),
                (LUCKY, 0.0, LUCK),
            )
        },
        shown={
            "gates": "Shares of seeds along training: the second gate adds (above ½), "
            "its sum alone is a better estimator than its product alone, the gate has "
            "a side (below 0.1 or above 0.9), and the first layer's gates add.",
            "switches": "Seeds whose second gate crosses ½, and how many were solved.",
            "oscillation": "How much longer the way of the weights is than its ends "
            "are apart and how much of it leads back (medians over seeds); in how many "
            "seeds that is more than a tenth, with the interval of that share; and how "
            "far a weight went in these seeds, and in the others.",
        },
        plots=(
            Lines(
                "Seeds whose second gate adds.",
                *("gate-lines", "step", "second gate adds", "arm"),
                **band,
            ),
            Lines(
                "Seeds in which the sum is the better estimator.",
                *("gate-lines", "step", "its sum is the better", "arm"),
                log_x=True,
            ),
            Bars("Second gates at the end.", "gate-values", "gate", "seeds", "arm"),
            Seeds("Every seed.", "task", {"model": "NALU"}),
            Lines(
                "Linear weights with the plain log: at each rate, the most restless "
                "weight of the first seed that oscillates.",
                *("restless", "rate × step", "weight", "run"),
            ),
        ),
    )

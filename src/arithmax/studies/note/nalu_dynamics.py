"""The multiplication note on how NALU learns: gates and paths along training."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...networks import Stack
from ...statistics import Interval, success_rate
from ...tasks import Subsets
from ...units import NALU
from .._evaluate import ArmRuns, Trained
from .._gates import gates
from .._grid import SYMBOLS
from .._learned import solved
from .._sheet import sheet
from .._snapshots import snapshots
from .._study import Arm, Computed, Study, Table, columns
from .._tables import ends, histogram
from . import _oscillation as oscillation
from ._runs import followed

SHEET = sheet("note", "nalu-dynamics")
EARLY = 1_000  # the step until which gates are on their way to a side
SAMPLES = 256
EDGES = np.linspace(0.0, 1.0, 21)
KEPT = {
    4: (0, 500, 1_000, 2_000, 5_000, 20_000, 100_000),
    100: (0, 500, 1_000, 5_000, 20_000),
}
BIASES = {False: "no gate bias", True: "gate bias"}
CLAIMED = [labels["task"] for labels in SHEET.labels("adds")]


def gate_arms() -> list[Arm]:
    """Two layers of NALU on × and +: 4 inputs, with and without bias, and 100."""
    made = []
    for size, bias in ((4, False), (4, True), (100, False)):
        for operation in ("mul", "add"):
            task = Subsets(operation, simple=size == 4, extrapolation=(1.0, 6.0))
            named = f"{SYMBOLS[operation]}, {size} inputs"
            labels = {"task": named, "model": "NALU", "setting": BIASES[bias]}
            network = Stack((NALU(gate_bias=bias),) * 2, (2,))
            made.append(Arm(labels, followed(network, task, KEPT[size])))
    return made


@dataclass(frozen=True)
class Followed:
    """What was seen of the seeds of an arm at each kept step, arrays [seed, step].

    `first` is the share of the first layer's gates that add, `second` the gate of the
    second layer, averaged over inputs; `added` and `multiplied` are the errors of its
    two paths, each taken alone.
    """

    runs: ArmRuns
    steps: list[int]
    first: np.ndarray
    second: np.ndarray
    added: np.ndarray
    multiplied: np.ndarray

    @property
    def labels(self) -> tuple[str, str]:
        """The task and the setting."""
        task, _, setting = map(str, self.runs.arm.labels.values())
        return task, setting

    @property
    def adds(self) -> np.ndarray:
        """Whether the second gate adds."""
        return self.second > 0.5

    @property
    def sums(self) -> np.ndarray:
        """Whether its sum alone is the better estimator."""
        return self.added < self.multiplied

    @property
    def early(self) -> int:
        """The last kept step that is early."""
        return max(k for k, step in enumerate(self.steps) if step <= EARLY)


def look(network: Any, params: Any, x: np.ndarray, t: np.ndarray) -> tuple:
    """The share of first gates that add, the second gate, and its paths' errors."""
    (one, first), (two, second) = network.layers(params)
    with np.errstate(over="ignore", invalid="ignore"):
        z = one.compute(first, x)
        w = two.weights(second)["W"]
        added, multiplied = w @ z, np.exp(w @ np.log(np.abs(z) + 1e-7))
        errors = (float(np.mean((y - t) ** 2)) for y in (added, multiplied))
        adding = gates(first, x).mean(axis=1) > 0.5
        return float(adding.mean()), float(gates(second, z).mean()), *errors


def follow(arm_runs: ArmRuns, trained: Trained) -> Followed:
    """The gates and paths of every seed of an arm, at every step that was kept."""
    task, network = arm_runs.arm.cell.task, arm_runs.arm.cell.network
    x = np.random.default_rng(0).uniform(1.0, 2.0, (task.in_features, SAMPLES))
    combine = np.prod if "mul" in task.operations else np.sum
    steps, runs = snapshots(arm_runs, trained)
    seen = []
    for row, kept in zip(arm_runs.rows, runs, strict=True):
        t = combine(task.replica(row["seed"])["masks"] @ x, axis=0)
        at = [{name: np.float64(value) for name, value in p.items()} for p in kept]
        seen.append([look(network, params, x, t) for params in at])
    return Followed(arm_runs, steps, *np.moveaxis(np.array(seen), 2, 0))


def _gates(arms: list[Followed]) -> Table:
    """Shares of seeds along training."""
    rows = []
    for f in arms:
        better, sure = f.sums.mean(axis=0), (np.abs(f.second - 0.5) > 0.4).mean(axis=0)
        for k, step in enumerate(f.steps):
            adds = success_rate(int(f.adds[:, k].sum()), len(f.adds))
            others = (float(v) for v in (better[k], sure[k], f.first[:, k].mean()))
            rows.append((*f.labels, len(f.adds), step, *ends(adds), *others))
    names = ("task", "setting", "seeds", "step", "second gate adds", "low", "high")
    return columns(
        (*names, "its sum is the better", "it has a side", "first gates add"), rows
    )


def _switches(arms: list[Followed]) -> Table:
    """How many seeds change sides, when, and what came of it."""
    rows = []
    for f in arms:
        changed = f.adds[:, 1:] != f.adds[:, :-1]
        late, right = changed[:, f.early :].any(axis=1), solved(f.runs)
        before, after = f.adds[:, f.early], f.adds[:, -1]
        groups = (changed[:, : f.early].any(axis=1), late, before & ~after)
        groups += (~before & after, right, after & right, ~after & right, right & late)
        rows.append((*f.labels, len(before), *(int(g.sum()) for g in groups)))
    names = ("task", "setting", "seeds", f"switch by step {EARLY:,}", "switch later")
    ways = ("of these + to ×", "of these × to +", "solved", "solved adding")
    return columns((*names, *ways, "solved multiplying", "solved after a switch"), rows)


def _lines(table: Table) -> Table:
    """What is drawn of the gates: shares of seeds from the first kept step on."""
    rows = [
        (f"{task}, {setting}", step, *shares)
        for task, setting, _, step, *shares in zip(*table.values(), strict=True)
        if step > 0
    ]
    names = ("arm", "step", "second gate adds", "low", "high")
    return columns((*names, "its sum is the better"), rows)


def _figures(arms: list[Followed]) -> dict[str, Interval]:
    """What section 5 claims about ×, without a bias."""
    figures = {}
    for f in arms:
        task, setting = f.labels
        if task not in CLAIMED or setting != BIASES[False]:
            continue
        early = f.adds[:, f.early]
        lucky = early & ~f.adds[:, -1]
        counted = {"adds": early, "sums": f.sums[:, f.early], "lucky": lucky}
        for key, here in counted.items():
            rate = success_rate(int(here.sum()), len(here))
            figures[SHEET.claim(key, task=task)] = rate
    return figures


def dynamics(trained: Trained) -> Computed:
    """Gates along training, and whether weights oscillate."""
    arms = [follow(runs, trained) for runs in trained.arms(model="NALU")]
    along = _gates(arms)
    ended = [
        row
        for f in arms
        for row in histogram(", ".join(f.labels), f.second[:, -1], EDGES)
    ]
    tables = {
        "gates": along,
        "gate-lines": _lines(along),
        "switches": _switches(arms),
        "gate-values": columns(("arm", "gate", "seeds"), ended),
        "oscillation": oscillation.oscillation_table(trained),
        "restless": oscillation.example_table(trained),
    }
    shown = {name: table for name, table in tables.items() if any(table.values())}
    return Computed(shown, _figures(arms))


def study() -> Study:
    """Section 5 of the note, and two claims from sections 2 and 3.3."""
    made = SHEET.study([*gate_arms(), *oscillation.arms()], dynamics)
    by_task = sorted(
        made.claims.items(), key=lambda claim: CLAIMED.index(claim[0].partition(":")[0])
    )
    return replace(made, claims=dict(by_task))

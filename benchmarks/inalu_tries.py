"""What was tried where iNALU's experiments 1 to 3 come out otherwise than published.

    python benchmarks/inalu_tries.py STUDY [TRY ...]
    python benchmarks/inalu_tries.py every-start

A try is another reading of the authors' script, the same for all arms. Each is trained
on the arms of a study that differ and on others that do not, and how many runs are
solved is written to `inalu-tries.json` beside the studies, whose pages say how many
arms then differ. Tries that are in the file are not trained again, unless named.

In experiment 3 an arm has 20,000 steps: by then 397 of the 410 stored runs of + and −
are solved that are solved after 201,000, and all after 40,000. `every-start` trains the
last try, which was found on 24 starts, from all starts of + − ×, with 40,000 steps.
"""

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp

from arithmax._parameters import glorot_uniform
from arithmax.results import read
from arithmax.studies import Arm, find
from arithmax.studies.inalu._counts import OUTSIDE, WITHIN, count
from arithmax.studies.inalu._runs import HIDDEN, network
from arithmax.studies.inalu._tries import EVERY_START
from arithmax.studies.inalu.experiments import MINIMAL, minimal, simple
from arithmax.studies.inalu.inalu_initialisation import NAMES, study
from arithmax.training import Cell, ClipValue, Joint, Loss, train_cells
from arithmax.units import INALU, Normal
from arithmax.units._inalu import OMEGA, sign_product

ROOT = Path(__file__).parents[1]
OUT = ROOT / "src" / "arithmax" / "studies" / "inalu" / "inalu-tries.json"
STEPS = 20_000  # of experiment 3
LONGER = 40_000  # steps, of every start
SOME = 9  # starts that are trained at a time
NEVER = 100_000  # steps, all that experiments 1 and 2 have
OTHER_READING = "that penalty, shared weights, and loss and penalty in one step"


@dataclass(frozen=True)
class RootOfSquaredError(Loss):
    """The root of the mean squared error."""

    def value(self, y, t, now):
        error = y - t
        return jnp.sqrt(jnp.mean(error * error) + 1e-12)  # its slope at 0 is finite


@dataclass(frozen=True)
class ScriptsSign(INALU):
    """iNALU with the sign of a product as the script has it, wrong for two outputs."""

    def compute(self, params, x, *, training=False, noise=None, xp: Any = jnp):
        w_add, w = self._matrices(params, xp)
        exponent = xp.minimum(self._exponent(w, x, xp), OMEGA)
        signs = sign_product(w.T.reshape(w.shape), x, xp)  # weights of other inputs
        g = jax.nn.sigmoid(params["G"])[:, None]
        multiplied = xp.clip(signs, -1.0, 1.0) * xp.exp(exponent)
        return g * (w_add @ x) + (1 - g) * multiplied


Change = Callable[[Arm], Cell]


def protocol(**changes: Any) -> Change:
    """Other settings of the protocol."""

    def change(arm: Arm) -> Cell:
        return replace(arm.cell, protocol=arm.cell.protocol.updated(**changes))

    return change


def default(arm: Arm) -> Cell:
    """The start that the authors' layers have by themselves."""
    net: Any = arm.cell.network
    means = {"W": 0.88, "M": 0.5, "G": 0.0}
    starts = tuple((n, Normal(means[n.split(".")[-1][0]], 0.2)) for n, _ in net.starts)
    return replace(arm.cell, network=replace(net, starts=starts))


def shared(arm: Arm) -> Cell:
    """One matrix for both paths."""
    start: Any = {key: arm.labels[name] for key, name in NAMES.items()}
    net = network("iNALU (sw)", HIDDEN, one_program=True, **start)
    return replace(arm.cell, network=net)


def moved_together(arm: Arm) -> Cell:
    """One matrix for both paths, moved in the same steps as gates."""
    return protocol(**TOGETHER)(replace(arm, cell=shared(arm)))


def scripts_sign(tied: bool) -> Change:
    """The sign of a product as the script has it."""

    def change(arm: Arm) -> Cell:
        cell = shared(arm) if tied else arm.cell
        net: Any = cell.network
        units = tuple(ScriptsSign(tied=tied) for _ in net.units)
        return replace(cell, network=replace(net, units=units))

    return change


TOGETHER: dict[str, Any] = {"transforms": (ClipValue(0.1),)}
JOINT: dict[str, Any] = {"composition": Joint(), **TOGETHER}


def soon(tied: bool, **changes: Any) -> Change:
    """The penalty from the second epoch on, where the script has the twelfth."""

    def change(arm: Arm) -> Cell:
        cell = shared(arm) if tied else arm.cell
        changed = protocol(penalties__0__start=999, **changes)
        return changed(replace(arm, cell=cell))

    return change


def glorot(arm: Arm) -> Cell:
    """The start that TensorFlow gives to variables without one, in a single layer."""
    net: Any = arm.cell.network
    (unit,), on = net.units, arm.cell.task
    declared = unit.parameters(on.in_features, on.out_features)
    starts = tuple(
        (name, glorot_uniform(p.shape[-1], p.shape[0])) for name, p in declared.items()
    )
    return replace(arm.cell, network=replace(net, starts=starts))


TRIES: dict[str, dict[str, Change]] = {
    MINIMAL: {
        "the penalty from the first step": protocol(penalties__0__start=0),
        "no penalty": protocol(penalties__0__start=NEVER),
        "no restarts": protocol(restart=None),
        "the start of the authors' layers": default,
        "TensorFlow's own start": glorot,
        "the averages of RMSProp from zero, as in PyTorch": protocol(
            optimiser__initial=0.0
        ),
        "double precision": protocol(precision="float64"),
    },
    "inalu-simple": {
        "no restarts": protocol(restart=None),
        "the start of the authors' layers": default,
    },
    "inalu-initialisation": {
        "shared weights": shared,
        "the sign of a product as the script of experiment 4 has it": scripts_sign(
            tied=False
        ),
        "that sign and shared weights": scripts_sign(tied=True),
        "shared weights that are moved with the gates": moved_together,
        "the root of the mean squared error as loss": protocol(
            loss=RootOfSquaredError()
        ),
        "gates and weights moved together": protocol(**TOGETHER),
        "loss and penalty in one step": protocol(**JOINT),
        "the penalty after one epoch instead of eleven": soon(tied=False),
        "that penalty and shared weights": soon(tied=True),
        OTHER_READING: soon(tied=True, **JOINT),
    },
}
# Of each operation and model of `inalu-simple`, where it is trained: seven arms that
# differ, and five that do not.
SIMPLE: dict[tuple[str, str], tuple[str, ...]] = {
    ("+", "NALU"): ("Exp(0.8)",),
    ("−", "NALU"): ("Exp(0.8)", "N(−3, 3)"),
    ("÷", "NALU"): ("Exp(0.8)",),
    ("−", "iNALU (sw)"): ("Exp(0.8)", "N(−3, 3)"),
    ("×", "iNALU (sw)"): ("N(−3, 3)",),
    ("÷", "iNALU (sw)"): ("Exp(0.8)", "N(−3, 3)"),
    ("−", "iNALU (iw)"): ("N(−3, 3)",),
    ("÷", "iNALU (iw)"): ("Exp(0.8)", "N(−3, 3)"),
}


def chosen(name: str) -> list[Arm]:
    """The arms of a study on which tries are trained."""
    if name == MINIMAL:  # all of iNALU's
        return [arm for arm in minimal().arms if arm.labels["model"] != "NALU"]
    if name == "inalu-simple":
        return [arm for arm in simple().arms if _is_tried(arm)]
    map_of_sums = {"operation": "+", "mean G": 0, "deviation": 0.1}
    return [
        replace(arm, cell=protocol(steps=STEPS)(arm))
        for arm in study().arms
        if map_of_sums.items() <= arm.labels.items()
    ]


def _is_tried(arm: Arm) -> bool:
    operation, model, distribution = map(str, arm.labels.values())
    return distribution in SIMPLE.get((operation, model), ())


def train(arms: list[Arm], change: Change) -> list[list[int]]:
    """Of each arm, how many runs are solved in extrapolation and within."""
    cells = [change(arm) for arm in arms]
    rows = iter(train_cells(cells).rows)
    runs = [[next(rows) for _ in cell.seeds] for cell in cells]
    return [[count(r, measure) for measure in (OUTSIDE, WITHIN)] for r in runs]


def stored(name: str, arms: list[Arm]) -> list[list[int]]:
    """The same of the study's own runs."""
    made = {MINIMAL: minimal, "inalu-simple": simple}.get(name, study)()
    places = [arm.labels for arm in arms]
    kept = [arm for arm in made.arms if arm.labels in places]
    found = find(replace(made, arms=tuple(kept)), read(ROOT / "results"))
    found.sort(key=lambda f: places.index(f.arm.labels))
    return [[count(f.rows, measure) for measure in (OUTSIDE, WITHIN)] for f in found]


def write(made: dict[str, Any]) -> None:
    """One line for each study."""
    lines = [
        f"  {json.dumps(k, ensure_ascii=False)}: {json.dumps(v, ensure_ascii=False)}"
        for k, v in made.items()
    ]
    OUT.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def every_start() -> None:
    """The last try of experiment 3, from every start; written as starts are done."""
    arms = [arm for arm in study().arms if arm.labels["operation"] != "÷"]
    change = TRIES["inalu-initialisation"][OTHER_READING]
    for first in range(0, len(arms), SOME):
        made = json.loads(OUT.read_text())
        found = made.setdefault(EVERY_START, {"arms": [], "solved": [], "study": []})
        some = [
            replace(arm, cell=protocol(steps=LONGER)(arm))
            for arm in arms[first : first + SOME]
            if list(arm.labels.values()) not in found["arms"]
        ]
        if some:
            found["solved"] += train(some, change)
            found["study"] += stored("inalu-initialisation", some)
            found["arms"] += [list(arm.labels.values()) for arm in some]
            write(made)
            print(first + SOME, "of", len(arms), flush=True)


def main(name: str, *again: str) -> None:
    """Train what is missing or named, and write the file after each try."""
    if name == "every-start":
        return every_start()
    arms = chosen(name)
    for words, change in TRIES[name].items():
        made = json.loads(OUT.read_text()) if OUT.exists() else {}
        of_study = made.get(name, {"tries": {}})
        if words in of_study["tries"] and words not in again:
            continue
        solved = train(arms, change)
        made = json.loads(OUT.read_text()) if OUT.exists() else {}
        of_study = made.setdefault(name, {"tries": {}})
        of_study["arms"] = [list(arm.labels.values()) for arm in arms]
        of_study["study"] = stored(name, arms)
        of_study["tries"][words] = solved
        write(made)
        print(name, words, solved, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])

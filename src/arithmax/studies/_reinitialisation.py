"""The extrapolation report's improvement: draw weights afresh when the loss stalls."""

from ..networks import Stack
from ..protocol import Cell
from ..statistics import success_rate
from ..tasks import Operands
from ..units import NALU, Unit
from ._evaluate import Trained
from ._extrapolation import (
    FLAT,
    REPORT,
    SEEDS,
    accuracy_table,
    measured_arms,
    protocol,
    torch_start,
)
from ._gradients import estimate
from ._nac_operands import AT, USUAL, VARIANCE
from ._nalu_operands import NAMES
from ._plots import Convergence, Lines
from ._study import Arm, Computed, Study, columns

OFF, ON = "off", "on"
# Look every m steps; draw afresh if the loss is above a threshold and has not had a
# new minimum for n steps. The report gives neither number.
RULE = {
    OFF: {},
    ON: {
        "restart": "stalled",
        "restart_every": 1000,
        "restart_patience": 5000,
        "restart_above": 1e-3,
    },
}
OPERATIONS = ("add", "sub", "mul", "div", "sqrt", "square")
STEPS = 40_000
ENOUGH = 0.8  # of the predictions; a run that has fewer right took the wrong side


def starts() -> dict[str, Unit]:
    """One NALU of two inputs by its two starts."""
    return {USUAL: torch_start((NALU(),), (2,)), VARIANCE: Stack((NALU(),))}


def improvement(trained: Trained) -> Computed:
    """Accuracy with and without, seed by seed."""
    measured = measured_arms(trained)
    rows = []
    for (operation, start, rule), (found, values) in measured.items():
        other = measured.get((operation, start, OFF))
        if rule == OFF or other is None:
            continue
        seeds = {row["seed"]: k for k, row in enumerate(other[0].rows)}
        both = [
            (k, seeds[r["seed"]])
            for k, r in enumerate(found.rows)
            if r["seed"] in seeds
        ]
        on, off = (
            v[[pair[i] for pair in both], AT] for i, v in enumerate((values, other[1]))
        )
        gain = estimate(on - off)
        enough = [success_rate(int((v >= ENOUGH).sum()), len(v)) for v in (off, on)]
        shares = [x for r in enough for x in (r.value, r.low, r.high)]
        means = (float(off.mean()), float(on.mean()), gain.value, gain.low, gain.high)
        rows.append((operation, start, len(both), *means, *shares))
    names = ("operation", "start", "seeds", "mean, off", "mean, on")
    gains = ("gain", "gain low", "gain high")
    shares = tuple(
        f"{a}{b}" for a in ("runs, off", "runs, on") for b in ("", " low", " high")
    )
    accuracy = dict(accuracy_table(measured))
    accuracy["arm"] = [f"{rule}: {start}" for _, start, rule in measured]
    table = columns((*names, *gains, *shares), rows)
    return Computed({"accuracy": accuracy, "improvement": table})


ABOUT = """
“Since NALU doesn't recover well from local optima by its own, we suggest a
reinitialization strategy”: look at the loss every m steps, and draw all weights afresh
if it did not improve for n steps and is above a threshold. The report gives neither
numbers nor results. Taken here: m = 1,000, n = 5,000, a smooth L1 loss above 0.001
(an error of about 0.045), 40,000 steps, so that a run can be drawn six times; otherwise
one NALU layer, ranges and accuracy as in `nalu-operands`, off and on with the same 100
seeds. The run that counts is the step with the least interpolation error, before or
after a restart.

**It works where it can.** The gate takes a side early, and Ŵ a sign; when one of them
is wrong, only another draw helps. × and ÷ become nearly certain, √ and + gain most, and
the wide start of the NAU/NMU paper, which loses more runs, gains more. It cannot help
power of 2, which one layer cannot represent, nor does it mend what good runs still get
wrong: inputs near zero, where a gate without a bias is half open.
"""


def reinitialisation() -> Study:
    """Section 5.1."""
    arms = [
        Arm(
            {"operation": NAMES[operation], "start": start, "reinitialisation": rule},
            Cell(
                network,
                Operands(operation, 2),  # type: ignore[arg-type]  # a literal
                protocol(
                    steps=STEPS,
                    threshold=FLAT if operation == "div" else 0.0,
                    **changes,
                ),
                tuple(range(SEEDS)),
            ),
        )
        for operation in OPERATIONS
        for start, network in starts().items()
        for rule, changes in RULE.items()
    ]
    return Study(
        "reinitialisation",
        "Drawing the weights of a NALU afresh when its loss stalls",
        f"{REPORT}, section 5.1",
        ABOUT.strip(),
        tuple(arms),
        compute=improvement,
        shown={
            "improvement": "Accuracy on (0, 60) at a tolerance of 0.01: means over "
            "seeds without and with reinitialisation, the mean gain of a seed with its "
            "95 % interval, and the share of runs that are right in 80 %.",
        },
        plots=(
            Lines(
                "Mean accuracy at a tolerance of 0.01, over operations.",
                *("accuracy", "operation", "mean at 0.01", "arm"),
            ),
            Convergence(
                "√, ±1/√n: extrapolation error, without and with.",
                "reinitialisation",
                {"operation": "√", "start": USUAL},
            ),
        ),
    )

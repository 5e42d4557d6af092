"""The arithmetic dataset's product over the nine ranges of the Primer."""

from typing import Any

from ..networks import Stack
from ..protocol import Cell, published
from ..statistics import success_rate
from ..tasks import Subsets
from ..units import NAU, NMU, StochasticNMU, Unit
from ._evaluate import Trained
from ._plots import Convergence, Grid, Measured, Seeds
from ._primer import RANGES, SYMBOLS, data, figures
from ._study import Arm, Computed, Study, columns

SEEDS = 20
SHORT = {"steps": 2_000_000}
PCC = {"loss": "correlation-mse", "loss_switch": 750_000}
MODELS: dict[str, tuple[Unit, dict[str, Any]]] = {
    "NMU": (NMU(), {}),
    "sNMU": (StochasticNMU(), SHORT),
    "sNMU, PCC-MSE": (StochasticNMU(), SHORT | PCC),
    "sNMU, PCC-MSE, beta-NAU": (
        Stack((NAU(init="beta"), StochasticNMU()), (2,)),
        SHORT | PCC,
    ),
}
ABOUT = """
A hundred inputs, two overlapping subsets of 25, the product of their sums: the task of
the NAU/NMU paper, over the nine ranges of the Primer. A NAU adds, and an NMU, or the
NMU with noise (sNMU), multiplies. On ±[1.1, 1.2), where all inputs are nearly alike,
both failed in every published run. Two remedies were proposed on the same slides: to
train on 1 − the correlation of prediction and target for the first 750,000 steps, which
does not care for scale, and on the squared error after that (*PCC-MSE*); and to start
the NAU's weights near zero, as 2·Beta(7, 7) − 1 (*beta-NAU*).

20 seeds a range; the NMU is trained for 5 million steps and the sNMU for 2 million, as
in the authors' scripts (`arithmetic_dataset.sh` of nalm-robust-nmu), where penalties
have their full strength at 2 million. The criterion is ε = 10⁻⁵, with the thresholds of
the same repository, which are the NAU/NMU authors' (off by one input).
"""


def task(name: str) -> Subsets:
    """The product of two sums on one of the ranges."""
    inner, outer = RANGES[name]
    # A zero harms no product; plain ends share the runs of `input-range`.
    return Subsets("mul", interpolation=(inner[0], inner[-1]), extrapolation=outer)


def cell(model: str, name: str) -> Cell:
    """The authors' run of a model on a range."""
    unit, changes = MODELS[model]
    network, protocol = published(unit, task(name), **changes)
    return Cell(network, task(name), protocol, tuple(range(SEEDS)))


def means(trained: Trained) -> Computed:
    """Success over all nine ranges, ours and published."""
    rows = []
    for model in MODELS:
        own = [f for f in trained.found if f.arm.labels["model"] == model]
        runs = [row for f in own for row in f.rows]
        solved = sum(row["outcome"] == "solved" for row in runs)
        theirs = [r for r in data("arithmetic-dataset-ranges") if r["model"] == model]
        share = sum(r["solved"] for r in theirs) / sum(r["runs"] for r in theirs)
        if runs:
            rate = success_rate(solved, len(runs))
            ours = (len(runs), solved, rate.value, rate.low, rate.high)
            rows.append((model, *ours, share))
    names = ("model", "runs", "solved", "rate", "low", "high", "published rate")
    return Computed({"means": columns(names, rows)})


def arithmetic_dataset_ranges() -> Study:
    """Slides 12 and 14 of 2021."""
    known = {
        (row["model"], row["range"]): figures(row)
        for row in data("arithmetic-dataset-ranges")
    }
    arms = [
        Arm({"model": model, "range": name}, cell(model, name), known[model, name])
        for model in MODELS
        for name in RANGES
    ]
    symbol = SYMBOLS["mul"]
    return Study(
        "arithmetic-dataset-ranges",
        "The arithmetic dataset: products over nine ranges",
        data("source")["slides"],
        ABOUT,
        tuple(arms),
        compute=means,
        shown={"means": "All nine ranges together."},
        plots=(
            Grid("Success rates, %.", "range", "model"),
            Measured("Success rate.", "success", "range", "model"),
            Measured(
                "Mean step at which it was solved.", "solved_at", "range", "model"
            ),
            *(
                Convergence(
                    f"{symbol} on {name}: extrapolation error.", only={"range": name}
                )
                for name in ("[1, 2)", "[1.1, 1.2)")
            ),
            Seeds("[1.1, 1.2): every seed.", only={"range": "[1.1, 1.2)"}),
        ),
    )

"""The extrapolation report's improvement: draw weights afresh when the loss stalls."""

from ...statistics import success_rate
from ...tasks import Operands
from ...units import NALU
from .._evaluate import Trained
from .._sheet import sheet
from .._study import Arm, Computed, Study, columns
from .._tables import ends, estimate
from ._accuracy import Accuracy, accuracy_table, measured
from ._runs import OPERATIONS, RULE, run, starts

SHEET = sheet("extrapolation", "reinitialisation")
ENOUGH = 0.8  # of the predictions; a run that has fewer right took the wrong side


def improvement(trained: Trained) -> Computed:
    """Accuracy with and without, seed by seed."""
    arms, rows = measured(trained), []
    for (operation, start, rule), arm in arms.items():
        other = arms.get((operation, start, "off"))
        if rule == "on" and other is not None:
            rows.append((operation, start, *_gain(other, arm)))
    names = ("operation", "start", "seeds", "mean, off", "mean, on")
    gains = ("gain", "gain low", "gain high", "runs, off", "runs, off low")
    shares = ("runs, off high", "runs, on", "runs, on low", "runs, on high")
    table = columns((*names, *gains, *shares), rows)
    drawn = [f"{rule}: {start}" for _, start, rule in arms]
    return Computed({"accuracy": accuracy_table(arms, arm=drawn), "improvement": table})


def _gain(without: Accuracy, having: Accuracy) -> tuple[float, ...]:
    """Of the seeds that both have: means, the mean gain, and how many are right."""
    places = {row["seed"]: k for k, row in enumerate(without.runs.rows)}
    both = [
        (places[row["seed"]], k)
        for k, row in enumerate(having.runs.rows)
        if row["seed"] in places
    ]
    off = without.compared[[pair[0] for pair in both]]
    on = having.compared[[pair[1] for pair in both]]
    means = (float(off.mean()), float(on.mean()), *ends(estimate(on - off)))
    rates = [success_rate(int((v >= ENOUGH).sum()), len(v)) for v in (off, on)]
    return len(both), *means, *ends(rates[0]), *ends(rates[1])


def study() -> Study:
    """Section 5.1."""
    arms = [
        Arm(
            {"operation": symbol, "start": start, "reinitialisation": rule},
            run(network, Operands(operation, 2), steps=40_000, restart=restart),
        )
        for symbol, operation in OPERATIONS.items()
        for start, network in starts(NALU(), 2).items()
        for rule, restart in RULE.items()
    ]
    return SHEET.study(arms, improvement)

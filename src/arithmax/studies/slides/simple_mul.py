"""Table 1 of the slides, and why NAC• is solved so seldom."""

from ...statistics import Interval, success_rate
from ...tasks import Subsets
from ...training import first_parameters
from .._evaluate import Trained
from .._learned import solved
from .._sheet import sheet
from .._study import Arm, Computed, Study, columns
from .._tables import ends
from ._figures import figures
from ._runs import MODELS, run

SHEET = sheet("slides", "simple-mul")
SEEDS = {"NAC•": 1000, "NALU": 100, "NMU": 100}
SIGNS = {2: "both positive", 1: "one positive", 0: "none positive"}


def starts_of_layer_two(trained: Trained) -> Computed:
    """Success of the NAC•, by the signs with which its second layer starts."""
    runs = trained.arm(model="NAC•")
    if not runs.rows:
        return Computed()
    seeds = [row["seed"] for row in runs.rows]
    positive = (first_parameters(runs.arm.cell, seeds)["1.W_hat"][:, 0] > 0).sum(1)
    counts = {
        count: (int(solved(runs)[positive == count].sum()), int(here))
        for count in SIGNS
        if (here := (positive == count).sum())
    }
    rows = [
        (SIGNS[count], total, right, *ends(success_rate(right, total)))
        for count, (right, total) in counts.items()
    ]
    names = ("Ŵ of layer 2 at the start", "seeds", "solved", "rate", "low", "high")
    return Computed({"starts": columns(names, rows)}, _figures(counts))


def _figures(counts: dict[int, tuple[int, int]]) -> dict[str, Interval]:
    lucky, total = counts.get(2, (0, 0))
    right, others = (sum(counts.get(n, (0, 0))[i] for n in (1, 0)) for i in (0, 1))
    figures = {SHEET.claim("share"): success_rate(total, total + others)}
    if total:
        figures[SHEET.claim("lucky")] = success_rate(lucky, total)
    if others:
        figures[SHEET.claim("other")] = success_rate(right, others)
    return figures


def study() -> Study:
    """Table 1 of the slides."""
    task = Subsets("mul", simple=True)
    arms = [
        Arm(
            {"model": name},
            run(MODELS[name], task, seeds),
            figures("simple-mul", model=name),
        )
        for name, seeds in SEEDS.items()
    ]
    return SHEET.study(arms, starts_of_layer_two)

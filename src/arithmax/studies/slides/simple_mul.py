"""Table 1 of the slides, and why NAC• is solved so seldom."""

from dataclasses import replace

from scipy.special import bdtr
from scipy.stats import hypergeom

from ...statistics import Interval, success_rate
from ...tasks import Subsets
from ...training import first_parameters
from .._evaluate import Trained
from .._learned import solved
from .._sheet import sheet
from .._study import Arm, Computed, Study, Table, columns
from .._tables import ends
from ._figures import entry, figures
from ._runs import MODELS, run

SHEET = sheet("slides", "simple-mul")
SEEDS = {"NAC•": 1000, "NALU": 400, "NMU": 100}
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
    tables = {
        "starts": columns(names, rows),
        "luck": luck(int(solved(runs).sum()), len(seeds)),
    }
    return Computed(tables, _figures(counts))


def chance_of_starts() -> float:
    """That of as many seeds no more start so than of the authors', if a quarter do."""
    published = SHEET.front["claims"]["share"]
    return float(bdtr(published["solved"], published["runs"], 0.25))


def luck(right: int, total: int) -> Table:
    """How probable the authors' counts are, of starts and of solved runs.

    Of starts the share is known. Of solved runs it is not: by Fisher's exact test
    theirs are drawn from theirs and ours together.
    """
    starts, row = SHEET.front["claims"]["share"], entry("simple-mul", model="NAC•")
    assert row is not None
    theirs, runs = row["solved"], row["runs"]
    drawn = hypergeom.cdf(theirs, runs + total, theirs + right, runs)
    names = ("of their seeds", "count", "seeds", "expected", "probability")
    rows = [
        (
            "both Ŵ start positive",
            starts["solved"],
            starts["runs"],
            0.25,
            chance_of_starts(),
        ),
        ("solved", theirs, runs, right / total, float(drawn)),
    ]
    return columns(names, rows)


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
    share = SHEET.claim("share")
    counted = SHEET.front["claims"]["share"]["solved"]
    why = SHEET.texts["share"].format(solved=counted, chance=chance_of_starts())
    claims = {share: replace(SHEET.claims()[share], reason=why)}
    return SHEET.study(arms, starts_of_layer_two, claims)

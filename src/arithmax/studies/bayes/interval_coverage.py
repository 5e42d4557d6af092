"""How often intervals of constants hold the truth, over many tables with noise."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...bayes import FormulaPosterior, laplace, variational
from ...discover import Formula
from ...readout import parse
from .._evaluate import Trained
from .._kept import Kept, counted
from .._sheet import sheet
from .._study import Computed, Study, Table, columns
from .._tables import ends, mean

SHEET = sheet("bayes", "interval-coverage")
SETS, ROWS, STEPS = 200, 200, 1000
NAMES = ("x1", "x2", "x3", "x4")
# Each law, and the range of its inputs.
LAWS = {
    "x1**2/x2": (0.5, 3.0),
    "6.67*x1*x2/x3**2": (1.0, 5.0),
    "2*x1**2 + 3*x2*x3 - x4": (1.0, 5.0),
    "2.5*x1/(x2 + x3)": (1.0, 5.0),
    "sqrt(x1**2 + x2**2)": (1.0, 5.0),
    "x1*exp(-0.5*x2)": (1.0, 4.0),
}
EVEN, RELATIVE = "of one size", "relative"
# Of one size: a share of the target's spread; relative: a share of each target.
NOISES = ((EVEN, 0.001), (EVEN, 0.01), (EVEN, 0.1), (RELATIVE, 0.01))
METHODS = ("Laplace", "full rank", "mean field")
COUNTED = ("coefficients", "of them inside", "exponents", "of them inside too")
SET_NAMES = ("law", "noise", "size", "method", "set", *COUNTED, "held", "half-width")
ENDS = ("coverage", "low", "high")


@dataclass(frozen=True)
class NoisyTable:
    """One table: a law, the kind and size of its noise, and which set it is."""

    law: str
    noise: str
    size: float
    set: int

    @property
    def formula(self) -> Formula:
        return parse(self.law, list(NAMES))

    def rows(self) -> tuple[np.ndarray, np.ndarray]:
        """Inputs [row, column] and targets; the same numbers for every noise."""
        rng = np.random.default_rng([list(LAWS).index(self.law), self.set])
        x = rng.uniform(*LAWS[self.law], (ROWS, len(NAMES)))
        truth = self.formula.evaluate(x)
        scale = np.std(truth) if self.noise == EVEN else np.abs(truth)
        return x, truth + self.size * scale * rng.standard_normal(ROWS)


def posterior_of(table: NoisyTable, method: str) -> Any:
    """The posterior of the law's constants by one method."""
    x, y = table.rows()
    if method == "Laplace":
        return laplace(table.formula, x, y)
    correlated = method == "full rank"
    options = {"seeds": 1, "steps": STEPS, "correlated": correlated}
    return variational(table.formula, x, y, **options)[0]


def measured(table: NoisyTable, method: str) -> tuple[Any, ...]:
    """How many intervals hold the truth, and half of their mean relative width."""
    found = posterior_of(table, method)
    assert isinstance(found, FormulaPosterior)
    truths = [found.given.numbers[place].value for place in found.places]
    counts, halves = {"factor": [0, 0], "exponent": [0, 0]}, []
    for marginal, truth in zip(found.marginals, truths, strict=True):
        kind = "exponent" if marginal.name.startswith("exponent") else "factor"
        counts[kind][0] += 1
        counts[kind][1] += marginal.contains(truth)
        halves.append((marginal.high - marginal.low) / 2 / max(abs(truth), 1.0))
    key = (table.law, table.noise, table.size, method, table.set)
    told = (*counts["factor"], *counts["exponent"], len(found.held))
    return (*key, *told, float(np.mean(halves)))


def missing(kept: Kept, sets: int) -> Iterator[tuple[NoisyTable, str]]:
    """What is not there yet; tables of one law come together, as programs do."""
    for law in LAWS:
        for method in METHODS:
            for noise, size in NOISES:
                for number in range(sets):
                    if (law, noise, size, method, number) not in kept.rows:
                        yield NoisyTable(law, noise, size, number), method


def compute(trained: Trained) -> Computed:
    """All tables; those that the folder has already are not computed again."""
    sets = trained.seeds or SETS
    folder = trained.results.folder
    kept = Kept(folder, SHEET.name, "sets", SET_NAMES, 5)
    left = list(missing(kept, sets))
    try:
        with counted("posteriors", len(left), trained.progress) as count:
            for table, method in left:
                kept.add(measured(table, method))
                count(f"{table.law}, {method}")
    finally:
        kept.write()
    rows = [row for row in kept.rows.values() if row[4] < sets]
    return Computed(
        {
            "sets": kept.table(kept.rows.values()),
            "methods": by(rows, ("method", "noise")),
            "laws": by(rows, ("law", "method", "noise")),
            "drawn": drawn(rows),
        }
    )


def coverage(rows: Sequence[dict[str, Any]]) -> tuple[float, float, float]:
    """The share of intervals that hold the truth; tables are what is independent."""
    inside = np.array([r["of them inside"] + r["of them inside too"] for r in rows])
    total = np.array([r["coefficients"] + r["exponents"] for r in rows])
    return ends(mean(inside / total))


def by(rows: Sequence[tuple], labels: Sequence[str]) -> Table:
    """Coverage of coefficients, exponents and all of them, by some labels."""
    groups: dict[tuple, list[dict[str, Any]]] = {}
    for row in rows:
        named: dict[str, Any] = dict(zip(SET_NAMES, row, strict=True))
        named["noise"] = described(row[1], row[2])
        groups.setdefault(tuple(named[label] for label in labels), []).append(named)
    made = []
    for key, group in groups.items():
        parts = [
            sum(r[inside] for r in group) / max(sum(r[all_] for r in group), 1)
            for all_, inside in (COUNTED[:2], COUNTED[2:])
        ]
        half = float(np.mean([r["half-width"] for r in group]))
        made.append((*key, len(group), *coverage(group), *parts, half))
    names = (*labels, "tables", *ENDS, "of coefficients", "of exponents", "half-width")
    return columns(names, made)


def described(noise: str, size: float) -> str:
    """The kind and size of noise in a few words."""
    return f"{100 * size:g} %" + (", relative" if noise == RELATIVE else "")


def drawn(rows: Sequence[tuple]) -> Table:
    """Coverage along the noise of one size, as it is drawn."""
    even = [row for row in rows if row[1] == EVEN]
    return by(even, ("size", "method"))


def study() -> Study:
    """Are intervals as wide as they should be?"""
    return SHEET.study((), compute)

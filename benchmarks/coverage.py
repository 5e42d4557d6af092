"""How often intervals hold the truth, and how wide they are, by simulation.

    python benchmarks/coverage.py --json docs/data/coverage.json

Means of steps and sparsity errors, from few runs: the interval of `arithmax.statistics`
beside that of many runs (χ² in place of Student's t), for shapes as stored runs have
them, and for the stored runs themselves. Success rates and their differences over nine
ranges: clustered by seed, beside those that count a seed once, for seeds that fail
together and seeds that do not. Widths are medians, of means as shares of the mean.
"""

import argparse
import json
import math
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from arithmax._profile import beta_ends, gamma_ends
from arithmax.benchmark import newcombe, paired_chance, paired_difference, rate
from arithmax.results import read
from arithmax.statistics import Interval, Range, sparsity, steps, wilson

Draw = Callable[[np.random.Generator, int], np.ndarray]  # so many values
Measure = Callable[[np.ndarray], Interval | Range]
ROOT = Path(__file__).parents[1]
SIZES = (2, 5, 10, 25)
CHI2 = 1.959963984540054**2
SEEDS, RANGES = 25, 9


def gamma(shape: float, every: float = 0.0) -> Draw:
    """Steps with a mean of one; measured at multiples of `every` only, if given."""

    def draw(rng: np.random.Generator, n: int) -> np.ndarray:
        x = rng.gamma(shape, 1 / shape, n)
        return np.ceil(x / every) * every if every else np.maximum(x, 1e-300)

    return draw


def beta(mean: float, concentration: float) -> Draw:
    """Sparsity errors with this mean of their doubles."""
    a, b = mean * concentration, (1 - mean) * concentration
    return lambda rng, n: rng.beta(a, b, n) / 2


# Shapes from the least that occurs (0.3) to where most cells are (10 and more).
STEPS = {f"gamma, shape {k:g}": gamma(k) for k in (0.3, 1, 3, 10, 40)}
STEPS |= {"gamma, shape 10, four steps on average": gamma(10, every=0.25)}
SPARSITY = {
    "beta, at both bounds": beta(0.5, 0.5),
    "beta, skewed and at both bounds": beta(0.3, 1.0),
    "beta, mean 0.05": beta(0.1, 5.0),
    "beta, mean 0.45": beta(0.9, 10.0),
    "beta, mean 10⁻⁶": beta(2e-6, 1e6),
}


def many_steps(x: np.ndarray) -> Interval:
    """The gamma interval with the limit for many runs."""
    low, high = gamma_ends(x, CHI2)
    return Interval(x.mean(), x.mean() * math.exp(low), x.mean() * math.exp(high))


def many_sparsity(x: np.ndarray) -> Interval:
    """The beta interval with the limit for many runs."""
    x = 2 * np.clip(x, 1e-16, 0.5 - 1e-16)
    odds = (x.mean() / (1 - x).mean() * math.exp(t) for t in beta_ends(x, CHI2))
    return Interval(x.mean() / 2, *(odd / (1 + odd) / 2 for odd in odds))


MEASURES = {
    "solved_at": (STEPS, many_steps, steps),
    "sparsity": (SPARSITY, many_sparsity, sparsity),
}


def tally(found: list[Interval], truth: float, scale: float) -> list[float]:
    """How many of a list hold the truth, and their median width."""
    held = [
        i.low <= truth * (1 + 1e-12) and truth * (1 - 1e-12) <= i.high for i in found
    ]
    widths = [(i.high - i.low) / scale for i in found]
    return [round(float(np.mean(held)), 4), round(float(np.median(widths)), 3)]


def of_shape(
    draw: Draw, old: Measure, new: Measure, n: int, samples: int, rng
) -> dict[str, list[float] | None]:
    """Coverage and width before and after, of samples that are not all equal."""
    truth = float(draw(rng, 1_000_000).mean())
    drawn = [draw(rng, n) for _ in range(samples)]
    apart = [x for x in drawn if x.min() < x.max()]
    before = [i for x in apart if isinstance(i := old(x), Interval)]
    after = [i for x in apart if isinstance(i := new(x), Interval)]
    return {
        "before": tally(before, truth, truth),
        "after": tally(after, truth, truth) if after else None,
    }


def stored(column: str, least: int = 20) -> list[np.ndarray]:
    """The values of each stored cell with so many solved runs, if not all equal."""
    cells: dict[tuple, list[float]] = {}
    for row in read(ROOT / "results").rows:
        if row["outcome"] == "solved":
            key = row["network"], row["task"], row["protocol"]
            at, error = max(row["solved_at"], 1), min(row["sparsity"], 0.5)
            cells.setdefault(key, []).append(at if column == "solved_at" else error)
    found = (np.array(v, dtype=float) for v in cells.values() if len(v) >= least)
    return [x for x in found if x.std() > 1e-10]


def of_cells(
    cells: list[np.ndarray], old: Measure, new: Measure, n: int, each: int, rng
) -> dict[str, list[float] | None]:
    """The same of samples from stored cells, whose means are the truth; on average."""
    rows = [of_cell(x, old, new, n, each, rng) for x in cells]
    sides = {}
    for side in ("before", "after"):
        known = np.array([row[side] for row in rows if row[side]])
        mean = [known[:, 0].mean(), np.median(known[:, 1])] if known.size else None
        sides[side] = mean and [round(float(v), 3) for v in mean]
    return sides


def of_cell(x: np.ndarray, old: Measure, new: Measure, n: int, each: int, rng) -> dict:
    """The same of one stored cell."""
    truth = float(x.mean())
    drawn = [rng.choice(x, n) for _ in range(each)]
    apart = [s for s in drawn if np.ptp(np.maximum(s, 1e-16)) > 0]
    before = [i for s in apart if isinstance(i := old(s), Interval)]
    after = [i for s in apart if isinstance(i := new(s), Interval)]
    return {
        "before": tally(before, truth, truth) if before else None,
        "after": tally(after, truth, truth) if after else None,
    }


def means(samples: int, each: int, rng: np.random.Generator) -> Iterator[dict]:
    """Steps and sparsity errors of every shape, and of stored cells."""
    for measure, (shapes, old, new) in MEASURES.items():
        cells = stored(measure)
        rare = [x for x in cells if x.max() > 5 * x.mean()]
        usual = [x for x in cells if x.max() <= 5 * x.mean()]
        for n in SIZES:
            labels = {"measure": measure, "runs": n}
            for name, draw in shapes.items():
                row = of_shape(draw, old, new, n, samples, rng)
                yield {**labels, "shape": name, "cells": None, **row}
            for name, own in (("stored", usual), ("stored, with outliers", rare)):
                row = of_cells(own, old, new, n, each, rng)
                yield {**labels, "shape": name, "cells": len(own), **row}


# Success over ranges: how many runs of each seed are solved.


def alone(p: float, rng: np.random.Generator) -> np.ndarray:
    """Every run for itself."""
    return rng.random((RANGES, SEEDS)) < p


def together(p: float, rng: np.random.Generator) -> np.ndarray:
    """A seed solves all ranges or none."""
    return np.tile(rng.random(SEEDS) < p, (RANGES, 1))


def between(p: float, rng: np.random.Generator) -> np.ndarray:
    """Each seed has a rate of its own; runs of a seed have a correlation of 0.3."""
    v = 1 / 0.3 - 1
    return rng.random((RANGES, SEEDS)) < rng.beta(p * v, max((1 - p) * v, 1e-9), SEEDS)


def both(p: float, rng: np.random.Generator) -> np.ndarray:
    """Half of all failures are of seeds that fail everywhere, half are scattered."""
    whole = (1 + p) / 2
    return alone(p / whole, rng) & together(whole, rng)


MODELS = {
    "each run alone": alone,
    "seeds with rates of their own": between,
    "seeds fail together": together,
    "half together, half alone": both,
}


def texts(solved: np.ndarray) -> list[str]:
    """Outcomes as a board has them."""
    return ["".join("01"[int(done)] for done in row) for row in solved]


def once(p: float) -> Interval:
    """The interval that counts a seed once."""
    return wilson(p, SEEDS, CHI2)


def rates(samples: int, rng: np.random.Generator) -> Iterator[dict]:
    """One rate: clustered, and with each seed as one run."""
    for name, model in MODELS.items():
        for p in (0.5, 0.8, 0.9, 0.95, 0.99):
            drawn = [model(p, rng) for _ in range(samples)]
            before = [once(float(x.mean())) for x in drawn]
            after = [rate(texts(x)) for x in drawn]
            row = {"before": tally(before, p, 1), "after": tally(after, p, 1)}
            yield {"model": name, "rate": p, **row}


def differences(samples: int, rng: np.random.Generator) -> Iterator[dict]:
    """Two rates on the same seeds, and how often they are told apart at p < 0.05."""
    for name, model in MODELS.items():
        for p, q in ((0.9, 0.9), (1.0, 0.92), (0.9, 0.8), (0.7, 0.5)):
            drawn = [(model(p, rng), model(q, rng)) for _ in range(samples)]
            pairs = [(texts(a), texts(b)) for a, b in drawn]
            found = [[once(float(x.mean())) for x in pair] for pair in drawn]
            before = [newcombe(*pair) for pair in found]
            after = [paired_difference(*pair) for pair in pairs]
            row = {"before": tally(before, p - q, 1), "after": tally(after, p - q, 1)}
            told = np.mean([paired_chance(*pair) < 0.05 for pair in pairs])
            yield {"model": name, "rates": [p, q], **row, "told": round(float(told), 3)}


def main() -> None:
    """Simulate, and print or write what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=2000, help="of each shape")
    parser.add_argument("--each", type=int, default=5, help="of each stored cell")
    parser.add_argument("--json", type=Path, help="where the figures are written")
    chosen = parser.parse_args()
    rng = np.random.default_rng(0)
    found = {
        "samples": chosen.samples,
        "means": list(means(chosen.samples, chosen.each, rng)),
        "rates": list(rates(chosen.samples, rng)),
        "differences": list(differences(chosen.samples, rng)),
    }
    text = json.dumps(found, ensure_ascii=False).replace('}, {"', '},\n{"') + "\n"
    if chosen.json:
        chosen.json.write_text(text, encoding="utf-8")
    else:
        print(text)


if __name__ == "__main__":
    main()

"""Few rows: what has a constant for every other row explains nothing."""

import csv
from pathlib import Path

import numpy as np
import pytest

from arithmax.discover import Search, Verdict, discover

PLANETS = Path(__file__).parents[2] / "examples" / "planets.csv"
SHORT = Search(candidates=80)


def test_keplers_law_comes_out_of_six_planets():
    """Perturbations of 4e-4 tempt a search into more constants than there are rows."""
    with open(PLANETS, encoding="utf-8", newline="") as file:
        rows = [
            (float(r["distance"]), float(r["period"])) for r in csv.DictReader(file)
        ]
    distance, period = np.array(rows).T
    found = discover(distance[:6, None], period[:6], names=("a",), search=SHORT)
    assert str(found.formula) == "a**(3/2)" and found.verdict is Verdict.WITHIN
    later = found.formula.evaluate(distance[6:, None])
    np.testing.assert_allclose(later, period[6:], rtol=1e-3)


@pytest.mark.parametrize("seed", range(6))
def test_noise_on_few_rows_is_not_explained(seed):
    rng = np.random.default_rng(seed)
    x, y = rng.uniform(1, 5, (7, 2)), rng.normal(size=7)
    assert discover(x, y, search=SHORT).verdict is Verdict.NOT_FOUND


def test_a_verified_formula_has_four_rows_for_each_fitted_constant():
    rng = np.random.default_rng(1)
    x = np.sort(rng.uniform(1, 5, 10))[:, None]
    y = 1.234 * x[:, 0] ** 1.321 + 0.871 * np.exp(0.313 * x[:, 0])
    found = discover(x, y, search=SHORT)
    for candidate in (found.best, *found.candidates):
        free = sum(number.free for number in candidate.formula.numbers)
        assert not candidate.verified or 4 * free <= 8  # rows that are fitted

"""Intervals hold the truth as often as they say: `benchmarks/coverage.py`."""

import importlib.util
import json
import math
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
LEAST = 0.93


@pytest.fixture(scope="module")
def simulation():
    """The script that made the figures of the documentation."""
    path = ROOT / "benchmarks" / "coverage.py"
    spec = importlib.util.spec_from_file_location("simulation", path)
    assert spec and spec.loader
    spec.loader.exec_module(module := importlib.util.module_from_spec(spec))
    return module


@pytest.mark.slow
@pytest.mark.parametrize("runs", [5, 10, 25])
def test_intervals_of_few_runs_cover_the_mean(simulation, runs):
    rng = np.random.default_rng(runs)
    for shapes, old, new in simulation.MEASURES.values():
        for name, draw in shapes.items():
            row = simulation.of_shape(draw, old, new, runs, 2000, rng)
            noise = 3 * math.sqrt(LEAST * (1 - LEAST) / 2000)
            assert row["after"][0] > LEAST - noise, (name, row)
            assert row["before"][0] < row["after"][0], (name, row)


@pytest.mark.slow
def test_rates_over_ranges_cover_whether_seeds_fail_together_or_not(simulation):
    names = ("each run alone", "seeds with rates of their own", "seeds fail together")
    for row in simulation.rates(2000, np.random.default_rng(1)):
        if row["model"] in names:
            # Wilson's own interval of 25 seeds falls to 0.926 at a rate of 0.8.
            assert row["after"][0] > 0.91, row
            assert row["after"][1] <= row["before"][1], row
        if row["model"] == names[0] and row["rate"] <= 0.9:
            assert row["after"][1] < row["before"][1] / 2, row


@pytest.mark.slow
def test_equal_units_are_seldom_told_apart(simulation):
    for row in simulation.differences(1000, np.random.default_rng(2)):
        if row["rates"][0] == row["rates"][1]:
            assert row["told"] < 0.05 + 3 * math.sqrt(0.05 * 0.95 / 1000), row
        if row["model"] == "each run alone" and row["rates"] == [1.0, 0.92]:
            assert row["told"] > 0.95, row


def test_the_figures_of_the_documentation_keep_the_promise():
    page = json.loads((ROOT / "docs/data/coverage.json").read_text(encoding="utf-8"))
    shapes = [r for r in page["means"] if r["cells"] is None]
    assert {r["runs"] for r in shapes} == {2, 5, 10, 25}
    for row in shapes:
        if row["runs"] < 5:
            assert row["after"] is None
        else:
            assert row["after"][0] >= LEAST, row

"""What a search says of its formula, and that it says it of others alike."""

import numpy as np
import pytest

from arithmax.discover import (
    Judge,
    Number,
    Sample,
    Search,
    Sum,
    Trust,
    discover,
)
from arithmax.discover import Variable as Column
from arithmax.discover._nodes import UNIT
from arithmax.discover._verify import left_over

QUICK, FEW = Search(candidates=60), Search(candidates=15)
# One seed always, the others where minutes do not matter.
SEEDS = [0, *(pytest.param(s, marks=pytest.mark.slow) for s in range(1, 12))]


def table(seed, rows=300, width=3):
    return np.random.default_rng(seed).uniform(1, 3, (rows, width))


@pytest.mark.parametrize("seed", SEEDS)
def test_pure_noise_has_no_formula(seed):
    y = np.random.default_rng([seed, 1]).normal(size=300)
    assert discover(table(seed), y, search=QUICK).verdict is Trust.NOT_FOUND


@pytest.mark.parametrize("seed", SEEDS)
def test_a_column_that_is_not_there_is_missed(seed):
    x = table(seed, width=4)
    y = x[:, 0] * x[:, 3] / x[:, 1] + x[:, 2]
    found = discover(x[:, :3], y, search=QUICK)
    assert found.verdict is Trust.NOT_FOUND


def test_the_same_seed_gives_the_same_formula():
    x = table(0)
    y = x[:, 0] ** 2 / x[:, 1] + 0.3 * np.random.default_rng(1).normal(size=300)
    found = [str(discover(x, y, seed=7, search=FEW).formula) for _ in range(2)]
    assert found[0] == found[1]


def test_rows_outside_decide_nothing():
    x, rng = table(0), np.random.default_rng(1)
    y = x[:, 0] * x[:, 1] + 0.05 * rng.normal(size=300)
    plain = discover(x, y, search=FEW)
    for wrong in (0.0, 100.0):
        outside = 10 * x[:20], np.full(20, wrong)
        found = discover(x, y, outside=outside, search=FEW)
        assert str(found.formula) == str(plain.formula)
        truth = found.formula.evaluate(outside[0]) - wrong
        expected = np.sqrt(np.mean(truth**2))
        reached = found.best.extrapolation_error
        assert reached is not None
        assert reached == pytest.approx(expected / np.std(y), rel=0.1)


def test_the_budget_counts_candidates():
    x, rng = table(0), np.random.default_rng(1)
    found = discover(x, rng.normal(size=300), search=Search(candidates=10))
    assert sum(attempt.candidates for attempt in found.tried) == 10
    assert "10 candidates" in found.stopped


def test_seconds_cut_off_and_are_named():
    x, rng = table(0), np.random.default_rng(1)
    found = discover(x, rng.normal(size=300), search=Search(max_seconds=0.0))
    assert "`max_seconds` (=0.0)" in found.stopped


def test_the_front_falls_with_complexity():
    x = table(0)
    y = x[:, 0] + 0.1 * x[:, 1] ** 2 + 0.01 * x[:, 2] ** 3
    front = discover(x, y).candidates
    assert len(front) > 1
    errors = [candidate.training_error for candidate in front]
    sizes = [candidate.complexity for candidate in front]
    assert errors == sorted(errors, reverse=True) and sizes == sorted(sizes)


def line(x, y, columns):
    judge = Judge(Sample.split(x, y, ("a", "b", "c")), 0.1)
    numbers = tuple(Number(1.0) for _ in range(len(columns) + 1))
    node = Sum(numbers, (UNIT, *(Column(i) for i in columns)))
    return left_over(judge.fit(node)[0], judge.table)


def test_what_is_left_over_is_a_normal_deviate_where_nothing_is():
    found = []
    for seed in range(80):
        x, rng = table(seed, 200), np.random.default_rng([seed, 2])
        y = x @ [1.0, 2.0, 3.0] + 0.1 * rng.normal(size=200)
        found.append(line(x, y, (0, 1, 2)))
    assert abs(np.mean(found)) < 0.25 and abs(np.std(found) - 1) < 0.2


def test_a_missing_term_is_left_over():
    x, rng = table(0), np.random.default_rng(1)
    y = x @ [1.0, 2.0, 0.05] + 0.02 * rng.normal(size=300)
    assert line(x, y, (0, 1)) > 4
    odd = np.random.default_rng(3).uniform(-1, 1, (300, 3))
    y = odd[:, 0] + 0.2 * odd[:, 1] ** 3 + 0.01 * rng.normal(size=300)
    assert line(odd, y, (0,)) > 4  # odd in a column of both signs

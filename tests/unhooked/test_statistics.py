"""Intervals mean what they say, and agree with the published runs.

The published runs are no part of the repository; where they are absent, the tests that
need them are skipped and say so.
"""

import csv
import itertools
import math
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
from scipy import optimize, stats

from arithmax._profile import beta_ends, gamma_ends
from arithmax.statistics import (
    Interval,
    Range,
    median,
    overlap,
    sparsity,
    steps,
    success_rate,
)

ROOT = Path(__file__).parents[2]
# The authors' runs that solved their task.
RUNS = ROOT / "tests" / "studies" / "slides" / "published-runs.csv"
TASKS = {"+": "add", "−": "sub", "×": "mul"}
CHI2 = float(stats.chi2.ppf(0.95, 1))


def drop(runs: int, level: float = 0.95) -> float:
    """How far twice the log-likelihood of a normal mean is down at Student's ends."""
    t = stats.t.ppf((1 + level) / 2, runs - 1)
    return runs * math.log(1 + t**2 / (runs - 1))


def ends(found: Interval | Range) -> np.ndarray:
    """The ends of what must be an interval."""
    assert isinstance(found, Interval)
    return np.array([found.low, found.high])


def close(found: Interval | Range, right, tolerance: float) -> bool:
    return np.allclose(ends(found), right, rtol=tolerance, atol=0)


# Success


@pytest.mark.parametrize("level", [0.8, 0.95])
@pytest.mark.parametrize(("solved", "total"), [(1, 3), (31, 100), (98, 100), (5, 5)])
def test_wilson_is_its_closed_form(solved, total, level):
    p, z = solved / total, stats.norm.ppf((1 + level) / 2)
    centre = (p + z**2 / (2 * total)) / (1 + z**2 / total)
    root = math.sqrt(p * (1 - p) / total + z**2 / (4 * total**2))
    half = z / (1 + z**2 / total) * root
    rate = success_rate(solved, total, level)
    assert rate.value == p
    assert close(rate, (centre - half, centre + half), 1e-12)


@pytest.mark.parametrize("solved", [1, 31, 98])
def test_wilson_ends_are_one_score_away(solved):
    rate = success_rate(solved, 100)
    for end in (rate.low, rate.high):
        score = (rate.value - end) / math.sqrt(end * (1 - end) / 100)
        assert math.isclose(score**2, CHI2, rel_tol=1e-9)


def test_wilson_at_known_values():
    none, most, every = (success_rate(k, 100) for k in (0, 98, 100))
    assert (none.value, none.low, round(none.high, 3)) == (0, 0, 0.037)
    assert (round(most.low, 3), round(most.high, 3)) == (0.930, 0.994)
    assert (every.value, every.high, round(every.low, 3)) == (1, 1, 0.963)


# Likelihood, written down a second time


def gamma_fit(x: np.ndarray, mean: float) -> float:
    """The log-likelihood of the best gamma distribution with this mean."""

    def cost(log_shape):
        shape = math.exp(log_shape)
        return -stats.gamma.logpdf(x, shape, scale=mean / shape).sum()

    found = optimize.minimize_scalar(cost, bounds=(-10, 15), method="bounded")
    return -found.fun  # type: ignore[attr-defined]  # of a result


def beta_fit(x: np.ndarray, mean: float) -> float:
    """The log-likelihood of the best beta distribution on [0, ½] with this mean."""

    def cost(log_v):
        v = math.exp(log_v)
        return -stats.beta.logpdf(2 * x, 2 * mean * v, (1 - 2 * mean) * v).sum()

    found = optimize.minimize_scalar(cost, bounds=(-10, 15), method="bounded")
    return -found.fun  # type: ignore[attr-defined]  # of a result


GAMMA = [(0.3, 1e3, 12), (2.0, 3e5, 30), (50.0, 5e6, 100)]  # shape, mean, runs
BETA = [(0.5, 0.3, 40), (2.0, 5.0, 30), (3.0, 3e3, 100), (40.0, 2.0, 12)]  # α, β, runs


def gamma_sample(shape, mean, runs, seed=0):
    return np.random.default_rng(seed).gamma(shape, mean / shape, runs)


def beta_sample(a, b, runs, seed=0):
    return np.random.default_rng(seed).beta(a, b, runs) / 2


@pytest.mark.parametrize("case", GAMMA)
def test_gamma_ends_satisfy_the_likelihood_ratio_equation(case):
    x = gamma_sample(*case)
    best = gamma_fit(x, x.mean())
    for t in gamma_ends(x, drop(x.size)):
        end = x.mean() * math.exp(t)
        assert math.isclose(2 * (best - gamma_fit(x, end)), drop(x.size), rel_tol=1e-4)


@pytest.mark.parametrize("case", BETA)
def test_beta_ends_satisfy_the_likelihood_ratio_equation(case):
    x = beta_sample(*case)
    odds = x.mean() / (0.5 - x.mean())
    ends = [odds * math.exp(t) for t in beta_ends(2 * x, drop(x.size))]
    low, high = (odd / (1 + odd) / 2 for odd in ends)
    found = optimize.minimize_scalar(
        lambda mean: -beta_fit(x, mean),
        bounds=(low, high),
        method="bounded",
        options={"xatol": 1e-6 * low},
    )
    best = -found.fun  # type: ignore[attr-defined]  # of a result
    for end in (low, high):
        assert math.isclose(2 * (best - beta_fit(x, end)), drop(x.size), rel_tol=1e-4)


@pytest.mark.parametrize("case", GAMMA)
def test_an_interval_of_steps_is_the_likelihoods_and_students_together(case):
    x = gamma_sample(*case)
    reach = stats.t.ppf(0.975, x.size - 1) * stats.sem(x) / x.mean()
    low, high = gamma_ends(x, drop(x.size))
    right = x.mean() * np.exp([min(low, -reach), max(high, reach)])
    assert close(steps(x), right, 1e-9)


@pytest.mark.parametrize("case", GAMMA)
def test_the_sample_mean_is_the_most_likely_gamma_mean(case):
    x = gamma_sample(*case)
    assert steps(x).value == x.mean()
    best = gamma_fit(x, x.mean())
    assert all(best > gamma_fit(x, x.mean() * f) for f in (0.97, 0.99, 1.01, 1.03))


# Coverage: 400 samples, within three standard deviations of the binomial


def coverage(intervals: list[Interval | Range], truth: float) -> float:
    low, high = np.transpose([ends(i) for i in intervals])
    return float(np.mean((low <= truth) & (truth <= high)))


@pytest.mark.parametrize(("shape", "mean", "runs"), [(0.7, 3e5, 50), (4.0, 1e6, 30)])
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_gamma_intervals_cover_the_mean(shape, mean, runs, level):
    samples = [gamma_sample(shape, mean, runs, seed) for seed in range(400)]
    covered = coverage([steps(x, level) for x in samples], mean)
    assert abs(covered - level) < 3.5 * math.sqrt(level * (1 - level) / 400)


@pytest.mark.parametrize(
    ("a", "b", "runs"), [(0.6, 0.4, 50), (2.0, 6.0, 50), (1.5, 3e6, 50)]
)
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_beta_intervals_cover_the_mean(a, b, runs, level):
    samples = [beta_sample(a, b, runs, seed) for seed in range(400)]
    covered = coverage([sparsity(x, level) for x in samples], a / (a + b) / 2)
    assert abs(covered - level) < 3 * math.sqrt(level * (1 - level) / 400)


def test_leaving_out_the_factor_two_is_noticed():
    """As published: the fit at x in place of 2x is a fit of half the values."""
    samples = [beta_sample(2.0, 6.0, 50, seed) for seed in range(50)]
    assert coverage([sparsity(x / 2) for x in samples], 1 / 8) == 0


# Symmetries and limits


def test_steps_do_not_depend_on_the_unit_of_time():
    x = gamma_sample(2.0, 1.0, 30)
    for scale in (1e-3, 5e6):
        assert close(steps(x * scale), ends(steps(x)) * scale, 1e-9)


def test_sparsity_is_symmetric_about_a_quarter():
    x = beta_sample(2.0, 5.0, 30)
    assert close(sparsity(x), 0.5 - ends(sparsity(0.5 - x))[::-1], 1e-9)
    assert math.isclose(ends(sparsity([0.1, 0.2, 0.25, 0.3, 0.4])).sum(), 0.5)


@pytest.mark.parametrize("mean", [1e-6, 1e-8])
def test_a_beta_of_tiny_values_is_a_gamma(mean):
    x = gamma_sample(2.0, mean, 30)
    assert close(sparsity(x), ends(steps(x * 1e12)) / 1e12, 1e-5)


@pytest.mark.parametrize(
    ("interval", "mean", "deviation"),
    [
        (steps, 1e6, 1e-2),
        (steps, 1e6, 10.0),
        (sparsity, 0.3, 1e-8),
        (sparsity, 0.3, 1e-5),
        (sparsity, 1e-4, 1e-9),
        (sparsity, 2e-9, 1e-17),
    ],
)
@pytest.mark.parametrize("runs", [5, 20])
def test_values_nearly_alike_have_students_interval(interval, mean, deviation, runs):
    x = mean + deviation * np.random.default_rng(0).normal(size=runs)
    found = interval(x)
    half = stats.t.ppf(0.975, runs - 1) * stats.sem(x)
    assert np.allclose([x.mean() - found.low, found.high - x.mean()], half, rtol=1e-3)


@pytest.mark.parametrize("runs", [5, 7, 100])
def test_extreme_values_have_an_interval(runs):
    rng = np.random.default_rng(runs)
    for spread in np.geomspace(1e-9, 10, 40):
        noise = np.exp(spread * rng.normal(size=runs))
        x = np.minimum(10 ** rng.uniform(-12, -0.3) * noise, 0.5)
        for values in (x, 0.5 - x, rng.choice([0.0, 0.5], size=runs)):
            found = sparsity(values)
            if isinstance(found, Range):
                assert len(set(np.clip(values, 1e-16, 0.5 - 1e-16))) == 1
            else:
                assert 0 <= found.low <= found.value * (1 + 1e-12)
                assert found.value <= found.high * (1 + 1e-12) <= 0.5 + 1e-12
        found = steps(1e6 * noise)
        low, high = ends(found)
        assert 0 < low <= found.value <= high < math.inf


def test_higher_levels_are_wider():
    for interval in (steps, sparsity):
        x = beta_sample(2.0, 5.0, 20)
        nested = [ends(interval(x, level)) for level in (0.5, 0.8, 0.95, 0.999)]
        for inner, outer in itertools.pairwise(nested):
            assert outer[0] < inner[0] < inner[1] < outer[1]


def test_few_values_have_a_range_and_no_interval():
    for runs in range(1, 5):
        x = beta_sample(2.0, 5.0, runs)
        for measure in (steps, sparsity):
            assert measure(x) == Range(x.mean(), x.min(), x.max())
    assert isinstance(steps(beta_sample(2.0, 5.0, 5)), Interval)


def test_equal_values_have_no_interval_however_many():
    assert steps([7e3] * 50) == Range(7e3, 7e3, 7e3)
    assert sparsity([0.0] * 50) == Range(0.0, 0.0, 0.0)
    assert isinstance(steps([7e3] * 49 + [8e3]), Interval)


def test_the_mean_is_of_the_values_as_they_are():
    linear = sparsity([0.4, 0.45, 0.49, 0.8, 0.9])  # weights beyond ±1
    assert math.isclose(linear.value, 0.608)
    assert ends(linear)[1] < 0.5


def test_median_and_overlap():
    assert median([3, 1, 2]) == 2.0
    assert median([4.0, 1.0]) == 2.5
    left, middle, right = (Interval(k, k - 1, k + 1) for k in (0, 2, 5))
    assert overlap(left, middle) and overlap(middle, left) and overlap(left, left)
    assert not overlap(middle, right) and not overlap(right, left)


def test_an_interval_prints_three_digits():
    assert str(Interval(1.5e6, 1.4567e6, 1.56e6)) == "1.5e+06 [1.46e+06, 1.56e+06]"
    assert str(Range(1.5e6, 1.4567e6, 1.56e6)) == "1.5e+06 (1.46e+06 to 1.56e+06)"
    assert str(Range(1.5e6, 1.5e6, 1.5e6)) == "1.5e+06"


# Errors


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: success_rate(0, 0), r"`total` \(=0\) must be at least 1"),
        (lambda: success_rate(3, 2), r"`solved` \(=3\) must be at most `total` \(=2\)"),
        (lambda: success_rate(-1, 2), r"`solved` \(=-1\) must be an integer"),
        (lambda: success_rate(1, 2, 95), r"`level` \(=95\) must be between 0 and 1"),
        (lambda: steps([]), r"`values` \(of shape \(0,\)\) must be a vector of at"),
        (lambda: steps([[1.0]]), r"`values` \(of shape \(1, 1\)\) must be a vector"),
        (lambda: steps([1.0, 0.0]), r"`values` \(with 0\).*count steps from 1"),
        (lambda: steps([1.0], 0.0), r"`level` \(=0.0\) must be between 0 and 1"),
        (lambda: steps([1.0, math.nan]), r"`values` \(with nan\).*solved the task"),
        (lambda: sparsity([0.1, -0.2]), r"`values` \(with -0.2\).*not negative"),
        (lambda: sparsity([math.inf]), r"`values` \(with inf\) must be finite"),
        (lambda: sparsity([0.1], 1.0), r"`level` \(=1.0\) must be between 0 and 1"),
        (lambda: median([]), r"`values` \(of shape \(0,\)\)"),
    ],
)
def test_errors_name_argument_value_and_remedy(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_needs_no_framework():
    code = "import sys, arithmax.statistics; print({'jax', 'torch'} & set(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "set()"


# The published runs


@pytest.fixture(scope="module")
def cells() -> dict[tuple[str, str], tuple[np.ndarray, np.ndarray]]:
    """Solved at and sparsity error of the runs that solved the task."""
    rows = defaultdict(list)
    with RUNS.open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            pair = float(row["solved_at"]), float(row["sparsity_error"])
            rows[row["model"], row["operation"]].append(pair)
    return {cell: tuple(np.array(r).T) for cell, r in rows.items()}


def test_published_means_are_sample_means(cells):
    assert len(cells) == 21
    for solved_at, error in cells.values():
        assert steps(solved_at).value == math.fsum(solved_at) / len(solved_at)
        assert math.isclose(sparsity(error).value, math.fsum(error) / len(error))
        found = sparsity(error)
        if error.max() <= 0.5 and isinstance(found, Interval):
            assert found.low <= error.mean() <= found.high


# Computed once from the same runs, by another program, with the limit of many runs.
RECOMPUTED = {
    ("NAC+", "add"): ((2.66e5, 3.44e5), (0.44, 0.464)),
    ("NAC+", "sub"): ((2.17e5, 4.67e5), (0.448, 0.47)),
    ("NAC•,NMU", "mul"): ((1.83e6, 1.99e6), (7.82e-7, 1.16e-6)),
    ("NAC•,σ", "mul"): ((2.57e6, 2.73e6), (8.03e-5, 1.04e-4)),
    ("NAC•", "mul"): ((2.76e6, 3.29e6), (6.49e-4, 2.12e-3)),
    ("Linear", "add"): ((5.93e4, 6.5e4), (0.496, 0.5)),
    ("Linear", "sub"): ((1.32e6, 9.59e6), (0.265, 0.466)),
    ("NALU", "add"): ((1.23e6, 2.16e6), (0.294, 0.395)),
    ("NALU", "sub"): ((1.47e6, 2.98e6), (0.376, 0.46)),
    ("NAU", "add"): ((1.37e5, 2.73e5), (2.22e-5, 4.8e-5)),
    ("NAU", "sub"): ((4.15e4, 8.54e4), (0.135, 0.199)),
    ("NMU", "mul"): ((1.45e6, 1.56e6), (4e-7, 4.42e-7)),
}


@pytest.mark.parametrize("cell", RECOMPUTED, ids=" ".join)
def test_intervals_of_the_published_runs(cells, cell):
    solved_at, error = cells[cell]
    expected_steps, expected_sparsity = RECOMPUTED[cell]
    means = solved_at.mean() * np.exp(gamma_ends(solved_at, CHI2))
    assert np.allclose(means, expected_steps, rtol=0.01)
    x = 2 * np.clip(error, 1e-16, 0.5 - 1e-16)
    odds = x.mean() / (1 - x).mean() * np.exp(beta_ends(x, CHI2))
    assert np.allclose(odds / (1 + odds) / 2, expected_sparsity, rtol=0.01)
    for found, (low, high) in (
        (ends(steps(solved_at)), expected_steps),
        (ends(sparsity(error)), expected_sparsity),
    ):
        assert found[0] <= 1.01 * low and high <= 1.01 * found[1]


def test_the_tables_of_the_documentation_are_true(cells):
    page = (ROOT / "docs" / "statistics.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\S+) \| ([+−×]) \| .* \| (.*) \|$", page, re.MULTILINE)
    assert len(rows) == 2 * len(RECOMPUTED)
    for i, (unit, task, printed) in enumerate(rows):
        solved_at, error = cells[unit, TASKS[task]]
        first = i < len(RECOMPUTED)
        assert printed == str(steps(solved_at) if first else sparsity(error))


def test_values_that_differ_in_the_last_bit_alone():
    found = steps([3e4] * 4 + [float(np.nextafter(3e4, 4e4))])
    assert isinstance(found, Interval) and found.low <= found.value <= found.high
    assert found.high - found.low < 1e-10

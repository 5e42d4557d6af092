"""The order in which R leaves rows, and what it did to the published steps."""

import csv
import importlib.util
import math
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

from arithmax.statistics import Interval, steps
from arithmax.studies import Study, study
from arithmax.studies.slides import (
    entry,
    figure,
    published_rows,
    simulated,
    simulated_cell,
)
from arithmax.studies.slides._row_order import shuffled

ROOT = Path(__file__).parents[3]
STEPS = Path(__file__).with_name("published-runs.csv")


def script():
    """The simulation, which is no part of the package."""
    path = ROOT / "benchmarks" / "row_order.py"
    spec = importlib.util.spec_from_file_location("row_order", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


order = script()
INTERVAL, gaps, held = order.INTERVAL, order.gaps, order.held
merged, shell_order = order.merged, order.shell_order


def one_at_a_time(keys):
    """A Shell sort by insertion, row by row."""
    sorted_keys, order = list(keys), list(range(len(keys)))
    for gap in gaps(len(keys)):
        for end in range(gap, len(keys)):
            at = end
            while at >= gap and sorted_keys[at - gap] > sorted_keys[at]:
                for column in (sorted_keys, order):
                    column[at - gap], column[at] = column[at], column[at - gap]
                at -= gap
    return order


@pytest.fixture(scope="module")
def published() -> dict[tuple[str, str], dict[int, tuple[int, float]]]:
    """Best row and step of the authors' solved runs, by cell and seed."""
    cells: dict = defaultdict(dict)
    with STEPS.open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            found = int(row["best_step"]), float(row["solved_at"])
            cells[row["model"], row["operation"]][int(row["seed"])] = found
    return cells


# The sort


def test_gaps_grow_threefold_up_to_a_ninth():
    assert list(gaps(1)) == list(gaps(8)) == [1]
    assert list(gaps(9)) == [4, 1]
    assert list(gaps(400)) == [121, 40, 13, 4, 1]
    for rows in (9, 1000, 30_000_000):
        first, *others = gaps(rows)
        assert others[0] <= rows // 9 < first == 3 * others[0] + 1


@pytest.mark.parametrize("rows", [1, 2, 8, 9, 40, 117, 500])
@pytest.mark.parametrize("kinds", [1, 3, 100])
def test_the_order_is_that_of_a_sort_row_by_row(rows, kinds):
    keys = np.random.default_rng(rows).integers(0, kinds, rows)
    order = shell_order(keys)
    assert list(order) == one_at_a_time(keys)
    assert sorted(order) == list(range(rows))
    assert (np.diff(keys[order]) >= 0).all()


def test_rows_in_order_stay_and_few_rows_keep_theirs():
    assert list(shell_order(np.repeat([0, 1, 2], 50))) == list(range(150))
    keys = np.array([2, 0, 1, 0, 2, 1, 0, 1])  # too few for a gap above 1
    assert list(shell_order(keys)) == list(np.argsort(keys, kind="stable"))


def test_the_sort_is_not_stable():
    keys = np.array([1, 1, 0, 0, 0, 0, 0, 0, 0])  # a gap of 4 takes row 0 past row 1
    assert list(shell_order(keys))[-2:] == [1, 0]


# Merging


def test_a_run_has_its_own_measurements():
    lengths = [7, 3, 51, 20, 51, 1]
    rows = merged([0, 1, 2, 0, 1, 2], lengths)
    assert [sorted(own) for own in rows] == [list(range(n)) for n in lengths]


def test_tasks_one_after_the_other_keep_their_rows():
    """The figures of regularisation and ablation: each task is one block."""
    for own in merged([0, 0, 1, 1, 2], [51] * 5):
        assert (np.diff(own) == 1).all()


def test_tasks_in_turn_lose_the_order_of_some_rows():
    rows = merged([0, 1, 2] * 10, [501] * 30)
    moved = [(np.diff(own) < 0).any() for own in rows]
    assert 0 < sum(moved) < len(rows)


def test_what_is_taken_first():
    rows = np.array([40, 41, 42, 0, 1, 2, 3])
    assert order.reported(rows, 2) == 40 and order.reported(np.arange(9), 2) == 2
    assert order.out_of_order(rows, 40) and not order.out_of_order(rows, 3)
    assert not order.out_of_order(np.arange(9), 5)


# The fit


def likelihood(x, mean):
    """Of a gamma distribution with the variance of the sample."""
    from scipy import stats

    scale = x.var(ddof=1) / mean
    return stats.gamma.logpdf(x, mean / scale, scale=scale).sum()


def test_the_mean_is_the_most_likely_for_the_sample_variance():
    x = np.random.default_rng(0).gamma(0.5, 2e5, 40)
    found = held(x)
    best = likelihood(x, found.value)
    assert all(
        best > likelihood(x, found.value * f) for f in (0.98, 0.999, 1.001, 1.02)
    )
    for end in (found.low, found.high):
        assert math.isclose(2 * (best - likelihood(x, end)), 3.8415, rel_tol=1e-4)


def test_a_few_late_runs_move_the_held_mean_further_than_the_sample_mean():
    x = [18e3] * 94 + [1e6, 2e6, 2e6, 4e6, 4e6, 4.5e6]
    assert 1.8 < held(x).value / np.mean(x) < 2.3
    assert held([7e3, 7e3]) == Interval(7e3, 7e3, 7e3)
    assert held([7e3]) == Interval(7e3, 7e3, 7e3)


def test_the_printed_means_are_those_of_the_held_variance(published):
    printed = [row for row in published_rows("arithmetic-dataset") if "printed" in row]
    assert len(printed) == 12
    for row in printed:
        value, low, high = row["printed"]["solved_at"]
        values = [at for _, at in published[row["model"], row["operation"]].values()]
        found = held(values)
        assert math.isclose(found.value, value, rel_tol=0.03)
        assert math.isclose(found.low, low, rel_tol=0.01)
        assert math.isclose(found.high, high, rel_tol=0.01)


# The published runs


def test_the_excerpt_is_of_the_authors_rows(published):
    """Counts and sums of the solved runs among the authors' 6,000 rows."""
    runs = [run for cell in published.values() for run in cell.values()]
    assert len(runs) == 1_364 and len(published) == 21
    assert sum(best for best, _ in runs) == 4_321_360
    assert sum(at for _, at in runs) == 1_631_728_000


def test_28_published_runs_are_best_before_they_are_solved(published):
    impossible = {
        (*cell, seed)
        for cell, runs in published.items()
        for seed, (best, at) in runs.items()
        if (best - 1) * INTERVAL < at
    }
    moved, known = set(), set()
    for row in simulated("table"):
        cell = row["model"], row["operation"]
        moved |= {(*cell, seed) for seed, *_ in row["moved"]}
        known |= {(*cell, seed) for seed in row["impossible"]}
    assert len(impossible) == 28 and known == impossible <= moved
    share = len(moved) / sum(map(len, published.values()))
    assert 0.04 < share < 0.06


def test_steps_of_the_nau_are_simulated_to_four_measurements():
    for operation, count in (("add", 6), ("sub", 4)):
        moved = simulated_cell("table", model="NAU", operation=operation)["moved"]
        assert len(moved) == count
        assert all(abs(step - found) <= 4 * INTERVAL for _, step, found in moved)


def test_what_the_file_says_of_the_others_is_true(published):
    for row in simulated("table"):
        runs = published[row["model"], row["operation"]]
        moved = {seed: step for seed, step, _ in row["moved"]}
        assert all(runs[seed][1] == step for seed, step in moved.items())
        others = [at for seed, (_, at) in runs.items() if seed not in moved]
        for stored, found in (
            (row["others"], steps(others)),
            (row["held"], held([at for _, at in runs.values()])),
        ):
            known = figure(stored)
            assert type(known) is type(found)
            names = ("value", "low", "high") if isinstance(found, Interval) else ()
            for name in (*names, "value"):
                a, b = getattr(known, name), getattr(found, name)
                assert math.isclose(a, b, rel_tol=1e-3)


@pytest.mark.parametrize(
    ("model", "operation", "figure"),
    [
        ("NAU", "add", "0.01"),
        ("NAU", "sub", "0.01"),
        ("NMU", "mul", "10"),
    ],
)
def test_a_figure_in_order_has_the_mean_of_the_others(model, operation, figure):
    """Rows that the merge left alone: the same seeds, settings and means."""
    row = entry("regularisation", operation=operation, x=figure, model=model)
    assert row is not None
    stored = simulated_cell("table", model=model, operation=operation)["first_fifty"]
    assert np.allclose(stored, row["solved_at"], rtol=0.01)


@pytest.mark.slow
def test_the_simulation_of_6000_runs_is_that_of_the_file():
    assert order.of_table() == simulated("table")


def test_the_table_has_6000_runs_and_27_were_stopped():
    runs = order.table_runs()
    assert len(set(runs)) == 6000 and runs[:3] == [
        ("Linear", "add", 0),
        ("Linear", "add", 1),
        ("Linear", "add", 10),
    ]
    rows = published_rows("stopped")
    stopped = {(r["model"], r["operation"], r["seed"]) for r in rows}
    assert len(stopped) == 27 and stopped <= set(runs)


# Reasons


def reason(own: Study, **labels) -> str:
    (arm,) = [
        arm
        for arm in own.arms
        if all(arm.labels[name] == value for name, value in labels.items())
    ]
    return arm.published["solved_at"].reason


def test_reasons_name_the_rows_out_of_order():
    own = study("arithmetic-dataset")
    said = reason(own, operation="+", model="NAU")
    assert "6 of the authors' 100 steps were read from rows out of order" in said
    assert not reason(own, operation="+", model="Linear")
    own = study("regularisation")
    assert "1,420,000" in reason(own, strength="10", model="NMU, ×")
    assert not reason(own, strength="1", model="NMU, ×")


@pytest.mark.parametrize(
    "printed, kind, words",
    [
        ((3e5, 1e5, 6e5), "reason", "the printed mean is among these"),
        ((5e5, 4e5, 6e5), "reason", "the printed interval reaches into these"),
        ((1e5, 0.5e5, 2e5), "reason", "the printed interval reaches into these"),
        ((5e5, 4.1e5, 6e5), "tried", "up to 75% of the difference"),
        ((1.5e5, 1e5, 1.9e5), "tried", "the printed mean is less"),
    ],
)
def test_a_simulation_that_does_not_reach_a_printed_interval_is_no_reason(
    printed, kind, words
):
    remark = shuffled(printed, {"simulated": [2e5, 3e5, 4e5]}, 1e5, "Steps")
    assert list(remark) == [kind] and words in remark[kind]


def test_nothing_is_said_where_no_steps_are_moved():
    simulation = {"simulated": [2e5, 3e5, 4e5]}
    assert shuffled((5e5, 4e5, 6e5), simulation, 4e5, "Steps") == {}


def test_what_is_explained_in_part_is_open():
    (arm,) = (
        arm
        for arm in study("input-range").arms
        if arm.labels == {"range": "U[0.1,0.2]", "model": "NMU"}
    )
    mean = arm.published["solved_at"]
    assert not mean.reason and "rest is not explained" in mean.tried

"""A known rule is found in outcomes, and none where there is none."""

import numpy as np
import pytest

pytest.importorskip("sklearn")

from arithmax.studies.success._rules import judge
from arithmax.studies.success._starts import (
    bins,
    counts,
    features,
    information,
    numbers,
    telling,
)

RNG = np.random.default_rng(0)
STARTS = {"W_hat": RNG.uniform(-1, 1, (2000, 1, 2))}
FOUND = features(STARTS)


def test_a_rule_of_two_numbers_is_found():
    solved = (FOUND["Ŵ₁"] > 0.25) & (FOUND["Ŵ₂"] > -0.5)
    judged = judge(FOUND, solved)
    assert judged.base == pytest.approx(max(solved.mean(), 1 - solved.mean()))
    assert judged.short > 0.98 and judged.tree > 0.98 and judged.tree_area > 0.98
    assert judged.linear < judged.tree  # a corner is no half-plane
    conditions = {text.rpartition(" ")[0]: text for text in judged.rule.split(" and ")}
    ends = {n: float(t.split()[-1].replace("−", "-")) for n, t in conditions.items()}
    assert ends == {"Ŵ₁ >": pytest.approx(0.25, abs=0.02)} | {
        "Ŵ₂ >": pytest.approx(-0.5, abs=0.02)
    }


def test_a_half_plane_is_found_by_a_sum():
    judged = judge(FOUND, FOUND["Ŵ₁"] + FOUND["Ŵ₂"] > 0.1)
    assert judged.linear > 0.98 and judged.linear_area > 0.99
    assert judged.rule.startswith("Ŵ₁ + Ŵ₂ > 0.") and " or " not in judged.rule


def test_a_bound_is_named_once():
    judged = judge(FOUND, np.abs(FOUND["Ŵ₁"] - 0.3) > 0.4)
    parts = sorted(part.rpartition(" ")[0] for part in judged.rule.split(" or "))
    assert parts == ["Ŵ₁ >", "Ŵ₁ ≤"]


def test_chance_is_no_rule():
    solved = np.random.default_rng(1).random(2000) < 0.6
    judged = judge(FOUND, solved)
    assert judged.rule == ""
    assert judged.linear_area == pytest.approx(0.5, abs=0.05)
    assert judged.tree <= judged.base + 0.02


def test_a_frequent_outcome_alone_is_no_rule():
    solved = np.random.default_rng(2).random(2000) < 0.98
    judged = judge(FOUND, solved)
    assert judged.short >= 0.95 and judged.rule == ""


def test_outcomes_that_are_all_alike_are_not_fitted():
    judged = judge(FOUND, np.ones(2000, dtype=bool))
    assert judged == (1.0, 1.0, 0.5, 1.0, 0.5, 1.0, "")


def test_numbers_are_those_drawn_and_effective_weights():
    params = {
        "M_hat": np.full((3, 1, 2), 0.0) + np.arange(3)[:, None, None],
        "W_hat": np.arange(6.0).reshape(3, 1, 2),
        "g": np.full((3, 2), 0.5),  # the same in all runs: nothing to learn from
        "G": np.arange(3.0)[:, None],
    }
    found = numbers(params)
    assert list(found) == ["M̂₁", "M̂₂", "Ŵ₁", "Ŵ₂", "G", "w₁", "w₂"]
    assert found["w₂"][0] == pytest.approx(np.tanh(1.0) * 0.5)
    assert features(params)["Ŵ₁ − Ŵ₂"].tolist() == [-1.0, -1.0, -1.0]


def test_squares_count_every_seed_once():
    x, y = np.array([0.0, 0.1, 0.9, 1.0]), np.array([0.0, 1.0, 0.0, 1.0])
    every, right = counts(x, y, np.array([True, False, False, True]), 2)
    assert every.tolist() == [[1, 1], [1, 1]]
    assert right.tolist() == [[1, 0], [0, 1]]
    assert bins(x, 2)[1].tolist() == [0.25, 0.75]


def test_information_is_that_of_the_squares():
    solved = np.array([True, False, False, True])
    x, y = np.array([0.0, 0.0, 1.0, 1.0]), np.array([0.0, 1.0, 0.0, 1.0])
    assert information(*counts(x, y, solved, 2)) == pytest.approx(1.0)  # exclusive or
    assert information(*counts(x, x, solved, 2)) == pytest.approx(0.0, abs=1e-9)


def test_the_most_telling_pair_is_that_of_the_rule():
    rng = np.random.default_rng(3)
    found = {name: rng.uniform(-1, 1, 4000) for name in "abcd"}
    assert telling(found, found["b"] * found["d"] > 0) == ("b", "d")

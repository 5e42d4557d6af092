"""Measures, as published: best step, solved, solved at, sparsity, divergence."""

import numpy as np

from arithmax.training._measures import WINDOW, Outcome, measure

STEPS = np.arange(6) * 1000


def of(interpolation, extrapolation, sparsity=None, threshold=1.0, steps=STEPS):
    sparsity = np.linspace(0.5, 0, len(steps)) if sparsity is None else sparsity
    return measure(
        steps, np.array(interpolation), np.array(extrapolation), sparsity, threshold
    )


def test_the_best_step_has_the_least_interpolation_error():
    found = of([9, 8, 3, 1, 2, 4], [9, 0.5, 9, 0.9, 0.1, 0.1])
    assert found.best_step == 3000 and found.outcome is Outcome.SOLVED
    assert found.extrapolation == 0.9 and np.isclose(found.sparsity, 0.2)
    assert found.solved_at == 1000  # the first time, whatever came after
    assert found.sentence == "solved at step 1000"


def test_success_is_judged_there_and_nowhere_else():
    found = of([9, 8, 3, 1, 2, 4], [9, 0.5, 9, 1.1, 0.1, 0.1])
    assert found.outcome is Outcome.NOT_SOLVED and found.solved_at is None
    assert found.sentence == "not solved"


def test_divergence():
    nan = np.nan
    found = of([9, 8, 7, nan, nan, nan], [9, 9, 9, nan, nan, nan])
    assert found.outcome is Outcome.DIVERGED and found.diverged_at == 3000
    assert found.sentence == "diverged at step 3000"
    solved = of([9, 8, 7, nan, nan, nan], [9, 9, 0.5, nan, nan, nan])
    assert solved.outcome is Outcome.SOLVED and solved.diverged_at == 3000


def test_all_nan_is_not_solved():
    nan = np.full(6, np.nan)
    assert of(nan, nan).outcome is Outcome.DIVERGED


def test_the_window():
    """5,001 measurements: the first is not looked at, as published."""
    steps = np.arange(WINDOW + 1)
    errors = np.ones(WINDOW + 1)
    errors[0], errors[7] = 0.0, 0.5
    found = of(errors, errors, np.zeros(WINDOW + 1), 0.6, steps)
    assert found.best_step == 7


def test_the_last_step_can_be_judged():
    curves = {"interpolation": np.array([1.0, 1e-9, 2e-6]), "sparsity": np.zeros(3)}
    curves["extrapolation"] = np.array([1.0, 1e-9, 0.5])
    at = np.array([0, 10, 20])
    best = measure(at, threshold=1e-5, **curves)
    last = measure(at, threshold=1e-5, window=1, **curves)
    assert best.best_step == 10 and best.outcome == "solved"
    assert last.best_step == 20 and last.outcome == "not solved"


def test_what_a_task_measures_besides_is_that_of_the_best_step():
    curve = np.array([3.0, 1.0, 2.0])
    found = measure(
        np.array([0, 10, 20]),
        interpolation=curve,
        extrapolation=curve,
        sparsity=curve,
        threshold=0.5,
        length_7=np.array([5.0, 6.0, 7.0]),
    )
    assert found.best_step == 10 and found.further == {"length_7": 6.0}

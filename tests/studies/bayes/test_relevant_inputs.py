"""The study of relevant inputs: its tables, when an input matters, how it goes on."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from arithmax.results import Results, read
from arithmax.studies import Trained, studies
from arithmax.studies._kept import Kept
from arithmax.studies.bayes import _methods as m
from arithmax.studies.bayes import _problems as p
from arithmax.studies.bayes import relevant_inputs as s

QUOTIENT, PRODUCT, ROOT = p.small()
ALL = p.problems()


def given(folder=None, seeds=1) -> Trained:
    results = Results([]) if folder is None else read(folder)
    return Trained(studies()[s.SHEET.name], [], results, seeds)


def solution(problem: p.Problem) -> m.Learned:
    """The parameters of a network of four inputs that is the function itself."""
    sums, powers = np.zeros((4, 4)), np.zeros((1, 4))
    if problem == PRODUCT:
        sums[0, :2], sums[1], powers[0, :2] = 1.0, 1.0, 1.0
    else:
        sums[:2, :2] = np.eye(2)
        powers[0, :2] = (1.0, -1.0) if problem == QUOTIENT else (0.5, 0.0)
    return m.Learned({"0.W": sums, "1.W": powers}, 0.0)


@pytest.mark.parametrize("problem", ALL, ids=lambda q: f"{q.name}, {q.inputs}")
def test_a_function_depends_on_its_relevant_inputs_alone(problem):
    x, y = problem.fresh(problem.trained)
    for i in range(problem.inputs):
        moved = x.copy()
        moved[:, i] = x[::-1, i]
        changes = np.abs(problem.truth(moved) - y).max() > 1e-9
        assert changes == (i in problem.relevant)


def test_sums_overlap_as_in_the_large_task():
    x = np.arange(1.0, 11.0)[None]
    added, product, inverse, root = p.large(10)
    assert added.truth(x) == 15 + 35 and product.truth(x) == 15 * 35
    assert inverse.truth(x) == pytest.approx(1 / 15)
    assert root.truth(x) == pytest.approx(15**0.5)
    assert p.large(20)[0].relevant == frozenset(range(18))


def test_a_table_is_that_of_its_seed_and_has_the_noise():
    x, y = ROOT.table(3)
    again, same = ROOT.table(3)
    np.testing.assert_array_equal(x, again)
    np.testing.assert_array_equal(y, same)
    assert not np.array_equal(x, ROOT.table(4)[0])
    assert x.shape == (p.ROWS, 4) and x.min() >= 0 and x.max() <= 3
    noise = np.std(y - ROOT.truth(x)) / np.std(ROOT.truth(x))
    assert noise == pytest.approx(p.NOISE, rel=0.1)


@pytest.mark.parametrize("problem", p.small(), ids=lambda q: q.name)
def test_the_solution_is_right(problem):
    right, missed, needless, weights, *errors = s.inputs_found(
        problem, 0, solution(problem)
    )
    assert right and missed == needless == 0 and max(errors) < 1e-12
    assert weights == {QUOTIENT: 4, PRODUCT: 8, ROOT: 3}[problem]
    text, error = s.read(problem, 0, solution(problem))
    assert text and error is not None and error < s.SAME


def test_a_column_matters_from_one_per_cent_of_the_spread_on():
    spread = np.std(ROOT.table(0)[1])
    for share, found in ((0.02, {0, 1}), (0.002, {0})):
        run = solution(ROOT)
        run.params["0.W"][0, 1] = share * spread
        assert s.relevant(ROOT, 0, run) == found
    run = solution(ROOT)
    run.params["1.W"][0, 0] = 0.0  # the output is constant
    right, missed, needless, *_ = s.inputs_found(ROOT, 0, run)
    assert not right and (missed, needless) == (1, 0)


def test_what_is_not_finite_is_wrong_and_never_chosen():
    run = m.Learned({"0.W": np.full((4, 4), np.nan), "1.W": np.ones((1, 4))}, -np.inf)
    right, _, needless, _, *errors = s.inputs_found(ROOT, 0, run)
    assert not right and needless == 3 and errors == [np.inf, np.inf]
    assert run.formula(ROOT.network, *ROOT.table(0)) is None
    assert s.chosen([np.nan, -np.inf, -3.0, -2.0]) == 3
    assert p.relative_error(np.array([np.nan]), np.array([1.0])) == np.inf


def test_small_weights_are_small_beside_those_of_their_sum():
    params = {
        "0.W": np.array([[1e-3, 1e-6, 2e-5], [1.0, 0.0, -0.02]]),
        "1.W": np.array([[0.5, 1e-3]]),
    }
    left = m.without_small(params)
    assert left["0.W"].tolist() == [[1e-3, 0.0, 2e-5], [1.0, 0.0, -0.02]]
    assert left["1.W"].tolist() == [[0.5, 0.0]]


@pytest.mark.slow
def test_l1_has_the_published_strengths_and_draws_weights_to_zero():
    penalty = m.l1(PRODUCT, 5000)
    assert (penalty.strength, penalty.end, penalty.every) == (1e-5, 1e-4, 500)
    strong = m.L1(0.1, 0.1)
    plain, drawn = (m.trained(ROOT, 0, 200, terms) for terms in ([], [strong]))
    assert len(plain) == len(drawn) == m.STARTS
    sizes = [
        np.mean([np.abs(v).sum() for run in runs for v in run.params.values()])
        for runs in (plain, drawn)
    ]
    assert sizes[1] < 0.8 * sizes[0]


def test_adam_has_the_learning_rates_of_inference():
    optimiser, moved = m.falling_adam(0.02, 100), []
    with jax.numpy_dtype_promotion("standard"):  # as in the fleet
        state = optimiser.init({"w": jnp.zeros(1)})
        for _ in range(100):
            update, state = optimiser.update({"w": jnp.ones(1)}, state)
            moved.append(-float(update["w"][0]))
    assert moved[:60] == pytest.approx([0.02] * 60, rel=1e-3)
    assert all(np.diff(moved[60:]) < 0) and moved[-1] < 2e-4


@pytest.mark.slow
def test_a_stopped_study_goes_on(tmp_path, monkeypatch):
    monkeypatch.setattr(s, "problems", lambda: (ROOT,))
    monkeypatch.setattr(s, "METHODS", ("ARD", "plain"))
    monkeypatch.setattr(s, "STEPS", 300)
    monkeypatch.setattr(s, "EXAMPLE", ("√x₁", 4))
    asked, learned = [], s.learned

    def stopped(method, *others):
        if len(asked) == 1:
            raise KeyboardInterrupt
        asked.append(method)
        return learned(method, *others)

    monkeypatch.setattr(s, "learned", stopped)
    with pytest.raises(KeyboardInterrupt):
        s.compute(given(tmp_path))
    kept = Kept(tmp_path, s.SHEET.name, "runs", s.RUN_NAMES, len(s.KEYS))
    assert len(kept.rows) == m.STARTS
    asked.clear()
    made = s.compute(given(tmp_path)).tables
    assert asked == ["plain"]
    assert made["methods"]["runs"] == [m.STARTS] * 2
    assert made["chosen"]["method"] == ["ARD", "plain"]
    assert made["chosen"]["exact formula"] == [1] * 2  # reading rounds
    assert len(made["weights"]["weight"]) == 2 * 16
    assert min(made["weights"]["weight"]) >= s.LEAST
    assert made["shares"]["problem"] == ["√x₁, 4"] * 2
    texts = [text for text in made["runs"]["formula"] if text]
    assert len(texts) == 2  # one for each table and method: of the chosen start
    asked.clear()
    assert s.compute(given(tmp_path)).tables == made and asked == []

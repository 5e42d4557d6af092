"""`ArithmeticRegressor`: what it finds, keeps, tells and depends on."""

import pickle
import warnings
from dataclasses import replace
from typing import Any

import joblib
import numpy as np
import pytest
import sympy
from sklearn.base import clone
from threadpoolctl import threadpool_limits

from arithmax import ArithmeticRegressor
from arithmax.discover import LADDER, Trust, discover
from arithmax.readout import latex
from arithmax.sklearn import CutOffWarning, NotFoundWarning
from arithmax.sklearn._not_found import warn_of


def table(seed: int = 0, rows: int = 100, low: float = 1.0) -> np.ndarray:
    return np.random.default_rng(seed).uniform(low, 5.0, (rows, 3))


def law(x: np.ndarray) -> np.ndarray:
    """m v² / r: what is found in a moment."""
    return x[:, 0] * x[:, 1] ** 2 / x[:, 2]


def noisy(x: np.ndarray, seed: int = 7, size: float = 0.05) -> np.ndarray:
    return law(x) * (1 + size * np.random.default_rng(seed).normal(size=len(x)))


X = table()
FITTED = ArithmeticRegressor().fit(X, law(X))


def same_function(text: str, expected: str) -> bool:
    return sympy.simplify(sympy.sympify(f"{text} - ({expected})")) == 0


# What is found by a least-squares fit of logarithms, in a moment.
QUICK = ("constant", "monomial")


def test_the_law_is_found_and_holds_far_away():
    assert same_function(FITTED.equation_, "x0*x1**2/x2")
    far = 1000 * np.random.default_rng(1).normal(size=(50, 3))
    np.testing.assert_allclose(FITTED.predict(far), law(far), rtol=1e-12)
    assert FITTED.score(far, law(far)) == pytest.approx(1.0)
    assert str(FITTED.formula_) == FITTED.equation_


def test_equations_are_a_frame_simplest_first():
    frame = FITTED.equations_
    assert list(frame.columns) == [
        "expression",
        "complexity",
        "training_error",
        "held_out_error",
        "extrapolation_error",
        "verified",
        "verdict",
        "seconds",
        "stage",
        "best",
    ]
    assert frame.complexity.is_monotonic_increasing
    assert frame.training_error.is_monotonic_decreasing
    best: Any = frame[frame.best].iloc[0]
    assert best["expression"] == FITTED.equation_
    assert best["verified"] and best["verdict"] == str(Trust.EXACT)
    assert best["training_error"] < 1e-12 and best["held_out_error"] < 1e-12
    assert frame.extrapolation_error.isna().all()


def test_errors_are_those_of_the_rows_they_are_named_after():
    """And the points of the plot are labelled as the search used the rows."""
    x = table(rows=90)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotFoundWarning)
        model = ArithmeticRegressor(stages=QUICK).fit(x, noisy(x))
    [points], [found] = model._points, model.discoveries_
    best = found.best
    # Errors are those before all rows refined the constants.
    [before] = [c.formula for c in found.candidates if c.score == best.score]
    off = before.evaluate(x) - points.truth
    fitted, held = points.kind == 0, points.kind == 1
    assert (fitted.sum(), held.sum()) == (72, 18)
    spread = np.std(points.truth[fitted])
    assert np.sqrt(np.mean(off[fitted] ** 2)) / spread == pytest.approx(
        best.training_error
    )
    assert np.sqrt(np.mean(off[held] ** 2)) / spread == pytest.approx(
        best.held_out_error
    )


def test_sympy_and_latex_are_the_same_formula():
    expression = FITTED.sympy()
    function = sympy.lambdify(sympy.symbols("x0:3", real=True), expression)
    np.testing.assert_allclose(function(*X.T), FITTED.predict(X), rtol=1e-13)
    assert FITTED.latex() == latex(FITTED.formula_)
    for index, text in enumerate(FITTED.equations_.expression):
        value = sympy.lambdify(sympy.symbols("x0:3"), sympy.sympify(text))
        other = sympy.lambdify(sympy.symbols("x0:3", real=True), FITTED.sympy(index))
        np.testing.assert_allclose(value(*X.T), other(*X.T), rtol=1e-14)
    texts = [FITTED.latex(index) for index in FITTED.equations_.index]
    assert FITTED.latex() == texts[-1] != texts[0]


def test_the_search_is_that_of_discover():
    found = discover(
        X[np.lexsort(X.T[::-1])], law(X[np.lexsort(X.T[::-1])]), names=FITTED.symbols_
    )
    assert str(found.formula) == FITTED.equation_
    assert found.stopped == FITTED.discoveries_[0].stopped


def fitted_text(x, y, weight=None, stages=QUICK, **options) -> str:
    """The whole front of a noisy fit, to the last digit."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotFoundWarning)
        model = ArithmeticRegressor(stages=stages, candidates=12, **options)
        model.fit(x, y, weight)
    return model.equations_.drop(columns="seconds").to_csv()


def test_the_order_of_rows_does_not_matter():
    x, order = table(rows=60), np.random.default_rng(3).permutation(60)
    assert fitted_text(x, noisy(x)) == fitted_text(x[order], noisy(x)[order])


def test_a_weight_counts_as_rows():
    x, counts = table(rows=60), np.random.default_rng(3).integers(0, 4, 60)
    y = noisy(x)
    repeated = fitted_text(x.repeat(counts, axis=0), y.repeat(counts))
    assert fitted_text(x, y, counts) == repeated
    assert fitted_text(x, y) != repeated
    scaled = fitted_text(x, y, 2.0 * counts)  # a factor of all weights changes nothing
    assert scaled == repeated


def test_rows_without_weight_do_not_matter():
    x, weight = table(rows=60), np.ones(60)
    y = law(x)
    y[::7], weight[::7] = 1e6, 0.0
    model = ArithmeticRegressor().fit(x, y, sample_weight=weight)
    assert same_function(model.equation_, "x0*x1**2/x2")


def test_the_number_of_threads_does_not_matter():
    x = table(rows=200)
    texts = []
    for threads in (1, 2):
        with threadpool_limits(limits=threads):
            texts.append(fitted_text(x, noisy(x), stages=None))
    assert texts[0] == texts[1]


def test_linear_algebra_has_one_thread_while_it_searches(monkeypatch):
    from threadpoolctl import threadpool_info

    from arithmax.sklearn import _searched

    seen = []

    def spy(*given, **options):
        seen.extend(pool["num_threads"] for pool in threadpool_info())
        return discover(*given, **options)

    monkeypatch.setattr(_searched, "discover", spy)
    with threadpool_limits(limits=2):
        ArithmeticRegressor().fit(X, law(X))
    assert seen and set(seen) == {1}


def test_random_states():
    x = table(rows=60)
    texts = {
        fitted_text(x, noisy(x), random_state=state)
        for state in (0, np.int64(0), 1, np.random.RandomState(5))
    }
    assert len(texts) == 3  # 0 twice; other rows are held out by others
    again = fitted_text(x, noisy(x), random_state=np.random.RandomState(5))
    assert again in texts
    assert ArithmeticRegressor(random_state=None).fit(X, law(X)).equation_


def test_targets_are_searched_as_if_each_were_alone():
    y = np.c_[law(X), X[:, 0] - X[:, 1]]
    model = ArithmeticRegressor().fit(X, y)
    alone = [ArithmeticRegressor().fit(X, y[:, k]).equation_ for k in range(2)]
    assert model.equation_ == alone
    np.testing.assert_allclose(model.predict(X), y, rtol=1e-9)
    assert model.predict(X).shape == (100, 2)
    assert [str(each) for each in model.sympy()] == [
        str(model.sympy(i)) for i in model.equations_.index[model.equations_.best]
    ]
    assert len(model.latex()) == 2
    assert (
        list(model.equations_.output.unique()) == ["y0", "y1"] == list(model.outputs_)
    )
    assert model.equations_.groupby("output").best.sum().tolist() == [1, 1]


def test_targets_in_processes_of_their_own():
    y = np.c_[law(X), X[:, 0] - X[:, 1]]
    one, two = (ArithmeticRegressor(n_jobs=n).fit(X, y) for n in (1, 2))
    assert one.equation_ == two.equation_
    np.testing.assert_array_equal(one.predict(X), two.predict(X))


def test_one_target_with_two_axes_stays_so():
    model = ArithmeticRegressor().fit(X, law(X)[:, None])
    assert model.predict(X).shape == (100, 1)
    assert model.equation_ == [FITTED.equation_]


@pytest.mark.parametrize("kept", [pickle, joblib], ids=["pickle", "joblib"])
def test_a_saved_model_predicts_the_same_bits(kept, tmp_path):
    x = table(rows=60)
    with pytest.warns(NotFoundWarning):
        model = ArithmeticRegressor(stages=QUICK, tolerance=0.0).fit(x, noisy(x))
    path = tmp_path / "model"
    if kept is pickle:
        path.write_bytes(pickle.dumps(model))
        loaded = pickle.loads(path.read_bytes())
    else:
        joblib.dump(model, path)
        loaded = joblib.load(path)
    far = 100 * np.random.default_rng(0).uniform(size=(30, 3))
    assert loaded.predict(far).tobytes() == model.predict(far).tobytes()
    assert loaded.equations_.equals(model.equations_)
    assert loaded.plot() == model.plot()


def test_parameters_survive_a_clone():
    options = {
        "stages": ("constant", "monomial"),
        "candidates": 7,
        "max_seconds": 100.0,
        "tolerance": 0.2,
        "domain": "abs",
        "extrapolation": 0.1,
        "units": ("kg", "m/s", "m", "kg*m/s^2"),
        "uncertainty": True,
        "random_state": 3,
        "n_jobs": 1,
        "verbose": 0,
    }
    model: Any = clone(ArithmeticRegressor(**options))
    assert model.get_params() == options
    assert [a.stage for a in model.fit(X, law(X)).discoveries_[0].tried] == [
        "constant",
        "monomial",
    ]


def test_stages_are_given_by_name_or_as_objects():
    by_name = ArithmeticRegressor(stages=["monomial"]).fit(X, law(X))
    monomial = next(stage for stage in LADDER if stage.name == "monomial")
    as_object: Any = clone(ArithmeticRegressor(stages=(monomial,)))
    as_object.fit(X, law(X))
    for model in (by_name, as_object):
        assert [a.stage for a in model.discoveries_[0].tried] == ["monomial"]
        assert model.equation_ == FITTED.equation_


def test_units_put_dimension_analysis_on_the_ladder():
    units = ("kg", "m/s", "m", "kg*m/s^2", "kg*m^2/s^2")
    y = np.c_[law(X), X[:, 0] * X[:, 1] ** 2]
    model = ArithmeticRegressor(units=units).fit(X, y)
    expected = ("x0*x1**2/x2", "x0*x1**2")
    for found, text in zip(model.discoveries_, expected, strict=True):
        assert found.best.stage == "dimension analysis"
        assert same_function(str(found.formula), text)
    only = ArithmeticRegressor(units=units[:4], stages=["dimension analysis"])
    assert only.fit(X, law(X)).equation_ == model.equation_[0]


def noise(rows: int = 40) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    return rng.normal(size=(rows, 2)), rng.normal(size=rows)


def test_a_failure_is_told_with_the_best_and_what_was_tried():
    with pytest.warns(NotFoundWarning) as told:
        model = ArithmeticRegressor(candidates=5).fit(*noise())
    [warning] = told
    said = str(warning.message)
    assert f"`{model.equation_}`" in said
    for attempt in model.discoveries_[0].tried:
        assert f"{attempt.stage} ({attempt.candidates} candidate" in said
    assert "all 5 candidates of the budget were judged" in said
    assert not model.equations_.verified.any()
    assert np.isfinite(model.predict(noise()[0])).all()


def test_the_budget_counts_candidates():
    for budget in (1, 3, 6):
        with pytest.warns(NotFoundWarning):
            model = ArithmeticRegressor(candidates=budget).fit(*noise())
        assert sum(a.candidates for a in model.discoveries_[0].tried) == budget


def test_seconds_only_cut_off_and_say_so():
    with pytest.warns(NotFoundWarning, match=r"`max_seconds` \(=1e-09\) were over"):
        model = ArithmeticRegressor(max_seconds=1e-9).fit(*noise())
    assert model.discoveries_[0].best.stage == "constant"
    found = replace(FITTED.discoveries_[0], stopped="`max_seconds` (=5.0) were over")
    with pytest.warns(CutOffWarning, match="`y` ended early"):
        warn_of(found, "y")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_of(FITTED.discoveries_[0], "y")


def test_progress_is_shown_on_the_error_stream(capsys):
    ArithmeticRegressor(verbose=0).fit(X, law(X))
    assert capsys.readouterr() == ("", "")
    ArithmeticRegressor(verbose=True).fit(X, law(X))
    shown = capsys.readouterr()
    assert shown.out == ""
    first, second = shown.err.splitlines()
    assert first.startswith(f"y: stage 1 of {len(LADDER)} (constant), 1 candidates")
    assert f"best {FITTED.equation_} (held-out error" in second
    with pytest.warns(NotFoundWarning):
        ArithmeticRegressor(verbose=1, candidates=6).fit(*noise())
    brief = capsys.readouterr().err.splitlines()
    with pytest.warns(NotFoundWarning):
        ArithmeticRegressor(verbose=2, candidates=6).fit(*noise())
    assert len(capsys.readouterr().err.splitlines()) >= len(brief)


@pytest.mark.parametrize("value", [0.0, 1.0, -2.5, 0.1])
def test_a_constant_target_is_a_constant(value):
    model = ArithmeticRegressor().fit(X, np.full(100, value))
    assert float(sympy.sympify(model.equation_)) == value
    assert model.predict(X[:3]).tolist() == [value] * 3
    assert model.equations_.verified.all()


def test_a_constant_that_is_broken_by_a_held_out_row_is_not_verified():
    x = np.arange(1.0, 101.0)[:, None]  # in order, and therefore held out by position
    [points] = ArithmeticRegressor().fit(x, x[:, 0])._points
    y = np.where(np.arange(100) == np.flatnonzero(points.kind == 1)[0], 2.0, 1.0)
    with pytest.warns(NotFoundWarning):
        model = ArithmeticRegressor().fit(x, y)
    assert model.equations_.held_out_error.tolist() == [np.inf]


def test_data_are_left_as_they_are():
    x, y, weight = X.copy(), law(X), np.ones(100)
    ArithmeticRegressor(extrapolation=0.2).fit(x, y, weight)
    np.testing.assert_array_equal(x, X)
    np.testing.assert_array_equal(y, law(X))
    np.testing.assert_array_equal(weight, np.ones(100))

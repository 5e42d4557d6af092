"""The estimator among others: data frames, pipelines, searches, rows outside."""

import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from arithmax import ArithmeticRegressor
from arithmax.sklearn import NotFoundWarning

RNG = np.random.default_rng(0)
MASS, SPEED = RNG.uniform(1, 5, (2, 80))
FRAMES = {"pandas": pd.DataFrame, "polars": pl.DataFrame}
each_frame = pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)


@each_frame
def test_names_of_columns_are_kept(frame):
    x = frame({"m": MASS, "speed (m/s)": SPEED})
    y = frame({"energy": MASS * SPEED**2})["energy"]
    model: Any = ArithmeticRegressor().fit(x, y)
    assert list(model.feature_names_in_) == ["m", "speed (m/s)"]
    assert model.symbols_ == ("m", "speed__m_s_")
    assert model.equation_ == "m*speed__m_s_**2"
    assert model.outputs_ == ("energy",)
    np.testing.assert_allclose(model.predict(x), MASS * SPEED**2)
    for other in FRAMES.values():
        again = other({"m": MASS, "speed (m/s)": SPEED})
        np.testing.assert_array_equal(model.predict(again), model.predict(x))
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame({"speed (m/s)": SPEED, "m": MASS}))
    with pytest.raises(ValueError, match="2 features"):
        ArithmeticRegressor().fit(np.c_[MASS, SPEED], MASS).predict(np.ones((3, 3)))
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        model.predict(np.ones((3, 2)))


@each_frame
def test_several_targets_bear_their_names(frame):
    x = frame({"m": MASS, "v": SPEED})
    y = frame({"energy": MASS * SPEED**2, "momentum": MASS * SPEED})
    model = ArithmeticRegressor().fit(x, y)
    assert model.equation_ == ["m*v**2", "m*v"]
    assert list(model.equations_.output.unique()) == ["energy", "momentum"]
    assert model.predict(x).shape == (80, 2)


@each_frame
def test_whole_numbers_and_single_precision_are_numbers(frame):
    whole, half = RNG.integers(1, 9, 40), RNG.integers(1, 9, 40) / np.float32(2)
    model = ArithmeticRegressor().fit(frame({"a": whole, "b": half}), whole * half)
    assert model.equation_ == "a*b"


@each_frame
def test_a_column_of_words_is_named(frame):
    x = frame({"a": [1.0, 2.0, 3.0], "colour": ["red", "green", "red"]})
    with pytest.raises(
        ValueError, match=r"`X` .with column 'colour' of type .*numbers"
    ):
        ArithmeticRegressor().fit(x, [1.0, 2.0, 3.0])


def test_a_pipeline_and_its_steps():
    x = np.c_[MASS, SPEED]
    doubled = FunctionTransformer(lambda x: 2 * x)
    model: Any = make_pipeline(doubled, ArithmeticRegressor())
    model.fit(x, MASS * SPEED, arithmeticregressor__sample_weight=np.ones(80))
    assert model[-1].equation_ == "x0*x1/4"
    assert model.score(x, MASS * SPEED) == pytest.approx(1.0)


def test_names_come_through_a_pipeline():
    scaler = StandardScaler(with_mean=False).set_output(transform="pandas")
    model: Any = make_pipeline(scaler, ArithmeticRegressor())
    x = pd.DataFrame({"m": MASS, "v": SPEED})
    assert set(model.fit(x, MASS / SPEED)[-1].formula_.variables) == {"m", "v"}


def test_a_grid_search_chooses_parameters():
    x = np.c_[MASS, SPEED]
    model = ArithmeticRegressor(stages=("constant",))
    choices = {"stages": [("constant",), ("monomial",)]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotFoundWarning)
        search: Any = GridSearchCV(model, choices, cv=3).fit(x, MASS * SPEED)
    assert search.best_params_ == {"stages": ("monomial",)}
    assert search.best_estimator_.equation_ == "x0*x1"
    assert search.best_score_ == pytest.approx(1.0)


def test_cross_validation_with_weights_that_are_routed():
    x, weight = np.c_[MASS, SPEED], np.ones(80)
    y = MASS * SPEED
    y[::9], weight[::9] = 100.0, 0.0
    model: Any = ArithmeticRegressor()
    with sklearn.config_context(enable_metadata_routing=True):
        model = model.set_fit_request(sample_weight=True)
        model = model.set_score_request(sample_weight=True)
        scores = cross_val_score(model, x, y, cv=4, params={"sample_weight": weight})
    np.testing.assert_allclose(scores, 1.0)


FAR = np.random.default_rng(5).uniform(50, 90, (30, 2))


def noisy_fit(*outside, **options) -> ArithmeticRegressor:
    x = np.c_[MASS, SPEED]
    y = MASS * SPEED + np.random.default_rng(3).normal(0, 0.3, 80)
    model = ArithmeticRegressor(stages=("constant", "monomial"), **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotFoundWarning)
        return model.fit(x, y, None, *outside)


def test_rows_outside_measure_and_decide_nothing():
    plain, right = noisy_fit(), noisy_fit(FAR, FAR[:, 0] * FAR[:, 1])
    wrong = noisy_fit(FAR, -FAR[:, 0])
    assert plain.equation_ == right.equation_ == wrong.equation_
    [points] = plain._points
    spread = np.std(points.truth[points.kind == 0])
    for model, truth in ((right, FAR[:, 0] * FAR[:, 1]), (wrong, -FAR[:, 0])):
        off = np.sqrt(np.mean((plain.predict(FAR) - truth) ** 2)) / spread
        frame = model.equations_
        assert frame.extrapolation_error[frame.best].item() == pytest.approx(off)
    drop = ["extrapolation_error", "seconds"]
    assert plain.equations_.drop(columns=drop).equals(
        wrong.equations_.drop(columns=drop)
    )


def test_a_share_of_the_rows_lies_outside():
    x = np.c_[MASS, SPEED]
    model = ArithmeticRegressor(extrapolation=0.25).fit(x, MASS * SPEED)
    distance = (((x - x.mean(0)) / x.std(0)) ** 2).sum(1)
    far = np.argsort(distance)[-20:]
    [points] = model._points
    assert np.isin(far, np.flatnonzero(points.kind[:80] == -1)).all()
    np.testing.assert_array_equal(
        np.sort(points.truth[points.kind == 2]), np.sort((MASS * SPEED)[far])
    )
    assert model.equations_.extrapolation_error[model.equations_.best].item() < 1e-12
    near = np.setdiff1d(np.arange(80), far)
    without = ArithmeticRegressor().fit(x[near], (MASS * SPEED)[near])
    drop = ["extrapolation_error", "seconds"]
    assert model.equations_.drop(columns=drop).equals(
        without.equations_.drop(columns=drop)
    )


def test_a_share_and_rows_outside_are_measured_together():
    model = noisy_fit(FAR, FAR[:, 0] * FAR[:, 1], extrapolation=0.25)
    assert (model._points[0].kind == 2).sum() == 50


def test_rows_outside_pass_through_a_pipeline():
    x = np.c_[MASS, SPEED]
    with sklearn.config_context(enable_metadata_routing=True):
        last: Any = ArithmeticRegressor()
        last = last.set_fit_request(X_outside=True, y_outside=True)
        steps = [("double", FunctionTransformer(lambda x: 2 * x)), ("model", last)]
        model: Any = Pipeline(steps, transform_input=["X_outside"])
        model.fit(x, MASS * SPEED, X_outside=FAR, y_outside=FAR[:, 0] * FAR[:, 1])
    frame = model[-1].equations_
    assert frame.extrapolation_error[frame.best].item() < 1e-9


def root(x: np.ndarray) -> np.ndarray:
    return np.sqrt(x[:, 0] - x[:, 1])


def apart() -> np.ndarray:
    """Rows of which the first number is larger than the second."""
    return np.random.default_rng(2).uniform((5.0, 1.0), (8.0, 4.0), (80, 2))


def root_model(**options) -> Any:
    """sqrt(a − b), fitted where a is larger than b."""
    x = apart()
    frame = pd.DataFrame(x, columns=["a", "b"])
    return ArithmeticRegressor(**options).fit(frame, root(x))


NEW = pd.DataFrame({"a": [9.0, 1.0, 3.0], "b": [5.0, 5.0, 3.0]})


def test_the_domain_is_a_policy():
    model = root_model()
    np.testing.assert_allclose(model.predict(NEW), [2, np.nan, 0], atol=1e-7)
    model.set_params(domain="abs")
    np.testing.assert_allclose(model.predict(NEW), [2, 2, 0], atol=1e-7)
    model.set_params(domain="error")
    with pytest.raises(ValueError, match=r"`X` \(row 1\).*is -4.0"):
        model.predict(NEW)
    assert model.predict(NEW[:1]) == pytest.approx(2.0)


def test_rows_are_diagnosed():
    model = root_model()
    assert model.diagnose_.empty
    [line] = model.diagnose(NEW).to_dict("records")
    assert line["row"] == 1
    assert line["hazard"] == (
        "the number under a root or a fractional power is below zero"
    )
    assert line["part"] == f"sqrt({line['argument']})" == model.equation_
    assert line["number"] == pytest.approx(-4.0)
    assert line["mixed_signs"] is True
    assert line["answer"] == "the answer is NaN"
    [line] = model.set_params(domain="abs").diagnose(NEW).to_dict("records")
    assert line["answer"] == "its absolute value was taken"
    assert list(model.diagnose(NEW[:1]).columns) == list(model.diagnose(NEW).columns)


def test_training_rows_are_diagnosed():
    """A row that counts nothing may lie outside the domain."""
    x = apart()
    y, weight = root(x), np.ones(80)
    x[5], y[5], weight[5] = (1.0, 3.0), 0.0, 0.0
    model = ArithmeticRegressor(domain="abs").fit(x, y, weight)
    [line] = model.diagnose_.to_dict("records")
    assert (line["row"], line["answer"]) == (5, "its absolute value was taken")
    two = ArithmeticRegressor().fit(x, np.c_[y, y], weight)
    assert two.diagnose_.output.tolist() == ["y0", "y1"]


def test_a_score_without_all_answers_is_no_number():
    model = root_model()
    assert np.isnan(model.score(NEW, [2.0, 2.0, 0.0]))
    assert model.score(NEW[::2], [2.0, 0.0]) == pytest.approx(1.0)


def test_a_plot_has_every_kind_of_row():
    model = noisy_fit(FAR, FAR[:, 0] * FAR[:, 1])
    figure: Any = model.plot()
    named = {trace.name: trace for trace in figure.data if trace.name}
    counts = {name: len(trace.x) for name, trace in named.items()}
    assert counts == {"training": 64, "held out": 16, "outside": 30}
    np.testing.assert_array_equal(named["outside"].x, FAR[:, 0] * FAR[:, 1])
    np.testing.assert_array_equal(named["outside"].y, model.predict(FAR))
    assert model.equation_[:40] in figure.layout.annotations[0].text


def test_each_target_has_its_panel():
    x = np.c_[MASS, SPEED]
    model = ArithmeticRegressor().fit(x, np.c_[MASS * SPEED, MASS / SPEED])
    figure: Any = model.plot()
    assert [a.text for a in figure.layout.annotations] == [
        f"y{k} = {text}" for k, text in enumerate(model.equation_)
    ]
    shown = [trace.name for trace in figure.data if trace.showlegend]
    assert shown == ["training", "held out"]

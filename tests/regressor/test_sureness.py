"""`ArithmeticRegressor(uncertainty=True)`: what it knows of its formula, and tells."""

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import parametrize_with_checks

from arithmax import ArithmeticRegressor
from arithmax.bayes import laplace
from arithmax.sklearn import NoIntervalWarning, NotFoundWarning

QUICK = ("constant", "monomial")
NOISE = 0.3


def rows(seed: int = 0, count: int = 200) -> tuple[np.ndarray, np.ndarray]:
    """m v² / r with noise, and a column that does not matter."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(1, 4, (count, 4))
    return x, x[:, 0] * x[:, 1] ** 2 / x[:, 2] + rng.normal(0, NOISE, count)


def fitted(x, y, weight=None, **options) -> Any:
    options = {"stages": QUICK, "uncertainty": True, **options}
    return ArithmeticRegressor(**options).fit(x, y, weight)


X, Y = rows()
MODEL = fitted(X, Y)


def test_intervals_are_those_of_laplace():
    by_hand = laplace(MODEL.formula_, X, Y)
    frame = MODEL.uncertainty_
    assert list(frame.columns) == ["constant", "mean", "std", "low", "high", "held"]
    assert not frame.held.any()
    for line, marginal in zip(frame.itertuples(), by_hand.marginals, strict=True):
        assert line.constant == marginal.name
        given = [line.mean, line.std, line.low, line.high]
        known = [marginal.mean, marginal.std, marginal.low, marginal.high]
        np.testing.assert_allclose(given, known, rtol=1e-6)


def test_predictions_are_the_same_and_have_a_spread():
    far = 3 * X[:20]
    predictions, spread = MODEL.predict(far, return_std=True)
    np.testing.assert_array_equal(predictions, MODEL.predict(far))
    np.testing.assert_array_equal(spread, MODEL.posterior_.predict(far).std)
    assert (spread > MODEL.posterior_.noise.mean).all()


def test_new_rows_are_inside_as_often_as_the_level_says():
    """Of a single table the noise may be off by chance; of ten it is not."""
    inside, noises = [], []
    for seed in range(10):
        model = fitted(*rows(seed))
        x, y = rows(seed=100 + seed, count=1000)
        predictions, spread = model.predict(x, return_std=True)
        inside.append(np.abs(y - predictions) <= 1.96 * spread)
        noises.append(model.posterior_.noise)
    assert 0.93 < np.mean(inside) < 0.97
    assert sum(noise.contains(NOISE) for noise in noises) >= 8


def test_columns_that_matter_are_told():
    frame = MODEL.relevance_
    assert frame.column.tolist() == ["x0", "x1", "x2", "x3"]
    assert (frame.probability > 0.5).tolist() == [True, True, True, False]


def test_the_evidence_prefers_the_truth():
    frame = MODEL.equations_
    assert list(frame.columns[-2:]) == ["log_evidence", "probability"]
    assert frame.probability.sum() == pytest.approx(1.0)
    assert frame.best[frame.probability.idxmax()]
    assert frame.log_evidence.idxmax() == frame.probability.idxmax()


def test_a_row_of_weight_2_is_two_rows():
    counts = np.random.default_rng(3).integers(0, 3, len(Y))
    weighted = fitted(X, Y, counts)
    repeated = fitted(X.repeat(counts, axis=0), Y.repeat(counts))
    pd.testing.assert_frame_equal(weighted.uncertainty_, repeated.uncertainty_)
    assert not weighted.uncertainty_.equals(MODEL.uncertainty_)


def test_rows_outside_infer_nothing():
    wrong = ArithmeticRegressor(stages=QUICK, uncertainty=True)
    wrong.fit(X, Y, X_outside=10 * X, y_outside=-Y)
    pd.testing.assert_frame_equal(wrong.uncertainty_, MODEL.uncertainty_)
    share = fitted(X, Y, extrapolation=0.2)
    assert share.posterior_.noise.std > MODEL.posterior_.noise.std


def test_nothing_changes_unless_it_is_asked_for():
    plain = fitted(X, Y, uncertainty=False)
    assert plain.equation_ == MODEL.equation_
    assert "probability" not in plain.equations_.columns
    for name in ("posterior_", "uncertainty_", "relevance_"):
        assert not hasattr(plain, name) and hasattr(MODEL, name)
    with pytest.raises(NotFittedError, match=r"Fit .*\(uncertainty=True\)"):
        plain.predict(X, return_std=True)
    with pytest.raises(NotFittedError, match=r"`plot_uncertainty`.*uncertainty=True"):
        plain.plot_uncertainty()


@pytest.mark.parametrize("value", ["yes", 1, None, 0.95])
def test_it_is_a_plain_choice(value, monkeypatch):
    from arithmax.sklearn import _searched

    monkeypatch.delattr(_searched, "discover")  # nothing may be searched before
    with pytest.raises(TypeError, match=r"`uncertainty` \(=.*must be True or False"):
        ArithmeticRegressor(uncertainty=value).fit(X, Y)


def test_each_target_has_its_posterior():
    y = pd.DataFrame({"force": Y, "product": X[:, 0] * X[:, 3]})
    model = fitted(X, y, n_jobs=2)
    assert [p.method for p in model.posterior_] == ["Laplace", "Laplace"]
    assert model.uncertainty_.output.unique().tolist() == ["force", "product"]
    assert model.relevance_.groupby("output").size().tolist() == [4, 4]
    predictions, spread = model.predict(X, return_std=True)
    assert predictions.shape == spread.shape == (200, 2)
    np.testing.assert_allclose(spread[:, 0], MODEL.predict(X, True)[1])
    assert (spread[:, 1] < 1e-10).all()
    sums = model.equations_.groupby("output").probability.sum()
    np.testing.assert_allclose(sums, 1.0)
    title = model.plot_uncertainty("x3", "product").layout.yaxis.title.text
    assert title == "product"


def test_no_value_has_no_spread():
    rng = np.random.default_rng(0)
    x = rng.uniform((5, 1), (9, 4), (100, 2))
    y = np.sqrt(x[:, 0] - x[:, 1]) + rng.normal(0, 0.01, 100)
    model = fitted(x, y, stages=None, candidates=60)
    assert model.equation_ == "sqrt(-x1 + x0)"
    new = np.array([[9.0, 5.0], [1.0, 5.0]])
    predictions, spread = model.predict(new, return_std=True)
    assert predictions[0] == 2.0 and 0 < spread[0] < 0.1
    assert np.isnan([predictions[1], spread[1]]).all()
    predictions, spread = model.set_params(domain="abs").predict(new, return_std=True)
    assert predictions[1] == 2.0 and np.isnan(spread[1])
    with pytest.raises(ValueError, match="row 1"):
        model.set_params(domain="error").predict(new, return_std=True)


def test_what_was_not_verified_is_conditional():
    noise = np.random.default_rng(0).normal(size=len(X))
    with pytest.warns(NotFoundWarning, match=r"conditional on that formula, which was"):
        model = fitted(X, noise)
    assert model.posterior_ is not None
    with pytest.warns(NotFoundWarning) as told:
        fitted(X, noise, uncertainty=False)
    assert "conditional" not in str(told[0].message)


@pytest.mark.filterwarnings("ignore::arithmax.sklearn.NotFoundWarning")
def test_too_few_rows_lose_no_formula():
    with pytest.warns(NoIntervalWarning, match=r"3 rows.*at least 4 rows"):
        model = fitted(X[:3], Y[:3])
    assert model.posterior_ is None and np.isfinite(model.predict(X)).all()
    assert model.uncertainty_.empty and model.relevance_.empty
    assert list(model.uncertainty_.columns) == list(MODEL.uncertainty_.columns)
    assert np.isnan(model.predict(X, return_std=True)[1]).all()
    assert model.equations_.probability.isna().all()
    with pytest.raises(ValueError, match=r"`y` cannot be drawn.*at least 4 rows"):
        model.plot_uncertainty()


@pytest.mark.parametrize("value", [0.0, 1.0, -2.5, 0.1])
def test_a_constant_target_is_sure(value):
    model = fitted(X, np.full(len(X), value))
    [line] = model.uncertainty_.itertuples()
    assert line.low <= value <= line.high and line.std < 1e-13
    assert (model.relevance_.probability < 0.5).all()
    assert (model.predict(X, return_std=True)[1] < 1e-13).all()


def test_an_exact_law_is_sure():
    model = fitted(X, X[:, 0] * X[:, 1] ** 2)
    assert (model.uncertainty_["std"] < 1e-12).all()
    assert (model.relevance_.probability > 0.5).tolist() == [True, True, False, False]


def test_wide_tables():
    rng = np.random.default_rng(0)
    x = rng.uniform(1, 3, (300, 100))
    y = x[:, 3] * x[:, 50] + rng.normal(0, 0.05, 300)
    model = fitted(x, y)
    frame = model.relevance_
    assert len(frame) == 100
    assert {"x3", "x50"} <= set(frame.column[frame.probability > 0.999])
    assert (frame.probability > 0.5).sum() <= 4  # of 98 chances


def test_a_saved_model_knows_the_same():
    loaded = pickle.loads(pickle.dumps(MODEL))
    pd.testing.assert_frame_equal(loaded.uncertainty_, MODEL.uncertainty_)
    np.testing.assert_array_equal(
        loaded.predict(X, return_std=True)[1], MODEL.predict(X, return_std=True)[1]
    )


def test_constants_are_drawn_with_their_intervals():
    figure: Any = MODEL.plot_uncertainty()
    drawn = [list(t.x) for t in figure.data if t.legendgroup == "interval"]
    frame = MODEL.uncertainty_
    assert drawn == frame[["low", "mean", "high"]].to_numpy().tolist()
    named = [t.x[0] for t in figure.data if t.legendgroup == "named"]
    assert set(named) >= {2.0, -1.0}
    assert sum(t.showlegend is not False for t in figure.data) == 2


def test_a_band_goes_beyond_the_rows():
    figure: Any = MODEL.plot_uncertainty(column=1)
    assert figure.layout.xaxis.title.text == "x1"
    mean = figure.data[-1]
    low, high = X[:, 1].min(), X[:, 1].max()
    [shade] = figure.layout.shapes
    assert (shade.x0, shade.x1) == (low, high)
    assert mean.x.min() < low and mean.x.max() > high + 0.9 * (high - low)
    for wrong in ("x9", 4, -1, 1.5):
        with pytest.raises(ValueError, match=r"`column` \(="):
            MODEL.plot_uncertainty(wrong)
    with pytest.raises(ValueError, match=r"`output` \(='z'\) must be one of 'y'"):
        MODEL.plot_uncertainty(output="z")


# Most tables of the checks are noise, and small; some have too few rows for intervals.
@pytest.mark.filterwarnings("ignore::arithmax.sklearn.NotFoundWarning")
@pytest.mark.filterwarnings("ignore::arithmax.sklearn.NoIntervalWarning")
@parametrize_with_checks([ArithmeticRegressor(candidates=8, uncertainty=True)])
def test_the_estimator_passes(estimator, check):
    check(estimator)

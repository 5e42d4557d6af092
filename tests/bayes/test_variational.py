"""Variational inference and NUTS against posteriors that are known in closed form."""

from typing import Any

import numpy as np
import pytest

from arithmax import NAU, Linear, NaiveNPU, RealNaiveNPU, bayes
from arithmax.bayes import ARD, Gaussian, _svi
from arithmax.bayes._network_model import NOISE, NetworkModel
from arithmax.bayes._priors import variance_of
from arithmax.bayes._svi import Plan, inferred

variational: Any = bayes.variational  # of networks here
nuts: Any = bayes.nuts
LINEAR = Linear(bias=False)


def correlated_rows(count: int = 300, noise: float = 0.1):
    """Rows of a linear law with correlated inputs, and its weights."""
    rng = np.random.default_rng(3)
    x = rng.normal(size=(count, 3))
    x[:, 1] += x[:, 0]
    truth = np.array([0.7, -0.4, 0.2])
    return x, x @ truth + noise * rng.normal(size=count), truth


@pytest.fixture(scope="module")
def closed():
    """The mean and precision of the posterior under a wide prior."""
    x, y, _ = correlated_rows()
    w = np.linalg.lstsq(x, y, rcond=None)[0]
    noise = np.sqrt(np.mean((y - x @ w) ** 2))
    return w, x.T @ x / noise**2


@pytest.fixture(scope="module")
def fitted():
    """Mean field and full rank, with a wide prior."""
    x, y, _ = correlated_rows()
    options = {"prior": Gaussian(2.0), "seeds": 1, "draws": 20000}
    ways = {"mean field": False, "full rank": True}
    return {
        n: variational(LINEAR, x, y, correlated=c, **options)[0]
        for n, c in ways.items()
    }


@pytest.mark.slow
def test_mean_field_has_the_spreads_that_the_others_leave(closed, fitted):
    mean, precision = closed
    draws = fitted["mean field"].draws["W"][:, 0]
    assert draws.mean(0) == pytest.approx(mean, abs=2e-3)
    # The noise has seen the squares of the draws too: hence a percent.
    assert draws.std(0) == pytest.approx(np.diag(precision) ** -0.5, rel=0.03)
    assert np.corrcoef(draws.T)[0, 1] == pytest.approx(0.0, abs=0.03)


def test_full_rank_has_the_covariance(closed, fitted):
    mean, precision = closed
    draws = fitted["full rank"].draws["W"][:, 0]
    covariance = np.linalg.inv(precision)
    assert draws.mean(0) == pytest.approx(mean, abs=1e-3)
    assert np.cov(draws.T) == pytest.approx(covariance, rel=0.08, abs=1e-6)


def test_the_noise_is_as_unsure_as_its_rows_are_few(fitted):
    for found in fitted.values():
        assert found.noise.std == pytest.approx(found.noise.mean / 600**0.5, rel=0.05)


def test_full_rank_is_the_evidence_and_mean_field_below_it(closed, fitted):
    """The posterior is normal where the noise is held."""
    x, y, _ = correlated_rows()
    residual = y - fitted["full rank"].draws["W"][:, 0] @ x.T
    noise = np.sqrt(np.mean(residual**2))  # its likeliest value
    cover = noise**2 * np.eye(len(y)) + 4.0 * x @ x.T
    evidence = -0.5 * (y @ np.linalg.solve(cover, y) + np.linalg.slogdet(cover)[1])
    evidence -= 0.5 * len(y) * np.log(2 * np.pi)
    evidence -= np.log(np.log(10.0) - np.log(1e-8))  # the density of log noise
    bounds = {name: p.log_evidence for name, p in fitted.items()}
    assert bounds["full rank"] == pytest.approx(evidence, abs=0.05)
    precision = closed[1]
    gap = 0.5 * (np.log(np.diag(precision)).sum() - np.linalg.slogdet(precision)[1])
    assert bounds["full rank"] - bounds["mean field"] == pytest.approx(gap, abs=0.15)


@pytest.mark.slow
def test_nuts_has_the_covariance(closed):
    x, y, _ = correlated_rows()
    found = nuts(LINEAR, x, y, prior=Gaussian(), draws=1000)
    mean, precision = closed
    draws = found.draws["W"][:, 0]
    # With the noise unknown the posterior is a Student-t of N − 3 degrees of freedom.
    covariance = np.linalg.inv(precision) * 300 / (300 - 3 - 2)
    assert draws.mean(0) == pytest.approx(mean, abs=1e-3)
    assert np.cov(draws.T) == pytest.approx(covariance, rel=0.12, abs=2e-6)
    assert found.diagnostics.r_hat[found.diagnostics.worst] < 1.01


def test_type_two_map_reaches_the_fixed_point_of_ard():
    x, y, _ = correlated_rows()
    y = y - x @ [0, 0, 0.2]  # the third weight is not needed
    prior = ARD(0.5, 1e-3)
    model = NetworkModel(LINEAR, prior, 3, ("a", "b", "c"))
    data = model.data(x, y)
    plan = Plan(3000, 8, None, correlated=False)
    drawn, _ = inferred(model, plan, data, {0: model.starts(0, data)}, 0.02, 20000)
    w, variance = drawn["W"][0], drawn[variance_of("W")][0]
    assert np.ptp(variance, axis=0).max() == 0  # a point
    assert variance[0] == pytest.approx(prior.likeliest(w.mean(0), w.var(0)), rel=0.01)
    squares = np.mean((y - w[:, 0] @ x.T) ** 2)
    noise = np.exp(drawn[NOISE][0, 0]) * data["spread"]
    assert noise == pytest.approx(np.sqrt(squares), rel=0.01)


@pytest.mark.slow
def test_seeds_side_by_side_are_seeds_alone():
    x, y, _ = correlated_rows(50)
    options = {"steps": 200, "draws": 50, "prior": ARD()}
    together = variational(LINEAR, x, y, seeds=3, seed=4, **options)
    alone = variational(LINEAR, x, y, seeds=1, seed=6, **options)
    assert together[2].log_evidence == pytest.approx(alone[0].log_evidence, rel=1e-9)
    assert together[2].draws["W"] == pytest.approx(alone[0].draws["W"], rel=1e-6)
    assert together[0].draws["W"] != pytest.approx(together[1].draws["W"], rel=1e-3)


@pytest.mark.slow
def test_a_second_table_compiles_nothing():
    programs: list[Any] = [_svi.first_climb, _svi.advanced, _svi.finished]
    x, y, _ = correlated_rows(40)
    options = {"steps": 60, "draws": 20, "seeds": 2}
    variational(LINEAR, x, y, **options)
    compiled = [program._cache_size() for program in programs]
    variational(LINEAR, x + 1.0, 2 * y, **options)
    assert [program._cache_size() for program in programs] == compiled


@pytest.mark.slow
def test_batches_of_rows_find_the_same_weights():
    x, y, truth = correlated_rows()
    found = variational(LINEAR, x, y, prior=Gaussian(), seeds=1, batch=100)
    assert found[0].params["W"][0] == pytest.approx(truth, abs=0.03)


@pytest.mark.slow
def test_weights_of_a_nau_beyond_its_bounds_are_at_them():
    x, _, _ = correlated_rows()
    y = 1.5 * x[:, 2] + 0.1 * np.random.default_rng(0).normal(size=len(x))
    (found,) = variational(NAU(), x, y, seeds=1)
    assert found.draws["W"][:, 0, 2].mean() > 1.0
    weight = found.marginal("W[0, 2]")
    assert weight.mean == pytest.approx(1.0, abs=1e-3)
    assert weight.high == 1.0


@pytest.mark.slow
def test_a_seed_that_diverges_is_never_the_best():
    """Exponents of numbers beyond 1e200 overflow at once where a seed starts."""
    rng = np.random.default_rng(0)
    x = np.exp(rng.uniform(460, 480, (40, 2)))
    y = rng.normal(size=40)
    found = variational(RealNaiveNPU(), x * 1e90, y, seeds=3, steps=20, draws=20)
    bounds = [p.log_evidence for p in found]
    assert -np.inf in bounds
    assert [p.diverged for p in found] == [b == -np.inf for b in bounds]
    assert not np.isnan(bounds).any() and np.isfinite(max(bounds))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"steps": 0}, r"`steps` \(=0\) must be a whole number"),
        ({"seeds": 0}, r"`seeds` \(=0\)"),
        ({"draws": 1}, r"`draws` \(=1\)"),
        ({"batch": 1000}, r"`batch` \(=1000\).*at most 50"),
        ({"learning_rate": 0.0}, r"`learning_rate` \(=0\)"),
        ({"level": 1.0}, r"`level` \(=1.0\)"),
        ({"names": ["a", "b"]}, r"`names` .*3 strings"),
        ({"y": np.ones(50)}, r"`y` \(=1.0 on all rows\) must vary"),
        ({"y": np.ones(49)}, r"as many rows"),
        ({"x": np.full((50, 3), np.nan)}, r"`x` .*finite"),
        ({"y": np.ones((50, 1))}, r"`y` \(shape \(50, 1\)\)"),
    ],
)
def test_bad_numbers_are_named(change, message):
    x, y, _ = correlated_rows(50)
    options = {"x": x, "y": y} | change
    with pytest.raises(ValueError, match=message):
        variational(LINEAR, **options)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"prior": 3.0}, r"`prior` \(=3.0\) must be a prior"),
        ({"what": "NPU"}, r"`what` \(='NPU'\) must be a network"),
    ],
)
def test_other_kinds_are_refused(change, message):
    x, y, _ = correlated_rows(50)
    with pytest.raises(TypeError, match=message):
        variational(**({"what": NaiveNPU(), "x": x, "y": y} | change))


def test_a_network_over_images_is_refused():
    from arithmax import CNN

    x, y, _ = correlated_rows(50)
    with pytest.raises(TypeError, match="must be a network over columns"):
        variational(CNN(), x, y)


def test_nuts_names_a_start_that_does_not_fit():
    x, y, _ = correlated_rows(50)
    with pytest.raises(ValueError, match=r"`start` \(='V'\) must be one of"):
        nuts(LINEAR, x, y, start={"V": np.ones((1, 3))})
    with pytest.raises(ValueError, match=r"`start\['W'\]`.*shape \(1, 3\)"):
        nuts(LINEAR, x, y, start={"W": np.ones(3)})

"""What a posterior of weights tells, and Laplace around trained ones."""

from typing import Any

import numpy as np
import pytest
from scipy import stats

from arithmax import NAU, NMU, NPU, Linear, NaiveNPU, RealNaiveNPU, Stack, bayes
from arithmax.bayes import ARD, Gaussian, laplace, network_laplace
from arithmax.bayes._weight_posterior import weight_posterior

variational: Any = bayes.variational  # of networks here
LINEAR = Linear(bias=False)
RNG = np.random.default_rng(5)


def power_rows(count: int = 300, noise: float = 0.01):
    rng = np.random.default_rng(2)
    x = rng.uniform(0.5, 3.0, (count, 4))
    truth = x[:, 0] ** 2 / x[:, 1]
    return x, truth + noise * truth.std() * rng.normal(size=count)


def posterior_of(weights: np.ndarray, x: np.ndarray, y: np.ndarray, **options):
    """That of a linear network whose weights are drawn already [draw, column]."""
    settings = {"method": "drawn", "level": 0.9, "log_evidence": 0.0} | options
    noises = np.full(len(weights), 0.1)
    names = tuple(f"c{i}" for i in range(x.shape[1]))
    return weight_posterior(
        LINEAR, names, {"W": weights[:, None]}, noises, x, y, **settings
    )


def test_the_probability_that_a_column_matters():
    """Shuffling column j changes w x by √2 |w| std(x), in the limit of many rows."""
    x = RNG.normal(size=(20000, 2))
    y = 3.0 * x[:, 0]
    weights = np.zeros((400, 2))
    weights[:, 0] = 3.0
    weights[:, 1] = np.linspace(0.0, 1.0, 400)
    found = posterior_of(weights, x, y, matters=0.1)
    assert found.relevance["c0"] == 1.0
    # √2 w > 0.1 · 3
    assert found.relevance["c1"] == pytest.approx(1 - 0.3 / np.sqrt(2), abs=0.03)


def test_a_column_whose_shuffling_overflows_matters():
    x = np.column_stack((np.geomspace(1e-3, 1e3, 50), np.full(50, 2.0)))
    weights = np.tile([200.0, 0.0], (20, 1, 1))
    y = np.linspace(0.0, 1.0, 50)
    told = {"method": "drawn", "level": 0.9, "log_evidence": 0.0}
    noises = np.full(20, 0.1)
    found = weight_posterior(
        RealNaiveNPU(), ("a", "b"), {"W": weights}, noises, x, y, **told
    )
    assert found.relevance["a"] == 1.0


def test_bands_are_those_of_the_draws():
    x = RNG.normal(size=(50, 1))
    weights = 2.0 + 0.05 * RNG.normal(size=(20000, 1))
    found = posterior_of(weights, x, 2 * x[:, 0])
    new = np.array([[1.0], [10.0]])
    inside, outside = found.predict(new, noise=False), found.predict(new)
    assert inside.mean == pytest.approx([2.0, 20.0], rel=1e-3)
    assert inside.std == pytest.approx([0.05, 0.5], rel=0.03)
    half = stats.norm.ppf(0.95) * np.hypot([0.05, 0.5], 0.1)
    assert (outside.high - outside.low) / 2 == pytest.approx(half, rel=0.03)
    assert outside.std == pytest.approx(np.hypot([0.05, 0.5], 0.1), rel=0.03)
    with pytest.raises(ValueError, match=r"`x` \(shape \(2, 3\)\) must have 1 columns"):
        found.predict(np.ones((2, 3)))


def test_what_is_pruned_changes_little():
    """Weights: needed, hardly; surely small, surely more; wide around zero."""
    x = RNG.normal(size=(2000, 5))
    mean = np.array([3.0, 0.005, 0.05, 0.14, 0.3])
    spread = np.array([0.01, 0.01, 0.001, 0.001, 2.0])
    weights = mean + spread * RNG.normal(size=(4000, 5))
    found = posterior_of(weights, x, 3 * x[:, 0], matters=0.05)  # noise is 0.1
    pruned = found.pruned()["W"][0]
    assert list(pruned == 0.0) == [False, True, True, False, False]
    assert pruned[[0, 3, 4]] == pytest.approx(found.params["W"][0][[0, 3, 4]])
    more = found.pruned(matters=0.2)["W"][0]
    assert list(more == 0.0) == [False, True, True, False, True]
    with pytest.raises(ValueError, match=r"`matters` \(=-1\)"):
        found.pruned(matters=-1)


def test_effective_weights_and_other_parameters_have_names():
    x, y = power_rows(50)
    params = {"W_re": np.array([[2.0, -1.0, 0.0, 0.0]]), "W_im": np.zeros((1, 4))}
    params["g"] = np.array([1.0, 1.0, 0.5, 0.5])
    found = network_laplace(NPU(), params, x, y, prior=ARD(), draws=100)
    names = [m.name for m in found.marginals]
    assert names[0] == "W_re[0, 0]" and names[-1] == "g[3]" and len(names) == 12
    assert found.marginal("g[3]").held
    # A closed gate behind a power of zero changes nothing.
    assert found.pruned()["g"] == pytest.approx([1.0, 1.0, 0.0, 0.0])
    with pytest.raises(
        ValueError, match=r"`name` \(='W'\) must be one of 'W_re\[0, 0\]'"
    ):
        found.marginal("W")


def test_laplace_of_a_linear_network_is_the_student_t():
    x = RNG.normal(size=(30, 2)) @ np.array([[1.0, 0.8], [0.0, 1.0]])
    y = x @ [1.0, -2.0] + 0.3 * RNG.normal(size=30)
    w, squares, *_ = np.linalg.lstsq(x, y, rcond=None)
    scale = np.linalg.inv(x.T @ x) * squares[0] / 28
    start = {"W": np.array([[5.0, 5.0]])}
    found = network_laplace(LINEAR, start, x, y, draws=40000)
    draws = found.draws["W"][:, 0]
    assert np.cov(draws.T) == pytest.approx(scale * 28 / 26, rel=0.05)
    half = stats.t(28).ppf(0.975) * np.sqrt(scale[0, 0])
    weight = found.marginal("W[0, 0]")
    assert (weight.low, weight.high) == pytest.approx(
        (w[0] - half, w[0] + half), abs=0.01
    )
    # σ² is inverse-χ²: its mean is the sum of squares over ν − 2.
    assert np.mean(found.noises**2) == pytest.approx(squares[0] / 26, rel=0.02)
    assert np.isnan(found.log_evidence)


def test_the_evidence_of_laplace_is_that_of_a_linear_model():
    """All integrals are normal but that over the noise, which is done by quadrature."""
    x = RNG.normal(size=(200, 2))
    y = x @ [1.0, -2.0] + 0.3 * RNG.normal(size=200)
    found = network_laplace(LINEAR, {"W": np.ones((1, 2))}, x, y, prior=Gaussian(3.0))
    logs = np.linspace(-2.0, 0.0, 400) + np.log(np.std(y)) - 1.0
    densities = []
    for noise in np.exp(logs):
        cover = noise**2 * np.eye(200) + 9.0 * x @ x.T
        solved = y @ np.linalg.solve(cover, y) + np.linalg.slogdet(cover)[1]
        densities.append(-0.5 * solved - 100 * np.log(2 * np.pi))
    top = max(densities)
    area = np.trapezoid(np.exp(np.array(densities) - top), logs)
    exact = top + np.log(area) - np.log(np.log(10.0) - np.log(1e-8))
    assert found.log_evidence == pytest.approx(exact, abs=0.05)


def test_laplace_under_ard_is_at_its_fixed_point():
    x = RNG.normal(size=(40, 2))
    y = x[:, 0] + 0.5 * RNG.normal(size=40)
    prior = ARD(0.5, 1e-4)
    start = {"W": np.array([[0.1, 0.1]])}
    found = network_laplace(LINEAR, start, x, y, prior=prior, draws=40000)
    w = found.params["W"][0]
    noise2 = np.median(found.noises) ** 2
    held = np.diag(prior.precision(w, np.diag(np.cov(found.draws["W"][:, 0].T))))
    again = np.linalg.solve(x.T @ x / noise2 + held, x.T @ y / noise2)
    assert again == pytest.approx(w, abs=0.01)
    shrunk = w / np.linalg.lstsq(x, y, rcond=None)[0]
    assert 0.8 < shrunk[0] < 1.0 and abs(shrunk[1]) < 0.05


@pytest.mark.parametrize("scale", [1e-30, 1e30])
def test_laplace_knows_no_size_of_weights(scale):
    x = RNG.normal(size=(60, 2))
    y = x @ [1.0, -2.0] + 0.3 * RNG.normal(size=60)
    start = np.array([[5.0, 5.0]])
    one = network_laplace(LINEAR, {"W": start}, x, y)
    other = network_laplace(LINEAR, {"W": scale * start}, x, scale * y)
    mixed = network_laplace(LINEAR, {"W": start / [1, scale]}, x * [1, scale], y)
    for i, units in ((0, 1.0), (1, 1 / scale)):
        mean, low = (getattr(one.marginals[i], end) for end in ("mean", "low"))
        assert other.marginals[i].mean == pytest.approx(scale * mean)
        assert other.marginals[i].low == pytest.approx(scale * low)
        assert mixed.marginals[i].low == pytest.approx(units * low)


def test_laplace_of_a_network_refuses_what_it_does_not_use():
    x = RNG.normal(size=(60, 2))
    start = {"W": np.ones((1, 2))}
    with pytest.raises(ValueError, match=r"(?s)`sample_weight` .* must be None"):
        laplace(LINEAR, x, x[:, 0], params=start, sample_weight=np.ones(60))
    with pytest.raises(ValueError, match="each name once"):
        laplace(LINEAR, x, x[:, 0], params=start, names=["a", "a"])
    found = laplace(LINEAR, x, x[:, 0] + RNG.normal(size=60), params=start)
    assert found in (found, None)  # compared as it is, not number by number
    assert found != laplace(LINEAR, x, x[:, 1] + x[:, 0] ** 2, params=start)


def test_laplace_says_which_weights_rows_do_not_determine():
    x, y = power_rows(50)
    params = {"W_re": np.array([[2.0, -1.0, 0.0, 0.0]]), "W_im": np.zeros((1, 4))}
    with pytest.raises(ValueError, match=r"determine W_im\[0, 0\], W_im\[0, 1\].*ARD"):
        network_laplace(NaiveNPU(), params, x, y)
    twice = np.c_[x[:, :1], x[:, :1]]
    with pytest.raises(ValueError, match=r"determine W\[0, 0\], W\[0, 1\]:"):
        network_laplace(LINEAR, {"W": np.ones((1, 2))}, twice, y)
    with pytest.raises(ValueError, match="more rows than"):
        network_laplace(LINEAR, {"W": np.ones((1, 4))}, x[:4], y[:4])


@pytest.mark.parametrize("prior", [None, ARD()])
def test_laplace_refuses_weights_that_only_their_range_holds(prior):
    """Draws that leave it would be cut off: bands then miss every target."""
    rng = np.random.default_rng(3)
    x = rng.uniform(1, 2, (150, 4))
    y = (x[:, 0] + x[:, 1]) * x[:, 2] + 0.02 * rng.normal(size=150)
    sums = np.array([[0.0, 0, 1, 0], [1, 1, 0, 0]])
    params = {"0.W": sums, "1.W": np.ones((1, 2))}
    network = Stack((NAU(), NMU()), hidden=(2,))
    with pytest.raises(ValueError, match=r"0\.W\[1, 1\], .* at an end of"):
        network_laplace(network, params, x, y, prior=prior)


def test_laplace_stays_within_bounds():
    x = RNG.normal(size=(100, 2))
    y = 1.4 * x[:, 0] + 0.1 * RNG.normal(size=100)
    found = network_laplace(NAU(), {"W": np.array([[0.5, 0.1]])}, x, y)
    assert found.marginal("W[0, 0]").high == 1.0
    assert found.predict(x[:1], noise=False).mean[0] == pytest.approx(x[0, 0], abs=0.1)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"V": np.ones((1, 4))}, "W"),
        ({"W": np.ones((1, 3))}, "W"),
        ({"W": np.full((1, 4), 1e5)}, "finite outputs"),
        ({"W": np.ones((2, 4))}, "W"),
    ],
)
def test_laplace_names_parameters_that_do_not_fit(params, message):
    x, y = power_rows(50)
    with pytest.raises(ValueError, match=message):
        network_laplace(RealNaiveNPU(), params, x, y)


@pytest.mark.slow
def test_from_rows_to_a_formula_with_the_right_inputs():
    x, y = power_rows()
    found = variational(RealNaiveNPU(), x, y, names=["a", "b", "c", "d"], seeds=2)
    best = max(found, key=lambda p: p.log_evidence)
    assert best.relevance == {"a": 1.0, "b": 1.0, "c": 0.0, "d": 0.0}
    assert (best.pruned()["W"] != 0).tolist() == [[True, True, False, False]]
    assert str(best.formula().formula.sympy()) == "a**2/b"
    assert "probability that a column matters: a 100%" in str(best)
    values = best.network.apply(best.params, x)[:, 0]
    assert np.std(values - y) < 0.02 * np.std(y)


@pytest.mark.slow
def test_a_stack_finds_its_inputs():
    """(x1 + x2) x3 of four inputs, by sums and then a product."""
    rng = np.random.default_rng(0)
    x = rng.uniform(0.5, 2.0, (300, 4))
    truth = (x[:, 0] + x[:, 1]) * x[:, 2]
    y = truth + 0.01 * truth.std() * rng.normal(size=300)
    network = Stack((NAU(), NMU()), hidden=(2,))
    found = variational(network, x, y, seeds=16, correlated=False)
    best = max(found, key=lambda p: p.log_evidence)
    assert [round(p) for p in best.relevance.values()] == [1, 1, 1, 0]

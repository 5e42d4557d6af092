"""What a prior tells must be the same to every way of inference."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import integrate, stats

from arithmax.bayes import ARD, Gaussian, StudentT
from arithmax.bayes._priors import check_prior, variance_of

PRIORS = [Gaussian(2.0), StudentT(3.0, 0.5), ARD(0.7, 0.3), ARD(0.7, 0.3, sampled=True)]


def logarithm(prior, w: float) -> float:
    """The density that the NumPyro statements have, variances integrated out."""
    from numpyro import handlers

    def joint(variance: float | None) -> float:
        values = {"W": jnp.array([w])}
        if variance is not None:
            values[variance_of("W")] = jnp.array([variance])
        model = handlers.substitute(lambda: prior.sample("W", (1,)), data=values)
        seeded = handlers.seed(model, jax.random.key(0))
        trace = handlers.trace(seeded).get_trace()
        sites = (s for s in trace.values() if s["type"] == "sample")
        return float(sum(jnp.sum(s["fn"].log_prob(s["value"])) for s in sites))

    with jax.numpy_dtype_promotion("standard"), jax.numpy_rank_promotion("allow"):
        if not prior.points("W"):
            return joint(None)
        logs = np.linspace(-12, 14, 400)
        densities = [np.exp(joint(float(np.exp(t))) + t) for t in logs]
        return float(np.log(integrate.trapezoid(densities, logs)))


@pytest.mark.parametrize("prior", PRIORS, ids=repr)
@pytest.mark.parametrize("w", [0.0, 0.4, -3.0])
def test_laplace_and_numpyro_know_the_same_density(prior, w):
    assert prior.log_density(np.array([w])) == pytest.approx(logarithm(prior, w), 2e-4)


def test_ard_without_its_variances_is_a_student_t():
    prior = ARD(shape=0.7, scale=0.3)
    w = np.array([-2.0, 0.0, 0.1])
    density = stats.t.logpdf(w, df=1.4, scale=np.sqrt(0.3 / 0.7))
    assert prior.log_density(w) == pytest.approx(density.sum())


@pytest.mark.parametrize(
    "prior", [Gaussian(2.0), StudentT(3.0, 0.5), ARD(0.7, 0.3, True)]
)
def test_the_precision_is_the_slope_of_the_density(prior):
    """At a point, w times the precision of a mixture of normals is −d log p/dw."""
    for w in (0.2, -1.5):
        h = 1e-6
        ends = [prior.log_density(np.array([w + s * h])) for s in (1, -1)]
        slope = (ends[0] - ends[1]) / (2 * h)
        precision = prior.precision(np.array([w]), np.zeros(1))[0]
        assert -slope == pytest.approx(w * precision, rel=1e-6)


def test_the_likeliest_variance_maximises_what_variational_inference_climbs():
    prior, mean, variance = ARD(0.7, 0.3), 1.2, 0.05
    grid = np.exp(np.linspace(-5, 3, 20001))
    expected = -0.5 * np.log(grid) - (mean**2 + variance) / (2 * grid)
    expected += stats.invgamma.logpdf(grid, 0.7, scale=0.3)
    best = grid[np.argmax(expected)]
    each = np.array([mean]), np.array([variance])
    assert prior.likeliest(*each) == pytest.approx(best, rel=1e-3)
    assert prior.precision(*each) == pytest.approx(1 / prior.likeliest(*each))


@pytest.mark.parametrize("value", [0.0, -1.0, np.nan])
def test_scales_must_be_positive(value):
    for make in (Gaussian, lambda v: StudentT(scale=v), lambda v: ARD(scale=v)):
        with pytest.raises(ValueError, match=r"`(std|scale)` \(="):
            make(value)


def test_a_prior_of_another_kind_is_refused():
    assert check_prior(None) == ARD()
    with pytest.raises(TypeError, match=r"`prior` \(='ard'\) must be a prior"):
        check_prior("ard")

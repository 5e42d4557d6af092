"""A formula by variational inference and by chains, beside Laplace's approximation."""

from typing import Any

import numpy as np
import pytest

from arithmax.bayes import FormulaPosterior, laplace, nuts, variational
from arithmax.readout import parse

NAMES = ["a", "b", "c"]


def table(text: str, noise: float, rows: int = 100):
    rng = np.random.default_rng(5)
    x = rng.uniform(1, 4, (rows, 3))
    y = parse(text, NAMES).evaluate(x)
    return x, y + noise * y.std() * rng.standard_normal(rows)


def spreads(posterior) -> np.ndarray:
    return np.array([marginal.std for marginal in posterior.marginals])


def means(posterior) -> np.ndarray:
    return np.array([marginal.mean for marginal in posterior.marginals])


@pytest.fixture(scope="module")
def around() -> Any:
    x, y = table("2*a**2/b", 0.02)
    return x, y, laplace(parse("2*a**2/b", NAMES), x, y)


@pytest.mark.slow
def test_full_rank_is_laplace_where_the_posterior_is_normal(around):
    x, y, near = around
    [found] = variational(near.given, x, y, seeds=1, correlated=True)
    assert isinstance(found, FormulaPosterior)
    np.testing.assert_allclose(
        means(found), means(near), atol=0.3 * spreads(near).min()
    )
    # Laplace may be wider, since it looks at uneven noise.
    share = spreads(found) / spreads(near)
    assert (share > 0.75).all() and (share < 1.1).all()
    assert found.log_evidence == pytest.approx(near.log_evidence, abs=0.2)
    assert found.noise.mean == pytest.approx(near.noise.mean, rel=0.05)


@pytest.mark.slow
def test_mean_field_is_too_sure_where_constants_make_up_for_each_other():
    x, y = table("2*a/(b + c)", 0.02)
    formula = parse("2*a/(b + c)", NAMES)
    [alone] = variational(formula, x, y, seeds=1, correlated=False)
    [together] = variational(formula, x, y, seeds=1, correlated=True)
    name = "exponent of b"
    assert alone.marginal(name).std < 0.5 * together.marginal(name).std
    assert alone.log_evidence < together.log_evidence - 1


@pytest.mark.slow
def test_chains_draw_what_laplace_says(around):
    x, y, near = around
    found = nuts(near.given, x, y)
    assert isinstance(found, FormulaPosterior) and found.diagnostics is not None
    np.testing.assert_allclose(
        means(found), means(near), atol=0.3 * spreads(near).min()
    )
    share = spreads(found) / spreads(near)
    assert (share > 0.75).all() and (share < 1.1).all()
    assert "exponent of a" in found.diagnostics.r_hat  # numbers that people know


def test_networks_alone_have_priors_and_names(around):
    x, y, near = around
    options: tuple[dict[str, Any], ...] = ({"names": NAMES}, {"prior": 1.0})
    for option in options:
        with pytest.raises(ValueError, match="must be None: `what` is a formula"):
            variational(near.given, x, y, **option)
    with pytest.raises(TypeError, match=r"`what` .* or a formula"):
        variational("a", x, y)
    with pytest.raises(ValueError, match="must have 3 columns"):
        variational(near.given, x[:, :2], y)

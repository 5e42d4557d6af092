"""Laplace's approximation: a normal distribution around the solution."""

from typing import Any

import numpy as np

from .._checks import shown
from .._network import Network
from ..discover import Formula
from ..discover._given import given_weight, inputs_and_target
from ._evidence import log_evidence
from ._fitted import FittedFormula, check_columns, fitted
from ._formula_model import check_no_other
from ._formula_posterior import FormulaPosterior, formula_posterior
from ._marginal import check_level
from ._posterior import Posterior

DRAWS = 4096
SEED = 0x1A91ACE  # of the draws, which are the same for the same rows


def laplace(
    what: Any,
    x: Any,
    y: Any,
    *,
    params: Any = None,
    prior: Any = None,
    names: Any = None,
    sample_weight: Any = None,
    level: float = 0.95,
) -> Posterior:
    r"""The posterior around a solution, by Laplace's approximation.

    The targets are $y = f_\phi(x) + \varepsilon$ with normal noise of unknown size.
    Constants move to where the fit is best, $\hat\phi$, and have around it Student's
    distribution with the scale $(J^\top J / \hat\sigma^2 + S^{-2})^{-1}$ and as many
    degrees of freedom as rows are left: exactly the posterior where $f$ is linear in
    $\phi$, and the better elsewhere the less noise there is. Where noise is uneven, as
    relative errors are, intervals are widened to what residuals show (HC3).

    Of a formula all coefficients and exponents are inferred that the rows can tell,
    those with a name (2, 1/2, π) as well: an exponent of 2.00 ± 0.01 says how sure the
    2 is. Which they are does not depend on the estimates. Nothing of JAX is needed.

    Args:
        what: a formula, such as that of a discovery, or a network.
        x: the columns [row, column].
        y: the targets [row].
        params: the trained parameters of a network; None for a formula.
        prior: that of a network's weights, flat if None; None for a formula.
        names: the names of the columns of a network; a formula has its own.
        sample_weight: what each row of a formula counts; a whole number counts as that
            many rows. None for a network.
        level: the share of the posterior inside the intervals.

    Returns:
        A `FormulaPosterior`, or the `WeightPosterior` of a network.

    Examples:
        >>> import numpy as np
        >>> from arithmax.bayes import laplace
        >>> from arithmax.discover import discover
        >>> rng = np.random.default_rng(0)
        >>> x = rng.uniform(1, 3, (500, 4))
        >>> y = x[:, 0] ** 2 / x[:, 1] + rng.normal(0, 0.02, 500)
        >>> found = discover(x, y)
        >>> posterior = laplace(found.formula, x, y)
        >>> [name for name, p in posterior.relevance.items() if p > 0.5]
        ['x1', 'x2']
    """
    check_level(level)
    if isinstance(what, Network):
        from ._network_laplace import network_laplace

        if sample_weight is not None:
            raise ValueError(
                f"`sample_weight` (={shown(sample_weight)}) must be None: `what` is a "
                "network, of which all rows count alike. Repeat rows that count more."
            )
        return network_laplace(
            what, params, x, y, prior=prior, names=names, level=level
        )
    if not isinstance(what, Formula):
        raise TypeError(
            f"`what` (={shown(what)}) must be a formula, such as that of a discovery "
            "or `arithmax.readout.parse(text, names)`, or a network with its `params`."
        )
    check_no_other(params=params, prior=prior, names=names)
    rows, targets = inputs_and_target(x, y, "x", "y")
    check_columns(what, rows)
    fit = fitted(what, rows, targets, given_weight(sample_weight, len(targets)))
    return around(fit, level)


def around(fit: FittedFormula, level: float) -> FormulaPosterior:
    """The posterior around a fitted formula."""
    from scipy.stats import chi2, norm, qmc

    # Evenly spread numbers: quantiles of so many are right to three digits.
    even = qmc.Sobol(len(fit.best) + 1, rng=np.random.default_rng(SEED)).random(DRAWS)
    half = np.linalg.cholesky(_symmetric(fit.spread))
    normal = norm.ppf(even[:, :-1])
    noise = fit.freedom / chi2.ppf(even[:, -1], fit.freedom)
    moved = fit.best + np.sqrt(noise)[:, None] * (normal @ half.T)
    return formula_posterior(
        fit,
        moved,
        np.sqrt(noise * fit.squares / fit.freedom),
        method="Laplace",
        level=level,
        log_evidence=log_evidence(fit),
    )


def _symmetric(matrix: np.ndarray) -> np.ndarray:
    return (matrix + matrix.T) / 2

"""What is believed of weights before any row was seen: sparse priors, and a plain one.

This file loads neither JAX nor NumPyro; what NumPyro needs is imported where it runs.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from math import lgamma, log, pi, sqrt
from typing import Any

import numpy as np
from jaxtyping import Float

from .._checks import Bounds, check_fields, shown

LEAST: Bounds = (1e-12, None)
Weights = Float[np.ndarray, "..."]


class WeightPrior(ABC):
    """A prior of one array of weights, all of whose entries are drawn alike.

    A prior is a frozen dataclass. It is a mixture of normals around zero, which tells
    the same to variational inference, to NUTS and to Laplace: Laplace needs the
    `precision` that is expected at a mean and a variance, and the `log_density`.
    """

    @abstractmethod
    def sample(self, site: str, shape: tuple[int, ...]) -> Any:
        """The NumPyro statements that draw weights of that shape."""

    @abstractmethod
    def precision(self, mean: Weights, variance: Weights) -> Weights:
        """The precision of the normal that each weight is drawn from, as expected."""

    @abstractmethod
    def log_density(self, weights: Weights) -> float:
        """The logarithm of the density of weights, hyper-parameters integrated out."""

    def points(self, site: str) -> tuple[str, ...]:
        """The sites of which variational inference finds the likeliest value only."""
        return ()

    def starts(self, site: str, value: Weights) -> dict[str, Weights]:
        """Where inference starts: a value for each site, given that of the weights."""
        return {site: value}

    @property
    def integrated(self) -> "WeightPrior":
        """The same prior of the weights without sites of hyper-parameters."""
        return self


@dataclass(frozen=True)
class Gaussian(WeightPrior):
    r"""A normal prior $w \sim N(0, s^2)$, which prunes nothing: the plain comparison.

    Args:
        std: $s$, the standard deviation; wide, unless one knows better.

    Examples:
        >>> from arithmax.bayes import Gaussian
        >>> Gaussian(std=3.0)
        Gaussian(std=3.0)
    """

    std: float = 10.0

    def __post_init__(self) -> None:
        check_fields(self, {"std": LEAST})

    def sample(self, site: str, shape: tuple[int, ...]) -> Any:
        import numpyro
        from numpyro.distributions import Normal

        return numpyro.sample(site, Normal(0.0, self.std).expand(shape).to_event())

    def precision(self, mean: Weights, variance: Weights) -> Weights:
        return np.full(np.shape(mean), self.std**-2)

    def log_density(self, weights: Weights) -> float:
        each = -0.5 * (weights / self.std) ** 2 - log(self.std) - 0.5 * log(2 * pi)
        return float(each.sum())


@dataclass(frozen=True)
class StudentT(WeightPrior):
    r"""A Student-t prior with heavy tails: near zero, or anywhere.

    $$ w \sim t_\nu(0, s) $$

    $\nu$ is `freedom` (1 is the Cauchy distribution, which the draft of the NPU tried)
    and $s$ is `scale`. Weights that are not needed are drawn to about ±s; those that
    are needed pay $(\nu + 1) \log(w/s)$ and are hardly moved.

    Args:
        freedom: the degrees of freedom.
        scale: the width of the middle.

    Examples:
        >>> from arithmax.bayes import StudentT
        >>> StudentT(scale=0.1)
        StudentT(freedom=1.0, scale=0.1)
    """

    freedom: float = 1.0
    scale: float = 0.01

    def __post_init__(self) -> None:
        check_fields(self, {"freedom": LEAST, "scale": LEAST})

    def sample(self, site: str, shape: tuple[int, ...]) -> Any:
        import numpyro
        from numpyro.distributions import StudentT as Density

        density = Density(self.freedom, 0.0, self.scale)
        return numpyro.sample(site, density.expand(shape).to_event())

    def precision(self, mean: Weights, variance: Weights) -> Weights:
        squares = self.freedom * self.scale**2 + mean**2 + variance
        return (self.freedom + 1) / squares

    def log_density(self, weights: Weights) -> float:
        half = (self.freedom + 1) / 2
        constant = lgamma(half) - lgamma(self.freedom / 2) - log(self.scale)
        constant -= 0.5 * log(self.freedom * pi)
        tail = np.log1p((weights / self.scale) ** 2 / self.freedom)
        return float((constant - half * tail).sum())


@dataclass(frozen=True)
class ARD(WeightPrior):
    r"""Automatic relevance determination: a variance for each weight.

    $$ w_i \sim N(0, \lambda_i) \qquad \lambda_i \sim \text{InverseGamma}(a, b) $$

    $a$ is `shape` and $b$ is `scale`. A weight that the rows do not need gets a small
    variance, which draws it to zero; one that they need gets a large one, and is hardly
    moved. By default each $\lambda_i$ takes its likeliest value in variational
    inference (type-II MAP, as in the draft of the NPU), which for a posterior with mean
    $\mu$ and variance $s^2$ is

    $$ \lambda = \frac{\mu^2 + s^2 + 2b}{2a + 3} $$

    so that $\sqrt{b}$ is about the width to which weights are pruned: choose it so
    small that a weight of that size changes the output by less than the noise. With
    `sampled=True` the $\lambda_i$ are integrated out instead, which is exact, and
    leaves a Student-t prior with $2a$ degrees of freedom and scale $\sqrt{b/a}$. NUTS
    always does so: the funnel between a weight and its variance, in which chains get
    stuck, is gone, however much or little the rows say of the weight.

    Args:
        shape: $a$; the smaller, the heavier are the tails.
        scale: $b$, in squared units of weights.
        sampled: whether the variances are integrated out.

    Examples:
        >>> from arithmax.bayes import ARD
        >>> ARD()
        ARD(shape=1.0, scale=0.0001, sampled=False)
    """

    shape: float = 1.0
    scale: float = 1e-4
    sampled: bool = False

    def __post_init__(self) -> None:
        check_fields(self, {"shape": LEAST, "scale": LEAST})

    @property
    def marginal(self) -> StudentT:
        """The prior of a weight whose variance is integrated out."""
        return StudentT(2 * self.shape, sqrt(self.scale / self.shape))

    @property
    def integrated(self) -> "ARD":
        return replace(self, sampled=True)

    def sample(self, site: str, shape: tuple[int, ...]) -> Any:
        if self.sampled:
            return self.marginal.sample(site, shape)
        import jax.numpy as jnp
        import numpyro
        from numpyro.distributions import InverseGamma, Normal

        variances = InverseGamma(self.shape, self.scale).expand(shape).to_event()
        variance = numpyro.sample(variance_of(site), variances)
        return numpyro.sample(site, Normal(0.0, jnp.sqrt(variance)).to_event())

    def points(self, site: str) -> tuple[str, ...]:
        return () if self.sampled else (variance_of(site),)

    def starts(self, site: str, value: Weights) -> dict[str, Weights]:
        if self.sampled:
            return {site: value}
        return {site: value, variance_of(site): np.ones(np.shape(value))}

    def likeliest(self, mean: Weights, variance: Weights) -> Weights:
        """The likeliest variances λ, given the mean and variance of each weight."""
        return (mean**2 + variance + 2 * self.scale) / (2 * self.shape + 3)

    def precision(self, mean: Weights, variance: Weights) -> Weights:
        if self.sampled:
            return self.marginal.precision(mean, variance)
        return 1 / self.likeliest(mean, variance)

    def log_density(self, weights: Weights) -> float:
        return self.marginal.log_density(weights)


def variance_of(site: str) -> str:
    """The site of the variances of weights."""
    return f"variance of {site}"


def check_prior(prior: Any) -> WeightPrior:
    """`prior`, which must be one of this file; `ARD()` if None."""
    if prior is None:
        return ARD()
    if not isinstance(prior, WeightPrior):
        raise TypeError(
            f"`prior` (={shown(prior)}) must be a prior of weights: `ARD()`, "
            "`StudentT()` or `Gaussian()`."
        )
    return prior

"""Laplace's approximation of a network's posterior, around trained parameters."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import log, pi
from typing import Any

import numpy as np

from .._checks import check_whole, shown
from .._extras import extras
from .._network import Network
from ..discover._given import given_names
from ..readout._arguments import as_array
from ._marginal import entry_name
from ._models import checked_rows
from ._network_model import LOUDEST, QUIETEST, check_columns_network
from ._priors import WeightPrior, check_prior
from ._weight_posterior import WeightPosterior, weight_posterior

ROUNDS = 200  # of damped Gauss–Newton steps, at most
STILL = 1e-9  # of a standard deviation: a step so short is the last
SINGULAR = 1e-12  # of the greatest: an eigenvalue so small holds nothing


def network_laplace(
    network: Network,
    params: Mapping[str, Any],
    x: Any,
    y: Any,
    *,
    prior: WeightPrior | None = None,
    names: Sequence[str] | None = None,
    level: float = 0.95,
    draws: int = 4000,
    seed: int = 0,
) -> WeightPosterior:
    r"""The posterior of a trained network's weights, as a Student-t around its mode.

    $$ A = J^\top J / \sigma^2 + \Lambda \qquad w \sim t_\nu(\hat w, A^{-1}) $$

    $J$ are the slopes of the outputs, $\Lambda$ is the precision that the prior has at
    the mode, $\sigma^2 = |r|^2/\nu$, and $\nu$ is the number of rows less that of the
    parameters which they determine. The weights are first polished to the mode by
    damped Gauss–Newton steps within the unit's bounds. Gates are held as they are
    given: a gate chooses, and at an end of its range, where it should be, it has no
    slope that tells how sure the choice is. Close or open it before (`discretise`).

    Args:
        network: a network over columns with one output.
        params: its trained parameters by name, as `fit` or the fleet gives them.
        x: the inputs [row, column].
        y: the targets [row].
        prior: the prior of weights; None is a flat one, under which the rows must
            determine every parameter, and the evidence is not defined (NaN).
        names: the names of the columns; x1, x2, … if None.
        level: the share of the posterior inside intervals.
        draws: how many draws the posterior keeps.
        seed: the number that random numbers start from.
    """
    x, y = checked_rows(x, y)
    check_columns_network(network)
    check_whole("draws", draws, 2, 10**7)
    check_whole("seed", seed, 0)
    start = _started(network, params, x)
    columns = given_names(names, x.shape[1])
    prior = None if prior is None else check_prior(prior)
    with extras():
        mode = _Mode(network, start, x, y, prior)
    mode.polish()
    mode.check_determined()
    drawn, noises = mode.drawn(draws, np.random.default_rng(seed))
    return weight_posterior(
        network,
        columns,
        drawn,
        noises,
        x,
        y,
        method="Laplace",
        level=level,
        log_evidence=mode.log_evidence,
    )


def _started(network: Network, params: Any, x: np.ndarray) -> dict[str, np.ndarray]:
    """The parameters as float64 arrays, which must be those of the network."""
    if not isinstance(params, Mapping):
        raise TypeError(
            f"`params` (={shown(params)}) must be a dictionary of arrays by name, as "
            "training gives them."
        )
    arrays = {name: as_array(value) for name, value in params.items()}
    network.check_parameters(arrays, (x.shape[1], 1))
    with np.errstate(all="ignore"):
        output = network.apply(arrays, x)
    if not np.isfinite(output).all():
        raise ValueError(
            "`params` must give finite outputs on all rows of `x`. Train the network "
            "again, or drop the rows on which it has none."
        )
    return arrays


@dataclass
class _Mode:
    """The way to the mode of a posterior, and what is known there."""

    network: Network
    start: dict[str, np.ndarray]
    x: np.ndarray
    y: np.ndarray
    prior: WeightPrior | None

    def __post_init__(self) -> None:
        declared = self.network.parameters(self.x.shape[1], 1)
        self.shapes = {n: p.shape for n, p in declared.items() if p.role == "weight"}
        self.w = self._flat(self.start)
        self.variance = np.zeros_like(self.w)
        self._look(self._projected(self.w))

    def _flat(self, params: Mapping[str, Any]) -> np.ndarray:
        return np.concatenate([np.asarray(params[n]).reshape(-1) for n in self.shapes])

    def params(self, w: np.ndarray) -> dict[str, np.ndarray]:
        """Vectors [..., weight] as all parameters by name."""
        ends = np.cumsum([math.prod(s) for s in self.shapes.values()])
        parts = dict(zip(self.shapes, np.split(w, ends[:-1], axis=-1), strict=True))
        every = w.shape[:-1]
        return {
            n: parts[n].reshape(*every, *value.shape)
            if n in parts
            else np.broadcast_to(value, (*every, *value.shape))
            for n, value in self.start.items()
        }

    def _look(self, w: np.ndarray) -> None:
        """Residuals and slopes at some weights."""
        from ._sites import float64

        with float64():
            output, slopes = _slopes()(self.network, self.params(w), self.x.T)
        self.w, self.residual = w, self.y - np.asarray(output)
        flat = [np.asarray(slopes[n]).reshape(len(self.y), -1) for n in self.shapes]
        self.slopes = np.concatenate(flat, axis=1)

    @property
    def precision(self) -> np.ndarray:
        """That of the prior of each weight at the mode."""
        if self.prior is None:
            return np.zeros_like(self.w)
        return self.prior.precision(self.w, self.variance)

    def measure(self) -> None:
        """The noise, how many weights the rows determine, and the curvature."""
        gram, held = self.slopes.T @ self.slopes, self.precision
        squares = float(self.residual @ self.residual)
        least = (QUIET * np.std(self.y)) ** 2
        determined, inverse = float(len(self.w)), gram
        for _ in range(20):
            self.freedom = max(len(self.y) - determined, 1.0)
            self.sigma2 = max(squares / self.freedom, least)
            self.hessian = gram / self.sigma2 + np.diag(held)
            unit, scale = _unit(self.hessian)
            inverse = np.linalg.pinv(unit, hermitian=True) * np.outer(scale, scale)
            determined = float(np.trace(inverse @ gram) / self.sigma2)
        self.variance = np.diag(inverse).clip(0.0)

    def polish(self) -> None:
        """Damped Gauss–Newton steps until they are short."""
        damping = 1e-6
        for _ in range(ROUNDS):
            self.measure()
            before, held = self.w, self.precision
            if self._stepped(damping, held):
                damping = max(damping / 10, 1e-12)
                width = np.sqrt(self.variance) + 1e-300
                if (np.abs(self.w - before) <= STILL * width).all():
                    break
            elif damping > 1e12:
                break
            else:
                damping *= 10
        self.measure()

    def _stepped(self, damping: float, held: np.ndarray) -> bool:
        """Whether a step lowers the cost; it is taken back if not."""
        down = self.slopes.T @ self.residual / self.sigma2 - held * self.w
        unit, scale = _unit(self.hessian)
        damped = unit + damping * np.eye(len(scale))
        step = scale * np.linalg.lstsq(damped, scale * down, rcond=None)[0]
        before, cost = (self.w, self.residual, self.slopes), self._cost(held)
        self._look(self._projected(self.w + step))
        if self._cost(held) <= cost * (1 + 1e-12):
            return True
        self.w, self.residual, self.slopes = before
        return False

    def _projected(self, w: np.ndarray) -> np.ndarray:
        return self._flat(self.network.project(self.params(w)))

    def _cost(self, held: np.ndarray) -> float:
        """What a step must lower, for a noise and a precision that are held."""
        with np.errstate(all="ignore"):
            squares = self.residual @ self.residual / self.sigma2
            return float(squares + held @ self.w**2)

    def check_determined(self) -> None:
        """Rows and prior together must determine every weight."""
        if self.prior is None and len(self.y) <= len(self.w):
            raise ValueError(
                f"`x` (shape {self.x.shape}) must have more rows than the network has "
                f"weights ({len(self.w)}). Give more rows, or a `prior`."
            )
        self._check_ends()
        if (loose := self._loose(self.hessian)).any():
            raise ValueError(
                f"`params`: the rows do not determine {self._named(loose)}: the output "
                "changes in the same way with others, or not at all. Give a `prior`, "
                "such as `ARD()`, or take a network without them."
            )

    def _check_ends(self) -> None:
        """What bounds alone hold is no normal distribution, whatever the prior.

        One weight of a product may grow as another shrinks, unless both are at an end.
        """
        either = [self._projected(self.w + nudge) == self.w for nudge in (-1e-3, 1e-3)]
        loose = self._loose(self.slopes.T @ self.slopes)
        if (loose & np.logical_or(*either)).any():
            raise ValueError(
                f"`params`: the rows do not determine {self._named(loose)}, of which "
                "some are at an end of their range: draws would leave it. Use "
                "`variational`, or `laplace` of the formula that is read out."
            )

    def _loose(self, hessian: np.ndarray) -> np.ndarray:
        """Which weights a curvature leaves undetermined."""
        values, vectors = np.linalg.eigh(_unit(hessian)[0])
        free = np.abs(vectors[:, values <= SINGULAR * values[-1]])
        return np.asarray((free > 0.1).any(axis=1))

    def _named(self, chosen: np.ndarray) -> str:
        return ", ".join(np.array(self._names())[chosen])

    def _names(self) -> list[str]:
        every = ((n, i) for n, shape in self.shapes.items() for i in np.ndindex(shape))
        return [entry_name(name, index) for name, index in every]

    def drawn(
        self, count: int, rng: np.random.Generator
    ) -> tuple[dict[str, np.ndarray], np.ndarray]:
        """Draws of the parameters by name, and of the noise with them."""
        shrink = np.sqrt(self.freedom / rng.chisquare(self.freedom, count))
        z = rng.standard_normal((count, len(self.w)))
        unit, scale = _unit(self.hessian)
        factor = scale[:, None] * np.linalg.cholesky(np.linalg.inv(unit))
        w = self.w + shrink[:, None] * (z @ factor.T)
        return self.params(w), np.sqrt(self.sigma2) * shrink

    @property
    def log_evidence(self) -> float:
        """Laplace's, of all weights and of the logarithm of the noise."""
        if self.prior is None:
            return float("nan")
        rows = len(self.y)
        fit = -0.5 * float(self.residual @ self.residual) / self.sigma2
        fit -= 0.5 * rows * log(2 * pi * self.sigma2)
        believed = self.prior.log_density(self.w) - log(LOUDEST - QUIETEST)
        volume = 0.5 * log(2 * pi) * len(self.w) + 0.5 * log(pi / rows)
        volume -= 0.5 * float(np.linalg.slogdet(self.hessian)[1])
        return float(fit + believed + volume)


QUIET = float(np.exp(QUIETEST))


def _unit(hessian: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A curvature in units of each weight in which its diagonal is 1, and these units.

    Weights may be of any size, 1e-30 beside 1e30, which no tolerance may see.
    """
    diagonal = np.diag(hessian)
    scale = 1 / np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
    return hessian * scale[:, None] * scale, scale


@cache
def _slopes() -> Any:
    """The outputs on rows and their slopes, compiled once for a network and shape."""
    import jax
    import jax.numpy as jnp

    def both(network: Network, params: Any, x: Any) -> Any:
        def output(params: Any) -> Any:
            return network.compute(params, x, xp=jnp)[0]

        return output(params), jax.jacfwd(output)(params)

    return jax.jit(both, static_argnums=0)

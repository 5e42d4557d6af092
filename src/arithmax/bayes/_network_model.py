"""A network with a prior over its weights, as NumPyro reads it."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import log
from typing import Any

import numpy as np

from .._checks import check_whole, shown
from .._network import Network
from .._parameters import Constant, Normal, Parameter, Uniform
from ._model import BayesModel, Data
from ._priors import WeightPrior, check_prior

NOISE = "log noise"  # a site that no parameter can be called, since it has a space
QUIETEST, LOUDEST = log(1e-8), log(10.0)  # noise over the spread of the targets


@dataclass(frozen=True)
class NetworkModel(BayesModel):
    r"""A unit or network with a distribution over its weights, and one output.

    $$ y = f_w(x) + \sigma\epsilon \qquad \epsilon \sim N(0, 1) $$

    Which parameters get the `prior`: all whose role is that of a weight, biases
    included, since a bias of zero is one term less. For a *gate* zero does not mean
    absence (for a NALU it is half open), so that gates have a normal prior of width 1
    around where they start; an NPU's input is dropped by its powers alone.

    $\log\sigma$ is uniform between 10⁻⁸ and 10 times the spread of the targets: no
    scale is preferred. Variational inference finds its likeliest value, as the draft of
    the NPU does, and its posterior tells of the noise as it would be if the squares of
    residuals were known: N σ²/χ² for N rows. NUTS draws it.

    Weights are not held within a unit's bounds: their prior is on all numbers, and
    what a draw computes is what the unit's formula makes of it. NAU, NMU and the gate
    of an NPU clip in the formula, so that a posterior beyond a bound is one *at* the
    bound, and effective weights, which are clipped too, show it. A `RealNPU(clip=True)`
    clips its gate in the formula, its powers only in training: here they are free.

    Args:
        network: a unit, a stack or another network over columns.
        prior: the prior of its weights.
        inputs: how many columns there are.
        names: their names.
    """

    network: Network
    prior: WeightPrior
    inputs: int
    names: tuple[str, ...]

    def __post_init__(self) -> None:
        check_columns_network(self.network)
        check_prior(self.prior)
        check_whole("inputs", self.inputs, 1)

    @property
    def declared(self) -> dict[str, Parameter]:
        """What the network declares of its parameters."""
        return self.network.parameters(self.inputs, 1)

    @property
    def points(self) -> tuple[str, ...]:
        hyper = [
            point
            for name, parameter in self.declared.items()
            if parameter.role == "weight"
            for point in self.prior.points(name)
        ]
        return (*hyper, NOISE)

    def data(self, x: np.ndarray, y: np.ndarray) -> dict[str, np.ndarray]:
        return {"x": x, "y": y, "spread": np.array(np.std(y))}

    def sample(self, data: Data, batch: int | None = None) -> None:
        import jax.numpy as jnp
        import numpyro
        from numpyro.distributions import Normal, Uniform

        params = {name: self._drawn(name, p) for name, p in self.declared.items()}
        log_noise = numpyro.sample(NOISE, Uniform(QUIETEST, LOUDEST))
        noise = data["spread"] * jnp.exp(log_noise)
        rows = data["y"].shape[0]
        with numpyro.plate("rows", rows, subsample_size=batch) as taken:
            whole = batch is None or batch == rows
            x, y = data["x"], data["y"]
            x, y = (x, y) if whole else (x[taken], y[taken])
            mean = self.network.compute(params, x.T, xp=jnp)[0]
            numpyro.sample("y", Normal(mean, noise), obs=y)

    def _drawn(self, name: str, parameter: Parameter) -> Any:
        if parameter.role == "weight":
            return self.prior.sample(name, parameter.shape)
        import numpyro
        from numpyro.distributions import Normal

        wide = Normal(middle(parameter), 1.0).expand(parameter.shape).to_event()
        return numpyro.sample(name, wide)

    def starts(self, seed: int, data: Data) -> dict[str, np.ndarray]:
        import jax

        from ..training import initialise
        from ._sites import float64

        with float64():
            key = jax.random.key(seed)
            drawn = initialise(self.network, self.inputs, 1, key=key, dtype="float64")
        values = {NOISE: np.zeros(())}  # all of the spread is noise yet
        for name, parameter in self.declared.items():
            value, weight = np.asarray(drawn[name]), parameter.role == "weight"
            values |= self.prior.starts(name, value) if weight else {name: value}
        return values

    def posterior(
        self,
        draws: Mapping[str, np.ndarray],
        data: Data,
        *,
        method: str,
        level: float,
        log_evidence: float,
    ) -> Any:
        from ._weight_posterior import weight_posterior

        params = {name: np.asarray(draws[name]) for name in self.declared}
        noises = np.exp(np.asarray(draws[NOISE])) * np.asarray(data["spread"])
        if np.ptp(noises) == 0:
            noises = _conditional(noises, len(data["y"]))
        return weight_posterior(
            self.network,
            self.names,
            params,
            noises,
            np.asarray(data["x"]),
            np.asarray(data["y"]),
            method=method,
            level=level,
            log_evidence=log_evidence,
        )


def _conditional(noises: np.ndarray, rows: int) -> np.ndarray:
    """Draws of the noise around its likeliest value, given the residuals of rows."""
    chi = np.random.default_rng(0).chisquare(rows, noises.shape)
    return noises * np.sqrt(rows / chi)


def middle(parameter: Parameter) -> float:
    """The middle of what a parameter starts from; 0 for a random matrix."""
    match parameter.distribution:
        case Constant(value):
            return value
        case Uniform(low, high):
            return (low + high) / 2
        case Normal(mean, _):
            return mean
    return 0.0


def check_columns_network(network: Any) -> Network:
    """`network`, which must be one over columns."""
    if not isinstance(network, Network) or network.input_axes != 1:
        raise TypeError(
            f"`network` (={shown(network)}) must be a network over columns, such as "
            "`NaiveNPU()` or `Stack((NAU(), NMU()), hidden=(2,))`."
        )
    return network

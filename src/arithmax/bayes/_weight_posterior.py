"""The posterior of a network's weights: what they are, what matters, what to drop."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from .._checks import check_number
from .._network import Network
from ..discover._given import given_names
from ..readout import Reading, readout
from ..readout._arguments import finite_array
from ._band import Band
from ._chains import Diagnostics
from ._draws import drawn_outputs, drawn_weights, shares_that_matter
from ._marginal import Marginal, check_level, entry_name, marginal_of
from ._posterior import Posterior
from ._prune import pruned_parameters

MATTERS = (
    0.01  # of the spread of the target: what changes the output by less is dropped
)


@dataclass(frozen=True, eq=False, repr=False)
class WeightPosterior(Posterior):
    """What rows say of the weights of a network.

    Args:
        network: the network.
        names: the names of the columns.
        draws: draws of its parameters by name [draw, …].
        noises: the noise of each draw.
        x: the rows that were seen [row, column].
        y: their targets [row].
        marginals: every effective weight ("W[0, 1]": output 0, input 1), and the
            parameters that are not weights themselves, such as gates.
        noise: the standard deviation of what the inputs do not explain.
        relevance: for each column the probability that it matters: the share of draws
            in which shuffling it changes the output by more than `matters`. It is
            shuffled the same way each time, so that its values stay those of the table.
        log_evidence: the logarithm of the evidence, or a bound on it; minus infinity
            where inference diverged, so that such a seed is never the best.
        method: how it was inferred.
        level: the share of the posterior inside intervals.
        matters: which change of the output counts, as a share of the target's spread.
        diagnostics: how well chains have mixed; None if there were none.
    """

    network: Network
    names: tuple[str, ...]
    draws: dict[str, Float[np.ndarray, "draw *shape"]]
    noises: Float[np.ndarray, " draw"]
    x: Float[np.ndarray, "row column"]
    y: Float[np.ndarray, " row"]
    marginals: tuple[Marginal, ...]
    noise: Marginal
    relevance: dict[str, float]
    log_evidence: float
    method: str
    level: float = 0.95
    matters: float = MATTERS
    diagnostics: Diagnostics | None = None

    @property
    def params(self) -> dict[str, np.ndarray]:
        """The posterior mean of each parameter, for `network.apply`."""
        return {name: np.mean(d, axis=0) for name, d in self.draws.items()}

    @property
    def diverged(self) -> bool:
        """Whether inference left finite numbers."""
        return self.log_evidence == -np.inf

    def predict(self, x: Any, noise: bool = True) -> Band:
        rows = finite_array("x", x, 2)
        if rows.shape[1] != len(self.names):
            raise ValueError(
                f"`x` (shape {rows.shape}) must have {len(self.names)} columns: "
                f"{', '.join(self.names)}."
            )
        values = drawn_outputs(self.network, self.draws, rows)
        if noise:
            rng = np.random.default_rng(0)
            values = values + self.noises[:, None] * rng.standard_normal(values.shape)
        ends = [(1 - self.level) / 2, (1 + self.level) / 2]
        low, high = np.quantile(values, ends, axis=0)
        return Band(values.mean(0), values.std(0), low, high)

    def pruned(self, matters: float | None = None) -> dict[str, np.ndarray]:
        """The mean parameters, without what is not needed.

        Entries of weights become zero, the least important first, as long as all of
        them together change the output on the rows by less than `matters`, and by less
        than the noise where their interval does not hold zero. Gates are set to zero
        where that changes nothing at all, as behind weights that are zero.

        Args:
            matters: which change of the output counts, as a share of the spread of the
                target; that of the posterior if None.
        """
        share = self.matters if matters is None else matters
        check_number("matters", share, 0, 1)
        most = share * float(np.std(self.y))
        noise = self.noise.mean
        return pruned_parameters(
            self.network, self.draws, self.params, self.x, most, noise, self.level
        )

    def formula(
        self, x: Any = None, y: Any = None, *, matters: float | None = None
    ) -> Reading:
        """The formula of the pruned network, judged on rows.

        Args:
            x: the inputs [row, column]; the rows that were seen if None.
            y: the targets [row].
            matters: as in `pruned`.

        Returns:
            A reading; `laplace(reading.formula, x, y)` gives its constants intervals.
        """
        if (x is None) != (y is None):
            raise ValueError("`x` and `y` must be given both, or neither of them.")
        x, y = (self.x, self.y) if x is None else (x, y)
        params = self.pruned(matters)
        return readout(self.network, params, x, y, names=list(self.names))

    def __repr__(self) -> str:
        return f"<WeightPosterior of {self.network}, {self.method}>"

    def __str__(self) -> str:
        width = max(len(m.name) for m in self.marginals)
        lines = [f"{self.network}, {self.method}"]
        lines += [f"  {m.name:{width}}  {m}" for m in self.marginals]
        lines += [f"  {'noise':{width}}  {self.noise}"]
        shares = (f"{name} {p:.0%}" for name, p in self.relevance.items())
        return "\n".join(
            [*lines, f"probability that a column matters: {', '.join(shares)}"]
        )


def weight_posterior(
    network: Network,
    names: Any,
    draws: Mapping[str, np.ndarray],
    noises: np.ndarray,
    x: np.ndarray,
    y: np.ndarray,
    *,
    method: str,
    level: float,
    log_evidence: float,
    matters: float = MATTERS,
) -> WeightPosterior:
    """What draws of the parameters and of the noise tell.

    Args:
        network: the network.
        names: the names of the columns.
        draws: draws of its parameters by name [draw, …].
        noises: the noise of each draw.
        x: the rows that were seen.
        y: their targets.
        method: how the draws were made, in words.
        level: the share of the posterior inside intervals.
        log_evidence: the logarithm of the evidence, or a bound on it.
        matters: which change of the output counts, as a share of the target's spread.
    """
    check_level(level)
    columns = given_names(names, x.shape[1])
    kept = {name: np.asarray(d, np.float64) for name, d in draws.items()}
    shares = shares_that_matter(network, kept, x, matters * float(np.std(y)))
    return WeightPosterior(
        network,
        columns,
        kept,
        np.asarray(noises, np.float64).reshape(-1),
        x,
        y,
        marginals=tuple(_marginals(network, kept, level)),
        noise=marginal_of("noise", noises, level),
        relevance=dict(zip(columns, shares, strict=True)),
        log_evidence=float(log_evidence),
        method=method,
        level=level,
        matters=matters,
    )


def _marginals(network: Network, draws: dict[str, np.ndarray], level: float):
    """One for each entry of the effective weights, then of other parameters."""
    effective = drawn_weights(network, draws)
    others = {name: d for name, d in draws.items() if name not in effective}
    for name, d in (effective | others).items():
        for index in np.ndindex(d.shape[1:]):
            entry = d[(slice(None), *index)]
            yield marginal_of(entry_name(name, index), entry, level)

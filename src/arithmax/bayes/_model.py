"""What has a posterior: the contract of networks and formulas."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np

from ._posterior import Posterior

Data: TypeAlias = Mapping[str, Any]  # arrays by name, whose first axis may be rows


class BayesModel(ABC):
    """A NumPyro model, where its inference starts, and what is made of its draws.

    Inference (`variational`, `nuts`) knows nothing else: a network with a prior over
    its weights is such a model, and so is a formula with one over its constants. A
    model is a frozen dataclass that can be hashed: programs are compiled once for each
    model and shape, and all numbers of a table come in `data`.
    """

    @property
    def points(self) -> tuple[str, ...]:
        """Sites of which variational inference finds the likeliest value only."""
        return ()

    @abstractmethod
    def data(self, x: np.ndarray, y: np.ndarray) -> dict[str, np.ndarray]:
        """What `sample` needs of a table: at least "x" [row, column] and "y" [row]."""

    @abstractmethod
    def sample(self, data: Data, batch: int | None = None) -> None:
        """The NumPyro statements: priors, and the likelihood of the targets.

        Args:
            data: what `data` gave, as arrays of JAX.
            batch: how many rows are drawn for each estimate of the likelihood; all of
                them if None.
        """

    @abstractmethod
    def starts(self, seed: int, data: Data) -> dict[str, np.ndarray]:
        """A value for each site, from which inference with this seed starts."""

    def told(self, draws: Mapping[str, np.ndarray], data: Data) -> dict[str, Any]:
        """What chains are judged by: draws [chain, draw, …] by names for people."""
        return dict(draws)

    @abstractmethod
    def posterior(
        self,
        draws: Mapping[str, np.ndarray],
        data: Data,
        *,
        method: str,
        level: float,
        log_evidence: float,
    ) -> Posterior:
        """What is told of draws [draw, …] of each site.

        Args:
            draws: the draws of each site.
            data: what `data` gave.
            method: how they were drawn, in words.
            level: the share of the posterior inside intervals.
            log_evidence: the logarithm of the evidence, or a bound on it; NaN if it is
                not known.
        """

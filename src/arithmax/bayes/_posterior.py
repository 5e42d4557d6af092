"""What every posterior tells, whether of a network's weights or of a formula."""

from abc import ABC, abstractmethod
from typing import Any

from ._band import Band
from ._marginal import Marginal


class Posterior(ABC):
    """What is known after the rows were seen.

    A posterior is a frozen dataclass with these fields: `marginals`, the numbers that
    were inferred; `noise`, the standard deviation of what the inputs do not explain;
    `relevance`, for each column the probability that it matters; `log_evidence`;
    `method`, how it was inferred; `level`, the share that intervals hold.
    """

    marginals: tuple[Marginal, ...]
    noise: Marginal
    relevance: dict[str, float]
    log_evidence: float
    method: str
    level: float

    @abstractmethod
    def predict(self, x: Any, noise: bool = True) -> Band:
        """The posterior predictive distribution on rows, inside or outside.

        Args:
            x: the inputs [row, column].
            noise: whether intervals are of new measurements; of the noise-free
                function if False.
        """

    def marginal(self, name: str) -> Marginal:
        """The marginal posterior of the number of that name."""
        for marginal in self.marginals:
            if marginal.name == name:
                return marginal
        names = ", ".join(repr(m.name) for m in self.marginals)
        raise ValueError(f"`name` (={name!r}) must be one of {names}.")

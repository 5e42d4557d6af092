"""The tools that are compared: each is given a table and prints a formula."""

from typing import Protocol

import numpy as np

from ._floor import Floor
from ._others import Gplearn, Operon


class Tool(Protocol):
    """Something that finds formulas."""

    def warm_up(self) -> None:
        """Import what the tool needs, so that this is not measured."""
        ...

    def __call__(
        self, x: np.ndarray, y: np.ndarray, names: list[str], seed: int, budget: float
    ) -> dict:
        """A dictionary with the printed formula as `text`, and whatever else is known.

        Args:
            x: Inputs, `[rows, columns]`.
            y: Values, `[rows]`.
            names: Of the columns.
            seed: Of the tool's random numbers.
            budget: CPU seconds that it may spend.
        """
        ...


class Arithmax:
    """`arithmax.discover.discover` as it is."""

    def warm_up(self) -> None:
        from arithmax.discover import discover

        x = np.linspace(1, 2, 40).reshape(20, 2)
        discover(x, x[:, 0] * x[:, 1], names=["a", "b"], seed=0)

    def __call__(self, x, y, names, seed, budget) -> dict:
        from arithmax.discover import discover

        found = discover(x, y, names=names, seed=seed)
        best = found.best
        return {
            "text": str(best.formula),
            "stage": str(best.stage),
            "verdict": str(found.verdict),
        }


TOOLS: dict[str, Tool] = {
    "arithmax": Arithmax(),
    "operon": Operon(),
    "gplearn": Gplearn(),
    "floor": Floor(),
}

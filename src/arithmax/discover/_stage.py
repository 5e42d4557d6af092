"""What every way of finding formulas has in common."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ._nodes import Node
from ._table import Sample


@dataclass(frozen=True)
class Stage(ABC):
    """A way of finding formulas: it proposes, and the judge decides.

    A stage is a frozen dataclass whose fields are its settings. What it proposes need
    be right in structure only: the judge refits constants, removes terms, rounds
    exponents and names constants.
    """

    name: ClassVar[str]

    @abstractmethod
    def propose(self, table: Sample, rng: np.random.Generator) -> Iterator[Node]:
        """Candidates, the likeliest first; nothing if the stage does not apply.

        Args:
            table: the rows; a stage fits `table.x` and `table.y`, and may reject
                its own candidates by the held-out rows.
            rng: the only source of randomness.
        """

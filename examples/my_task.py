"""A task of one's own: what a bill comes to, of price, delivery and pieces.

A network sees amounts between 1 and 2 and has to be right up to 10.
`arithmax train examples/my_task.py:Bill --help` lists its options.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from arithmax import NAU, NMU, Stack
from arithmax.tasks import FormulaTask

# A sum that is multiplied: one layer for each.
SUM_AND_PRODUCT = Stack((NAU(), NMU()), hidden=(2,))


@dataclass(frozen=True)
class Bill(FormulaTask):
    """(price + delivery) · pieces."""

    title: ClassVar[str] = "Bill"
    interpolation: Any = (1.0, 2.0)
    """The range to train on."""
    extrapolation: Any = (2.0, 10.0)
    """The range to be right on."""
    distribution: str = "uniform"
    """How inputs are distributed."""

    in_features = 3
    out_features = 1

    def target(self, replica: Mapping[str, Any], x: Any) -> Any:
        """The answer [out, batch] to inputs [in, batch]."""
        price, delivery, pieces = x
        return ((price + delivery) * pieces)[None]

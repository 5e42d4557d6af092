"""The rows that a search sees: those it fits, and those it only looks at."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

HELD_OUT = 0.2  # of the rows: never fitted while formulas are compared


@dataclass(frozen=True, eq=False)
class Sample:
    """Training rows, held-out rows, and what is known of them.

    Args:
        x: inputs of the training rows [row, column].
        y: their targets.
        weight: the square root of what each row counts.
        held_x: inputs of rows that verify formulas, and fit none.
        held_y: their targets.
        names: the names of the columns.
        held_weight: as `weight`, for the rows that are held out.
    """

    x: np.ndarray
    y: np.ndarray
    weight: np.ndarray
    held_x: np.ndarray
    held_y: np.ndarray
    names: tuple[str, ...]
    held_weight: np.ndarray

    @cached_property
    def columns(self) -> np.ndarray:
        """The inputs, one row of memory for each column."""
        return np.ascontiguousarray(self.x.T)

    @cached_property
    def held_columns(self) -> np.ndarray:
        """The same of the held-out rows."""
        return np.ascontiguousarray(self.held_x.T)

    @property
    def rows(self) -> int:
        """How many rows are fitted."""
        return len(self.y)

    @property
    def width(self) -> int:
        """How many columns there are."""
        return self.x.shape[1]

    @cached_property
    def variation(self) -> float:
        """The weighted sum of squared deviations of the target from its mean."""
        share = self.weight**2
        mean = float((share * self.y).sum() / share.sum())
        return float(share @ (self.y - mean) ** 2)

    @cached_property
    def smallest_error(self) -> float:
        """The sum of squares below which only rounding is left."""
        size = float((self.weight**2) @ self.y**2)
        return max(self.variation * 1e-23, size * 1e-27)

    @cached_property
    def positive(self) -> np.ndarray:
        """Which columns are above zero on all rows."""
        return np.minimum(self.x.min(0), self._held(np.min)) > 0

    @cached_property
    def nonnegative(self) -> np.ndarray:
        """Which columns are nowhere below zero."""
        return np.minimum(self.x.min(0), self._held(np.min)) >= 0

    @cached_property
    def nonzero(self) -> np.ndarray:
        """Which columns are nowhere zero."""
        return (self.x != 0).all(0) & (self.held_x != 0).all(0)

    def _held(self, function) -> np.ndarray:
        return function(self.held_x, 0) if len(self.held_x) else self.x[0]

    @staticmethod
    def split(
        x: np.ndarray,
        y: np.ndarray,
        names: tuple[str, ...],
        weight: np.ndarray | None = None,
        seed: int = 0,
    ) -> "Sample":
        """A table of which a fifth of the rows is held out, drawn by `seed`."""
        order = np.random.default_rng([seed, len(y)]).permutation(len(y))
        held = np.sort(order[: int(HELD_OUT * len(y))])
        kept = np.sort(order[int(HELD_OUT * len(y)) :])
        root = np.ones(len(y)) if weight is None else np.sqrt(weight / np.mean(weight))
        parts = x[kept], y[kept], root[kept], x[held], y[held]
        return Sample(*parts, names, root[held])

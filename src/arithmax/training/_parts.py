"""Batches, measuring and the criterion: the parts of a protocol that have no kinds.

This file is read by the command line and loads no array library.
"""

from dataclasses import dataclass
from typing import Literal

from ._declared import COUNT, FROM_ZERO, Part, compiled, outside


@dataclass(frozen=True)
class Batches(Part):
    """The samples of each step."""

    size: int = compiled(128, COUNT)
    """Samples in each step; of a table, at most all of its rows."""
    repeat: int = compiled(0, FROM_ZERO)
    """Train on so many samples again and again; 0 draws fresh ones in each step."""
    full: bool = compiled(False)
    """The same samples in each step: all rows of a table, or `size` drawn once."""

    def check(self) -> None:
        Part.check(self)
        if self.full and self.repeat:
            raise ValueError(
                f"`repeat` (={self.repeat}) must be 0 with `full` (=True), which has "
                "the same samples in each step. Leave one out."
            )
        if self.repeat % self.size:
            raise ValueError(
                f"`repeat` (={self.repeat}) must be a multiple of `size` "
                f"(={self.size})."
            )

    def count(self, rows: int | None) -> int:
        """Samples in each step of a task with so many rows, or with always more."""
        if rows is None:
            return self.size
        return rows if self.full else min(self.size, rows)

    @property
    def repeated(self) -> int:
        """After how many steps the same samples come again; 0 never."""
        return 1 if self.full else self.repeat // self.size


@dataclass(frozen=True)
class Measuring(Part):
    """When and on how many samples a run is measured, and what is stored of it."""

    interval: int = compiled(1_000, COUNT)
    """Steps between two measurements."""
    validation: int = compiled(10_000, COUNT)
    """Samples of the interpolation and of the extrapolation set."""
    window: int = compiled(5_000, COUNT)
    """Of how many last measurements the best is judged; 1 judges the last step."""
    keep: tuple[int, ...] = outside(())
    """Steps at which the parameters are stored, besides those of the best step."""

    def check(self) -> None:
        Part.check(self)
        if self.validation > 1000 and self.validation % 1000:
            raise ValueError(
                f"`validation` (={self.validation}) above 1000 must be a multiple of "
                "1000."
            )
        for step in self.keep:
            if step < 0 or step % self.interval:
                raise ValueError(
                    f"`keep` (with {step!r}) must hold multiples of `interval` "
                    f"(={self.interval})."
                )


@dataclass(frozen=True)
class Criterion(Part):
    """When a run counts as solved."""

    epsilon: float = outside(
        1e-5, (1e-30, 1)
    )  # the square of a smaller one is no number
    """How wrong an ideal solution may be: it decides the threshold."""
    threshold: float = outside(0.0)
    """A flat threshold in place of that rule; 0 follows the rule."""
    rule: Literal["exact", "authors"] = outside("exact")
    """Whose thresholds: exact ones, or the authors' (off by one element)."""

"""What came of training a network on a table."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..discover import Formula, Trust
from ..readout import Reading

NEAR = 2.0  # a seed came as near as the best if its error is within this factor


@dataclass(frozen=True)
class Fit:
    """A trained network, its formula, and what each step to it cost.

    Errors are roots of mean squared errors over the spread of the targets, on rows that
    trained nothing.

    Args:
        net: the network with the best seed's parameters, in your units of measurement.
        discrete: the same with its arithmetic layers at whole weights; None if they
            have none.
        readings: what was read from it, one reading for each output.
        unread: why nothing was read, in words, if nothing was.
        held_out_error: of `net`, in the precision in which it was trained.
        discrete_error: of `discrete`; NaN if there is none.
        training_error: of `net`, on the rows that trained it.
        errors: the held-out error of every seed, in the order in which they began.
        rounds: how often all seeds began.
        method: how they were trained.
    """

    net: Any
    discrete: Any
    readings: tuple[Reading, ...]
    unread: str
    held_out_error: float
    discrete_error: float
    training_error: float
    errors: np.ndarray
    rounds: int
    method: str

    @property
    def reading(self) -> Reading:
        """The reading of the only output."""
        if self.unread:
            raise ValueError(
                f"there is no formula: {self.unread.rstrip('.')}. `net` is trained all "
                "the same; formulas are read off networks over the columns of a table."
            )
        if len(self.readings) != 1:
            raise ValueError(
                f"there are {len(self.readings)} readings, one for each output: look "
                "at `readings`."
            )
        return self.readings[0]

    @property
    def formula(self) -> Formula | None:
        """The formula of the only output; None if none was verified."""
        reading = self.reading
        return reading.formula if reading.verified else None

    @property
    def verdict(self) -> Trust:
        """How far the formula of the only output can be trusted."""
        return self.reading.verdict

    @property
    def near(self) -> int:
        """How many seeds came as near to the targets as the best."""
        floor = 1e-9  # below which errors are roundings
        return int((self.errors <= max(NEAR * self.held_out_error, floor)).sum())

    def __str__(self) -> str:
        lines = [_line(reading) for reading in self.readings]
        if self.unread:
            lines.append(f"no formula: {self.unread}")
        whole = f", {self.discrete_error:.1e} at whole weights"
        lines.append(
            f"held-out error {self.held_out_error:.1e} as trained"
            + (whole if self.discrete is not None else "")
        )
        again = "" if self.rounds == 1 else f" in {self.rounds} rounds"
        near = f"{self.near} of {len(self.errors)} seeds came as near{again}"
        if self.readings and not all(r.verified for r in self.readings):
            near = f"none of {len(self.errors)} seeds{again} led to a formula"
        return "\n".join([*lines, f"{near}; {self.method}"])


def _line(reading: Reading) -> str:
    if not reading.verified:
        if reading.formula is None:
            return "not found"
        return f"not found; the nearest that fits: {reading.formula}"
    return f"{reading.formula}  ({reading.verdict}, error {reading.formula_error:.1e})"

"""What was read from a trained network: a formula, and what it cost to get there."""

from dataclasses import dataclass

from ..discover import Formula, Trust


@dataclass(frozen=True)
class Reading:
    """The formula of a trained network, with the error of each step to it.

    Errors are roots of mean squared errors over the spread of the target, on all rows
    that were given; NaN where something is not finite.

    Args:
        formula: the formula, its constants fitted, rounded and named; None if the
            network could not be written down at all.
        verdict: how far it can be trusted: exact on this data, within tolerance, or
            not found, in which case `formula` is the nearest that was seen.
        network_error: the error of the network as it was trained.
        discrete_formula: what the network computes with its weights rounded to those
            at which it is exact; None if there are none.
        discrete_error: the error of that, before any constant is fitted.
        formula_error: the error of `formula`.
        held_out_error: the same on a fifth of the rows, which fitted no constant.
        tried: what was tried, and where it led, in words.
    """

    formula: Formula | None
    verdict: Trust
    network_error: float
    discrete_formula: Formula | None
    discrete_error: float | None
    formula_error: float | None
    held_out_error: float | None
    tried: tuple[str, ...]

    @property
    def verified(self) -> bool:
        return self.verdict is not Trust.NOT_FOUND

    def __str__(self) -> str:
        lines = [f"{self.formula} ({self.verdict})" if self.verified else "not found"]
        lines += [f"error {self.network_error:.2g} as trained"]
        if self.discrete_error is not None:
            lines += [f"{self.discrete_error:.2g} rounded to {self.discrete_formula}"]
        if self.formula_error is not None:
            nearest = "" if self.verified else f", nearest {self.formula}"
            lines += [f"{self.formula_error:.2g} with constants fitted{nearest}"]
        return "; ".join(lines)

"""How a network is trained on a table."""

from dataclasses import dataclass

from .._checks import check_number, check_whole, shown


@dataclass(frozen=True)
class Settings:
    """What `fit` can be told; the defaults are what the guide recommends.

    Args:
        seeds: how many starts are trained side by side.
        restarts: how often all begin anew where no formula was verified.
        steps: steps of each; None for 120 of second order, or 3000 of an optimiser.
        penalty: the strength of the layers' regularisers, once they set in.
        batch: rows of a step of an optimiser; None for 256.
        hold_out: the share of the rows that choose among seeds, and train none.
        tolerance: the relative error up to which a formula may count as found.
        seed: of the starts, and of which rows are held out.
        progress: whether a bar is shown.
    """

    seeds: int = 16
    restarts: int = 2
    steps: int | None = None
    penalty: float = 0.1
    batch: int | None = None
    hold_out: float = 0.2
    tolerance: float = 0.125
    seed: int = 0
    progress: bool = True

    def __post_init__(self) -> None:
        check_whole("seeds", self.seeds, 1, 4096)
        check_whole("restarts", self.restarts, 0, 1000)
        check_whole("seed", self.seed, 0, 2**31)
        for name in ("steps", "batch"):
            if getattr(self, name) is not None:
                check_whole(name, getattr(self, name), 1)
        check_number("penalty", self.penalty, 0)
        check_number("tolerance", self.tolerance, 0, 1)
        if not 0 < check_number("hold_out", self.hold_out) < 1:
            raise ValueError(
                f"`hold_out` (={self.hold_out}) must be between 0 and 1: seeds are "
                "chosen by rows that trained none of them. 0.2 is usual."
            )
        if not isinstance(self.progress, bool):
            raise TypeError(f"`progress` (={shown(self.progress)}) must be a bool.")

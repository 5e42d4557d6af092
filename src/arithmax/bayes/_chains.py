"""How well Markov chains have mixed, and what happens if they have not."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ._marginal import entry_name

WARN_R_HAT, WARN_SIZE = 1.01, 400.0
BAD_R_HAT, BAD_SIZE = 1.1, 50.0
REMEDY = (
    "Draw longer chains (`warmup`, `draws`), start them at a solution (`start`), or "
    "use `variational` or `laplace`, which describe one solution"
)


class ChainWarning(UserWarning):
    """Chains have not quite mixed."""


class ChainError(RuntimeError):
    """Chains have not mixed: their draws are none of the posterior."""


@dataclass(frozen=True)
class Diagnostics:
    """How well chains have mixed, number by number.

    Args:
        r_hat: the split R̂ of each number: the spread between halves of chains over
            that within them, 1 where all agree.
        size: the effective size of each number: how many independent draws would say
            as much.
        divergences: how often a trajectory left the posterior's typical set.
        finite: whether every draw of every number is finite.
    """

    r_hat: dict[str, float]
    size: dict[str, float]
    divergences: int
    finite: bool = True

    @property
    def worst(self) -> str:
        """The number with the greatest R̂; NaN, of a stuck chain, is the greatest."""
        return max(self.r_hat, key=lambda n: (np.isnan(self.r_hat[n]), self.r_hat[n]))

    @property
    def scarcest(self) -> str:
        """The number with the least effective size."""
        return min(self.size, key=lambda n: (not np.isnan(self.size[n]), self.size[n]))

    def within(self, r_hat: float, size: float) -> bool:
        """Whether no number is worse than an R̂ and an effective size."""
        fine = self.r_hat[self.worst] <= r_hat and self.size[self.scarcest] >= size
        return bool(self.finite and fine)

    def __str__(self) -> str:
        worst, scarcest = self.worst, self.scarcest
        return (
            f"R̂ up to {self.r_hat[worst]:.4g} ({worst}), effective size from "
            f"{self.size[scarcest]:.0f} ({scarcest}), {self.divergences} divergences"
        )


def diagnosed(draws: Mapping[str, np.ndarray], divergences: int) -> Diagnostics:
    """How well chains have mixed.

    Args:
        draws: draws of each site [chain, draw, …].
        divergences: how many trajectories diverged.
    """
    from numpyro.diagnostics import effective_sample_size, split_gelman_rubin

    r_hat, size, finite = {}, {}, True
    for site, values in draws.items():
        values = np.asarray(values, np.float64)
        for index in np.ndindex(values.shape[2:]):
            name = entry_name(site, index)
            numbers = values[(slice(None), slice(None), *index)]
            finite = finite and bool(np.isfinite(numbers).all())
            with np.errstate(all="ignore"):
                r_hat[name] = float(split_gelman_rubin(numbers))
                size[name] = float(effective_sample_size(numbers))
    return Diagnostics(r_hat, size, divergences, finite)


def judge_chains(found: Diagnostics, bad: Literal["error", "warn"] = "error") -> None:
    """Bad chains are refused, mediocre ones warned about.

    Args:
        found: how well they have mixed.
        bad: whether bad chains are an error, or a warning too.

    Raises:
        ChainError: R̂ is above 1.1, an effective size below 50, or a draw not finite.
    """
    if found.within(WARN_R_HAT, WARN_SIZE) and not found.divergences:
        return
    what = f"the chains have not mixed: {found}"
    if not found.finite:
        what = f"the chains hold draws that are not finite: {found}"
    if bad == "error" and not found.within(BAD_R_HAT, BAD_SIZE):
        raise ChainError(f"{what}. {REMEDY}; or take them as they are with bad='warn'.")
    warnings.warn(f"{what}. {REMEDY}.", ChainWarning, stacklevel=3)

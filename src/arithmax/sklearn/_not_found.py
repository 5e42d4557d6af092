"""What is said when no formula was verified, when time was over, or rows too few."""

import warnings

from ..bayes import Uncertainty
from ..discover import Attempt, Discovery

CONDITIONAL = (
    " Intervals and standard deviations are conditional on that formula, which was not "
    "verified."
)


class NotFoundWarning(UserWarning):
    """No formula was verified; predictions are those of the best candidate."""


class CutOffWarning(UserWarning):
    """`max_seconds` ended a search, so that its result depends on the machine."""


class NoIntervalWarning(UserWarning):
    """A formula was found, but the rows do not tell how sure its constants are."""


def cut_off(found: Discovery) -> bool:
    """Whether time ended the search."""
    return "`max_seconds`" in found.stopped


def warn_of(
    found: Discovery, target: str, level: int = 3, sure: Uncertainty | None = None
) -> None:
    """Warns if a search was cut off, or did not end with a verified formula.

    Args:
        found: what it found.
        target: the name of what was to be explained.
        level: how many calls above this one the warning points to.
        sure: what is known of its constants, if that was asked for.
    """
    inferred = sure is not None and sure.posterior is not None
    if sure is not None and not inferred:
        text = f"The search for `{target}` ended with a formula. {sure.reason}"
        warnings.warn(text, NoIntervalWarning, stacklevel=level)
    if not found.best.verified:
        text = _not_found(found, target) + CONDITIONAL * inferred
        warnings.warn(text, NotFoundWarning, stacklevel=level)
    elif cut_off(found):
        text = (
            f"The search for `{target}` ended early: {found.stopped}. Another run may "
            "end with another formula; a budget of `candidates` repeats exactly."
        )
        warnings.warn(text, CutOffWarning, stacklevel=level)


def _not_found(found: Discovery, target: str) -> str:
    best = found.best
    tried = ", ".join(map(_attempt, found.tried)) or "nothing"
    return (
        f"No formula for `{target}` was verified. The best candidate is "
        f"`{best.formula}` from {best.stage!r}, off by {best.held_out_error:.3g} of "
        f"the target's spread on held-out rows. Tried: {tried}. It stopped since "
        f"{found.stopped}. More rows, more `candidates` or a larger `tolerance` may "
        "help."
    )


def _attempt(tried: Attempt) -> str:
    word = "candidate" if tried.candidates == 1 else "candidates"
    return f"{tried.stage} ({tried.candidates} {word}, {tried.seconds:.2f} s)"

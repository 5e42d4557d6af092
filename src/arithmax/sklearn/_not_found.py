"""What is said when no formula was verified, or when time was over."""

import warnings

from ..discover import Attempt, Discovery


class NotFoundWarning(UserWarning):
    """No formula was verified; predictions are those of the best candidate."""


class CutOffWarning(UserWarning):
    """`max_seconds` ended a search, so that its result depends on the machine."""


def cut_off(found: Discovery) -> bool:
    """Whether time ended the search."""
    return "`max_seconds`" in found.stopped


def warn_of(found: Discovery, target: str, level: int = 3) -> None:
    """Warns if a search was cut off, or did not end with a verified formula.

    Args:
        found: what it found.
        target: the name of what was to be explained.
        level: how many calls above this one the warning points to.
    """
    if not found.best.verified:
        warnings.warn(_not_found(found, target), NotFoundWarning, stacklevel=level)
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

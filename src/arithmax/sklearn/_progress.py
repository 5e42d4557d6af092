"""What a fit shows while it runs: a line for each stage and each better formula."""

import sys

from ..discover import Candidate

WIDEST = 60  # characters of a formula in a line


class ProgressLines:
    """A function that `discover` calls, and that writes a line when there is news.

    Lines go to the error stream as text, so that they look the same in a terminal, in a
    notebook, in a log, and from worker processes.

    Args:
        target: the name of what is to be explained.
        verbose: 1 for a line per stage; 2 for one per better formula too.
    """

    def __init__(self, target: str, verbose: int) -> None:
        self.target, self.verbose = target, verbose
        self.stage, self.best = -1, ""

    def __call__(
        self,
        stage: str,
        position: int,
        stages: int,
        candidates: int,
        best: Candidate | None,
    ) -> None:
        formula = "" if best is None else str(best.formula)
        better = self.verbose > 1 and formula != self.best
        if position == self.stage and not better:
            return
        self.stage, self.best = position, formula
        at = f"{self.target}: stage {position + 1} of {stages} ({stage})"
        print(
            f"{at}, {candidates} candidates{_shown(best)}", file=sys.stderr, flush=True
        )


def _shown(best: Candidate | None) -> str:
    if best is None:
        return ""
    text = str(best.formula)
    text = text if len(text) <= WIDEST else f"{text[:WIDEST]}…"
    return f", best {text} (held-out error {best.held_out_error:.3g}, {best.verdict})"

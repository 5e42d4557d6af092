"""A plot of predictions against the truth in signs, for a terminal."""

import math
from collections.abc import Sequence
from typing import Any

WIDE, TALL = 58, 15  # signs, without axes
DECADES = 1000.0  # from how many times its least value on a target has a log scale
MARKS = {"fitted": "·", "held out": "o", "outside": "×"}


def scatter(parts: Sequence[Any], target: str) -> str:
    """Predictions upwards against the truth to the right; right is on the diagonal.

    Args:
        parts: rows with `name`, `truth` and `predicted`; later ones are drawn over
            earlier ones, as there are fewer of them.
        target: what is predicted.

    Returns:
        Lines of text, at most 80 signs wide.
    """
    import numpy as np

    drawn = [part for part in parts if np.isfinite(part.predicted).any()]
    if not drawn:
        return ""
    truth = np.concatenate([part.truth for part in parts])
    scale = _Scale(truth)
    grid = [[" "] * WIDE for _ in range(TALL)]
    _diagonal(grid)
    for part in drawn:
        _put(grid, part, scale)
    keys = ", ".join(f"{MARKS[p.name]} {p.name}" for p in parts if len(p.truth))
    scaled = ", logarithmic" if scale.log else ""
    low, high = (f"{v:.3g}" for v in (truth.min(), truth.max()))
    foot = f"{low:<{WIDE - len(high)}}{high}"
    lines = [f"Predicted {target} (up) against true {target} (right){scaled}"]
    lines += [f"  │{''.join(row).rstrip()}" for row in reversed(grid)]
    return "\n".join([*lines, f"  └{'─' * WIDE}", f"   {foot}", f"   {keys}"])


class _Scale:
    """From values of the target to places between 0 and 1."""

    def __init__(self, truth: Any) -> None:
        least, most = float(truth.min()), float(truth.max())
        self.log = least > 0 and most / least > DECADES
        self.low = math.log(least) if self.log else least
        self.high = math.log(most) if self.log else most

    def places(self, values: Any) -> Any:
        import numpy as np

        with np.errstate(all="ignore"):
            there = np.log(values) if self.log else values
            return (there - self.low) / (self.high - self.low or 1.0)


def _diagonal(grid: list[list[str]]) -> None:
    for column in range(0, WIDE, 2):
        grid[round(column / (WIDE - 1) * (TALL - 1))][column] = "."


def _put(grid: list[list[str]], part: Any, scale: _Scale) -> None:
    """What lies above or below the plot is put at its edge."""
    across, up = scale.places(part.truth), scale.places(part.predicted)
    for x, y in zip(across.tolist(), up.tolist(), strict=True):
        if math.isnan(x) or math.isnan(y):
            continue
        row = round(min(max(y, 0.0), 1.0) * (TALL - 1))
        grid[row][round(x * (WIDE - 1))] = MARKS[part.name]

"""From a parameter to a weight; `smooth_unit.py` beside this file imports it."""

from typing import Any


def smooth_step(v: Any) -> Any:
    """From 0 to 1 as v does, and flat at both ends: 3 v² − 2 v³."""
    return v * v * (3.0 - 2.0 * v)

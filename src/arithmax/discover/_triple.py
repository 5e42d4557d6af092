r"""The angle that noise hides in a product of three sums.

Divide the factors by their means and write them $1 + u$, $1 + v$, $1 + w$. To second
order the product depends on $u + v + w$ and on $uv + uw + vw$ alone, thus on
$u + v + w$ and $u^2 + v^2 + w^2$: turning $(u, v, w)$ about the axis $(1, 1, 1)$
changes only the third order, which is usually far below the noise. So a fit knows its
factors up to one angle, and whole weights tell which.
"""

from dataclasses import replace

import numpy as np
from jaxtyping import Float

from ._linear_forms import FormTable
from ._rounding import Rounding, whole_scale

ANGLES = 60  # tried between 0 and a third of a turn, which only renames the factors
BLUR = 0.12  # of the largest weight: a guess at how well weights are known at an angle
NOISY = 1e-14  # of the squares of y: below, the third order is seen


def rotation(angle: float) -> Float[np.ndarray, "3 3"]:
    """The matrix that turns about (1, 1, 1), by Rodrigues' formula.

    Example:
        >>> np.round(rotation(2 * np.pi / 3)).astype(int).tolist()
        [[0, 1, 0], [0, 0, 1], [1, 0, 0]]
    """
    axis = np.ones(3) / np.sqrt(3)
    cross = np.cross(np.eye(3), -axis)
    outer = np.outer(axis, axis)
    return (
        np.cos(angle) * np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * outer
    )


def turn_triple(state: Rounding, table: FormTable, forms: list[int]) -> Rounding:
    """Three factors, turned until their weights are as nearly whole as can be."""
    if state.rss < NOISY * table.scale:
        return state
    w = state.w[forms]
    mean = (w @ table.columns.T).mean(1)
    if np.any(np.abs(mean) < 1e-6 * np.abs(w).sum(1)):
        return state
    unit = w / mean[:, None]
    at = state.free[forms][:, :-1].any(0)
    angles = np.arange(ANGLES) * 2 * np.pi / 3 / ANGLES
    best = min(
        angles, key=lambda angle: _roughness((rotation(angle) @ unit)[:, :-1][:, at])
    )
    turned, free = state.w.copy(), state.free.copy()
    turned[forms] = (rotation(best) @ unit) * mean[:, None]
    free[forms] = free[forms].any(0)  # what one factor had, all have now
    return replace(state, w=turned, free=free)


def _roughness(w: np.ndarray) -> float:
    spread = BLUR * np.abs(w).max(1)
    pairs = zip(w, spread, strict=True)
    return sum(whole_scale(row, np.full(len(row), s))[1] for row, s in pairs)

"""Penalties that draw weights to −1, 0 and 1, and the L1 norm."""

from collections.abc import Callable
from typing import Literal, TypeAlias

from .._arrays import Array, Namespace, Params, absolute, namespace

Shape: TypeAlias = Literal["linear", "squared"] | None


def linear(w: Array, xp: Namespace) -> Array:
    """Mean of min(|w|, |1 − |w||): zero exactly at −1, 0 and 1."""
    magnitude = absolute(w, xp)
    distance = absolute(1 - magnitude, xp)
    return xp.mean(xp.where(magnitude < distance, magnitude, distance))


def squared(w: Array, xp: Namespace) -> Array:
    """Mean of w²(1 − |w|)²: zero exactly at −1, 0 and 1, and smooth."""
    return xp.mean((w * (1 - absolute(w, xp))) ** 2)


def zero(w: Array, xp: Namespace) -> Array:
    """Zero, whatever the weights."""
    return xp.zeros_like(xp.sum(w))


def l1(params: Params) -> Array:
    """Sum of the magnitudes of all parameters."""
    values = list(params.values())
    xp = namespace(*values)
    return sum(xp.sum(absolute(v, xp)) for v in values)


SHAPES: dict[str | None, Callable[[Array, Namespace], Array]] = {
    None: zero,
    "linear": linear,
    "squared": squared,
}


def sparsity_penalty(shape: Shape, params: Params) -> Array:
    """The penalty of that shape on the matrix `W`."""
    w = params["W"]
    return SHAPES[shape](w, namespace(w))

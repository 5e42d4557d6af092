"""Penalties that draw weights to −1, 0 and 1, or to 0 and 1, and the L1 norm."""

from collections.abc import Callable
from typing import Literal, TypeAlias

from .._arrays import Array, Namespace, Params, absolute, namespace

Shape: TypeAlias = Literal["linear", "squared"] | None


def linear(w: Array, xp: Namespace, signed: bool = True) -> Array:
    """Mean of min(|w|, |1 − |w||): zero exactly at −1, 0 and 1.

    Of weights that are not `signed`, which are to be 0 or 1, min(|w|, |1 − w|).
    """
    magnitude = absolute(w, xp)
    distance = absolute(1 - (magnitude if signed else w), xp)
    return xp.mean(xp.where(magnitude < distance, magnitude, distance))


def squared(w: Array, xp: Namespace, signed: bool = True) -> Array:
    """Mean of w²(1 − |w|)², which is smooth; w²(1 − w)² if not `signed`."""
    return xp.mean((w * (1 - (absolute(w, xp) if signed else w))) ** 2)


def zero(w: Array, xp: Namespace, signed: bool = True) -> Array:
    """Zero, whatever the weights."""
    return xp.zeros_like(xp.sum(w))


def l1(params: Params) -> Array:
    """Sum of the magnitudes of all parameters."""
    values = list(params.values())
    xp = namespace(*values)
    return sum(xp.sum(absolute(v, xp)) for v in values)


SHAPES: dict[str | None, Callable[..., Array]] = {
    None: zero,
    "linear": linear,
    "squared": squared,
}


def sparsity_penalty(shape: Shape, w: Array, signed: bool = True) -> Array:
    """The penalty of that shape on weights."""
    return SHAPES[shape](w, namespace(w), signed)

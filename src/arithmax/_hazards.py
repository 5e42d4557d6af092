"""Inputs for which a unit's published form gives a silent wrong number."""

from enum import StrEnum

from ._arrays import Array, Namespace


class Hazard(StrEnum):
    """What is wrong with an input, as a sentence."""

    NOT_FINITE = "the input is NaN or infinite"
    SIGN_LOST = "the input is negative, and the unit uses its magnitude only"
    NOT_POSITIVE = "the input is not positive, and its logarithm is not a number"
    IGNORED_SIGN = (
        "the input is ignored and not positive, and still the result takes its sign, "
        "or is zero if it is"
    )
    BELOW_ONE = "the input is below 1, where the safe logarithm is another function"
    DIVISION_BY_ZERO = (
        "the input is zero, or as small as the unit's epsilon, and is divided by: "
        "the result is arbitrary"
    )
    FRACTIONAL_POWER = (
        "the input is negative and raised to a power that is not whole: the result is "
        "the real part of a complex number"
    )
    HALF_OPEN_GATE = (
        "its gate is neither open nor closed: the input counts in part, and a negative "
        "one has its sign rotated (at 1/2 an odd power is zero)"
    )
    SCALED = (
        "its gate is not fully open: the input is multiplied by the gate, and the "
        "result is so much too small"
    )
    COMPLEX_POWER = (
        "the power is complex: the result is the real part of a complex number"
    )
    MIXED_PATHS = "the gate is neither open nor closed: sum and product are mixed"
    NO_PRODUCT = (
        "the gate favours sinh(W asinh(x)), which is no product of the inputs (of two "
        "large ones it is twice the product)"
    )
    CLIPPED = "the product exceeds exp(20) and is clipped there"
    UNDECIDED_WEIGHT = (
        "the weight is between its discrete values: the sign of the result is wrong"
    )


# A weight or gate closer than this to a discrete value counts as being there.
TOLERANCE = 1e-3


def used(w: Array, xp: Namespace) -> Array:
    """Which inputs any output uses, [in, 1]; `w` is [out, in]."""
    return xp.any(xp.abs(w) > TOLERANCE, axis=0)[:, None]


def divided_by_zero(w: Array, x: Array, xp: Namespace, eps: float = 0.0) -> Array:
    """Inputs `x` [in, batch] of no more than `eps` under a negative weight."""
    return (xp.abs(x) <= eps) & xp.any(w < -TOLERANCE, axis=0)[:, None]


def undecided(w: Array, xp: Namespace) -> Array:
    """Which inputs have a weight that is none of −1, 0 and 1, [in, 1]."""
    magnitude = xp.abs(w)
    distance = xp.minimum(magnitude, xp.abs(1 - magnitude))
    return xp.any(distance > TOLERANCE, axis=0)[:, None]


def between(v: Array) -> Array:
    """Which entries of a gate are neither 0 nor 1."""
    return (v > TOLERANCE) & (v < 1 - TOLERANCE)


def mixed(gate: Array, x: Array, xp: Namespace) -> Array:
    """Samples of `x` [in, batch] for which a gate [out, batch] mixes two paths."""
    return xp.any(between(gate), axis=0)[None] & (x == x)

"""Numbers to a hundredth of a decade, as 16-bit codes that compress well.

Nobody sees more digits of an error on a logarithmic plot. Zero, infinity and NaN have
codes of their own. Neighbours on a curve are alike, so that differences are stored.
"""

import numpy as np

PER_DECADE = 100
ZERO, INFINITE, NONE = -32768, 32766, 32767


def codes(values: np.ndarray) -> np.ndarray:
    """The codes of numbers that are not negative.

    Example:
        >>> codes(np.array([1.0, 0.1, 0.0, np.inf])).tolist()
        [0, -100, -32768, 32766]
    """
    exact = values.astype(np.float64)
    with np.errstate(divide="ignore"):
        logarithms = PER_DECADE * np.log10(exact)
    found = np.rint(np.where(np.isfinite(logarithms), logarithms, 0)).astype(np.int16)
    found[exact == 0] = ZERO
    found[np.isinf(exact)] = INFINITE
    found[np.isnan(exact)] = NONE
    return found


def decoded(found: np.ndarray) -> np.ndarray:
    """The numbers that codes stand for.

    Example:
        >>> decoded(np.array([0, -100, -32768, 32766], np.int16)).tolist()
        [1.0, 0.1, 0.0, inf]
    """
    special = np.isin(found, (ZERO, INFINITE, NONE))
    values = np.power(10.0, np.where(special, 0, found) / PER_DECADE)
    values[found == ZERO] = 0.0
    values[found == INFINITE] = np.inf
    values[found == NONE] = np.nan
    return values


def differences(found: np.ndarray) -> np.ndarray:
    """Codes [run, point] as steps from point to point, small ones as small numbers.

    A step of +n is stored as 2n and one of −n as 2n − 1, so that the upper byte of
    small steps is zero whatever their sign. Arithmetic is modulo 2¹⁶, hence exact.
    """
    moved = np.diff(found, axis=1, prepend=np.int16(0))
    return (moved << 1) ^ (moved >> 15)


def summed(moved: np.ndarray) -> np.ndarray:
    """The codes of which these are the differences."""
    unsigned = moved.view(np.uint16)
    steps = (unsigned >> 1) ^ -(unsigned & 1)
    return np.cumsum(steps.view(np.int16), axis=1, dtype=np.int16)

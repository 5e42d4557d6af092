r"""Noise that grows with the target: what rows then count.

A search believes in noise of one size. Where noise is a share of each target, as
relative errors are, large targets would be taken too seriously, and terms that explain
their noise would look like a law. The two kinds of noise are told apart by their
likelihoods on what a formula $f$ leaves over, $n \log \sum r^2$ against $n \log \sum
(r/f)^2 + 2 \sum \log |f|$.
"""

import math
from typing import Any

import numpy as np

from ._formula import Formula

CLEARLY = 30.0  # by how much, in units of the score, relative noise must be likelier
SMALLEST = 1e-3  # of the median target: nearer to zero noise is of one size again
FEWEST = 30  # rows


def relative_weight(
    formula: Formula, x: np.ndarray, y: np.ndarray, weight: np.ndarray | None
) -> np.ndarray | None:
    """What each row counts where noise is in proportion to the target.

    Args:
        formula: the best that was found with noise of one size.
        x: the inputs [row, column].
        y: the targets [row].
        weight: what each row counts already; 1 if None.

    Returns:
        1/f², times what a row counts already, with a mean of 1; None if noise of one
        size is as likely, or rows are few.
    """
    counts = np.ones(len(y)) if weight is None else weight / np.mean(weight)
    size = sizes(formula, x)
    if size is None or len(y) < FEWEST:
        return None
    even = log_loss(formula, x, y, counts, np.ones(len(y)))
    relative = log_loss(formula, x, y, counts, size)
    if not relative < even - CLEARLY:
        return None
    found = counts / size**2
    return found / np.mean(found)


def sizes(formula: Formula, x: np.ndarray) -> np.ndarray | None:
    """What noise is in proportion to: the size of the formula, kept from zero."""
    size = np.abs(formula.evaluate(x))
    if not np.isfinite(size).all() or not (middle := float(np.median(size))) > 0:
        return None
    return np.maximum(size, SMALLEST * middle)


def log_loss(
    formula: Formula, x: np.ndarray, y: np.ndarray, counts: Any, size: np.ndarray
) -> float:
    """n log Σ (r/size)² + 2 Σ log size, of which less is likelier."""
    residual = (y - formula.evaluate(x)) / size
    squares = float(counts @ residual**2)
    if not (math.isfinite(squares) and squares > 0):
        return math.inf
    total = float(np.sum(counts))
    return total * math.log(squares / total) + 2 * float(counts @ np.log(size))

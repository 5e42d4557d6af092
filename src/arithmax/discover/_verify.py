"""Whether a formula leaves anything to explain."""

import math

import numpy as np

from ._nodes import Node, Sum
from ._refit import is_linear, predicted
from ._score import crowding
from ._table import Sample
from ._verdict import Trust

EXACT = 1e-9  # relative error on held-out rows
LARGEST = 20  # terms: what has more is a table of its own
UNNAMED = 8  # fitted constants: ratios with more of them follow any smooth function
SIGNIFICANT = 3.3  # standard deviations of what a smooth function still explains
EVIDENCE = 25.0  # by how much a formula must be likelier than no formula at all


def verdict(
    node: Node, error: float, score: float, table: Sample, tolerance: float
) -> Trust:
    """How far a fitted node can be trusted on this data."""
    held = predicted(node, table.held_columns)
    if not np.isfinite(held).all() or not math.isfinite(error):
        return Trust.NOT_FOUND
    if _is_exact(node, error, held, table):
        return Trust.EXACT
    share = math.sqrt(error / table.variation) if table.variation > 0 else math.inf
    if share > tolerance or score > -EVIDENCE or crowding(node, table) > 0:
        return Trust.NOT_FOUND
    if _off(held, table) > 2.0 * share + 1e-9:
        return Trust.NOT_FOUND
    return Trust.WITHIN if left_over(node, table) < SIGNIFICANT else Trust.NOT_FOUND


def _is_exact(node: Node, error: float, held: np.ndarray, table: Sample) -> bool:
    terms = sum(len(n.terms) for n in node.walk() if isinstance(n, Sum))
    free = sum(number.free for number in node.numbers())
    few = (terms <= LARGEST and (free <= UNNAMED or is_linear(node))) or not free
    if not few or crowding(node, table) > 0:
        return False
    return _close(predicted(node, table.columns), table.y) and _close(
        held, table.held_y
    )


def _close(value: np.ndarray, y: np.ndarray) -> bool:
    if not len(y):
        return True
    spread = float(np.std(y)) or float(np.abs(y).max())
    difference = np.abs(value - y)
    typical = np.quantile(difference / np.maximum(np.abs(y), 1e-9 * spread), 0.95)
    return bool(difference.max() < EXACT * spread and typical < 10 * EXACT)


def _off(held: np.ndarray, table: Sample) -> float:
    """The error on held-out rows over the spread of the target."""
    if not len(held):
        return 0.0
    return float(np.sqrt(np.mean((held - table.held_y) ** 2)) / np.std(table.y))


def left_over(node: Node, table: Sample) -> float:
    """What a smooth function of the inputs explains of the residuals beyond chance.

    An F-test of the residuals on polynomials, logarithms and reciprocals of the inputs
    and powers of the prediction, as a standard normal deviate: large where the formula
    misses something.
    """
    with np.errstate(all="ignore"):
        value, slopes = node.slopes(table.columns)
    value = np.broadcast_to(value, table.y.shape)
    residual = (table.y - value) * table.weight
    fitted = [np.broadcast_to(slope, table.y.shape) for slope in slopes]
    start = independent(np.array(fitted), table.weight)
    basis = independent(_smooth(table, value), table.weight, start)
    k, left = len(basis), table.rows - len(start) - len(basis)
    if k < 1 or left < 5:
        return 0.0
    residual = residual - start.T @ (start @ residual)
    explained = float(np.sum((basis @ residual) ** 2))
    rest = max(float(residual @ residual) - explained, 1e-300)
    return normal_deviate(explained / k / (rest / left), k, left)


def _smooth(table: Sample, value: np.ndarray) -> np.ndarray:
    """Rows of a basis: no more than a fifth of what there are rows of the table."""
    columns = table.columns
    scaled = (columns - columns.mean(1, keepdims=True)) / (
        columns.std(1, keepdims=True) + 1e-300
    )
    level = (value - value.mean()) / (value.std() + 1e-300)
    parts = [np.ones_like(value), level**2, level**3]
    parts += [*scaled, *scaled**2, *scaled**3]
    for index, column in enumerate(columns):
        if table.nonzero[index]:
            parts += [1 / column, np.log(np.abs(column))]
        parts.append(np.sign(column) * np.sqrt(np.abs(column)))
    width = len(scaled)
    pairs = [(i, j) for i in range(width) for j in range(i)]
    parts += [scaled[i] * scaled[j] for i, j in pairs]
    parts += [level * each for each in scaled]
    parts += [scaled[i] ** 2 * scaled[j] for i, j in pairs]
    parts += [scaled[j] ** 2 * scaled[i] for i, j in pairs]
    return np.array(parts[: max(table.rows // 5, 4)])


def independent(
    rows: np.ndarray, weight: np.ndarray, known: np.ndarray | None = None
) -> np.ndarray:
    """An orthonormal basis of the rows, beyond those of a known one."""
    if not len(rows):
        return np.zeros((0, len(weight)))
    rows = np.where(np.isfinite(rows), rows, 0.0) * weight
    rows = rows / (np.linalg.norm(rows, axis=1, keepdims=True) + 1e-300)
    if known is not None and len(known):
        rows = rows - (rows @ known.T) @ known
    values, vectors = np.linalg.eigh(rows @ rows.T)
    kept = values > 1e-9
    return (vectors[:, kept] / np.sqrt(values[kept])).T @ rows


def normal_deviate(f: float, k: int, left: int) -> float:
    """The standard normal deviate of an F-value (Paulson's cube root)."""
    a, b, root = 2 / (9 * k), 2 / (9 * left), f ** (1 / 3)
    return ((1 - b) * root - (1 - a)) / math.sqrt(b * root**2 + a)

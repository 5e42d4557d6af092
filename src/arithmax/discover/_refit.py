"""The free constants of a formula by least squares, with their standard errors."""

import math
from typing import Any

import numpy as np

from ._nodes import Node, Sum
from ._numbers import Number

EASED, STIFFENED = 0.2, 5.0  # what an accepted and a refused step do to the damping


def predicted(node: Node, columns: Any) -> np.ndarray:
    """What the node computes on each row, NaN where it is undefined."""
    with np.errstate(all="ignore"):
        return np.broadcast_to(node.value(columns), columns[0].shape)


def refitted(
    node: Node,
    columns: Any,
    y: np.ndarray,
    weight: np.ndarray | None = None,
    steps: int = 40,
) -> tuple[Node, float]:
    """The node with those free constants that minimise Σ weight² (node − y)².

    Levenberg–Marquardt; a node that is linear in its constants takes one solution of a
    linear system. Rows on which the node is not finite make the error infinite.

    Returns:
        The node, and the sum of squares; infinite if there is none.
    """
    numbers = list(node.numbers())
    free = [i for i, number in enumerate(numbers) if number.free]
    weight = np.ones_like(y) if weight is None else weight
    with np.errstate(all="ignore"):
        if not free:
            return node, _error(predicted(node, columns), y, weight)
        fit = _Fit(node, numbers, free, columns, y, weight)
        found = fit.linear() if is_linear(node) else fit.descend(steps)
        return fit.with_errors(*found)


def is_linear(node: Node) -> bool:
    """Whether the free constants are coefficients of the outermost sum only."""
    return isinstance(node, Sum) and not any(term.free() for term in node.terms)


def _error(value: Any, y: np.ndarray, weight: np.ndarray) -> float:
    residual = (value - y) * weight
    error = float(residual @ residual)
    return error if math.isfinite(error) else math.inf


class _Fit:
    def __init__(self, node, numbers, free, columns, y, weight) -> None:
        self.node, self.numbers, self.free = node, numbers, free
        self.columns, self.y, self.weight = columns, y, weight

    def at(self, values: np.ndarray) -> Node:
        numbers = list(self.numbers)
        for i, value in zip(self.free, values, strict=True):
            numbers[i] = Number(float(value))
        return self.node.replaced(iter(numbers))

    def start(self) -> np.ndarray:
        return np.array([self.numbers[i].value for i in self.free])

    def error(self, values: np.ndarray) -> float:
        return _error(self.at(values).value(self.columns), self.y, self.weight)

    def system(self, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Weighted residuals and slopes [row, constant]."""
        value, slopes = self.at(values).slopes(self.columns)
        ones = np.ones_like(self.y)
        matrix = np.stack([ones * slope for slope in slopes], axis=1)
        return (self.y - value) * self.weight, matrix * self.weight[:, None]

    def linear(self) -> tuple[np.ndarray, float, np.ndarray]:
        start = self.start()
        residual, matrix = self.system(start)
        if not (np.isfinite(matrix).all() and np.isfinite(residual).all()):
            return start, math.inf, matrix
        values = start + _solution(matrix, residual)
        values = values + _solution(matrix, self.system(values)[0])  # last digits
        return values, self.error(values), matrix

    def descend(self, steps: int) -> tuple[np.ndarray, float, np.ndarray]:
        values, damping = self.start(), 1e-3
        residual, matrix = self.system(values)
        error = float(residual @ residual)
        if not (math.isfinite(error) and np.isfinite(matrix).all()):
            return values, math.inf, matrix
        for _ in range(steps):
            step = _damped(matrix, residual, damping)
            ahead = self.error(values + step)
            if ahead >= error:
                damping *= STIFFENED
                if damping > 1e8:
                    break
                continue
            gain, values = error - ahead, values + step
            error, damping = ahead, max(damping * EASED, 1e-12)
            residual, matrix = self.system(values)
            if not np.isfinite(matrix).all():
                return values, math.inf, matrix
            if gain <= 1e-9 * error and damping < 1e-4:
                break
        return self._polish(values, error, residual, matrix)

    def _polish(self, values, error, residual, matrix):
        """Undamped steps, for the last digits where there is no noise."""
        for _ in range(2):
            ahead = values + _solution(matrix, residual)
            if not (new := self.error(ahead)) < error:
                break
            values, error = ahead, new
            residual, matrix = self.system(values)
        return values, error, matrix

    def with_errors(self, values, error, matrix) -> tuple[Node, float]:
        left = max(len(self.y) - len(self.free), 1)
        spread = np.full(len(values), math.nan)
        if math.isfinite(error):
            scale = np.linalg.norm(matrix, axis=0)
            scale[scale == 0] = 1.0
            normal = (matrix / scale).T @ (matrix / scale)
            inverse = np.linalg.pinv(normal, hermitian=True)
            spread = np.sqrt(np.abs(np.diag(inverse)) * error / left) / scale
        numbers = list(self.numbers)
        for i, value, each in zip(self.free, values, spread, strict=True):
            numbers[i] = Number(float(value), None, float(each))
        return self.node.replaced(iter(numbers)), error


def _scales(matrix: np.ndarray) -> np.ndarray:
    scale = np.linalg.norm(matrix, axis=0)
    scale[scale == 0] = 1.0
    return scale


def _solution(matrix: np.ndarray, residual: np.ndarray) -> np.ndarray:
    """The least-squares solution, columns being scaled to length one."""
    scale = _scales(matrix)
    return np.linalg.lstsq(matrix / scale, residual, rcond=1e-14)[0] / scale


def _damped(matrix: np.ndarray, residual: np.ndarray, damping: float) -> np.ndarray:
    scale = _scales(matrix)
    scaled = matrix / scale
    normal = scaled.T @ scaled + damping * np.eye(matrix.shape[1])
    return np.linalg.solve(normal, scaled.T @ residual) / scale

"""Random formulas: what every property of formulas is tried on."""

from fractions import Fraction

import numpy as np

from arithmax.discover import Function, Node, Number, Product, Sum, Variable

WIDTH = 3


def number(rng: np.random.Generator) -> Number:
    """Exact or free, as often as not."""
    if rng.random() < 0.5:
        return Number(float(rng.uniform(0.3, 2.5)))
    top, bottom = int(rng.integers(1, 7)), int(rng.integers(1, 4))
    return Number.of(Fraction(top, bottom), int(rng.integers(0, 2)))


def exponent(rng: np.random.Generator) -> Number:
    if rng.random() < 0.3:
        return Number(float(rng.uniform(-2, 2)))
    choices = [-2, -1, 1, 2, 3, Fraction(1, 2), Fraction(-1, 2), Fraction(3, 2)]
    return Number.of(Fraction(choices[int(rng.integers(len(choices)))]))


def tree(rng: np.random.Generator, depth: int = 3) -> Node:
    """A node of positive value on positive columns."""
    if depth == 0 or rng.random() < 0.15:
        return Variable(int(rng.integers(WIDTH)))
    if rng.random() < 0.1:
        inner = Sum((Number(0.1),), (tree(rng, depth - 1),))
        return Function("exp", inner) if rng.random() < 0.5 else _log(inner)
    count = int(rng.integers(1, 4))
    below = tuple(tree(rng, depth - 1) for _ in range(count))
    if rng.random() < 0.5:
        return Sum(tuple(number(rng) for _ in below), below)
    return Product(tuple(exponent(rng) for _ in below), below)


def _log(inner: Node) -> Node:
    one = Number.of(1), Product()
    return Function("log", Sum((Number.of(2), Number.of(1)), (one[1], inner)))


def rows(rng: np.random.Generator, count: int = 40) -> np.ndarray:
    """Columns [column, row] of positive numbers."""
    return rng.uniform(0.5, 1.5, (WIDTH, count))


def several(count: int = 60) -> list[tuple[Node, np.ndarray]]:
    """Trees whose values are of moderate size, and columns for each."""
    rng, found = np.random.default_rng(0), []
    while len(found) < count:
        node, columns = tree(rng), rows(rng)
        with np.errstate(all="ignore"):
            value = np.broadcast_to(node.value(columns), columns[0].shape)
        if np.isfinite(value).all() and 1e-4 < np.abs(value).max() < 1e4:
            found.append((node, columns))
    return found

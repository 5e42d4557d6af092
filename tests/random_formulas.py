"""Formulas by a seeded grammar: sums, products, powers, roots, functions and π."""

from fractions import Fraction

import numpy as np

from arithmax.discover import Formula, Function, Node, Number, Product, Sum, Variable

NAMES = ("m", "v 0", "lambda", "x-1")
POSITIVE = 2  # the first columns are above zero, the others of both signs


def rows(rng: np.random.Generator, count: int = 50) -> np.ndarray:
    """Inputs away from zero, in columns of which the last two have both signs."""
    x = rng.uniform(0.5, 2.0, (count, len(NAMES)))
    x[:, POSITIVE:] *= rng.choice([-1.0, 1.0], (count, len(NAMES) - POSITIVE))
    return x


class Grammar:
    """Draws nodes; `positive` ones may stand under roots, logarithms and fractions."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)

    def formula(self, depth: int = 3) -> Formula:
        return Formula(self.sum(depth, signed=True), NAMES)

    def chance(self, share: float) -> bool:
        return bool(self.rng.random() < share)

    def number(self, signed: bool) -> Number:
        sign = -1 if signed and self.chance(0.5) else 1
        if self.chance(0.5):
            return Number(sign * float(self.rng.uniform(0.1, 3.0)), None, 0.01)
        top, bottom = (int(n) for n in self.rng.integers(1, 7, 2))
        pi = int(self.rng.choice([0, 0, 0, 1, -1, 2]))
        return Number.of(Fraction(sign * top, bottom), pi)

    def exponent(self, signed: bool) -> Number:
        """Whole for what may be negative; any for what is positive."""
        if signed or self.chance(0.4):
            return Number.of(int(self.rng.choice([1, 2, 3, -1, -2])))
        if self.chance(0.4):
            return Number.of(Fraction(int(self.rng.choice([1, -1, 3])), 2))
        if self.chance(0.5):
            return Number.of(Fraction(int(self.rng.choice([1, -2])), 3))
        return Number(float(self.rng.uniform(-2, 2)), None, 0.1)

    def sum(self, depth: int, signed: bool) -> Sum:
        count = int(self.rng.integers(1, 4))
        numbers = [self.number(signed) for _ in range(count)]
        terms = [self.term(depth, signed) for _ in range(count)]
        return Sum(tuple(numbers), tuple(terms))

    def term(self, depth: int, signed: bool) -> Node:
        if self.chance(0.1):
            return Product()
        if self.chance(0.2):
            return self.variable(signed)
        return self.product(depth, signed)

    def product(self, depth: int, signed: bool) -> Product:
        count = int(self.rng.integers(1, 4))
        pairs = [self.power(depth, signed) for _ in range(count)]
        return Product(tuple(e for e, _ in pairs), tuple(f for _, f in pairs))

    def power(self, depth: int, signed: bool) -> tuple[Number, Node]:
        if depth == 0 or self.chance(0.5):
            return self.exponent(signed), self.variable(signed)
        if signed and self.chance(0.3):
            return Number.of(int(self.rng.integers(1, 4))), self.function(depth)
        return self.exponent(False), self.sum(depth - 1, signed=False)

    def variable(self, signed: bool) -> Variable:
        return Variable(int(self.rng.integers(len(NAMES) if signed else POSITIVE)))

    def function(self, depth: int) -> Function:
        name = str(self.rng.choice(["sin", "cos", "log", "exp"]))
        if name == "exp":  # of something small, that the result is no infinity
            return Function(name, Sum((Number(-0.5),), (self.variable(True),)))
        return Function(name, self.sum(depth - 1, signed=name != "log"))


def formulas(count: int, depth: int = 2) -> list[tuple[Formula, np.ndarray]]:
    """So many formulas with rows on which they are defined and well conditioned."""
    found, seed = [], 0
    while len(found) < count:
        formula, x = Grammar(seed).formula(depth), rows(np.random.default_rng(seed))
        if _well_conditioned(formula, x):
            found.append((formula, x))
        seed += 1
    return found


def _well_conditioned(formula: Formula, x: np.ndarray) -> bool:
    """Whether a relative change of inputs is no more than a hundred times as large in
    the result: of what is worse no two ways to compute agree to the last digits."""
    value = formula.evaluate(x)
    moved = formula.evaluate(x * (1 + 1e-9 * np.sign(np.sin(1e3 * x))))
    return bool(np.abs(moved - value).max() < 1e-7 * np.abs(value).max())


def agree(found: np.ndarray, formula: Formula, x: np.ndarray, error=1e-12) -> None:
    """`found` is what the formula gives, relative to the size of each number."""
    expected = formula.evaluate(x)
    assert np.isfinite(expected).all(), str(formula)
    assert np.shape(found) == expected.shape
    size = np.abs(expected).max()
    worst = np.abs(np.asarray(found) - expected).max() / max(size, 1e-300)
    assert worst <= error, (str(formula), worst)

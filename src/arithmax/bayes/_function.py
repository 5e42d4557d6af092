r"""A formula as a smooth function of its constants.

A formula is computed here with any constants, so that powers of negative numbers, which
whole exponents allow, must go on to exponents beside them: the sign of
$b^e$ is that which the formula's own exponent gives, and its size is
$|b|^e = \exp(e \log |b|)$.

A coefficient is what a term is where its columns are 1, which may be far from all rows:
it then depends on every digit of the exponents. Inference therefore moves a coefficient
of the middle of the table, $\tilde c = c \prod_i g_i^{a_i}$, in place of $c$.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from jaxtyping import Float

from ..discover import (
    FUNCTIONS,
    Formula,
    Function,
    Node,
    Number,
    Product,
    Sum,
    Variable,
    readable,
)

Factor: TypeAlias = tuple[int, int]  # the place of an exponent, and its column
ONE = Number.of(1)
PLACE = Number(0.0)  # what stands for a number of which the place alone counts


@dataclass(frozen=True)
class NumberPlace:
    """A place in a formula where a number stands.

    Args:
        role: "coefficient" or "exponent".
        depth: how many sums are around it: 1 for a coefficient of the outermost.
        sign: of a power: "odd" and "even" for whole exponents, "" for others.
        factors: of a coefficient: the powers of columns that its term has.
        name: what it is called: "exponent of x1".
        of_column: whether it is the exponent of a column, and not of a sum.
        within: the term that an exponent stands in.
        whole: the place from which the sum begins that it stands in.
    """

    role: str
    depth: int
    sign: str
    factors: tuple[Factor, ...]
    name: str
    of_column: bool = False
    within: str = ""
    whole: int = 0


@dataclass(frozen=True)
class FormulaFunction:
    """A formula without its numbers: a function of them and of columns.

    Args:
        root: the formula; its numbers are places.
        constants: what each of them is, in the order in which they are read.
        free: the places of those that are inferred; the others are held.
    """

    root: Node
    constants: tuple[NumberPlace, ...]
    free: tuple[int, ...]

    def numbers(self, moved: Any, held: Any, middle: Any, xp: Any) -> list[Any]:
        """All numbers of the formula, in the order in which they are read.

        Args:
            moved: the free ones [free, …], coefficients being those of the middle.
            held: all numbers, of which those that are not free are taken.
            middle: the logarithm of the middle of each column.
            xp: NumPy, or JAX's.
        """
        found = [held[i] for i in range(len(self.constants))]
        for position, place in enumerate(self.free):
            found[place] = moved[position]
        for place in self.free:
            total: Any = 0.0
            for exponent, column in self.constants[place].factors:
                total = total + found[exponent] * middle[column]
            found[place] = found[place] * xp.exp(-total)
        return found

    def moved(self, numbers: np.ndarray, middle: np.ndarray) -> np.ndarray:
        """The free numbers, coefficients being those of the middle."""
        found = [
            numbers[place] / _shrink(numbers, middle, self.constants[place].factors)
            for place in self.free
        ]
        return np.array(found)

    def value(self, numbers: Sequence[Any] | np.ndarray, columns: Any, xp: Any) -> Any:
        """What the formula gives on each row; columns are arrays of equal shape."""
        signs = iter(constant.sign for constant in self.constants)
        return _value(self.root, iter(numbers), signs, columns, xp)

    def slopes(
        self, moved: np.ndarray, held: np.ndarray, middle: np.ndarray, columns: Any
    ) -> Float[np.ndarray, "row free"]:
        """The derivatives by the free numbers, coefficients at the middle."""
        numbers = self.numbers(moved, held, middle, np)
        found = slopes_of(self, numbers, columns)
        rows = len(columns[0])
        raw = np.stack([np.broadcast_to(slope, (rows,)) for slope in found])
        position = {place: k for k, place in enumerate(self.free)}
        result = raw[list(self.free)].T.copy()
        for k, place in enumerate(self.free):
            number, inner = numbers[place], raw[place]
            if factors := self.constants[place].factors:
                result[:, k] *= _shrink(numbers, middle, factors)
            for exponent, column in factors:
                if exponent in position:
                    result[:, position[exponent]] -= inner * number * middle[column]
        return result


def _shrink(
    numbers: Sequence[Any] | np.ndarray, middle: np.ndarray, factors: Any
) -> float:
    """What a coefficient of the middle is multiplied by."""
    return float(np.exp(-sum(numbers[e] * middle[c] for e, c in factors)))


def function_of(formula: Formula, free: Sequence[int]) -> FormulaFunction:
    """The formula as a function of some of its numbers, by their places."""
    found = constants_of(formula)
    blank = formula.root.replaced(iter([PLACE] * len(found)))
    return FormulaFunction(blank, found, tuple(free))


def with_exponents(formula: Formula) -> Formula:
    """The same formula, in which columns that stand in sums have the exponent 1."""
    return Formula(_with_exponents(formula.root), formula.names)


def _with_exponents(node: Node) -> Node:
    if isinstance(node, Variable):
        return Product((ONE,), (node,))
    if isinstance(node, Function):
        return Function(node.name, _with_exponents(node.argument))
    if isinstance(node, Sum):
        return Sum(node.coefficients, tuple(map(_with_exponents, node.terms)))
    assert isinstance(node, Product)
    factors = (
        f if isinstance(f, Variable) else _with_exponents(f) for f in node.factors
    )
    return Product(node.exponents, tuple(factors))


def constants_of(formula: Formula) -> tuple[NumberPlace, ...]:
    """What each number of a formula is, in the order in which they are read."""
    found = list(_constants(formula.root, formula, 1, 0, ("", 0)))
    for attribute in ("within", "place"):
        found = list(_told_apart(found, attribute))
    return tuple(found)


def _told_apart(places: Sequence[NumberPlace], attribute: str) -> Iterator[NumberPlace]:
    """Those of the same name with what tells them apart."""
    names = [place.name for place in places]
    for number, place in enumerate(places, start=1):
        if names.count(place.name) == 1:
            yield place
        elif attribute == "within" and place.within:
            yield replace(place, name=f"{place.name} in {place.within}")
        elif attribute == "place":
            yield replace(place, name=f"{place.name} (number {number})")
        else:
            yield place


def middle_of(
    x: Float[np.ndarray, "row column"], weight: Float[np.ndarray, " row"]
) -> Float[np.ndarray, " column"]:
    """The logarithm of a middle of each column: the weighted mean of log |x|."""
    size = np.abs(x)
    logarithm = np.log(np.where(size > 0, size, 1.0))
    return (weight[:, None] * logarithm).sum(axis=0) / weight.sum()


def _constants(
    node: Node, formula: Formula, depth: int, place: int, within: tuple[str, int]
) -> Iterator[NumberPlace]:
    """The numbers of a node, the first of which stands at `place`."""
    whole = place if isinstance(node, Sum) else within[1]
    for number, child in _pairs(node):
        inner, text = place + (number is not None), _text(child, formula)
        if isinstance(node, Sum):
            factors = tuple(_factors(child, inner))
            told = factors, _named(child, text), False, "", whole
            yield NumberPlace("coefficient", depth, "", *told)
            yield from _constants(child, formula, depth + 1, inner, (text, whole))
        else:
            if number is not None:
                told = (), f"exponent of {text}", isinstance(child, Variable), *within
                yield NumberPlace("exponent", depth, _sign(number), *told)
            yield from _constants(child, formula, depth, inner, within)
        place = inner + sum(1 for _ in child.numbers())


def _pairs(node: Node) -> Iterator[tuple[Number | None, Node]]:
    """The children of a node, each with the number that stands before it."""
    if isinstance(node, Sum):
        yield from zip(node.coefficients, node.terms, strict=True)
    elif isinstance(node, Product):
        yield from zip(node.exponents, node.factors, strict=True)
    else:
        yield from ((None, child) for child in node.children())


def _factors(term: Node, place: int) -> Iterator[Factor]:
    """Powers of columns in a term, whose first number stands at `place`."""
    if isinstance(term, Product):
        for factor in term.factors:
            if isinstance(factor, Variable):
                yield place, factor.index
            place += 1 + sum(1 for _ in factor.numbers())


def _sign(number: Number) -> str:
    if not float(number.value).is_integer():
        return ""
    return "odd" if number.value % 2 else "even"


def _named(term: Node, text: str) -> str:
    if isinstance(term, Product) and not term.factors:
        return "constant term"
    return f"factor of {text}"


def _text(node: Node, formula: Formula) -> str:
    return str(readable(Formula(node, formula.names)))


def _value(
    node: Node, numbers: Iterator[Any], signs: Iterator[str], columns: Any, xp: Any
) -> Any:
    if isinstance(node, Variable):
        return columns[node.index]
    if isinstance(node, Function):
        inner = _value(node.argument, numbers, signs, columns, xp)
        return _function(node.name, inner, xp)
    result: Any = 0.0 if isinstance(node, Sum) else 1.0
    for child in node.children():
        number, sign = next(numbers), next(signs)
        inner = _value(child, numbers, signs, columns, xp)
        if isinstance(node, Sum):
            result = result + number * inner
        else:
            result = result * _power(inner, number, sign, xp)
    return result


def slopes_of(
    function: FormulaFunction, numbers: Sequence[Any], columns: Any
) -> list[Any]:
    """The derivative by each of all numbers, in the order in which they are read."""
    signs = iter(constant.sign for constant in function.constants)
    return _slopes(function.root, iter(numbers), signs, columns)[1]


def _slopes(
    node: Node, numbers: Iterator[Any], signs: Iterator[str], columns: Any
) -> tuple[Any, list[Any]]:
    """The value, and its derivative by each number of the node."""
    if isinstance(node, Variable):
        return columns[node.index], []
    if isinstance(node, Function):
        inner, below = _slopes(node.argument, numbers, signs, columns)
        outer = FUNCTIONS[node.name][1](inner)
        return _function(node.name, inner, np), [outer * slope for slope in below]
    parts = []
    for child in node.children():
        number, sign = next(numbers), next(signs)
        parts.append((number, sign, *_slopes(child, numbers, signs, columns)))
    return _sum_slopes(parts) if isinstance(node, Sum) else _product_slopes(parts)


def _sum_slopes(parts: list[Any]) -> tuple[Any, list[Any]]:
    total, found = 0.0, []
    for number, _, value, below in parts:
        total = total + number * value
        found += [value, *(number * slope for slope in below)]
    return total, found


def _product_slopes(parts: list[Any]) -> tuple[Any, list[Any]]:
    powers = [_power(value, number, sign, np) for number, sign, value, _ in parts]
    result, found = np.prod(np.broadcast_arrays(*powers), axis=0) if powers else 1.0, []
    for j, (number, sign, value, below) in enumerate(parts):
        others: Any = 1.0
        for i, power in enumerate(powers):
            others = others * power if i != j else others
        size = np.abs(value)
        slope = others * powers[j] * np.log(np.where(size == 0, 1.0, size))
        if below and number == 1:
            # Beside 1 the power of a sum has no finite slope where the sum is zero: its
            # exponent is held there, so that the numbers within can be inferred.
            slope = np.where(size == 0, np.nan, slope)
        found.append(slope)
        if below:
            flipped = {"odd": "even", "even": "odd", "": ""}[sign]
            outer = others * number * _power(value, number - 1, flipped, np)
            found += [outer * slope for slope in below]
    return result, found


def _function(name: str, inner: Any, xp: Any) -> Any:
    if name != "log":
        return getattr(xp, name)(inner)
    inside = inner > 0
    return xp.where(inside, xp.log(xp.where(inside, inner, 1.0)), xp.nan)


def _power(base: Any, exponent: Any, sign: str, xp: Any) -> Any:
    """The power of a base, with the sign that a whole exponent gives."""
    direction = xp.sign(base)
    zero = direction == 0
    size = xp.where(zero, 1.0, base * direction)
    power = xp.exp(exponent * xp.log(size))
    at_zero = xp.where(exponent > 0, 0.0, xp.inf)
    at_zero = xp.where(exponent == 0, 1.0, at_zero)
    power = xp.where(zero, at_zero, power)
    if sign == "odd":
        return power * direction
    return power if sign == "even" else xp.where(direction < 0, xp.nan, power)

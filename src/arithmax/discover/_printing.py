"""A formula as text: Python's and SymPy's notation, read back by either."""

from collections.abc import Sequence

from ._nodes import Function, Node, Product, Sum, Variable
from ._numbers import Number


def infix(node: Node, names: Sequence[str]) -> str:
    """The node in infix notation."""
    if isinstance(node, Variable):
        return names[node.index]
    if isinstance(node, Function):
        return f"{node.name}({infix(node.argument, names)})"
    if isinstance(node, Product):
        return _product("1", node, names)
    assert isinstance(node, Sum)
    pairs = zip(node.coefficients, node.terms, strict=True)
    parts = [_term(coefficient, term, names) for coefficient, term in pairs]
    joined = " + ".join(parts or ["0"])
    return joined.replace("+ -", "- ")


def _term(coefficient: Number, term: Node, names: Sequence[str]) -> str:
    number = str(coefficient)
    if not isinstance(term, Product):
        term = Product((Number.of(1),), (term,))
    return _product(number, term, names)


def _product(number: str, node: Product, names: Sequence[str]) -> str:
    """number · node as a fraction."""
    above: list[str] = []
    below: list[str] = []
    for exponent, factor in zip(node.exponents, node.factors, strict=True):
        lower = exponent.value < 0
        written = _power(factor, exponent, names)
        (below if lower else above).append(written)
    top = _joined(number, above)
    if not below:
        return top
    bottom = below[0] if len(below) == 1 else f"({'*'.join(below)})"
    return f"{top}/{bottom}"


def _joined(number: str, factors: list[str]) -> str:
    if not factors:
        return number
    if number in ("1", "-1"):
        return number[:-1] + "*".join(factors)
    return "*".join([number, *factors])


def _power(factor: Node, exponent: Number, names: Sequence[str]) -> str:
    """factor ^ |exponent|."""
    base = infix(factor, names)
    size = exponent if exponent.value >= 0 else exponent.times(Number.of(-1))
    if str(size) == "1/2":
        return f"sqrt({base})"
    if not isinstance(factor, Variable | Function):
        base = f"({base})"
    if size.is_exactly(1):
        return base
    shown = str(size)
    return f"{base}**({shown})" if "/" in shown or "*" in shown else f"{base}**{shown}"


def complexity(node: Node) -> int:
    """How many variables, constants and operations there are; the factor 1 is free."""
    if isinstance(node, Variable):
        return 1
    if isinstance(node, Function):
        return 1 + complexity(node.argument)
    if isinstance(node, Sum):
        pairs = zip(node.coefficients, node.terms, strict=True)
        return sum(_scaled(c, t) for c, t in pairs) + max(len(node.terms) - 1, 0)
    assert isinstance(node, Product)
    pairs = zip(node.exponents, node.factors, strict=True)
    return sum(_raised(e, f) for e, f in pairs) + max(len(node.factors) - 1, 0)


def _scaled(coefficient: Number, term: Node) -> int:
    inner = complexity(term)
    if inner == 0:
        return 1  # a constant by itself
    if coefficient.is_exactly(1):
        return inner
    return inner + (1 if coefficient.is_exactly(-1) else 2)


def _raised(exponent: Number, factor: Node) -> int:
    inner, size = complexity(factor), abs(exponent.value)
    if exponent.is_exactly(1):
        return inner
    if size in (0.5, 1.0) and exponent.exact:
        return inner + 1  # a root, or a division
    return inner + 2

"""Text of a formula, read with a small grammar and computed with NumPy.

Nothing is executed: the text becomes a syntax tree, of which numbers, names, + − × ÷,
powers and a few functions are understood, and every other node is refused.
"""

import ast
from collections.abc import Callable, Mapping

import numpy as np

Values = Mapping[str, np.ndarray]  # of variables, all of one shape, or numbers

CONSTANTS = {"pi": np.pi}
FUNCTIONS: dict[str, Callable[..., np.ndarray]] = {
    "sqrt": np.sqrt,
    "Abs": np.abs,
    "abs": np.abs,
    "sign": np.sign,
    "Rational": np.divide,
    "Float": np.asarray,
    "Integer": np.asarray,
}
LONGEST = 100_000  # characters; far more than a formula that anybody would read


def tree(text: str) -> ast.expr:
    """The syntax tree of a formula.

    Args:
        text: The formula as Python or SymPy writes it.

    Returns:
        Its tree; every node is one that `evaluate` understands.

    Example:
        >>> type(tree("2 * x ** 2")).__name__
        'BinOp'
        >>> tree("open('x')")
        Traceback (most recent call last):
        ValueError: `text` has 'open', which is not a formula's function.
    """
    if len(text) > LONGEST:
        raise ValueError(f"`text` has {len(text)} characters; at most {LONGEST}.")
    try:
        root = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, RecursionError, MemoryError) as error:
        raise ValueError(f"`text` (={text[:80]!r}) is not a formula.") from error
    for node in ast.walk(root):
        check(node)
    return root


OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow, ast.USub, ast.UAdd)
NODES = (ast.BinOp, ast.UnaryOp, ast.Name, ast.Load, *OPERATORS)


def check(node: ast.AST) -> None:
    """Refuse what is not arithmetic."""
    if isinstance(node, ast.Call):
        name = node.func.id if isinstance(node.func, ast.Name) else "a method"
        if name not in FUNCTIONS:
            raise ValueError(f"`text` has {name!r}, which is not a formula's function.")
        if node.keywords:
            raise ValueError(f"`text` has keywords of {name!r}; there must be none.")
    elif isinstance(node, ast.Constant):
        if type(node.value) not in (int, float):
            raise ValueError(f"`text` has {node.value!r}, which is not a number.")
    elif not isinstance(node, NODES):
        kind = type(node).__name__
        raise ValueError(f"`text` has a {kind}, which is not part of formulas.")


def evaluate(text: str | ast.expr, values: Values) -> np.ndarray:
    r"""The values of a formula; NaN or infinite where it is not a real number.

    Args:
        text: The formula, or its tree.
        values: Each variable's values, all of one shape.

    Returns:
        An array of float64 of that shape.

    Example:
        >>> evaluate("sqrt(x) / 2", {"x": np.array([4.0, -4.0])})
        array([ 1., nan])
    """
    root = tree(text) if isinstance(text, str) else text
    shape = np.broadcast_shapes(*(np.shape(v) for v in values.values()))
    with np.errstate(all="ignore"):
        return np.broadcast_to(np.asarray(value(root, values), dtype=float), shape)


def value(node: ast.expr, values: Values) -> np.ndarray:
    """The values of one node."""
    match node:
        case ast.Constant(value=number):
            return np.asarray(number, dtype=float)
        case ast.Name(id=name):
            return named(name, values)
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return -value(inner, values)
        case ast.UnaryOp(operand=inner):
            return value(inner, values)
        case ast.BinOp(left=left, op=op, right=right):
            return ARITHMETIC[type(op)](value(left, values), value(right, values))
        case ast.Call(func=ast.Name(id=name), args=args):
            return FUNCTIONS[name](*(value(arg, values) for arg in args))
    raise ValueError(f"`text` has a {type(node).__name__}, which is not a formula's.")


ARITHMETIC: dict[type, Callable[..., np.ndarray]] = {
    ast.Add: np.add,
    ast.Sub: np.subtract,
    ast.Mult: np.multiply,
    ast.Div: np.divide,
    ast.Pow: np.power,
}


def named(name: str, values: Values) -> np.ndarray:
    """A variable, or a constant that no variable hides."""
    if name in values:
        return values[name]
    if name in CONSTANTS:
        return np.asarray(CONSTANTS[name])
    raise ValueError(f"`text` has {name!r}; the variables are {' '.join(values)}.")


def names(text: str | ast.expr) -> set[str]:
    """The names of a formula, functions left out."""
    root = tree(text) if isinstance(text, str) else text
    called = {id(n.func) for n in ast.walk(root) if isinstance(n, ast.Call)}
    inside = (n for n in ast.walk(root) if id(n) not in called)
    return {n.id for n in inside if isinstance(n, ast.Name)}


def size(text: str | ast.expr) -> int:
    """How many nodes a formula has: numbers, names, operators and functions.

    Example:
        >>> size("x + 2 * y"), size("sqrt(-x)")
        (5, 3)
    """
    root = tree(text) if isinstance(text, str) else text
    called = {id(n.func) for n in ast.walk(root) if isinstance(n, ast.Call)}
    counted = (ast.BinOp, ast.UnaryOp, ast.Call, ast.Constant, ast.Name)
    return sum(isinstance(n, counted) and id(n) not in called for n in ast.walk(root))

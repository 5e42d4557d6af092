"""SymPy's expressions as formulas: what has a node is read, the rest is refused."""

import numpy as np
import pytest
import sympy
from sympy import E, I, Max, Min, Piecewise, Rational, Symbol, pi, sign, sqrt, zoo

from arithmax.readout import from_sympy

A, B = sympy.symbols("a b", real=True)
X = np.array([[1.5, -2.0], [-0.5, 3.0], [2.0, 2.5]])
COLUMNS = X.T


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (3 * A / 4 - B**2, lambda a, b: 0.75 * a - b**2),
        (abs(A) * B, lambda a, b: np.abs(a) * b),
        (sign(A) + 0 * B, lambda a, b: np.sign(a)),
        (Max(A, B), np.maximum),
        (Min(A, B, 1), lambda a, b: np.minimum(np.minimum(a, b), 1)),
        (Max(0, A - 1) + 1, lambda a, b: np.maximum(a - 1, 0) + 1),
        (sympy.exp(-(A**2)) * sympy.sin(B), lambda a, b: np.exp(-(a**2)) * np.sin(b)),
        (sqrt(2) * A + E, lambda a, b: np.sqrt(2) * a + np.e),
        (
            pi**2 / 6 * B + sympy.GoldenRatio,
            lambda a, b: np.pi**2 / 6 * b + 1.618033988749895,
        ),
        ((A + B) ** -2, lambda a, b: (a + b) ** -2.0),
        ((A**2) ** Rational(3, 2), lambda a, b: np.abs(a) ** 3),
        (sympy.log(A**2 + 1) / 3, lambda a, b: np.log(a**2 + 1) / 3),
        (2**A * 0 + B, lambda a, b: b),
        (A ** sympy.Float(2.0), lambda a, b: a**2),
    ],
    ids=str,
)
def test_values(expression, expected):
    truth = expected(*COLUMNS)
    for x in (None, X):
        found = from_sympy(expression, ["a", "b"], x).evaluate(X)
        assert np.allclose(found, truth, rtol=1e-13)


@pytest.mark.parametrize(
    ("expression", "x", "text"),
    [
        (abs(A), [[1.0, 0.0], [2.0, 0.0]], "a"),
        (abs(A), [[-1.0, 0.0], [-2.0, 0.0]], "-a"),
        (sign(A), [[-1.0, 0.0], [-2.0, 0.0]], "-1"),
        (abs(A - 1) + 1, [[1.0, 0.0], [2.0, 0.0]], "a"),
        (Max(0, A - 1) + 1, [[1.0, 0.0], [2.0, 0.0]], "a"),
        (Max(0, A - 1) + 1, [[0.0, 0.0], [0.5, 0.0]], "1"),
        (Min(A, B), [[1.0, 0.0], [2.0, 1.5]], "b"),
        (abs(A), [[-1.0, 0.0], [2.0, 0.0]], "sqrt(a**2)"),
    ],
    ids=str,
)
def test_rows_say_what_magnitudes_are(expression, x, text):
    assert str(from_sympy(expression, ["a", "b"], x).simplified()) == text


def test_real_parts_are_read_where_they_are_the_whole():
    root = sympy.re(sqrt(Symbol("a")), evaluate=False)
    assert str(from_sympy(root, ["a"], [[1.0], [4.0]])) == "sqrt(a)"
    for x in (None, [[1.0], [-4.0]]):
        with pytest.raises(ValueError, match="real part"):
            from_sympy(root, ["a"], x)


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        (A**B, "exponent 'b'"),
        (sympy.tan(A), r"'tan\(a\)', which no formula has"),
        (I * A, "'I', which no formula has"),
        (A**I, "exponent 'I'"),
        (Symbol("q") + A, "'q', which is no column; the columns are a, b"),
        (Piecewise((A, A > 0), (B, True)), "Piecewise"),
        (zoo * A, "zoo"),
        (sympy.nan, "not finite"),
        (sympy.Integer(10) ** 400 * A, "not finite"),
        (sympy.Float("1e400") * A, "not finite"),
        (sympy.Function("f")(A), r"'f\(a\)'"),
    ],
    ids=str,
)
def test_what_has_no_node_is_refused_by_its_name(expression, words):
    with pytest.raises(ValueError, match=words):
        from_sympy(expression, ["a", "b"])


@pytest.mark.parametrize("text", ["a", "__import__('os').getcwd()", 3, None, [A]])
def test_no_text_is_evaluated(text):
    with pytest.raises(TypeError, match="must be a SymPy expression"):
        from_sympy(text, ["a"])

"""Columns of any name: text, Python source, SymPy and JSON stay right."""

import importlib.util
import keyword
import unicodedata

import numpy as np
import pytest
import sympy

from arithmax.discover import Formula, Number, Product, Sum, Variable, identifiers
from arithmax.readout import (
    from_json,
    from_sympy,
    latex,
    numpy_function,
    parse,
    python_source,
    to_json,
)

ODD = [
    ("a b", "a-b", "a_b", "a+b", "a_b_2"),
    ("lambda", "None", "class", "x-1", "2x"),
    ("E", "I", "S", "N", "beta"),
    ("sin", "pi", "sqrt", "numpy", "__debug__"),
    ("", " ", "_", "__", "\t"),
    ("µ", "μ", "ﬁ", "fi", "Å"),
    ("x²", "x2", "温度", "é", "e\u0301"),
    ('"""', "a\nimport os", "#", "\\", "'; x"),
    ("x", "x", "x", "x_2", "x_3"),
    ("\ud800", "\x00", "\u202e", "🙂", "f"),
]


def law(names):
    """Σ i · x_i ^ (i + 1), in which every column has a part of its own."""
    count = len(names)
    terms = [Product((Number.of(i + 1),), (Variable(i),)) for i in range(count)]
    numbers = tuple(Number(i + 1.25) for i in range(count))
    return Formula(Sum(numbers, tuple(terms)), names)


X = np.random.default_rng(0).uniform(-2, 2, (10, 5))


@pytest.mark.parametrize("names", ODD, ids=ascii)
def test_identifiers_are_different_and_python_takes_them(names):
    made = identifiers(names)
    assert len(set(made)) == len(names)
    for name in made:
        assert name.isidentifier() and not keyword.iskeyword(name)
        assert unicodedata.normalize("NFKC", name) == name
    assert identifiers(made) == made  # what is an identifier stays


def test_identifiers_keep_what_is_right():
    names = ("m", "v_0", "E", "I", "températures", "x_1")
    assert identifiers(names) == names
    assert identifiers(["x-1", "x_1"]) == ("x_1_2", "x_1")


@pytest.mark.parametrize("names", ODD, ids=ascii)
def test_text_and_source_compute_the_same(names, tmp_path):
    formula = law(names)
    expected = formula.evaluate(X)
    read = parse(str(formula), names)
    assert np.allclose(read.evaluate(X), expected, rtol=1e-13)
    path = tmp_path / "made.py"
    path.write_text(python_source(formula), encoding="utf-8")
    spec = importlib.util.spec_from_file_location("made", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert np.allclose(module.f(*X.T), expected, rtol=1e-13)
    named = dict(zip(formula.identifiers, X.T, strict=True))
    assert np.allclose(module.f(**named), expected, rtol=1e-13)
    assert np.allclose(numpy_function(formula)(**named), expected, rtol=1e-13)
    public = {name for name in vars(module) if not name.startswith("__")}
    assert public == {"f", "numpy"}


@pytest.mark.parametrize("names", ODD, ids=ascii)
def test_json_keeps_names_as_they_are(names):
    assert from_json(to_json(law(names))).names == names
    assert latex(law(names))


@pytest.mark.parametrize("names", [n for n in ODD if len(set(n)) == 5], ids=ascii)
def test_sympy_has_a_symbol_for_each_column(names):
    formula = law(names)
    symbols = sympy.symbols("q0:5", real=True)
    at = dict(zip(symbols, X[0].tolist(), strict=True))
    value = formula.sympy(symbols).subs(at)
    assert float(value) == pytest.approx(formula.evaluate(X[:1])[0])
    assert formula.sympy().free_symbols == {sympy.Symbol(n, real=True) for n in names}
    again = from_sympy(formula.sympy(), names)
    assert np.allclose(again.evaluate(X), formula.evaluate(X))


def test_source_says_which_column_an_argument_is():
    source = python_source(law(("speed (m/s)", "a\nimport os", "m", "v", "w")))
    assert "# speed__m_s_ is the column 'speed (m/s)'" in source
    assert "# a_import_os is the column 'a\\nimport os'" in source
    assert "\nimport os" not in source and "# m" not in source

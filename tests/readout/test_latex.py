"""LaTeX says what the formula computes, whatever columns are called."""

import math
import re
from typing import Any

import latex2mathml.converter
import numpy as np
import pytest

from arithmax.discover import Formula, Variable
from arithmax.readout import latex, parse
from random_formulas import agree, formulas

CASES = formulas(60)
SHOWN = ("m", r"\mathrm{v\ 0}", r"\lambda", r"\mathrm{x{-}1}")


class Reader:
    """Reads the LaTeX that is written here, and computes it: an independent judge."""

    def __init__(self, text: str, columns: dict[str, Any]) -> None:
        names = sorted(columns, key=len, reverse=True)
        words = [re.escape(name) for name in names]
        words += [
            r"\\left\(",
            r"\\right\)",
            r"\\[a-z]+",
            r"\\,",
            r"[0-9.]+",
            r"[-+^{}]",
        ]
        self.tokens = re.findall("|".join(words), text)
        assert "".join(self.tokens).replace(" ", "") == text.replace(" ", "")
        self.columns, self.at = columns, 0

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self, token=None):
        found = self.peek()
        assert token in (None, found), (token, found)
        self.at += 1
        return found

    def sum(self):
        total, sign = 0.0, 1.0
        if self.peek() == "-":
            self.take()
            sign = -1.0
        while True:
            total = total + sign * self.product()
            if self.peek() not in ("+", "-"):
                return total
            sign = 1.0 if self.take() == "+" else -1.0

    def product(self):
        result = self.power()
        while self.peek() not in ("", "+", "-", "}", r"\right)"):
            if self.peek() in (r"\cdot", r"\,"):
                self.take()
            result = result * self.power()
        return result

    def power(self):
        base = self.atom()
        if self.peek() != "^":
            return base
        self.take()
        return np.power(base, self.group())

    def group(self):
        self.take("{")
        value = self.sum()
        self.take("}")
        return value

    def atom(self):
        token = self.take()
        if token in self.columns:
            return self.columns[token]
        if token == r"\frac":
            return self.group() / self.group()
        if token == r"\sqrt":
            return np.sqrt(self.group())
        if token == r"\pi":
            return math.pi
        if token == r"\left(":
            value = self.sum()
            self.take(r"\right)")
            return value
        if token in (r"\sin", r"\cos", r"\exp", r"\log"):
            return getattr(np, token[1:])(self.atom())
        return float(token)


def computed(text, names, x):
    reader = Reader(text, dict(zip(names, x.T, strict=True)))
    value = reader.sum()
    assert reader.peek() == ""
    return np.broadcast_to(value, len(x))


def test_latex_computes_what_the_formula_does():
    for formula, x in CASES:
        agree(computed(latex(formula), SHOWN, x), formula, x)


def test_latex_is_taken_by_another_program():
    for formula, _ in CASES[:30]:
        assert latex2mathml.converter.convert(latex(formula)).startswith("<math")


def test_digits_round_fitted_constants_only():
    formula = parse("3.14159265*a/7 + 22/7*b + 1.5e-9*pi*b**2", ["a", "b"])
    assert latex(formula, 3).startswith(
        r"0.449 a + \frac{22}{7} b + 4.71 \cdot 10^{-9}"
    )
    assert "0.4487989" in latex(formula)


def shown(*names):
    return [latex(Formula(Variable(i), names)) for i in range(len(names))]


def test_names():
    assert shown("x", "x1", "x_12", "alpha", "Omega_0") == [
        "x",
        "x_{1}",
        "x_{12}",
        r"\alpha",
        r"\Omega_{0}",
    ]
    assert shown("mass", "a b", "50%_#$&", "x-1", "\\input{a}", "a^b~") == [
        r"\mathrm{mass}",
        r"\mathrm{a\ b}",
        r"\mathrm{50\%\_\#\$\&}",
        r"\mathrm{x{-}1}",
        r"\mathrm{\backslash input\{a\}}",
        r"\mathrm{a\wedge b\sim }",
    ]
    assert shown("a\nb") == [r"\mathrm{a\ b}"]


@pytest.mark.parametrize(
    "names", [("x1", "x_1"), ("a\nb", "a b"), ("mass", "mass"), ("", " ")]
)
def test_names_that_look_the_same_are_told_from_each_other(names):
    assert len(set(shown(*names))) == len(names)

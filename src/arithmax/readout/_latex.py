"""A formula as LaTeX, for papers and pages: fractions, roots, names escaped."""

import re
from collections.abc import Sequence

from .._checks import check_whole
from ..discover import Formula, Function, Node, Number, Product, Sum, Variable
from ._arguments import check_formula

GREEK = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi rho"
GREEK += " sigma tau upsilon phi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma"
GREEK_NAMES = frozenset(f"{GREEK} Upsilon Phi Psi Omega".split())
ESCAPES = {c: rf"\{c}" for c in "#$%&_{}"}
ESCAPES |= {"\\": r"\backslash ", "^": r"\wedge ", "~": r"\sim ", " ": r"\ "}
ESCAPES |= {c: f"{{{c}}}" for c in "-+*/=<>|,;:'`\"!"}  # no operators in a name


def latex(formula: Formula, digits: int | None = None) -> str:
    r"""The formula in LaTeX's mathematics, for MathJax, KaTeX and papers.

    A name of one letter stands as it is, that of a Greek letter becomes the letter, a
    number after a letter an index ($x_{1}$); all others are upright, with everything
    escaped that LaTeX would take for something else. Where two would look the same, all
    are upright and spelt as `arithmax.discover.identifiers` does.

    Args:
        formula: the formula.
        digits: how many significant digits fitted constants have; all if None.

    Examples:
        >>> from arithmax.readout import latex, parse
        >>> print(latex(parse("m*v**2/2", ["m", "v"])))
        \frac{1}{2} m v^{2}
        >>> names = ["lambda", "x1", "speed (m/s)"]
        >>> print(latex(parse("lambda_*x1/sqrt(speed__m_s_)*1.23456e-7", names), 3))
        \frac{1.23 \cdot 10^{-7} \, \lambda x_{1}}{\sqrt{\mathrm{speed\ (m{/}s)}}}
    """
    check_formula(formula)
    if digits is not None:
        check_whole("digits", digits, 1, 17)
    return _Writer(_names(formula), digits).node(formula.root)


def _names(formula: Formula) -> list[str]:
    names = [_name(name) for name in formula.names]
    if len(set(names)) == len(names):
        return names
    return [_upright(name) for name in formula.identifiers]


def _name(name: str) -> str:
    if re.fullmatch("[A-Za-z]", name):
        return name
    if name in GREEK_NAMES:
        return f"\\{name}"
    if found := re.fullmatch(r"([A-Za-z]+)_?([0-9]+)", name):
        letter, index = found.groups()
        if len(letter) == 1 or letter in GREEK_NAMES:
            return f"{_name(letter)}_{{{index}}}"
    return _upright(name)


def _upright(name: str) -> str:
    printed = "".join(c if c.isprintable() else " " for c in name)
    return rf"\mathrm{{{''.join(ESCAPES.get(c, c) for c in printed) or '{}'}}}"


class _Writer:
    def __init__(self, names: Sequence[str], digits: int | None) -> None:
        self.names, self.digits = names, digits

    def node(self, node: Node) -> str:
        if isinstance(node, Variable):
            return self.names[node.index]
        if isinstance(node, Function):
            return rf"\{node.name}{_bracketed(self.node(node.argument))}"
        if isinstance(node, Product):
            return self.term(Number.of(1), node)
        assert isinstance(node, Sum)
        pairs = zip(node.coefficients, node.terms, strict=True)
        parts = [self.term(c, term) for c, term in pairs] or ["0"]
        return _spaced(parts)

    def term(self, coefficient: Number, term: Node) -> str:
        """A number in front of a fraction of powers, or in its numerator."""
        if not isinstance(term, Product):
            term = Product((Number.of(1),), (term,))
        pairs = list(zip(term.exponents, term.factors, strict=True))
        above = [self.power(f, e) for e, f in pairs if e.value >= 0]
        below = [self.power(f, e) for e, f in pairs if e.value < 0]
        sign = "-" if coefficient.value < 0 else ""
        number = coefficient.times(Number.of(-1)) if sign else coefficient
        one = number.is_exactly(1)
        if not below:
            if one and above:
                return sign + " ".join(above)
            return sign + _glued(self.number(number), above)
        top = " ".join(above) or "1"
        if not one:
            top = _glued(self.number(number), above)
        return rf"{sign}\frac{{{top}}}{{{' '.join(below)}}}"

    def power(self, factor: Node, exponent: Number) -> str:
        """factor ^ |exponent|"""
        size = exponent if exponent.value >= 0 else exponent.times(Number.of(-1))
        if size.exact and str(size.exact[0]) == "1/2" and size.exact[1] == 0:
            return rf"\sqrt{{{self.node(factor)}}}"
        base = self.node(factor)
        if not isinstance(factor, Variable):
            base = _bracketed(base)
        return base if size.is_exactly(1) else f"{base}^{{{self.number(size)}}}"

    def number(self, number: Number) -> str:
        if number.exact is None:
            return self.decimal(number.value)
        fraction, pi = number.exact
        power = "" if pi == 0 else r"\pi" + (f"^{{{abs(pi)}}}" if abs(pi) > 1 else "")
        top, bottom = str(fraction.numerator), str(fraction.denominator)
        if pi > 0:
            top = power if top == "1" else rf"{top} {power}"
        if pi < 0:
            bottom = power if bottom == "1" else rf"{bottom} {power}"
        if bottom == "1":
            return top
        sign = "-" if top.startswith("-") else ""
        return rf"{sign}\frac{{{top.removeprefix('-')}}}{{{bottom}}}"

    def decimal(self, value: float) -> str:
        shown = repr(value) if self.digits is None else f"{value:.{self.digits}g}"
        mantissa, e, exponent = shown.partition("e")
        if not e:
            return mantissa
        return rf"{mantissa} \cdot 10^{{{int(exponent)}}}"


def _glued(number: str, factors: Sequence[str]) -> str:
    """A number before its factors: with a thin space after a power of ten."""
    if not factors:
        return number
    space = r" \, " if number[-1:] == "}" and "10^" in number else " "
    return number + space + " ".join(factors)


def _spaced(parts: Sequence[str]) -> str:
    first, *others = parts
    rest = (f" - {p[1:]}" if p[0] == "-" else f" + {p}" for p in others)
    return first + "".join(rest)


def _bracketed(text: str) -> str:
    return rf"\left({text}\right)"

"""A formula in MathML, which browsers typeset by themselves."""

import html
import re
from collections.abc import Sequence
from itertools import pairwise

from ..discover import Formula, Function, Node, Number, Product, Sum, Variable
from ._html import escape

TIMES = "<mo>&#x2062;</mo>"  # invisible: it is seen by those who cannot see
DOT = "<mo>·</mo>"
MINUS = "<mo>−</mo>"
WORD = re.compile("<mi>[^<]{2,}</mi>")
GREEK = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi rho"
GREEK = frozenset(
    f"{GREEK} sigma tau phi chi psi omega Gamma Delta Sigma Omega".split()
)


def mathml(formula: Formula, target: str, sign: str = "=") -> str:
    """target = formula, typeset with its numbers as they are.

    Args:
        formula: what is shown; round its numbers first.
        target: the name of what it gives.
        sign: what stands between the two.

    Returns:
        A `<math>` element.

    Examples:
        >>> from arithmax.discover import Formula, Number, Sum, monomial
        >>> from arithmax.report._mathml import mathml
        >>> square = monomial([Number.of(2)], [0])
        >>> energy = Formula(Sum((Number.of(3),), (square,)), ("v",))
        >>> "<msup><mi>v</mi><mn>2</mn></msup>" in mathml(energy, "E")
        True
    """
    return (
        f'<math display="block"><mrow>{_name(target)}<mo>{sign}</mo>'
        f"{_node(formula.root, formula.names)}</mrow></math>"
    )


def _node(node: Node, names: Sequence[str]) -> str:
    if isinstance(node, Variable):
        return _name(names[node.index])
    if isinstance(node, Function):
        inner = _brackets(_node(node.argument, names))
        return f"<mrow><mi>{node.name}</mi>{inner}</mrow>"
    if isinstance(node, Product):
        return _term(Number.of(1), node, names)
    assert isinstance(node, Sum)
    parts = []
    for coefficient, term in zip(node.coefficients, node.terms, strict=True):
        negative = coefficient.value < 0
        size = coefficient.times(Number.of(-1)) if negative else coefficient
        sign = MINUS if negative else "<mo>+</mo>" if parts else ""
        parts.append(sign + _term(size, term, names))
    return f"<mrow>{''.join(parts) or '<mn>0</mn>'}</mrow>"


def _term(number: Number, term: Node, names: Sequence[str]) -> str:
    """number · term, as a fraction where something is divided by."""
    if not isinstance(term, Product):
        term = Product((Number.of(1),), (term,))
    above, below = _number_parts(number)
    for exponent, factor in zip(term.exponents, term.factors, strict=True):
        written = _power(factor, exponent, names)
        (below if exponent.value < 0 else above).append(written)
    top = _multiplied(above) or "<mn>1</mn>"
    if not below:
        return top
    return f"<mfrac><mrow>{top}</mrow><mrow>{_multiplied(below)}</mrow></mfrac>"


def _multiplied(factors: list[str]) -> str:
    """Factors side by side, with a dot between numbers and between words."""
    text = factors[0] if factors else ""
    for before, factor in pairwise(factors):
        numbers = before.endswith("</mn>") and factor.startswith("<mn>")
        apart = numbers or WORD.search(before) or WORD.search(factor)
        text += (DOT if apart else TIMES) + factor
    return text


def _power(factor: Node, exponent: Number, names: Sequence[str]) -> str:
    """factor ^ |exponent|."""
    base = _node(factor, names)
    size = exponent.times(Number.of(-1)) if exponent.value < 0 else exponent
    if str(size) == "1/2":
        return f"<msqrt>{base}</msqrt>"
    if not isinstance(factor, Variable | Function):
        base = _brackets(base)
    if size.is_exactly(1):
        return base
    if isinstance(factor, Function):
        base = _brackets(base)
    return f"<msup>{base}{_number(size)}</msup>"


def _brackets(inner: str) -> str:
    return f"<mrow><mo>(</mo>{inner}<mo>)</mo></mrow>"


def _number(number: Number) -> str:
    above, below = _number_parts(number)
    top = _multiplied(above) or "<mn>1</mn>"
    if not below:
        return f"<mrow>{top}</mrow>" if len(above) > 1 or "<msup>" in top else top
    return f"<mrow>{top}<mo>/</mo>{_multiplied(below)}</mrow>"


def _number_parts(number: Number) -> tuple[list[str], list[str]]:
    """What stands above and below a fraction bar; the factor 1 is left out."""
    if number.exact is None or not re.search(r"pi|/", str(number)):
        text = _digits(str(number))
        return ([] if text == "<mn>1</mn>" and number.exact else [text]), []
    fraction, pi = number.exact
    above = [f"<mn>{fraction.numerator}</mn>"] if fraction.numerator != 1 else []
    below = [f"<mn>{fraction.denominator}</mn>"] if fraction.denominator != 1 else []
    if pi:
        power = "<mi>π</mi>" if abs(pi) == 1 else _pi_to(abs(pi))
        (above if pi > 0 else below).append(power)
    return above, below


def _pi_to(power: int) -> str:
    return f"<msup><mi>π</mi><mn>{power}</mn></msup>"


def _digits(text: str) -> str:
    """1.5e-08 as 1.5 · 10⁻⁸."""
    digits, _, exponent = text.removesuffix(".0").partition("e")
    if not exponent:
        return f"<mn>{digits}</mn>"
    power = f"<mn>{int(exponent)}</mn>".replace("<mn>-", f"{MINUS}<mn>")
    raised = f"<msup><mn>10</mn><mrow>{power}</mrow></msup>"
    return raised if digits == "1" else f"<mn>{digits}</mn>{DOT}{raised}"


def _name(name: str) -> str:
    """x1 and x_1 with an index, rho as the letter; all else as it is."""
    if name in GREEK:
        return f"<mi>{html.unescape(f'&{name};')}</mi>"
    if match := re.fullmatch(r"([^\W\d_]+)_?(\d+)", name):
        return f"<msub><mi>{escape(match[1])}</mi><mn>{match[2]}</mn></msub>"
    if match := re.fullmatch(r"([^\W\d_])_(\w+)", name):
        return f"<msub><mi>{escape(match[1])}</mi><mi>{escape(match[2])}</mi></msub>"
    return f"<mi>{escape(name)}</mi>"

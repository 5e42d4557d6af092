"""Formulas in MathML: well-formed, and each part in its place."""

import re
import xml.etree.ElementTree as ElementTree
from fractions import Fraction

import pytest

from arithmax.discover import Formula, Function, Node, Number, Product, Sum, Variable
from arithmax.discover import monomial as powers
from arithmax.report._mathml import mathml
from pages import NASTY

ONE, TWO, HALF = Number.of(1), Number.of(2), Number.of(Fraction(1, 2))
NAMES = ("a", "x1", "v_max", NASTY, "rho", "mass")


def drawn(node: Node) -> str:
    """What is right of the equals sign, without invisible signs."""
    root = node if isinstance(node, Sum) else Sum((ONE,), (node,))
    text = mathml(Formula(root, NAMES), "y").replace("&#x2062;", "")
    whole = "".join(ElementTree.tostring(_parsed(text), encoding="unicode"))
    inner = re.sub(r"<mo ?/>|<mo></mo>", "", whole).split("<mo>=</mo>")[1]
    return (
        inner.removesuffix("</mrow></math>")
        .removeprefix("<mrow>")
        .removesuffix("</mrow>")
    )


def _parsed(text: str) -> ElementTree.Element:
    return ElementTree.fromstring(text)


@pytest.mark.parametrize(
    ("node", "shown"),
    [
        (powers([TWO], [0]), "<msup><mi>a</mi><mn>2</mn></msup>"),
        (powers([ONE], [1]), "<msub><mi>x</mi><mn>1</mn></msub>"),
        (powers([ONE], [2]), "<msub><mi>v</mi><mi>max</mi></msub>"),
        (powers([ONE, ONE], [0, 4]), "<mi>a</mi><mi>ρ</mi>"),
        (powers([ONE, ONE], [0, 5]), "<mi>a</mi><mo>·</mo><mi>mass</mi>"),
        (powers([HALF], [0]), "<msqrt><mi>a</mi></msqrt>"),
        (
            powers([ONE, Number.of(-1)], [0, 1]),
            "<mfrac><mrow><mi>a</mi></mrow><mrow><msub><mi>x</mi><mn>1</mn></msub>"
            "</mrow></mfrac>",
        ),
        (
            powers([Number.of(-1)], [0]),
            "<mfrac><mrow><mn>1</mn></mrow><mrow><mi>a</mi></mrow></mfrac>",
        ),
        (
            powers([Number.of(Fraction(3, 2))], [0]),
            "<msup><mi>a</mi><mrow><mn>3</mn><mo>/</mo><mn>2</mn></mrow></msup>",
        ),
        (
            Sum((Number(1.5e-8),), (Product(),)),
            "<mn>1.5</mn><mo>·</mo><msup><mn>10</mn>"
            "<mrow><mo>−</mo><mn>8</mn></mrow></msup>",
        ),
        (
            Sum((Number.of(Fraction(4, 3), 1),), (Variable(0),)),
            "<mfrac><mrow><mn>4</mn><mi>π</mi><mi>a</mi></mrow><mrow><mn>3</mn></mrow>"
            "</mfrac>",
        ),
        (
            Sum((ONE, Number.of(-1)), (Variable(0), Product())),
            "<mi>a</mi><mo>−</mo><mn>1</mn>",
        ),
        (
            Function("sin", Variable(0)),
            "<mrow><mi>sin</mi><mrow><mo>(</mo><mi>a</mi><mo>)</mo></mrow></mrow>",
        ),
        (
            Product((TWO,), (Sum((ONE, ONE), (Variable(0), Product())),)),
            "<msup><mrow><mo>(</mo><mrow><mi>a</mi><mo>+</mo><mn>1</mn></mrow><mo>)</mo>"
            "</mrow><mn>2</mn></msup>",
        ),
    ],
    ids=str,
)
def test_each_part_is_in_its_place(node, shown):
    assert drawn(node) == shown


def test_names_are_text():
    text = mathml(Formula(Sum((ONE,), (Variable(3),)), NAMES), NASTY, "≈")
    names = [e.text for e in _parsed(text).iter("mi")]
    assert names == [NASTY, NASTY] and "<script" not in text
    assert [e.text for e in _parsed(text).iter("mo")] == ["≈"]

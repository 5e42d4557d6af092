"""Formulas as JSON: every bit comes back, and what is foreign or corrupt is refused."""

import copy
import json
import math
from fractions import Fraction

import numpy as np
import pytest

from arithmax.discover import Formula, Function, Number, Product, Sum, Variable
from arithmax.readout import from_json, to_json

FORMULA = Formula(
    Sum(
        (Number.of(Fraction(2, 3), pi=-2), Number(-0.1, None, 1e-300), Number(5e-324)),
        (
            Product((Number.of(-1), Number(0.1 + 0.2)), (Variable(0), Variable(1))),
            Function("exp", Sum((Number(-0.0),), (Variable(1),))),
            Product(),
        ),
    ),
    ("a b", "a b"),
)


def test_every_bit_comes_back():
    read = from_json(to_json(FORMULA))
    assert repr(read) == repr(FORMULA)  # with errors and the sign of zero
    assert from_json(to_json(FORMULA, indent=2).encode()) == FORMULA
    assert math.copysign(1.0, list(read.numbers)[4].value) == -1.0
    infinite = Formula(Sum((Number(1.0, None, math.inf),), (Variable(0),)), ("a",))
    assert repr(from_json(to_json(infinite))) == repr(infinite)


def test_it_is_json_for_every_reader():
    document = json.loads(to_json(FORMULA), parse_constant=pytest.fail)
    assert document["format"] == "arithmax.formula" and document["version"] == 1
    assert document["text"] == str(FORMULA)


def test_what_json_does_not_have_is_refused():
    with pytest.raises(ValueError, match="constant nan"):
        to_json(Formula(Sum((Number(math.nan),), (Variable(0),)), ("a",)))


DOCUMENT = json.loads(to_json(FORMULA))
FIRST = ("root", "sum", 0)
CHANGES = [
    (("format",), "else", "`format`"),
    (("version",), 2, r"`version` \(=2\)"),
    (("version",), True, r"`version` \(=True\)"),
    (("names",), "ab", "`names`"),
    (("names",), [1, 2], "`names`"),
    (("names",), ["a"], r"`root.*variable` \(=1\) must be at least 0 and below 1"),
    (("extra",), 1, "'extra'"),
    (("root",), [], r"`root` \(=\[\]\)"),
    (("root",), {"eval": "os"}, "`root`"),
    (("root",), {"variable": 0, "sum": []}, "`root`"),
    (("root", "sum"), 3, r"`root\.sum` \(=3\)"),
    (FIRST, {}, r"`root\.sum\[0\]` must have the field 'coefficient'"),
    ((*FIRST, "more"), 1, r"`root\.sum\[0\]` has the field 'more'"),
    ((*FIRST, "coefficient", "value"), "1", r"coefficient\.value` \(='1'\)"),
    ((*FIRST, "coefficient", "value"), True, r"coefficient\.value` \(=True\)"),
    ((*FIRST, "coefficient", "value"), 10**400, r"coefficient\.value`"),
    ((*FIRST, "coefficient", "value"), 0.7, r"must be the number that"),
    ((*FIRST, "coefficient", "error"), -1, r"coefficient\.error` \(=-1\)"),
    ((*FIRST, "coefficient", "error"), "NaN", r"coefficient\.error`"),
    ((*FIRST, "coefficient", "exact"), "2/3", r"coefficient\.exact`"),
    ((*FIRST, "coefficient", "exact", "pi"), 0.5, r"exact\.pi`"),
    ((*FIRST, "coefficient", "exact", "pi"), 10**9, r"exact\.pi`"),
    ((*FIRST, "coefficient", "exact", "fraction"), 2, r"exact\.fraction`"),
    ((*FIRST, "coefficient", "exact", "fraction"), "2/0", r"must not divide by 0"),
    ((*FIRST, "coefficient", "exact", "fraction"), "1e3", r"exact\.fraction`"),
    ((*FIRST, "coefficient", "exact", "fraction"), "9" * 5000, r"exact\.fraction`"),
    ((*FIRST, "term", "product", 0, "factor"), {"variable": -1}, r"at least 0"),
    ((*FIRST, "term", "product", 0, "factor"), {"variable": 0.0}, r"whole number"),
    ((*FIRST, "term", "product", 0, "exponent"), 2, r"exponent` \(=2\)"),
    (
        ("root", "sum", 1, "term", "function"),
        "eval",
        r"`root\.sum\[1\]\.term\.function`",
    ),
    (("root", "sum", 1, "term", "function"), ["sin"], r"term\.function`"),
    (("root", "sum", 1, "term", "argument"), None, r"term\.argument`"),
]


@pytest.mark.parametrize(("path", "value", "words"), CHANGES)
def test_a_wrong_field_is_named(path, value, words):
    document = copy.deepcopy(DOCUMENT)
    place = document
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    with pytest.raises(ValueError, match=words):
        from_json(json.dumps(document))


@pytest.mark.parametrize("name", ["names", "text", "root"])
def test_a_missing_field_is_named(name):
    document = {k: v for k, v in DOCUMENT.items() if k != name}
    with pytest.raises(ValueError, match=f"the field '{name}'"):
        from_json(json.dumps(document))


@pytest.mark.parametrize(
    "text",
    ["", "{", "null", "[]", "7", b"\xff\xfe\x00", '{"a": NaN}', "formula", "\x00"],
)
def test_what_is_no_document_is_refused(text):
    with pytest.raises(ValueError, match=r"`text`|`the document`|`format`"):
        from_json(text)


def test_a_field_that_stands_twice_is_refused():
    text = to_json(FORMULA).replace('"version": 1', '"version": 1, "version": 1')
    with pytest.raises(ValueError, match="'version' twice"):
        from_json(text)


@pytest.mark.parametrize("depth", [300, 100_000])
def test_what_is_too_deep_is_refused(depth):
    start, end = '{"function": "sin", "argument": ', '{"variable": 0}' + "}" * depth
    root = start * depth + end
    text = json.dumps(DOCUMENT | {"root": 0}).replace('"root": 0', f'"root": {root}')
    with pytest.raises(ValueError, match="nodes in nodes"):
        from_json(text)


def test_every_prefix_of_a_document_is_refused():
    text = to_json(FORMULA)
    for end in range(0, len(text), 7):
        with pytest.raises(ValueError):
            from_json(text[:end])


def test_a_document_with_one_bit_turned_is_refused_or_another_formula():
    text = to_json(FORMULA).encode()
    rng = np.random.default_rng(0)
    for place in rng.integers(0, len(text), 300):
        turned = bytearray(text)
        turned[place] ^= 1 << int(rng.integers(0, 7))
        try:
            assert isinstance(from_json(bytes(turned)), Formula)
        except ValueError:
            pass

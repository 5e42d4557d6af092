"""A text is read by a list of what is allowed; the rest is refused by its name."""

import warnings
from fractions import Fraction

import numpy as np
import pytest

from arithmax.readout import parse

NAMES = ("m", "v")
X = np.array([[1.0, 2.0], [3.0, -0.5]])
M, V = X.T


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("m*v**2/2", M * V**2 / 2),
        ("-m**2", -(M**2)),
        ("(-m)**2", M**2),
        ("2**-1*m", M / 2),
        ("m - v - 1", M - V - 1),
        ("m - (v - 1)", M - V + 1),
        ("m/v/2", M / V / 2),
        ("m/(v/2)", 2 * M / V),
        ("2**3**2 + m", 512 + M),
        ("-2**2 + m", M - 4),
        ("(m + v)*(m - v)", M**2 - V**2),
        ("sqrt(v**2)", np.abs(V)),
        ("sqrt(m)**2*v", M * V),
        ("(v**2)**(1/2)", np.abs(V)),
        ("(m*v)**3", (M * V) ** 3),
        ("v**3/v**2", V),
        ("1/(1 + 1/(1 + m))", 1 / (1 + 1 / (1 + M))),
        ("exp(-m**2/2)/sqrt(2*pi)", np.exp(-(M**2) / 2) / np.sqrt(2 * np.pi)),
        ("log(m) + sin(v)*cos(v)", np.log(M) + np.sin(V) * np.cos(V)),
        ("1e-3*m + .5 + 0x10", 1e-3 * M + 16.5),
        ("+m", M),
        ("m**sqrt(4)", M**2),
        (" m\t+ v ", M + V),
        ("pi**2/6*m", np.pi**2 / 6 * M),
        ("m**-0.5", M**-0.5),
        ("0*m", 0 * M),
    ],
)
def test_values(text, expected):
    formula = parse(text, NAMES)
    assert np.allclose(formula.evaluate(X), expected, rtol=1e-14)
    assert np.allclose(parse(str(formula), NAMES).evaluate(X), expected, rtol=1e-14)


def test_roots_of_what_is_negative_stay_undefined():
    for text in ("sqrt(v)**2", "v**0.5*v**0.5", "(-8)**(1/3) + m"):
        assert np.isnan(parse(text, NAMES).evaluate(X)).any()


def test_whole_numbers_and_fractions_are_exact_and_decimals_are_not():
    formula = parse("3*pi/4*m + 0.75*v + 1/3 + 1/6", NAMES)
    exact = [number.exact for number in formula.coefficients]
    assert exact == [(Fraction(3, 4), 1), None, (Fraction(1, 2), 0)]
    assert parse("m**(2/3)", NAMES).exponents[0].exact == (Fraction(2, 3), 0)


BAD = ["", "m v", "__import__('os')", "m.real", "m[0]", "m**v", "True", "None", "q"]
BAD += ["m if v else 1", "lambda: 1", "1/0", "m/(1-1)", "sin(m, v)", "sin", "sin()"]
BAD += ["(lambda m: m)(v)", "'a'*3", "1j", "m//v", "m % v", "m @ v", "f'{m}'", "[m]"]
BAD += [
    "sin(x=m)",
    "m := 1",
    "m == v",
    "not m",
    "~m",
    "m\0",
    "m; v",
    "import os",
    "...",
]
BAD += [
    "10**400",
    "9**9**9",
    "m**10**400",
    "1e999*m",
    "2.0**5000",
    "10**400*m",
    "tan(m)",
]
BAD += ["(" * 150 + "m", "-" * 5000 + "m", "m+" * 50_000 + "m", "m(v)", "eval('m')"]
BAD += ["(" * 300 + "m" + ")" * 300, "\\", "m\n+v", "*m", "m**", "sqrt(" * 90 + "m"]


@pytest.mark.parametrize("text", BAD, ids=lambda text: ascii(text[:20]))
def test_what_is_no_formula_is_refused(text):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ValueError, match=r"`text`|the formula"):
            parse(text, NAMES)


def test_messages_name_the_part():
    with pytest.raises(ValueError, match="'q', which is no column; the columns are m"):
        parse("m + q", NAMES)
    with pytest.raises(ValueError, match=r"'m\.real', which is no part of a formula"):
        parse("2*m.real", NAMES)
    with pytest.raises(ValueError, match="'v', which is no constant, as an exponent"):
        parse("m**v", NAMES)


def test_long_sums_are_read():
    text = " + ".join(["m", "v"] * 300)
    assert parse(text, NAMES).evaluate(X) == pytest.approx(300 * (M + V))

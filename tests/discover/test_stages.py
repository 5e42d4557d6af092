"""Each stage finds what it is for, alone; the search without it still works."""

from fractions import Fraction

import numpy as np
import pytest

from arithmax.discover import LADDER, Search, Trust, discover
from arithmax.discover._dimensions import Dimensions, dimension, groups_of
from arithmax.discover._functions import FunctionsOfColumns
from arithmax.discover._ladder import NOISY, SHORT
from arithmax.discover._linear_algebra import LinearAlgebra
from arithmax.discover._monomial import ConstantFormula, Monomial
from arithmax.discover._networks import LARGE, MIDDLE, SMALL, Networks
from arithmax.discover._null_space import NullSpace
from arithmax.discover._separated import Separated, power_columns
from arithmax.discover._sparse import Sparse, SparseRatio
from arithmax.discover._symmetric import Symmetric
from arithmax.discover._table import Sample

RNG = np.random.default_rng(0)
X = RNG.uniform(1, 3, (400, 4))
A, B, C, D = X.T
NOISE = RNG.normal(size=400)

SHOWCASES = {
    "monomial": (Monomial(), 3 * A**2 / np.sqrt(B)),
    "polynomial": (LinearAlgebra(), A * B - 2 * C**2 + 5),
    "root of a polynomial": (LinearAlgebra(), np.sqrt(A**2 + B * C)),
    "negative powers": (LinearAlgebra(), A / B - C / D),
    "half powers": (LinearAlgebra(), np.sqrt(A) + 2 * B * np.sqrt(C)),
    "ratio": (NullSpace(), (A + 2 * B) / (1 + C * D)),
    "root of a ratio": (NullSpace(), np.sqrt(A / (B + C))),
    "sum of two monomials": (Networks(SMALL), A**1.5 / B + 2 * C**3 / D),
    "product of sums": (Networks(MIDDLE), (A - B * C) / np.sqrt(1 + C**2 / D**2)),
    "sum under a root, plus a term": (
        Networks(LARGE[-8:]),
        A * np.sqrt(1 + B**2 / C**2 + D) + A / B,
    ),
    "powers divided out": (
        Separated((LinearAlgebra(),)),
        A**5 / np.sqrt(B) * (C**2 + D**2),
    ),
    "differences": (
        Symmetric((LinearAlgebra(),)),
        np.sqrt((A - B) ** 2 + (C - D) ** 2),
    ),
    "rates": (FunctionsOfColumns(SHORT), 2 * A * np.exp(-0.7 * B)),
    "logarithms": (FunctionsOfColumns(SHORT), A * np.log(B) + C),
    "waves": (FunctionsOfColumns(SHORT), A * np.sin(2.5 * B) + 1),
}


CASES = [
    pytest.param(case, marks=pytest.mark.slow) if case == "waves" else case
    for case in SHOWCASES
]


@pytest.mark.parametrize("case", CASES)
def test_a_stage_alone_is_exact(case):
    stage, y = SHOWCASES[case]
    found = discover(X, y, names="abcd", search=Search((ConstantFormula(), stage)))
    assert found.verdict is Trust.EXACT
    assert found.best.stage == stage.name
    wide = RNG.uniform(0.5, 4, (100, 4))
    truth = {k: v for k, v in zip(SHOWCASES, FUNCTIONS(wide), strict=True)}[case]
    value = found.formula.evaluate(wide)
    defined = np.isfinite(truth)
    np.testing.assert_allclose(value[defined], truth[defined], rtol=1e-6)


def FUNCTIONS(x):
    """The showcases on other rows."""
    a, b, c, d = x.T
    with np.errstate(invalid="ignore"):
        return [
            3 * a**2 / np.sqrt(b),
            a * b - 2 * c**2 + 5,
            np.sqrt(a**2 + b * c),
            a / b - c / d,
            np.sqrt(a) + 2 * b * np.sqrt(c),
            (a + 2 * b) / (1 + c * d),
            np.sqrt(a / (b + c)),
            a**1.5 / b + 2 * c**3 / d,
            (a - b * c) / np.sqrt(1 + c**2 / d**2),
            a * np.sqrt(1 + b**2 / c**2 + d) + a / b,
            a**5 / np.sqrt(b) * (c**2 + d**2),
            np.sqrt((a - b) ** 2 + (c - d) ** 2),
            2 * a * np.exp(-0.7 * b),
            a * np.log(b) + c,
            a * np.sin(2.5 * b) + 1,
        ]


@pytest.mark.parametrize(
    ("stage", "y"),
    [
        (Sparse(), A * B - 2 * C**2 + 5 * D),
        (SparseRatio(), (A + 2 * B) / (1 + C)),
        (Separated(NOISY[1:2]), A**3 * (B * C - D**2)),
    ],
    ids=["sparse", "sparse ratio", "separated"],
)
def test_noise_is_left_over(stage, y):
    noisy = y + 0.01 * y.std() * NOISE
    found = discover(X, noisy, names="abcd", search=Search((ConstantFormula(), stage)))
    assert found.verdict is Trust.WITHIN
    clean = found.formula.freed().refit(X, y)
    np.testing.assert_allclose(clean.evaluate(X), y, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("index", range(1, len(LADDER)))
def test_every_stage_can_be_left_out(index):
    stages = (*LADDER[:index], *LADDER[index + 1 :])
    search = Search(stages, candidates=40)
    found = discover(X[:120, :2], A[:120] * B[:120] + 1, search=search)
    assert found.verdict is Trust.EXACT


def test_powers_are_told_from_the_rest():
    y = A**5 / B * (C**2 + D) + 0.001 * NOISE
    powers = power_columns(Sample.split(X, y, tuple("abcd")))
    assert powers == {0: Fraction(5), 1: Fraction(-1)}


def test_units_leave_few_products():
    """The period of a pendulum: √(l/g) alone has the units of a time."""
    dimensions = [dimension(u) for u in ("m", "m/s^2", "kg", "s")]
    particular, groups = groups_of(dimensions)
    assert particular == {0: Fraction(1, 2), 1: Fraction(-1, 2)}
    assert groups == []
    y = 2 * np.pi * np.sqrt(A / B)
    stages = (
        ConstantFormula(),
        Dimensions(("m", "m/s^2", "kg", "s"), (ConstantFormula(),)),
    )
    found = discover(X[:, :3], y, names="lgm", search=Search(stages))
    assert str(found.formula) == "2*pi*sqrt(l/g)"


def test_units_that_no_product_has():
    dimensions = [dimension(u) for u in ("m", "s", "kg")]
    assert groups_of(dimensions)[0] is None
    search = Search(units=("m", "s", "kg"), candidates=5)
    found = discover(X[:, :2], A * B, search=search)  # the other stages go on
    assert found.verdict is Trust.EXACT


@pytest.mark.parametrize("text", ["kg*", "m^", "(m", "m)", "3 & m", "m^x", "m^(1/0)"])
def test_units_that_are_no_units(text):
    with pytest.raises(ValueError, match=r"`units` \(with .*\) must be products"):
        dimension(text)

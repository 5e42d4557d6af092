"""Conditions on columns, read by a grammar and never evaluated."""

import numpy as np
import pytest

from arithmax.cli._condition import rows_of

RNG = np.random.default_rng(0)
COLUMNS = {
    "x": RNG.integers(0, 5, 200).astype(float),
    "y": RNG.normal(size=200),
    "µ": RNG.uniform(0, 1e-3, 200),  # Python would read another letter
    "the mass": RNG.uniform(1, 2, 200),
    "order": np.arange(200.0),
}


class Table:
    def __init__(self):
        self.names = list(COLUMNS)

    def numbers(self, name):
        return COLUMNS[name]

    def words(self, name):
        return list(map(str, COLUMNS[name]))


X, Y, MU, MASS, ORDER = COLUMNS.values()


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("x > 3", X > 3),
        ("3 < x", X > 3),
        ("x>=3", X >= 3),
        ("x == 2", X == 2),
        ("x != 2", X != 2),
        ("y < -0.5", Y < -0.5),
        ("y<-.5", Y < -0.5),
        ("µ <= 5e-4", MU <= 5e-4),
        ("`the mass` > 1.5", MASS > 1.5),
        ("order < 10 or order >= 190", (ORDER < 10) | (ORDER >= 190)),
        ("x > 1 or y > 0 and µ > 1e-4", (X > 1) | ((Y > 0) & (MU > 1e-4))),
        ("(x > 1 or y > 0) and µ > 1e-4", ((X > 1) | (Y > 0)) & (MU > 1e-4)),
        ("not x > 1 and y > 0", ~(X > 1) & (Y > 0)),
        ("not (x > 1 and y > 0)", ~((X > 1) & (Y > 0))),
        ("1 < x <= 3", (X > 1) & (X <= 3)),
        ("y < x", Y < X),
    ],
)
def test_which_rows_a_condition_is_true_of(text, rows):
    assert 0 < rows.sum() < len(rows)
    np.testing.assert_array_equal(rows_of(text, Table()), rows)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "ends where"),
        ("x", "compared with no column"),
        ("x > 1 and 1 < 2", "compared with no column"),
        ("x >", "ends where"),
        ("> 3", "'>' where a column"),
        ("x = 3", "'=', which is not understood"),
        ("x > 3)", "where it could end"),
        ("(x > 3", "lacks a ')'"),
        ("x > 3 y", "'y' where it could end"),
        ("x > 3 and", "ends where"),
        ("z > 3", "one of the columns 'x', 'y'"),
        ("x > 3x", "not understood"),
        ("__import__('os') > 1", "not understood"),
        ("x.real > 1", "not understood"),
        ("x > 1; y > 2", "not understood"),
        ("(" * 300 + "x > 1" + ")" * 300, "more than 50 brackets"),
        ("not " * 300 + "x > 1", "more than 50 brackets"),
    ],
)
def test_what_is_no_condition(text, words):
    with pytest.raises(ValueError, match="`hold_out`") as raised:
        rows_of(text, Table())
    assert words in str(raised.value) and len(str(raised.value)) < 600

"""Coverage of intervals and pruned exponents: their tables, rows and summaries."""

import numpy as np
import pytest

from arithmax.bayes import FormulaPosterior, laplace
from arithmax.results import Results, read
from arithmax.studies import Trained, reproduce, stored_tables, studies
from arithmax.studies.bayes import interval_coverage as c
from arithmax.studies.bayes import pruned_exponents as p

LAW = "2.5*x1/(x2 + x3)"


def given(name: str, seeds: int) -> Trained:
    return Trained(studies()[name], [], Results([]), seeds)


@pytest.mark.parametrize("law", c.LAWS)
def test_noise_has_the_size_that_it_says(law):
    x, clean = c.NoisyTable(law, c.EVEN, 0.0, 3).rows()
    again, y = c.NoisyTable(law, c.EVEN, 0.1, 3).rows()
    np.testing.assert_array_equal(x, again)
    np.testing.assert_allclose(
        clean, c.NoisyTable(law, c.EVEN, 0.1, 3).formula.evaluate(x)
    )
    assert np.std(y - clean) == pytest.approx(0.1 * np.std(clean), rel=0.2)
    _, relative = c.NoisyTable(law, c.RELATIVE, 0.01, 3).rows()
    assert np.std(relative / clean - 1) == pytest.approx(0.01, rel=0.2)


def test_a_row_counts_the_intervals_that_hold_the_truth():
    table = c.NoisyTable(LAW, c.EVEN, 0.01, 0)
    row = dict(zip(c.SET_NAMES, c.measured(table, "Laplace"), strict=True))
    x, y = table.rows()
    found = laplace(table.formula, x, y)
    truths = {
        "factor of x1/(x2 + x3)": 2.5,
        "exponent of x1": 1.0,
        "factor of x2": 1.0,
        "exponent of x2": 1.0,
        "exponent of x3": 1.0,
    }
    assert {m.name for m in found.marginals} == set(truths)
    held = {m.name: m.contains(truths[m.name]) for m in found.marginals}
    factors = [held[n] for n in truths if n.startswith("factor")]
    exponents = [held[n] for n in truths if n.startswith("exponent")]
    counts = [row[name] for name in c.COUNTED]
    assert counts == [2, sum(factors), 3, sum(exponents)]
    assert isinstance(found, FormulaPosterior)
    assert row["held"] == len(found.held)


def test_coverage_is_that_of_tables():
    rows = [
        {
            "coefficients": 1,
            "exponents": 1,
            "of them inside": a,
            "of them inside too": b,
        }
        for a, b in [(1, 1)] * 9 + [(0, 1)]
    ]
    value, low, high = c.coverage(rows)
    assert value == pytest.approx(0.95) and low < value < high


def test_an_input_is_pruned_if_it_does_not_matter(monkeypatch):
    from arithmax.bayes import Marginal

    exponents = {
        name: Marginal(name, truth, 0.1, truth - 0.2, truth + 0.2)
        for name, truth in p.TRUTH.items()
    }
    matters = {"x1": 1.0, "x2": 1.0, "x3": 0.1, "x4": 0.2}
    monkeypatch.setattr(p, "exponents", lambda method, number: (matters, exponents))
    row = dict(zip(p.SET_NAMES, p.measured("any", 0), strict=True))
    assert row["pruned"] and row["inside"] and row["both"] and row["x3, low"] is None
    matters["x3"] = 0.9
    row = dict(zip(p.SET_NAMES, p.measured("any", 0), strict=True))
    assert not row["pruned"] and row["inside"] and not row["both"]
    matters["x3"], exponents["x1"] = 0.1, Marginal("x1", 1.5, 0.1, 1.3, 1.7)
    row = dict(zip(p.SET_NAMES, p.measured("any", 0), strict=True))
    assert row["pruned"] and not row["inside"] and not row["both"]


@pytest.mark.slow
def test_discovery_finds_the_law_and_its_exponents():
    row = dict(zip(p.SET_NAMES, p.measured(p.METHODS[0], 0), strict=True))
    assert row["pruned"]
    assert abs(row["x1, mean"] - 2) < 0.02 and abs(row["x2, mean"] + 1) < 0.02


@pytest.mark.slow
def test_coverage_goes_on_where_it_was(tmp_path, monkeypatch):
    monkeypatch.setattr(c, "LAWS", {LAW: c.LAWS[LAW]})
    monkeypatch.setattr(c, "NOISES", ((c.EVEN, 0.01),))
    monkeypatch.setattr(c, "STEPS", 200)
    reproduce([c.SHEET.name], out=tmp_path, seeds=1)
    before = stored_tables(c.SHEET.name, tmp_path)["sets"]
    monkeypatch.setattr(c, "measured", None)  # nothing is left to be measured
    c.compute(Trained(studies()[c.SHEET.name], [], read(tmp_path), 1))
    assert stored_tables(c.SHEET.name, tmp_path)["sets"] == before
    assert before["method"] == list(c.METHODS)


@pytest.mark.slow
def test_a_network_prunes_the_same_inputs():
    row = dict(zip(p.SET_NAMES, p.measured(p.METHODS[1], 0), strict=True))
    assert row["pruned"] and abs(row["x1, mean"] - 2) < 0.02

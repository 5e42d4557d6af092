"""Tools, tables and rows of the comparison, as far as they can be known beforehand."""

import doctest
import json
import math

import numpy as np
import pytest
from formulas import _judge, _others, _summary, _tables, _text, _tools, _wide, _workers
from formulas._floor import Floor
from formulas._judge import judge
from formulas._summary import summary
from formulas._tables import Formula, Range, read, table
from formulas._wide import wide
from formulas._workers import Task

import discover as comparison

PUBLISHED = {f.id: f for f in read("formulas")}


def floor(formula: Formula, noise: float = 0.0) -> str:
    x, y = table(formula, noise=noise)
    return Floor()(x, y, formula.names, 0, 1.0)["text"]


@pytest.mark.parametrize(
    "name", ["I.12.1", "I.47.23", "III.15.14", "Nguyen-2", "Korns-1"]
)
def test_the_floor_finds_power_laws_and_polynomials(name):
    assert judge(floor(PUBLISHED[name]), PUBLISHED[name]).exact


@pytest.mark.parametrize("name", ["I.18.4", "I.10.7", "Meier-3"])
def test_the_floor_finds_nothing_else(name):
    assert not judge(floor(PUBLISHED[name]), PUBLISHED[name]).structure


def test_the_floor_with_noise_has_the_structure_only():
    found = judge(floor(PUBLISHED["I.12.1"], 0.01), PUBLISHED["I.12.1"])
    assert found.structure
    assert not found.exact


def test_wide_formulas_have_two_sums_over_a_quarter_of_the_inputs():
    formulas = wide()
    assert len({f.id for f in formulas}) == len(formulas) == 30
    hundred = next(f for f in formulas if f.id == "ratio-100-3")
    top, bottom = hundred.text.split(" / ")
    assert top.count("x") == bottom.count("x") == 25
    x, y = table(hundred)
    columns = [[int(n.strip("( )x")) - 1 for n in s.split("+")] for s in (top, bottom)]
    assert np.allclose(y, x[:, columns[0]].sum(axis=1) / x[:, columns[1]].sum(axis=1))


def test_programs_of_gplearn_are_printed_as_they_are_computed():
    class Function:
        def __init__(self, name, arity):
            self.name, self.arity = name, arity

    add, root = Function("add", 2), Function("sqrt", 1)
    div, square = Function("div", 2), Function("square", 1)
    text = _others.unfold([add, root, 1, div, square, 0, -0.5], ["a", "b"])
    assert text == "(sqrt(Abs(b)) + ((a) ** 2 / (-0.5)))"


def test_an_offset_outside_of_everything_is_taken_away():
    assert _others.without_offset("(0.1 + (2.0 * (x + 3.0)))") == "2.0 * (x + 3.0)"
    assert _others.without_offset("((2.0 * x) + (-0.1))") == "2.0 * x"
    assert _others.without_offset("(x + y)") == "(x + y)"


class Broken:
    """A tool that fails on one formula."""

    def warm_up(self) -> None: ...

    def __call__(self, x, y, names, seed, budget) -> dict:
        if "mu" in names:
            raise ArithmeticError("it broke")
        return {"text": "m * g * z", "stage": "guess"}


def test_a_tool_that_fails_has_a_row(monkeypatch):
    monkeypatch.setitem(_tools.TOOLS, "broken", Broken())
    right = _workers.solve(Task("broken", PUBLISHED["I.14.3"], 0.0, 0, 1.0))
    assert right["exact"]
    assert right["stage"] == "guess"
    row = _workers.failure(Task("broken", PUBLISHED["I.12.1"], 0.0, 0, 7.0), "why")
    assert (row["cpu"], row["exact"], row["note"]) == (7.0, False, "why")
    assert set(row) | {"stage"} == set(right)


@pytest.mark.slow
def test_tasks_run_in_other_processes_and_all_have_rows():
    chosen = [PUBLISHED[name] for name in ("I.12.1", "I.14.3", "I.18.4")]
    tasks = [Task("floor", f, 0.0, 0, 5.0) for f in chosen]
    rows = {row["id"]: row for row in _workers.run(tasks, jobs=2)}
    assert {name: row["exact"] for name, row in rows.items()} == {
        "I.12.1": True,
        "I.14.3": True,
        "I.18.4": False,
    }


def test_rows_survive_their_file_and_are_not_run_again(tmp_path):
    row = _workers.failure(Task("floor", PUBLISHED["I.12.1"], 0.01, 3, 7.0), "why")
    path = tmp_path / "rows.json"
    comparison.store(path, [row])
    (read_back,) = comparison.stored(path)
    assert comparison.key(read_back) == ("floor", "Feynman", "I.12.1", 0.01, 3)
    assert read_back["error"] is None  # JSON has no infinity
    comparison.store(path, [read_back])
    assert json.loads(path.read_text("utf-8"))["rows"] == [read_back]


def test_the_summary_counts():
    kinds = ["monomial", "radical", "radical"]
    rows = [
        {"tool": "t", "noise": 0.0, "set": "s", "id": f"f{i}", "seed": 0, "text": "x"}
        | {"kind": kind, "exact": i == 0, "structure": i < 2, "cpu": 4.0 * i}
        for i, kind in enumerate(kinds)
    ]
    lines = summary(rows).splitlines()
    assert lines[2].split() == "radical 0 exact, 1 structure, of 2".split()
    assert lines[3].split() == "all 1 exact, 2 structure, of 3".split()
    assert lines[4].split() == "within 5 s 1 exact, 2 structure".split()
    assert "median 4.00" in lines[5]


def test_wider_ranges_have_half_a_width_more_on_either_side():
    assert Range.read("U[1,5]").wider() == Range(-1, 7)
    log = Range.read("logU[1,100]").wider()
    assert math.isclose(log.low, 0.1)
    assert math.isclose(log.high, 1000)


@pytest.mark.parametrize("module", [_judge, _others, _summary, _tables, _text, _wide])
def test_examples_of_docstrings_are_true(module):
    found = doctest.testmod(module)
    assert found.attempted
    assert not found.failed

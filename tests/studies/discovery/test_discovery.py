"""The arithmetic dataset by discovery: its cells, its rows, and how it goes on."""

import numpy as np
import pytest

from arithmax.discover import discover
from arithmax.results import Results, read
from arithmax.studies import Trained, reproduce, stored_tables, studies
from arithmax.studies._kept import Kept, counted
from arithmax.studies.discovery import _cells as c
from arithmax.studies.discovery import arithmetic_dataset_solved as s
from arithmax.tasks import Subsets

SMALL = c.DatasetCell("mul", inputs=10)
FEW = (SMALL, c.DatasetCell("sub", inputs=25), c.DatasetCell("sqrt", "U[-2,-1]"))


def given(folder=None, seeds=2) -> Trained:
    results = Results([]) if folder is None else read(folder)
    return Trained(studies()[s.SHEET.name], [], results, seeds)


def test_cells_are_all_different_and_have_tasks():
    listed = list(c.cells())
    assert len(set(listed)) == len(listed) == len({cell.labels for cell in listed})
    assert {cell.operation for cell in listed} == set(c.OPERATIONS)
    for cell in listed:
        if not cell.undetermined:
            assert cell.task.in_features == cell.inputs


def test_a_cell_is_undetermined_where_its_task_is_not_defined():
    for cell in c.cells():
        if cell.undetermined:
            with pytest.raises(ValueError, match="not defined"):
                _ = cell.task


@pytest.mark.parametrize(
    ("cell", "model", "solved", "runs"),
    [
        (c.DatasetCell("div"), "NAC•", 0, 100),
        (c.DatasetCell("mul", overlap=0.75), "NAC•,σ", 50, 50),
        (c.DatasetCell("mul", subset=0.5), "NMU", 42, 50),
        (c.DatasetCell("mul", "U[-1.2,-1.1]"), "sNMU, PCC-MSE, beta-NAU", None, 20),
    ],
)
def test_the_best_published_unit(cell, model, solved, runs):
    best = c.best_published(cell)
    assert best is not None
    assert best["runs"] == runs
    if solved is not None:
        assert best["solved"] == solved
    rates = [row["solved"] / row["runs"] for row in c.published(cell)]
    assert best["solved"] / best["runs"] == max(rates)
    assert model in [row["model"] for row in c.published(cell)]


def test_cells_that_nobody_published_have_no_unit():
    assert c.best_published(c.DatasetCell("div", "U[10,20]")) is None


def test_a_table_is_that_of_the_training_range():
    x, y = s.table(c.DatasetCell("div", "U[10,20]", inputs=25), 3)
    assert x.shape == (1000, 25) and x.min() >= 10 and x.max() <= 20
    task = Subsets("div", 25, interpolation=(10.0, 20.0), extrapolation=(20.0, 40.0))
    a, b = (x[:, places].sum(1) for places in task.places(3))
    np.testing.assert_allclose(y, a / b, rtol=1e-12)


@pytest.mark.parametrize("operation", c.OPERATIONS)
def test_every_operation_is_solved(operation):
    cell = c.DatasetCell(operation, inputs=25)
    row = dict(zip(s.SEED_NAMES, s.measured(cell, 1), strict=True))
    assert row["solved"] and row["error"] < 1e-12
    assert row["verdict"] == "exact on this data"


def test_another_formula_is_not_the_target():
    x, y = s.table(SMALL, 0)
    right = discover(x, y).formula
    wrong = discover(x, y + 1e-6).formula
    assert s.outside(SMALL, 0, right) < s.SAME < s.outside(SMALL, 0, wrong)


def test_the_extrapolation_range_is_drawn_after_the_choice(monkeypatch):
    order = []
    draw, find = Subsets.draw, s.discover
    monkeypatch.setattr(
        Subsets,
        "draw",
        lambda self, split, *a: order.append(split) or draw(self, split, *a),
    )
    monkeypatch.setattr(
        s, "discover", lambda *a, **k: order.append("choice") or find(*a, **k)
    )
    s.measured(SMALL, 0)
    assert order == ["training", "choice", "extrapolation"]


def test_a_stopped_study_goes_on(tmp_path, monkeypatch):
    monkeypatch.setattr(s, "cells", lambda: iter(FEW))
    asked, measured = [], s.measured

    def stopped(cell, seed):
        if len(asked) == 3:
            raise KeyboardInterrupt
        asked.append((cell, seed))
        return measured(cell, seed)

    monkeypatch.setattr(s, "measured", stopped)
    with pytest.raises(KeyboardInterrupt):
        s.compute(given(tmp_path))
    kept = Kept(tmp_path, s.SHEET.name, "seeds", s.SEED_NAMES, len(s.LABELS) + 1)
    assert len(kept.rows) == 3
    asked.clear()
    made = s.compute(given(tmp_path))
    assert len(asked) == 3  # the others of six
    assert made.tables["seeds"]["solved"] == [True] * 4 + [False] * 2
    assert made.tables["cells"]["rate"] == [1.0, 1.0, None]
    assert made.tables["total"]["rate"] == [1.0]
    asked.clear()
    assert s.compute(given(tmp_path)) == made and asked == []


def test_a_study_is_a_command_and_remembers(tmp_path, monkeypatch):
    monkeypatch.setattr(s, "cells", lambda: iter(FEW[:1]))
    done = reproduce([s.SHEET.name], out=tmp_path, seeds=1, progress=True)
    assert [e.study.name for e in done.evaluations] == [s.SHEET.name]
    tables = stored_tables(s.SHEET.name, tmp_path)
    assert {"seeds", "cells", "ranges", "sizes", "total"} == set(tables)
    assert tables["cells"]["operation"] == ["×"]


def test_rows_of_another_version_are_computed_again(tmp_path):
    first = Kept(tmp_path, "any", "rows", ("a", "b"), 1)
    first.add((1, 2.0))
    first.write()
    assert Kept(tmp_path, "any", "rows", ("a", "b"), 1).rows == {(1,): (1, 2.0)}
    assert Kept(tmp_path, "any", "rows", ("a", "c"), 1).rows == {}
    assert Kept(None, "any", "rows", ("a", "b"), 1).rows == {}


def test_what_is_stored_already_is_not_written_again(tmp_path):
    kept = Kept(tmp_path, "any", "rows", ("a", "b"), 1)
    kept.write()
    assert not list(tmp_path.iterdir())  # there is nothing
    kept.add((1, 2.0))
    kept.write()
    (file,) = tmp_path.iterdir()
    file.write_bytes(before := file.read_bytes() + b" ")
    kept.write()
    assert file.read_bytes() == before
    kept.add((2, 3.0))
    kept.write()
    assert Kept(tmp_path, "any", "rows", ("a", "b"), 1).rows == kept.rows


def test_nothing_is_shown_unless_asked_for(capsys):
    with counted("tables", 2, False) as count:
        count("one")
    assert capsys.readouterr() == ("", "")

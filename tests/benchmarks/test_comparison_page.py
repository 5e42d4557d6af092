"""The page that compares tools says what the stored rows say."""

import importlib.util
import json
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "comparison.md"


@pytest.fixture(scope="module")
def hook():
    path = ROOT / "docs" / "comparison_tables.py"
    spec = importlib.util.spec_from_file_location("comparison_tables", path)
    assert spec and spec.loader
    spec.loader.exec_module(module := importlib.util.module_from_spec(spec))
    return module


def row(tool: str, name: str, **other) -> dict:
    plain = {"tool": tool, "set": "Feynman", "id": name, "noise": 0.0, "seed": 0}
    plain |= {"kind": "monomial", "budget": 10.0, "text": "x", "cpu": 1.0}
    return plain | {"exact": True, "structure": True, "error": 0.0, "size": 3} | other


MISSED = {"exact": False, "structure": False, "error": None}


@pytest.fixture
def stored(hook, monkeypatch, tmp_path):
    """Rows of a small run in place of the stored ones."""
    rows = [
        row("arithmax", "I.1", verdict="exact on this data"),
        row("arithmax", "I.2", cpu=30.0),
        row("arithmax", "I.3", text="x + 1", **MISSED),
        row("operon", "I.1"),
        row("operon", "I.2", **MISSED),
        row("operon", "I.3"),
        row("floor", "own-4", set="Own"),  # of the half for development
        row("floor", "own-5", set="Own", **MISSED),
        row("floor", "ratio-30-1", set="wide", kind="ratio of sums", cpu=0.25),
    ]
    (tmp_path / "data").mkdir()
    text = json.dumps({"rows": rows})
    (tmp_path / "data" / "discover.json").write_text(text, encoding="utf-8")
    monkeypatch.setattr(hook, "HERE", tmp_path)
    return hook


def cells(table: str, first: str) -> list[str]:
    line = next(t for t in table.splitlines() if t.startswith(f"| {first} |"))
    return [cell.strip() for cell in line.strip("|").split("|")][1:]


def test_answers_are_counted_with_and_without_the_budget(stored):
    table = stored.recovery()
    assert cells(table, "arithmax") == ["2 (2) of 3"]
    assert cells(table, "arithmax, within 10 s") == ["1 (1) of 3"]
    assert cells(table, "operon") == ["2 (2) of 3"]


def test_the_half_for_development_is_not_shown(stored):
    own = stored.recovery().split("\n\n")[1]
    assert cells(own, "floor") == ["0 (0) of 1"]


def test_wide_tables_have_seconds(stored):
    assert cells(stored.wide_table(), "ratio of sums, 30, 0")[3] == "1 (1) of 1, 0.25 s"


def test_what_another_tool_found_alone_is_listed(stored):
    lines = stored.lost().splitlines()
    assert lines[2:] == ["| I.3 | 0 | operon | exact | `x + 1` |"]


def test_verdicts_stand_beside_the_judge(stored):
    table = stored.verdicts()
    assert cells(table, "exact on this data, noise 0") == ["1", "0", "0"]
    assert cells(table, "none, noise 0") == ["1", "0", "1"]


def test_undefined_formulas_are_infinitely_wrong(stored):
    assert cells(stored.cost(), "operon, 0")[:2] == ["0.0e+00", "inf"]


def test_every_marker_of_the_page_is_filled(hook):
    page = hook.on_page_markdown(PAGE.read_text("utf-8"), None, None, None)
    assert "<!-- comparison" not in page
    assert page.count("plotly-graph-div") == 2


def test_stored_rows_are_of_known_formulas(hook):
    from formulas._tables import read
    from formulas._wide import wide

    known = {(f.set, f.id, f.kind) for f in [*read("formulas"), *read("own"), *wide()]}
    rows = hook.rows()
    assert {(r["set"], r["id"], r["kind"]) for r in rows} <= known
    assert len({(r["tool"], *hook.place(r)) for r in rows}) == len(rows)
    assert all(r["structure"] for r in rows if r["exact"])
    assert (ROOT / "docs" / "data" / "discover.json").stat().st_size < 1_000_000

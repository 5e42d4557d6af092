"""What was tried, its figures, and the page that shows them."""

import json
from pathlib import Path

import performance_tables as tables
import pytest
import tries
from account import DRAWN, INPUT, MEASURED, OTHER, SLOPES, purpose
from tries import TRIES

DATA = Path(__file__).parents[2] / "docs" / "data"
ROWS = json.loads((DATA / "tries-cpu.json").read_text(encoding="utf-8"))["tries"]


@pytest.mark.parametrize("one", TRIES, ids=lambda one: one.name)
def test_every_try_has_its_row(one):
    row = {row["name"]: row for row in ROWS}[one.name]
    for name in ("change", "predicted", "kept", "note"):
        assert row[name] == getattr(one, name)
    assert list(row["measured"]) == one.tasks


@pytest.mark.parametrize("one", TRIES, ids=lambda one: one.name)
def test_what_a_try_changes_is_still_there(one):
    with one.way():  # raises where the package has no such name
        pass


def test_what_is_kept_pays_somewhere():
    kept = [row for row in ROWS if row["kept"]]
    assert kept and all(max(row["measured"].values()) > 1.05 for row in kept)


def test_an_outcome_is_how_many_times_less_the_change_takes(monkeypatch):
    # What is compiled another way takes 2 µs, and the package as it is 3.
    monkeypatch.setattr(tries, "Timed", lambda name, way, count: lambda: 2.0)
    changed = tries.Try("faster", "", "")
    assert tries.outcome(changed, tries.TWO, lambda: 3.0) == 1.5
    kept = tries.Try("kept", "", "", kept=True)
    assert tries.outcome(kept, tries.TWO, lambda: 1.0) == 2.0


def test_operations_are_known_by_shape_and_place():
    found = {
        "a": (f"f32{DRAWN}{{2,1,0}}", "vmap()/add"),
        "dot.1": ("f32[32,1,100]{2,1,0}", ""),
        "b": ("f32[32,2,128]{2,1,0}", "while/body/vmap()/dot_general"),
        "c": ("f32[32]{0}", "vmap()/div"),
    }
    assert purpose("a", found, 1000) == INPUT
    assert purpose("a", found, 10) == MEASURED
    assert purpose("dot.1", found, 1000) == SLOPES
    assert purpose("b", found, 1000) == "targets"
    assert purpose("c", found, 1000) == OTHER


def test_the_page_is_whole_with_and_without_tries_of_an_accelerator(
    tmp_path, monkeypatch
):
    for path in DATA.glob("*.json"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    monkeypatch.setattr(tables, "DATA", tmp_path)
    faster = tmp_path / "tries-h200.json"
    faster.unlink(missing_ok=True)
    alone = tables.tries_tables()
    assert all(row["change"] in alone for row in ROWS)
    row = {"name": "warp", "change": "one warp", "predicted": 3, "measured": 3.2}
    row |= {"kept": True, "note": ""}
    about = {"device": "NVIDIA H200", "jax": "0", "tries": [row]}
    faster.write_text(json.dumps(about), encoding="utf-8")
    both = tables.tries_tables()
    assert both.startswith(alone) and "| warp | one warp. | yes | 3 | 3.2 |" in both


def test_the_account_adds_up():
    account = json.loads((DATA / "account-cpu.json").read_text(encoding="utf-8"))
    assert sum(account["parts_us"].values()) == pytest.approx(account["whole_us"])
    assert SLOPES in account["parts_us"] and INPUT in tables.account_table()

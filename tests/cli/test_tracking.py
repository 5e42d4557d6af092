"""How far a report is: a bar on a terminal, and nothing elsewhere."""

import pytest

from arithmax.cli._tracking import tracked
from arithmax.report import page
from arithmax.studies import reproduce
from arithmax.studies._run import load


def test_things_come_one_by_one_and_nothing_is_printed_elsewhere(capsys):
    with tracked() as track:
        assert list(track([1, 2, 3], "counting")) == [1, 2, 3]
    assert capsys.readouterr() == ("", "")


def test_a_terminal_shows_what_is_done_and_how_much(capsys, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "80")
    with tracked() as track:
        list(track(["a", "b"], "reading studies"))
    shown = capsys.readouterr()
    assert shown.out == "" and "reading studies" in shown.err and "2/2" in shown.err


def test_every_study_is_read_and_drawn_once(tmp_path):
    reproduce(["gradient-formulae"], out=tmp_path)
    steps: list[tuple[str, int]] = []

    def track(things, text):
        steps.append((text, len(things)))
        return things

    assert "gradient-formulae" in page(load(tmp_path, track=track), track)
    assert steps == [("reading studies", 1), ("drawing plots", 1)]


@pytest.mark.parametrize("name", ["load", "page"])
def test_what_tracks_may_be_left_out(name, tmp_path):
    reproduce(["gradient-formulae"], out=tmp_path)
    done = load(tmp_path)
    assert [e.study.name for e in done] == ["gradient-formulae"]
    if name == "page":
        assert "gradient-formulae" in page(done)

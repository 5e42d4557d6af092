"""Tables in a terminal: at 80 and at 200 columns, no word and no number is broken."""

import random
import re
import textwrap
from dataclasses import replace
from types import SimpleNamespace

import pytest
from rich.cells import cell_len

from arithmax import NMU, Cell, cli, published
from arithmax.benchmark import shipped
from arithmax.cli._benchmark import LONGEST, standing_table
from arithmax.cli._comparisons import figure_text, print_study
from arithmax.cli._demo import rates
from arithmax.cli._layout import Listing, folded, pieces_of
from arithmax.cli._show import print_notes, show, table
from arithmax.cli._train import summary_table
from arithmax.results import Results
from arithmax.statistics import Interval, Range, success_rate
from arithmax.studies import Arm, Computed, Published, Study, evaluate, studies
from arithmax.tasks import SingleModule
from fake_rows import fake

WIDTHS = (80, 200)


@pytest.fixture(params=WIDTHS)
def width(request, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(request.param))
    return request.param


def check(shown: str, width: int, *texts: str) -> None:
    """No line is too long, nothing is cut off, and every word is there as a whole."""
    lines = shown.splitlines()
    assert [line for line in lines if cell_len(line.rstrip()) > width] == []
    words = set(shown.split())
    for text in texts:
        for word in text.split():
            whole = word in words or all(p in shown for p in pieces_of(word))
            assert whole, f"{word!r} is broken:\n{shown}"


def test_lists(width, capsys):
    for command in ("units", "tasks", "studies"):
        cli.main([command])
        check(capsys.readouterr().out, width)
    cli.main(["tasks"])
    shown = capsys.readouterr().out
    assert "extrapolation = (2.0, 6.0)" in shown  # an option is one line


RATE = success_rate(9, 10)
LONG = "sparsity of a network whose weights were drawn from a very wide distribution"


def study() -> Study:
    network, protocol = published(NMU(), SingleModule("mul"))
    cell = Cell(network, SingleModule("mul"), protocol, tuple(range(10)))
    figures = {
        "success": Published(RATE.value, RATE.low, RATE.high, reason="no reason"),
        "solved_at": Published(1.234e6, 1.111e6, 1.357e6, note="of a copy of theirs"),
        "median": Published(1.2e6),
        "sparsity": Published(3.21e-7, 2.22e-7, 4.44e-7),
    }
    return Study(
        "mine",
        "A study with a long title that says what is asked, and of which ranges",
        "nowhere",
        "",
        (Arm({"operation": "×", "model": "NMU", "range": "[1, 2)"}, cell, figures),),
        claims={LONG: Published(0.5, 0.4, 0.6, note="a note")},
        shown={"table": "A table of many columns."},
    )


def evaluation():
    rows = fake(study(), [True] * 6 + [False] * 4, at=1_250_000, spread=0.01)
    columns = {f"column {i}": [1.23456e-7 * (i + 1), 2.5] for i in range(12)}
    table = {"unit": ["NAC•", "a name of five words"], **columns}
    computed = Computed({"table": table}, {LONG: Interval(0.9, 0.8, 0.95)})
    return evaluate(study(), Results(rows), computed)


def test_studies(width, capsys):
    print_study(evaluation(), {})
    shown = capsys.readouterr().out
    check(shown, width, LONG, "1.23 [1.11,1.36]e6", "3.21 [2.22,4.44]e-7")
    assert "\nClaims" in shown and "\nOurs beside published" in shown
    arms, claims = shown.split("\nClaims")
    # A verdict is a word; reasons and notes are below the table that refers to them.
    assert "overlaps" in arms and "differs [1]" in claims
    assert re.search(r"^\[1\] a note\.$", claims, re.MULTILINE)
    assert re.search(r"^\[\d\] of a copy of theirs\.$", arms, re.MULTILINE)
    for i in range(12):
        assert f"column {i}" in " ".join(shown.split()) or f"{i}" in shown.split()
    if width == 80:  # twelve columns are told in pieces, each with its unit
        assert shown.count("NAC•") > 1


def test_a_reduced_run_has_no_verdict(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    rows = fake(study(), [True] * 3)
    print_study(evaluate(study(), Results(rows)), {})
    shown = capsys.readouterr().out
    assert "overlaps" not in shown.split("mine: ")[1] and "reduced [1]" in shown
    assert "3 of 10 seeds" in shown


def test_figures_that_were_not_run_are_one_line(capsys):
    print_study(evaluate(study(), Results([])), {})
    shown = capsys.readouterr().out
    assert "\n5 published figures: not run.\n" in shown
    assert "sparsity" not in shown and "Claims" not in shown


def test_runs(width, capsys):
    title = f"{NMU()} on {SingleModule('mul', interpolation=(1.1, 1.2))}"
    results = Results(fake(study(), [True] * 6, at=1_250_000, spread=0.01))
    show(summary_table(results, title))
    shown = capsys.readouterr().out
    check(shown, width, title, "6 of 6")
    assert len(re.findall(r"^6 of 6", shown, re.MULTILINE)) == 1  # one line


def places(name: str):
    """One's own unit among all of the leaderboard, on every operation."""
    board = shipped()[0]
    for operation in board.operations:
        scored = board.standing(board.criteria[0], operation, "")
        gap = Interval(-0.987, -1.0, -0.123)
        rivals = [
            SimpleNamespace(
                unit=unit,
                score=score,
                yours=score,
                difference=gap,
                verdict="yours is worse" if i % 2 else "no significant difference",
            )
            for i, (unit, score) in enumerate(scored)
        ]
        score = replace(rivals[0].score, seeds=100, solved=99, outcomes=())
        yield SimpleNamespace(
            board="single-module",
            operation=operation,
            criterion=board.criteria[0],
            score=score,
            rivals=rivals,
            place=2,
        )


@pytest.mark.parametrize("name", ["Mine", "N" * LONGEST, "A unit with a long name" * 2])
def test_benchmark_has_one_line_for_each_rival(name, width, capsys):
    for place in places(name):
        notes: list[str] = []
        show(standing_table(name, place, notes))
        shown = capsys.readouterr().out
        check(shown, width, name)
        numbered = re.findall(r"^ ?\d+  .*\S *$", shown, re.MULTILINE)
        assert len(numbered) == len(place.rivals) + 1
        below = shown.split("─\n")[1].strip("\n").splitlines()
        assert len(below) == len(numbered)  # no line is continued
        for rival, line in zip(place.rivals[1:], numbered[2:], strict=True):
            assert rival.unit in line and "-99 [-100,-12]" in line
        assert numbered[1].split()[1] == "▶"


def test_demo(width, capsys):
    show(rates(studies()["demo"], [], 25))
    check(capsys.readouterr().out, width, "RealNPU", "[10, 20)")


def test_discovery(width, capsys, tmp_path):
    rows = [(a, b, 2.5 * a / b) for a in range(1, 9) for b in range(2, 7)]
    lines = [",".join(map(repr, row)) for row in rows]
    path = tmp_path / "table.csv"
    path.write_text("\n".join(["length,period,velocity", *lines]) + "\n")
    cli.main(["discover", str(path), "--target", "velocity", "--hold-out", "auto"])
    shown = capsys.readouterr().out
    check(shown, width, "velocity = 5*length/(2*period)", "standard error")
    assert "\nRivals by complexity" in shown and "\nConstants" in shown


def test_notes_are_wrapped_between_words(width, capsys):
    print_notes(["a long note of many words " * 20, "short"])
    shown = capsys.readouterr().out
    check(shown, min(width, 100), "a long note of many words")
    first, *rest = shown.splitlines()
    assert first.startswith("[1] ") and all(x[:4] in ("    ", "[2] ") for x in rest)


WORDS = ["x", "NALU", "3.21e-07", "[0.12,0.34]", "multiplicative", "→", "x₁·x₂", "的字"]


@pytest.mark.parametrize("seed", range(20))
def test_any_table(seed, width, capsys):
    """Every word of every cell is there as a whole, whatever the table is."""
    draw = random.Random(seed)

    def cell() -> str:
        return " ".join(draw.choices(WORDS, k=draw.randint(1, 6)))

    columns = [f"column {cell()}" for _ in range(draw.randint(1, 14))]
    rows = [[cell() for _ in columns] for _ in range(draw.randint(1, 5))]
    show(table("title " * draw.randint(1, 40), columns, rows, draw.randint(1, 2)))
    check(capsys.readouterr().out, width, *columns, *(c for row in rows for c in row))


def test_columns_are_told_once_each_and_keys_again():
    wide = Listing("", ["key", *(f"c{i}" for i in range(9))], [["k", *["v" * 20] * 9]])
    pieces = wide.pieces(80)
    assert len(pieces) == 3 and all(piece[0] == 0 for piece in pieces)
    assert [i for piece in pieces for i in piece[1:]] == list(range(1, 10))
    assert wide.pieces(250) == [list(range(10))]


def test_a_long_word_may_go_on_behind_a_mark():
    text = "Stack(units=(NAU(),NMU()),hidden=(2,),starts=(1,2,3,4,5,6,7,8))"
    lines = folded(text, 30)
    assert "".join(lines) == text and max(map(len, lines)) <= 30
    assert folded("a plain sentence", 8) == textwrap.wrap("a plain sentence", 8)


def test_figures_have_one_exponent():
    assert figure_text(Interval(4860, 4774, 4948)) == "4860 [4774,4948]"
    assert figure_text(Interval(5.83e4, 1.89e4, 1.8e5)) == "5.83 [1.89,18]e4"
    assert figure_text(Range(3e-8, 1e-8, 5e-8)) == "3 (1–5)e-8"
    assert figure_text(Interval(0.0, 0.0, 0.0)) == "0"
    assert figure_text(0.465) == "0.465" and figure_text(0.13, rate=True) == "13%"

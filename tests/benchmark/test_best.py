"""The best unit for each operation: its numbers, from the boards' own file."""

import json
from importlib import resources
from typing import Any

import pytest
from scipy.stats import binomtest

from arithmax import cli
from arithmax.benchmark import (
    Board,
    Score,
    best_units,
    inputs_of,
    setting_of,
    setting_text,
    share_text,
    shipped,
)
from arithmax.report._best import best_html, best_lines, best_markdown

FILE = json.loads(
    (resources.files("arithmax.benchmark") / "leaderboard.json").read_text("utf-8")
)
NAMED = {"+": "add", "−": "sub", "×": "mul", "÷": "div"}


def counted(
    board: str, operation: str, criterion: str = "ε = 1e-4"
) -> dict[str, tuple[int, int]]:
    """Solved and all runs of each unit over all ranges, from the file itself."""
    scores = next(b["scores"] for b in FILE["boards"] if b["name"] == board)
    return {
        unit: (
            sum(by_criterion[criterion][1] for by_criterion in ranges.values()),
            sum(by_criterion[criterion][0] for by_criterion in ranges.values()),
        )
        for unit, of_unit in scores.items()
        if (ranges := of_unit.get(operation))
    }


@pytest.mark.parametrize("found", best_units(shipped()), ids=lambda b: b.operation)
def test_the_best_of_the_shipped_boards(found):
    names = ["single-module-1000", "redundancy 10"]
    assert [c.board.name for c in found.contests] == names
    assert [c.inputs for c in found.contests] == [2, 10]
    for contest in found.contests:
        counts = counted(contest.board.name, found.operation)
        assert {
            unit: (score.solved, score.seeds) for unit, score in contest.scores.items()
        } == counts
        assert max(s / n for s, n in counts.values()) == pytest.approx(
            contest.rates[contest.leaders[0]].value
        )
    # No leader does better among ten inputs than the recommended one.
    few = found.contests[0]
    assert found.unit in few.leaders
    among_ten = counted("redundancy 10", found.operation)
    assert among_ten[found.unit][0] == max(
        among_ten[u][0] for u in few.leaders if u in among_ten
    )


@pytest.mark.parametrize("found", best_units(shipped()), ids=lambda b: b.operation)
def test_leaders_are_those_whose_intervals_overlap_the_first(found):
    # A seed is one run of a thousand here, since which were solved is not stored.
    contest = found.contests[0]
    ends = {}
    for unit, (solved, runs) in counted("single-module-1000", found.operation).items():
        whole = binomtest(int(solved / runs * 1000 + 0.5), 1000)
        interval = whole.proportion_ci(method="wilson")
        ends[unit] = min(interval.low, solved / runs), max(interval.high, solved / runs)
    first = contest.leaders[0]
    level = {u for u, (low, high) in ends.items() if high >= ends[first][0]}
    assert set(contest.leaders) == level


def test_units_are_compared_with_those_that_do_the_same_operation():
    one = Score(10, 9)
    scores = {
        ("A", "+", "r", "c"): one,
        ("A", "×", "r", "c"): Score(10, 1),
        ("B", "×", "r", "c"): one,
    }
    found = {b.operation: b for b in best_units([Board("x", "X", scores)])}
    assert {o: b.unit for o, b in found.items()} == {"+": "A", "×": "B"}
    assert list(found["+"].contests[0].scores) == ["A"]
    assert found["×"].contests[0].leaders == ["B"]
    # Units of a user's own have neither a domain nor a setting.
    assert found["+"].domain == "" and setting_of("A", "+", 2) is None
    assert best_lines([Board("x", "X", scores)])[0].domain == ""


def test_the_leader_that_does_best_among_more_inputs_is_recommended():
    few = {(u, "+", "r", "c"): Score(10, 10, step) for u, step in (("A", 1), ("B", 2))}
    many = {(u, "+", "r", "c"): Score(10, n) for u, n in (("A", 2), ("B", 9))}
    boards = [Board("x", "X", few), Board("y 7", "Y", many)]
    assert [inputs_of(b) for b in boards] == [2, 7]
    assert best_units(boards)[0].unit == "B"
    assert best_units(boards[:1])[0].unit == "A"  # the faster one
    alone = Board("z 9", "Z", {("A", "+", "r", "c"): Score(10, 10)})
    assert [c.inputs for c in best_units([*boards, alone])[0].contests] == [2, 7]
    assert best_units([]) == [] and best_html([], str) == ""


def test_a_unit_for_all_inputs_is_named_where_the_best_is_not():
    found = {b.operation: b for b in best_units(shipped())}
    assert found["+"].anywhere is None and found["+"].domain == "all reals"
    assert found["÷"].anywhere is None  # nobody divides by zero
    other = found["×"].anywhere
    assert other is not None and other.domain == "all reals"


def test_settings_are_those_of_the_recipe():
    nmru, inalu = setting_of("NMRU", "÷", 10), setting_of("iNALU", "÷", 2)
    assert nmru is not None and inalu is not None
    text = setting_text(nmru)
    assert text.startswith("Adam, learning rate 0.01; 100,000 steps; ")
    assert "penalty of strength 10 from step 50,000 to 75,000" in text
    text = setting_text(inalu)
    assert "RMSProp" in text and "HalvesOfLosses" in text and "PenaltyApart" in text


def test_shares_are_never_rounded_to_all():
    shares = (1.0, 0.99996, 0.9962, 0.99, 0.5, 0.0)
    assert [share_text(s) for s in shares] == ["100", "99.9", "99.6", "99", "50", "0"]


def test_lines_say_rate_interval_and_condition():
    page = best_html(shipped(), lambda unit: f"#{unit}")
    words = best_markdown(shipped(), lambda unit: f"units/{unit}.md")
    for found in best_units(shipped()):
        for contest in found.contests:
            rate = contest.rates[found.unit]
            text = f"{share_text(rate.value)} %"
            assert text in page.replace("\N{NO-BREAK SPACE}", " ") and text in words
            assert f"[{share_text(rate.low)}–{share_text(rate.high)}]" in page
        assert f'href="#{found.unit}"' in page
        assert f"(units/{found.unit}.md)" in words
    assert "ε = 1e-4" in page and "9 ranges" in page
    assert page.count("<li>") == words.count("- **") == 4


@pytest.mark.parametrize("operation", ["add", "sub", "mul", "div"])
def test_units_for_an_operation_fit_a_terminal(operation, capsys, monkeypatch):
    from arithmax import torch
    from arithmax.cli._order import order

    monkeypatch.setenv("COLUMNS", "80")
    cli.main(["units", "--operation", operation])
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80
    sign = {name: sign for sign, name in NAMED.items()}[operation]
    found = next(b for b in best_units(shipped()) if b.operation == sign)
    for unit in found.contests[0].scores:
        names = unit, f"{unit}*"
        (line,) = [t for t in lines if t.strip().split("  ")[0] in names]
        assert "[" in line and line.count("]") >= 1  # a rate in the same line
    assert any(t.startswith(f"Use {found.unit}:") for t in lines)
    assert "ClipNorm" not in " ".join(lines)
    *_, command, layer = lines
    task: Any = order("single-module", command.split()[3:]).task
    assert task.operation == operation
    assert hasattr(torch, layer.split("(")[0].strip().removeprefix("arithmax.torch."))


def test_units_for_an_operation_as_json(capsys):
    cli.main(["units", "--operation", "div", "--json"])
    entries = json.loads(capsys.readouterr().out)
    assert entries[0]["unit"] == "NMRU" and entries[0]["exact_for"] == "x ≠ 0"
    solved, runs = counted("redundancy 10", "÷")["NMRU"]
    assert entries[0]["success"]["10"][0] == pytest.approx(solved / runs)
    # Of two inputs, the board with most seeds does not know what rounding gives.
    cli.main(["units", "--operation", "mul", "--json", "--criterion", "rounded"])
    rounded = json.loads(capsys.readouterr().out)
    assert rounded[0]["success"].keys() == {"2", "10"}
    for entry in rounded:
        for inputs, board in (("2", "single-module"), ("10", "redundancy 10")):
            if inputs in entry["success"]:
                solved, runs = counted(board, "×", "rounded")[entry["unit"]]
                assert entry["success"][inputs][0] == pytest.approx(solved / runs)
    cli.main(["units", "--operation", "mul", "--criterion", "rounded"])
    assert "nearest discrete weights" in capsys.readouterr().out
    cli.main(["units", "--operation", "sqrt", "--json"])
    roots = json.loads(capsys.readouterr().out)
    assert {"NPU", "RealNPU"} <= {e["unit"] for e in roots}
    assert all(e["exact_for"] == "x > 0" for e in roots)
    cli.main(["units", "--operation", "sqrt"])
    assert "no order" in capsys.readouterr().out

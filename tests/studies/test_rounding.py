"""Exact after rounding, beside solved, wherever a study is shown."""

import math

import pytest

from arithmax import NMU
from arithmax.cli._comparisons import print_study
from arithmax.cli._studies import comparisons_as_json
from arithmax.report import markdown
from arithmax.report._html import section
from arithmax.results import Results
from arithmax.studies import Arm, Evaluation, Study, evaluate
from arithmax.studies._rounding import by_gain, gain, rounding_text
from arithmax.tasks import SingleModule
from arithmax.training import Cell, published
from fake_rows import fake

# Of ten runs of each arm: how many are solved, and how many exact after rounding; NaN
# where a network has no discrete weights, None for runs of older versions.
ARMS = {
    "little": (2, 3),
    "much": (0, 9),
    "less": (5, 1),
    "same": (4, 4),
    "smooth": (6, math.nan),
    "older": (6, None),
}


def shown(**arms: tuple[int, float | None]) -> Evaluation:
    """A study with an arm for each pair of counts."""
    listed, rows = [], []
    for k, (name, (solved, exact)) in enumerate(arms.items()):
        task = SingleModule("mul", interpolation=(1.0, 2.0 + k))
        network, protocol = published(NMU(), task)
        arm = Arm({"arm": name}, Cell(network, task, protocol, tuple(range(10))))
        listed.append(arm)
        alone = Study("one", "One", "", "", (arm,))
        for row in fake(alone, [True] * solved + [False] * (10 - solved)):
            if exact is None:
                del row["rounded"]
            else:
                error = 0.0 if row["seed"] < exact else 1.0
                row["rounded"] = math.nan if math.isnan(exact) else error
            rows.append(row)
    study = Study("rounding", "Rounding", "nowhere", "", tuple(listed))
    return evaluate(study, Results(rows))


def test_arms_that_rounding_changes_are_listed_by_their_gain(capsys):
    evaluation = shown(**ARMS)
    found = by_gain(evaluation.arm_runs)
    gains = {str(runs.arm.labels["arm"]): gain(runs) for runs in found}
    assert gains == {"much": 9, "little": 1, "less": -4}
    assert list(gains) == ["much", "little", "less"]
    said = rounding_text(evaluation.arm_runs)
    assert said.endswith("solved: more in 2 and fewer in 1 of 4 arms.")
    print_study(evaluation, {})
    terminal = capsys.readouterr().out
    assert "0 of 10" in terminal and "9 of 10" in terminal
    assert said in " ".join(terminal.split())
    for page in (markdown(evaluation), section(evaluation, ())):
        table = page[page.index(said) :]
        assert table.index("much") < table.index("little") < table.index("less")
        assert table.index("0 of 10") < table.index("9 of 10") < table.index("3 of 10")
        assert not any(name in table for name in ("same", "smooth", "older"))


def test_no_table_where_rounding_changes_nothing(capsys):
    evaluation = shown(same=ARMS["same"], other=(10, 10))
    print_study(evaluation, {})
    terminal = " ".join(capsys.readouterr().out.split())
    for text in (terminal, markdown(evaluation), section(evaluation, ())):
        assert "solved: as many in all 2 arms." in text
        assert "exact after rounding |" not in text and ">exact after" not in text


@pytest.mark.parametrize("name", ["smooth", "older"])
def test_what_is_not_known_is_not_said(name, capsys):
    evaluation = shown(**{name: ARMS[name]})
    print_study(evaluation, {})
    terminal = capsys.readouterr().out
    for text in (terminal, markdown(evaluation), section(evaluation, ())):
        assert "exact after rounding" not in text


def test_scripts_get_it_of_every_arm():
    evaluation = shown(**ARMS)
    entries = comparisons_as_json([evaluation], {})
    found = {e["labels"]["arm"]: e for e in entries if e["measure"] == "rounded"}
    shares = {name: e["ours"] and e["ours"][0] for name, e in found.items()}
    known = {"little": 0.3, "much": 0.9, "less": 0.1, "same": 0.4}
    assert shares == {**known, "smooth": None, "older": None}
    (only,) = comparisons_as_json([evaluation], {"arm": "much"})
    assert only["labels"] == {"arm": "much"} and only["published"] == [None] * 3

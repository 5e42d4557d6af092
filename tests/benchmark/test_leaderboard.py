"""The leaderboard: its numbers."""

import math
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest

from arithmax import RealNPU, cli
from arithmax import benchmark as stored
from arithmax._identity import describe
from arithmax.benchmark import ROUNDED, best_units, contest_rate, not_run
from arithmax.benchmark._leaderboard import (
    Score,
    boards,
    from_tables,
    pooled,
    rank,
    shipped,
    summarised,
    summary,
)
from arithmax.report._leaderboard import slugs, standings
from arithmax.results import read
from arithmax.statistics import success_rate
from arithmax.studies import study
from arithmax.studies._outcomes import rate
from arithmax.studies._run import compute
from arithmax.studies.primer._runs import RANGES as primer_ranges
from arithmax.studies.primer._runs import UNITS
from arithmax.training import train_cells
from boards import CRITERIA, RANGES, board
from pages import NASTY

ROOT = Path(__file__).parents[2]


def test_scores_are_pooled_run_by_run():
    one, other = Score(25, 5, 1000.0, 0.1), Score(25, 15, 3000.0, None)
    both = pooled([one, other, Score(10, 0)])
    # The sparsity error of one of them is not known, so that of both is not.
    assert both == Score(60, 20, (5 * 1000 + 15 * 3000) / 20, None, 25)
    # A third of the runs, and the interval of 8 of 25 seeds around it.
    assert both is not None and both.counts == (8, 25)
    assert both.success.value == 1 / 3
    assert both.success.low == success_rate(8, 25).low
    assert pooled([both, one]) == Score(85, 25, 2200.0, None, 25)
    assert pooled([]) is None and pooled([Score(3, 0)]) == Score(3, 0)


def test_pooled_outcomes_are_clustered_by_seed():
    one, other = Score(4, 3, outcomes=("1110",)), Score(4, 2, outcomes=("0110",))
    both = pooled([one, other])
    assert both == Score(8, 5, starts=4, outcomes=("1110", "0110"))
    assert both is not None and both.success == rate(("1110", "0110"))
    # Of a table that counts seeds only nothing is known about which.
    mixed = pooled([one, Score(4, 2)])
    assert mixed is not None and mixed.outcomes == () and mixed.starts == 4
    assert mixed.success.value == 5 / 8


def test_units_stand_in_the_order_of_their_success_then_of_their_speed():
    given = board()
    for criterion in CRITERIA:
        for operation in ("+", "×"):
            listed = given.standing(criterion, operation)
            assert listed == sorted(listed, key=lambda item: rank(item[1]))
            names = [unit for unit, _ in listed]
            assert ("NMU" in names) == (operation != "+")
    assert rank(Score(25, 20, 9e3)) < rank(Score(25, 19, 1e3))
    assert rank(Score(25, 20, 1e3)) < rank(Score(25, 20, 9e3))
    assert rank(Score(25, 20, 9e3)) < rank(Score(25, 20))
    total = given.total("NALU", CRITERIA[0])
    parts = [
        s for (u, _, _, c), s in given.scores.items() if (u, c) == ("NALU", CRITERIA[0])
    ]
    assert total is not None and total.solved == sum(s.solved for s in parts)


def test_a_standing_on_a_range_is_that_of_its_runs():
    given, where, criterion = board(), RANGES[1], CRITERIA[0]
    of_range = {key: s for key, s in given.scores.items() if key[2] == where}
    alone = replace(given, scores=of_range)
    for operation in ("", "+", "×"):
        found = given.standing(criterion, operation, where)
        assert found == alone.standing(criterion, operation)


def test_a_summary_gives_back_what_it_was_made_of():
    made = [board(), board("redundancy 10", "Ten", 1)]
    again = summarised(summary(made))
    assert again == made and summary(again) == summary(made)
    assert [b.ranges for b in again] == [list(RANGES)] * 2
    with pytest.raises(ValueError, match="has the format 7, not 2"):
        summarised('{"format": 7}')


def test_a_study_with_further_labels_has_several_boards():
    rows = [
        ("NAU", "+", "[1, 2)", size, c, 2, size // 50, 0.0, 1.0, math.nan, None)
        for size in (10, 100)
        for c in CRITERIA
    ]
    names = ("unit", "operation", "range", "inputs", "criterion", "seeds", "solved")
    names += ("low", "high", "step", "sparsity")  # as boards were before outcomes
    table = {n: [row[k] for row in rows] for k, n in enumerate(names)}
    failed = {"unit": ["NAU"], "operation": ["+"], "range": ["[1, 2)"], "inputs": [10]}
    failed |= {"failure": ["overflow"], "seeds": [2]}
    ten, hundred = from_tables("redundancy", {"criteria": table, "failures": failed})
    assert (ten.name, hundred.name) == ("redundancy 10", "redundancy 100")
    assert ten.counts("NAU") == {"overflow": 2} and hundred.counts("NAU") == {}
    assert hundred.scores["NAU", "+", "[1, 2)", CRITERIA[0]] == Score(2, 2)


def test_the_summary_in_the_package_is_that_of_the_results():
    assert shipped() == boards(ROOT / "results"), (
        "run `arithmax leaderboard results --summary "
        "src/arithmax/benchmark/leaderboard.json`"
    )


@pytest.fixture(scope="module")
def trained(tmp_path_factory) -> Path:
    """Some units of the study itself, with few seeds and steps."""
    out = tmp_path_factory.mktemp("runs")
    whole = study("single-module")
    arms = [
        arm.reduced(seeds=2, steps=1000)
        for arm in whole.arms
        if arm.labels["unit"] in ("NMU", "NAC•")
        and arm.labels["operation"] == "×"
        and arm.labels["range"] in ("[-2, 2)", "[1, 2)")
    ]
    train_cells([arm.cell for arm in arms], out=out)
    compute(replace(whole, arms=tuple(arms)), read(out), out)
    return out


def test_every_seed_of_a_study_is_solved_or_has_a_failure(trained):
    (found,) = boards(trained)
    assert found.name == "single-module" and found.criteria == [*CRITERIA, ROUNDED]
    assert found.operations == ["×"] and len(found.units) == 2
    for (unit, operation, where, criterion), score in found.scores.items():
        assert [len(text) for text in score.outcomes] == [2]
        assert "".join(score.outcomes).count("1") == score.solved
        if criterion == CRITERIA[0]:
            failed = sum(found.failures.get((unit, operation, where), {}).values())
            assert score.seeds == 2 and failed == 2 - score.solved
    assert found.failures["NAC•", "×", "[-2, 2)"] == {"outside its domain": 2}


def test_stored_runs_are_of_the_recipes():
    """A unit whose recipe has changed since has to be trained again."""
    query = "select distinct network, protocol from read_parquet($files)"
    missing = set()
    for name in ("single-module", "redundancy"):
        packs = [f"{name}.rows.parquet", "new-*.rows.parquet"]
        files = [f"{ROOT}/results/{pack}" for pack in packs]
        known = set(duckdb.execute(query, {"files": files}).fetchall())
        for arm in study(name).arms:
            run = describe(arm.cell.network), describe(arm.cell.protocol)
            missing |= set() if run in known else {arm.labels["unit"]}
    assert missing == set(not_run(shipped())) == set()


def test_units_without_runs():
    assert not_run([board()]) == [u for u in UNITS if u not in board().units]
    assert all(contest_rate(b.contests[0], "?") == "—" for b in best_units(shipped()))


def test_how_often_the_realnpu_learns_negative_products_is_counted():
    """Its docstring has the counts of the board with most seeds."""
    found = next(b for b in shipped() if b.name == "single-module-1000")
    negative = [n for n, (ends, _) in primer_ranges.items() if max(ends) < 0]
    scores = [found.score("RealNPU", "×", found.criteria[0], n) for n in negative]
    seeds, solved = (sum(getattr(s, n) for s in scores) for n in ("seeds", "solved"))
    assert len(negative) == 4 and solved < 0.02 * seeds
    text = " ".join((RealNPU.__doc__ or "").split())
    assert f"of {seeds:,} runs" in text and f", {solved} learned the product" in text


def test_a_table_of_something_else_is_no_board(tmp_path):
    assert from_tables("mine", {"criteria": {"unit": ["NMU"]}}) == []
    assert boards(tmp_path) == []


def test_the_command_writes_page_and_summary(trained, tmp_path, monkeypatch, capsys):
    cli.main(["leaderboard", str(trained), "--out", str(tmp_path / "page.html")])
    assert 'id="unit_nmu"' in (tmp_path / "page.html").read_text()
    cli.main(["leaderboard", str(trained), "--summary", str(tmp_path / "a.json")])
    assert summarised((tmp_path / "a.json").read_text()) == boards(trained)
    monkeypatch.setattr(stored, "shipped", lambda: [board()])
    cli.main(["leaderboard", "--out", str(tmp_path / "shipped.html")])
    assert "NMU" in (tmp_path / "shipped.html").read_text()
    for folder, said in ((tmp_path, "reproduce single-module"), ("gone", "not exist")):
        with pytest.raises(SystemExit):
            cli.main(["leaderboard", str(folder)])
        assert said in capsys.readouterr().err


def test_a_board_that_only_counts_seeds_says_so():
    given = board()
    counts = {key: replace(s, outcomes=()) for key, s in given.scores.items()}
    said = "Which seeds were solved is not stored"
    assert said not in standings([given], lambda unit: unit)
    assert said in standings([replace(given, scores=counts)], lambda unit: unit)


def test_without_runs_the_page_says_how_to_make_them():
    assert "arithmax reproduce single-module" in standings([], lambda unit: unit)


def test_no_two_units_share_an_address():
    names = slugs([*UNITS, "NAC", "•", "nmu", NASTY])
    assert len(set(names.values())) == len(names)
    assert names["NAC₊"] == "nac" and names["NAC•"] == "nac-mul"
    assert all(
        name.replace("-", "").isalnum() and name.isascii() for name in names.values()
    )

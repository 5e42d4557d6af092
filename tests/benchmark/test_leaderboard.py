"""The leaderboard: its numbers, and its page in a real browser."""

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from arithmax import benchmark as stored
from arithmax import cli
from arithmax.benchmark import rate
from arithmax.benchmark._leaderboard import (
    Board,
    Score,
    boards,
    from_tables,
    order,
    pooled,
    shipped,
    summarised,
    summary,
)
from arithmax.fleet import train_cells
from arithmax.report import leaderboard
from arithmax.report._leaderboard import slugs, standings
from arithmax.report._text import count_of_steps, number
from arithmax.results import read
from arithmax.statistics import success_rate
from arithmax.studies import study
from arithmax.studies._run import compute
from arithmax.studies.primer._runs import UNITS
from browser import browser as browser
from browser import needs_browser

ROOT = Path(__file__).parents[2]
CRITERIA = ("ε = 1e-4", "ε = 1e-5", "flat 1e-5")
RANGES = ("[-2, -1)", "[-2, 2)", "[1, 2)")
NASTY = """<script>alert(1)</script> & "both" 'quotes'"""


def board(
    name: str = "single-module", title: str = "Two inputs", seed: int = 0
) -> Board:
    """Made-up numbers for three units, one of them with an unpleasant name."""
    rng = np.random.default_rng(seed)
    able = {"NMU": "×", "NALU": "+×", NASTY: "+×"}
    scores, failures = {}, {}
    for unit, operations in able.items():
        for operation in operations:
            for where in RANGES:
                solved = int(rng.integers(0, 26))
                for criterion in CRITERIA:
                    step = float(rng.integers(1, 50) * 1000) if solved else None
                    sparsity = float(f"{10 ** rng.uniform(-8, 0):.4g}")
                    means = (step, sparsity) if solved else (None, None)
                    done = "".join(
                        rng.permutation(list("1" * solved + "0" * (25 - solved)))
                    )
                    key = (unit, operation, where, criterion)
                    scores[key] = Score(25, solved, *means, outcomes=(done,))
                    solved = solved // 2
                left = 25 - scores[unit, operation, where, CRITERIA[0]].solved
                half = left // 2
                counts = {
                    "gate half open": left - half,
                    "wrong weights W = (1, 0)": half,
                }
                failures[unit, operation, where] = {
                    k: n for k, n in counts.items() if n
                }
    return Board(name, title, scores, failures)


def test_scores_are_pooled_run_by_run():
    one, other = Score(25, 5, 1000.0, 0.1), Score(25, 15, 3000.0, None)
    both = pooled([one, other, Score(10, 0)])
    assert both == Score(60, 20, (5 * 1000 + 15 * 3000) / 20, 0.1, 25)
    # A third of the runs, and the interval of 8 of 25 seeds around it.
    assert both is not None and both.counts == (8, 25)
    assert both.success.value == 1 / 3
    assert both.success.low == success_rate(8, 25).low
    assert pooled([both, one]) == Score(85, 25, 2200.0, 0.1, 25)
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
        for operation in ("", "+", "×"):
            listed = given.standing(criterion, operation)
            assert listed == sorted(listed, key=lambda item: order(item[1]))
            names = [unit for unit, _ in listed]
            assert ("NMU" in names) == (operation != "+")
    assert order(Score(25, 20, 9e3)) < order(Score(25, 19, 1e3))
    assert order(Score(25, 20, 1e3)) < order(Score(25, 20, 9e3))
    assert order(Score(25, 20, 9e3)) < order(Score(25, 20))
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
    assert found.name == "single-module" and found.criteria == list(CRITERIA)
    assert found.operations == ["×"] and len(found.units) == 2
    for (unit, operation, where, criterion), score in found.scores.items():
        assert [len(text) for text in score.outcomes] == [2]
        assert "".join(score.outcomes).count("1") == score.solved
        if criterion == CRITERIA[0]:
            failed = sum(found.failures.get((unit, operation, where), {}).values())
            assert score.seeds == 2 and failed == 2 - score.solved
    assert found.failures["NAC•", "×", "[-2, 2)"] == {"outside its domain": 2}


def test_a_table_of_something_else_is_no_board(tmp_path):
    assert from_tables("mine", {"criteria": {"unit": ["NMU"]}}) == []
    assert boards(tmp_path) == []


def test_the_command_writes_page_and_summary(trained, tmp_path, monkeypatch, capsys):
    cli.main(["leaderboard", str(trained), "--to", str(tmp_path / "page.html")])
    assert 'id="unit_nmu"' in (tmp_path / "page.html").read_text()
    cli.main(["leaderboard", str(trained), "--summary", str(tmp_path / "a.json")])
    assert summarised((tmp_path / "a.json").read_text()) == boards(trained)
    monkeypatch.setattr(stored, "shipped", lambda: [board()])
    cli.main(["leaderboard", "--to", str(tmp_path / "shipped.html")])
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


# The page in a browser.


@pytest.fixture(scope="module")
def given() -> list[Board]:
    return [board(), board("redundancy", "Among inputs to be ignored", 1)]


@pytest.fixture(scope="module")
def path(given, tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("page") / "leaderboard.html"
    path.write_text(leaderboard(given, "NMU"), encoding="utf-8")
    return path


@pytest.fixture
def visit(browser, path):
    """Open the page; there must be no error, no dialog and no request but for it."""
    problems, opened = [], []

    def open_page(width=1280, **options):
        page = browser.new_page(viewport={"width": width, "height": 800}, **options)
        opened.append(page)
        page.on(
            "console", lambda m: problems.append(m.text) if m.type == "error" else 0
        )
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("dialog", lambda shown: problems.append(shown.message))
        asked = lambda r: None if r.url == path.as_uri() else problems.append(r.url)  # noqa: E731
        page.on("request", asked)
        page.goto(path.as_uri(), wait_until="load")
        return page

    yield open_page
    for page in opened:
        page.close()
    assert problems == []


def in_browser(test):
    """A test that needs a browser."""
    return pytest.mark.xdist_group("browser")(needs_browser(test))


def expected(scores: list[tuple[str, Score]]) -> list[list[str]]:
    """Place, unit, rate with interval, step and sparsity, as the page writes them."""
    lines = []
    for place, (unit, score) in enumerate(scores, start=1):
        share = score.success
        ends = f"{100 * share.low:.0f}–{100 * share.high:.0f}"
        step = "—" if score.step is None else count_of_steps(score.step)
        sparsity = "—" if score.sparsity is None else number(score.sparsity)
        lines.append(
            [str(place), unit, f"{100 * share.value:.0f}{ends}", step, sparsity]
        )
    return lines


ROWS = """(section) => [...section.querySelectorAll("tbody tr")]
  .filter((r) => !r.hidden).map((r) => [".place", "th", ".total", ".step", ".sparsity"]
    .map((name) => r.querySelector(name).textContent))"""


CELLS = """(section) => Object.fromEntries([...section.querySelectorAll("tbody tr")]
  .map((r) => [r.dataset.unit, Object.fromEntries(
    [...r.querySelectorAll("td[data-operation]")]
      .map((c) => [c.dataset.operation, c.textContent]))]))"""


def shown(page, operation: str) -> list[list[str]]:
    """The lines of the one table of an operation that is to be seen."""
    tables = page.locator(f'.standing[data-operation="{operation}"]:not([hidden])')
    assert tables.count() == 1
    return tables.evaluate(ROWS)


@in_browser
def test_the_page_shows_what_the_filters_choose(visit, given):
    page = visit()
    first, second = given
    for operation in ("", "+", "×"):
        assert shown(page, operation) == expected(
            first.standing(CRITERIA[0], operation)
        )
    page.get_by_role("combobox", name="Solved means").select_option(CRITERIA[2])
    page.get_by_role("combobox", name="Task").select_option("redundancy")
    assert shown(page, "×") == expected(second.standing(CRITERIA[2], "×"))
    page.get_by_role("combobox", name="Operation").select_option("×")
    assert page.locator(".standing:not([hidden])").count() == 1
    page.get_by_role("combobox", name="Range").select_option("[-2, 2)")
    assert shown(page, "×") == expected(second.standing(CRITERIA[2], "×", "[-2, 2)"))
    heads = page.locator(".standing:not([hidden]) thead th[data-range]:not([hidden])")
    assert heads.all_inner_texts() == ["[−2, 2)"]
    page.get_by_role("combobox", name="Operation").select_option("")
    assert shown(page, "") == expected(second.standing(CRITERIA[2], "", "[-2, 2)"))
    cells = page.locator('.standing[data-operation=""]:not([hidden])').evaluate(CELLS)
    for unit in second.units:
        for operation, text in cells[unit].items():
            score = second.score(unit, operation, CRITERIA[2], "[-2, 2)")
            assert text == ("—" if score is None else expected([("", score)])[0][2])
    assert page.get_by_role("status").inner_text().endswith("%.")
    page.get_by_role("combobox", name="Range").select_option("")
    assert shown(page, "") == expected(second.standing(CRITERIA[2]))


@in_browser
def test_without_javascript_every_table_is_there(visit, given):
    page = visit(java_script_enabled=False)
    assert page.locator(".filters").is_hidden()
    tables = page.locator(".standing")
    count = sum(len(b.criteria) * (1 + len(b.operations)) for b in given)
    assert tables.count() == count == page.locator(".standing:visible").count()
    text = page.locator("main").inner_text()
    assert NASTY in text and "gate half open" in text


@in_browser
def test_every_unit_has_its_failures_in_words_and_bars(visit, given):
    page = visit()
    page.locator("nav").get_by_role("link", name="NALU").click()
    section = page.locator("#unit_nalu")
    words = section.locator(".words").all_inner_texts()
    count = sum(key[0] == "NALU" for b in given for key in b.failures)
    assert len(words) == count
    first = section.locator(".bars li").first
    operation = section.locator("figcaption").first.inner_text()
    where = first.locator(".range").inner_text().replace("−", "-")
    for said, n in given[0].failures["NALU", operation, where].items():
        assert f"{n} {said}" in words[0].replace("\N{NO-BREAK SPACE}", " ")
    widths = section.locator(".bar").first.evaluate(
        "(bar) => [...bar.children].map((i) => Number(i.style.flexGrow))"
    )
    assert sum(widths) == 25
    assert "stays between open and shut" in section.locator("dd").first.inner_text()


@in_browser
@pytest.mark.parametrize("width", [390, 320])
def test_a_phone_is_wide_enough(visit, width):
    page = visit(width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    box = page.locator(".standing:not([hidden]) .scroll").last
    box.evaluate("(b) => { b.scrollLeft = b.scrollWidth; }")
    name = page.locator(".standing:not([hidden]) tbody th").last.bounding_box()
    assert name is not None and name["x"] >= 0  # the unit's name stays in sight


CONTRAST = """(cell) => {
  const light = (colour) => {
    const [r, g, b] = colour.match(/[\\d.]+/g).map(Number).map((v) => v / 255)
      .map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const style = getComputedStyle(cell);
  const both = [light(style.color), light(style.backgroundColor)];
  return (Math.max(...both) + 0.05) / (Math.min(...both) + 0.05);
}"""


@in_browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_numbers_can_be_read_on_their_colours(visit, scheme):
    page = visit(color_scheme=scheme)
    for k in range(11):
        assert page.locator(f".key .r{k}").evaluate(CONTRAST) > 4.5
    page.locator("#theme_").click()
    other = "light" if scheme == "dark" else "dark"
    assert page.get_by_role("button", name=f"{scheme.capitalize()} theme").is_visible()
    assert page.evaluate("document.documentElement.dataset.theme") == other
    for k in range(11):
        assert page.locator(f".key .r{k}").evaluate(CONTRAST) > 4.5


@in_browser
def test_filters_are_reached_and_changed_with_the_keyboard(visit):
    page = visit()
    reached = []
    for _ in range(60):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.name || ''"))
        if reached[-1] == "criterion":
            break
    assert [n for n in reached if n] == ["board", "operation", "range", "criterion"]
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    seen = page.locator(".standing:not([hidden])").first
    assert seen.get_attribute("data-criterion") == CRITERIA[1]
    assert (
        page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"
    )


@in_browser
def test_names_are_text(visit):
    page = visit()
    assert page.locator("main script").count() == 0
    assert NASTY in page.locator(".standing:not([hidden])").first.inner_text()
    own = page.locator(".standing:not([hidden]) tr.own th").first
    assert own.inner_text() == "NMU"


def test_the_page_is_small(given):
    text = leaderboard(given)
    assert len(text) < 1e6 and json.dumps(NASTY) not in text

"""The report of all that is in `results/`, in a real browser."""

import re
from pathlib import Path
from typing import Any

import pytest

from arithmax.report import page as document_of
from arithmax.report._table import Notes, arm_lines, shown_tables
from arithmax.statistics import overlap, sparsity
from arithmax.studies import Evaluation, Verdict, load
from browser import browser as browser
from pages import in_browser

RESULTS = Path(__file__).parents[2] / "results"
MOST = 20_000  # pixels, of the tallest page

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def evaluations() -> list[Evaluation]:
    return load(RESULTS)


@pytest.fixture(scope="module")
def path(evaluations, tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("all") / "report.html"
    path.write_text(document_of(evaluations), encoding="utf-8")
    return path


SIZES = """async (names) => {
  const sizes = {};
  for (const name of names) {
    location.hash = name;
    await new Promise((done) => setTimeout(done, 50));
    const section = document.getElementById(name);
    section.querySelectorAll("details").forEach((d) => { d.open = true; });
    const { scrollHeight, scrollWidth } = document.documentElement;
    sizes[name] = [section.offsetParent !== null, scrollHeight, scrollWidth];
  }
  return sizes;
}"""


@in_browser
@pytest.mark.parametrize("width", [390, 1400])
def test_no_study_is_too_tall_or_too_wide(browser, path, evaluations, width):
    page = browser.new_page(viewport={"width": width, "height": 900})
    page.goto(path.as_uri(), wait_until="load")
    if width == 1400:
        assert page.evaluate("document.documentElement.scrollHeight") <= 900
    names = [e.study.name for e in evaluations]
    sizes = page.evaluate(SIZES, names)
    page.close()
    assert len(sizes) == len(names) >= 41
    for name, (shown, height, across) in sizes.items():
        assert shown and height <= MOST and across <= width, name


COLOURS = """(name) => Object.fromEntries(
  document.querySelector(`#${name} .drawing`)._fullData
    .filter((trace) => trace.marker && !trace.marker.symbol.endsWith("-open"))
    .map((trace) => [trace.name, trace.marker.color]))"""


@in_browser
def test_a_unit_has_one_colour_in_all_studies(browser, path):
    page = browser.new_page(viewport={"width": 1400, "height": 900})
    colours: dict[str, set[str]] = {}
    for name in ("simple-mul", "hidden-size", "input-range"):
        page.goto(f"{path.as_uri()}#{name}", wait_until="load")
        page.locator(f"#{name}_1 .main-svg").first.wait_for()
        for unit, colour in page.evaluate(COLOURS, name).items():
            colours.setdefault(unit, set()).add(colour)
    page.close()
    assert {"NMU", "NALU", "NAC•"} <= set(colours)
    assert all(len(known) == 1 for known in colours.values())
    assert len({min(colours[u]) for u in ("NMU", "NALU", "NAC•")}) == 3


def test_every_study_asks_a_question(evaluations):
    for evaluation in evaluations:
        assert evaluation.study.question.endswith("?")
        assert len(evaluation.study.question) < 90


def test_rates_are_shown_once(evaluations):
    """No computed table has, for every arm, the column that the arms have."""
    for evaluation in evaluations:
        labels = evaluation.study.labels
        for caption, names, lines in shown_tables(evaluation):
            if labels and set(labels) <= set(names) and len(lines) > 3:
                assert not {"seeds", "solved", "rate"} & set(names) or not one_each(
                    evaluation, names, lines
                ), caption


def one_each(evaluation: Evaluation, names: list[str], lines: list[list[str]]) -> bool:
    """Whether a table has one line for each of some arms."""
    at = [names.index(label) for label in evaluation.study.labels]
    told = [tuple(line[i] for i in at) for line in lines]
    arms = {
        tuple(re.sub(r"^-", "−", str(v)) for v in runs.arm.labels.values())
        for runs in evaluation.arm_runs
    }
    return len(set(told)) == len(told) and set(told) <= arms


def test_runs_that_are_too_short_say_no_rate(evaluations):
    lines = [line for e in evaluations for line in arm_lines(e, Notes())]
    short = [
        (line, entry)
        for line in lines
        for entry in line.entries
        if entry.verdict and entry.kind == "too_short"
    ]
    assert short and {entry.ours for _, entry in short} == {"—"}
    assert all(re.search(r"of [\d,]+ steps", line.reduced) for line, _ in short)


def test_every_difference_has_a_reason_or_says_what_was_tried(evaluations):
    compared = [c for e in evaluations for c in e.comparisons]
    silent = [
        c
        for c in compared
        if c.verdict is Verdict.DIFFERS and not c.is_reduced and not c.why
    ]
    assert silent == []
    tallies = [n for e in evaluations for n in e.tally.values()]
    assert sum(tallies) == len(compared)  # every figure has one verdict


def test_why_the_nmu_has_another_sparsity_error(evaluations):
    """The same seeds by XLA's program, on the same GPU, overlap what is published."""
    own = next(e for e in evaluations if e.study.name == "arithmetic-dataset")
    (runs,) = [a for a in own.arm_runs if {"×", "NMU", "2"} == {*a.arm.labels.values()}]
    said = runs.rows[0]
    alike = [r for r in own.results.rows if r["protocol"] == said["protocol"]]
    alike = [r for r in alike if (r["network"], r["task"]) == _network_and_task(said)]
    theirs = runs.arm.published["sparsity"].interval
    for platform, overlaps in (("gpu-kernel", False), ("gpu", True)):
        rows = [r for r in alike if r["platform"] == platform]
        errors = [r["sparsity"] for r in rows if r["outcome"] == "solved"]
        found = sparsity(errors)
        assert len(rows) == 100 and overlap(found, theirs) is overlaps  # type: ignore[arg-type]
        if overlaps:
            reason = runs.arm.published["sparsity"].reason
            assert f"{found.value:.1e}".replace("e-0", "e-") in reason


def _network_and_task(row: dict[str, Any]) -> tuple[str, str]:
    return row["network"], row["task"]

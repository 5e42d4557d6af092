"""A report in a real browser: one study at a time, and what was broken before."""

from dataclasses import replace
from pathlib import Path

import pytest

from arithmax.report import page as document_of
from arithmax.results import Results
from arithmax.studies import Evaluation, Published, evaluate
from browser import browser as browser
from browser import wait_until
from few import a_few_now
from pages import LINES, in_browser


def noted(trained: Evaluation) -> Evaluation:
    """A figure with two notes, and a run that was shorter than the published one."""
    first, second, third = trained.arm_runs
    figure = Published(0.1, 0.0, 0.2, note="One.", reason="Two.")
    arm = replace(first.arm, published={"success": figure})
    study = replace(trained.study, name="noted", question="What of it?")
    runs = [replace(first, arm=arm), replace(second, reduced="3 of 9 seeds"), third]
    arms = (arm, second.arm, third.arm)
    return replace(trained, study=replace(study, arms=arms), arm_runs=runs)


@pytest.fixture(scope="module")
def path(trained, computed, tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("sections") / "report.html"
    missing = replace(trained.study, name="a-name-with-many-hyphens")
    listed = [noted(trained), computed, evaluate(missing, Results([]))]
    path.write_text(document_of(listed), encoding="utf-8")
    return path


@pytest.fixture
def visit(browser, path):
    opened = []

    def open_page(width=1400, at="", **options):
        page = browser.new_page(viewport={"width": width, "height": 900}, **options)
        page.set_default_timeout(10_000)
        opened.append(page)
        page.goto(f"{path.as_uri()}{at}", wait_until="load")
        return page

    yield open_page
    for page in opened:
        page.close()


def show(page, section: str) -> None:
    """Go there, and wait: the address changes first, then what is shown."""
    page.evaluate("(name) => { location.hash = name; }", section)
    page.locator(f"#{section}").wait_for()


def shown(page) -> list[str]:
    return page.evaluate(
        "[...document.querySelectorAll('main section[id]')]"
        ".filter((s) => s.offsetParent !== null).map((s) => s.id)"
    )


@pytest.mark.slow
@in_browser
def test_one_study_is_shown_at_a_time_and_the_way_back_works(visit):
    from playwright.sync_api import expect

    page = visit()
    assert shown(page) == ["overview_"]
    page.locator(".index a", has_text="computed").click()
    expect(page.locator("#computed")).to_be_visible()
    assert shown(page) == ["computed"] and page.url.endswith("#computed")
    assert page.evaluate("document.activeElement.id") == "computed_"
    marked = page.locator("nav [aria-current]")
    assert marked.get_attribute("href") == "#computed"
    page.locator("nav summary").click()
    page.locator("nav").get_by_role("link", name="noted").click()
    expect(page.locator("#noted")).to_be_visible()
    assert shown(page) == ["noted"]
    assert page.locator("nav details[open]").count() == 0
    page.go_back()
    expect(page.locator("#computed")).to_be_visible()
    page.go_back()
    expect(page.locator("#overview_")).to_be_visible()
    assert shown(page) == ["overview_"]
    page.go_forward()
    expect(page.locator("#computed")).to_be_visible()


@in_browser
@pytest.mark.parametrize(
    ("at", "section"),
    a_few_now(
        [
            ("#noted_note2", "noted"),
            ("#%E0%A4%A", "overview_"),
            ("#noted", "noted"),
            ("#computed_3", "computed"),
            ("#no-such-study", "overview_"),
            ("#main_", "overview_"),
        ]
    ),
)
def test_an_address_leads_to_its_section(visit, at, section):
    page = visit(at=at)
    assert shown(page) == [section]
    if "_" in at[:-1] and section != "overview_":
        box = page.locator(at).bounding_box()
        assert box is not None and -1 <= box["y"] < 900


@in_browser
def test_the_way_around_the_menu_stays_in_the_study(visit):
    page = visit(at="#computed")
    page.locator(".skip").focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**#main_")
    assert shown(page) == ["computed"]


@in_browser
def test_without_javascript_all_studies_are_there(visit):
    page = visit(java_script_enabled=False)
    sections = page.locator("main > section")
    assert sections.count() == 4
    assert all(sections.nth(i).is_visible() for i in range(4))


@in_browser
def test_the_overview_is_one_screen(visit):
    page = visit()
    assert page.evaluate("document.documentElement.scrollHeight") <= 900
    page.locator("#overview_1 .main-svg").first.wait_for()
    text = page.locator("#overview_").inner_text()
    assert "3 studies" in text and "6 training runs" in text
    assert "◐ 2 reduced" in text


@in_browser
def test_a_study_opens_with_question_plot_and_answer(visit):
    page = visit(at="#noted")
    places = [
        page.locator(f"#noted {part}").first.bounding_box()["y"]
        for part in ("h2", ".question", ".plot", ".answer", ".about", "table")
    ]
    assert places == sorted(places)
    last = page.locator("#noted > details").last
    assert "Source" in last.locator("summary").inner_text()
    assert last.get_attribute("open") is None


@in_browser
def test_footnotes_do_not_fuse(visit):
    page = visit(at="#noted")
    marks = page.locator("#noted td sup").all_inner_texts()
    assert "1, 2" in marks
    links = page.locator("#noted td sup a").all_inner_texts()
    assert links[:2] == ["1", "2"]
    page.locator("#noted td sup a").nth(1).click()
    assert page.locator(".notes li:target").inner_text() == "Why ours differs: Two."


@in_browser
def test_a_reduced_run_does_not_wear_the_tick_of_a_full_one(visit):
    page = visit(at="#noted")
    reduced = page.locator("#noted td .reduced")
    assert reduced.count() == 2
    assert all(text.startswith("◐") for text in reduced.all_inner_texts())
    colour = "(e) => getComputedStyle(e).color"
    full = page.locator("#noted td .verdict:not(.reduced)")
    others = {full.nth(i).evaluate(colour) for i in range(full.count())}
    assert reduced.first.evaluate(colour) not in others


@in_browser
def test_names_do_not_break_on_a_phone(visit):
    page = visit(390)
    names = page.locator(".index a")
    assert names.evaluate_all(f"(all) => all.map({LINES})") == [1] * names.count()
    show(page, "a-name-with-many-hyphens")
    box = page.locator("#a-name-with-many-hyphens .scroll").first
    box.evaluate("(b) => { b.scrollLeft = b.scrollWidth; }")
    first = page.locator("#a-name-with-many-hyphens tbody th").first
    place = first.bounding_box()
    assert place is not None and place["x"] >= 0  # the first column stays


CONTRAST = """(e) => {
  const light = (colour) => {
    const [r, g, b] = colour.match(/[\\d.]+/g).map(Number).map((v) => v / 255)
      .map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const page = getComputedStyle(document.body).backgroundColor;
  const both = [light(getComputedStyle(e).color), light(page)];
  return (Math.max(...both) + 0.05) / (Math.min(...both) + 0.05);
}"""


@pytest.mark.slow
@in_browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_can_be_read_on_the_page(visit, scheme):
    page = visit(color_scheme=scheme)
    seen = "a, .verdict, p, summary"
    for name in ("overview_", "noted", "computed"):
        show(page, name)
        texts = page.locator(f"#{name} :is({seen}, small, th, td, .source)")
        assert min(texts.evaluate_all(f"(all) => all.map({CONTRAST})")) > 4.5


@pytest.mark.slow
@in_browser
def test_a_theme_that_is_chosen_elsewhere_reaches_a_plot_when_it_is_shown(visit):
    page = visit(at="#noted", color_scheme="light")
    colour = "() => document.querySelector('#noted_1 .drawing')._fullLayout.font.color"
    page.locator("#noted_1 .main-svg").first.wait_for()
    before = page.evaluate(colour)
    show(page, "computed")
    page.locator("#theme_").click()
    page.set_viewport_size({"width": 700, "height": 900})
    show(page, "noted")
    page.locator("#noted_1").scroll_into_view_if_needed()
    wait_until(page, f"({colour})() !== '{before}'")
    narrow = "document.querySelector('#noted_1 .main-svg').clientWidth <= 700"
    wait_until(page, narrow)

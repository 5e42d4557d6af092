"""The page of a report works in a real browser without a network.

Without a Chromium the tests that need one are skipped and say so, except in CI.
"""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from arithmax.report import figures, write_images
from arithmax.report import page as document_of
from arithmax.report._html import drawing
from arithmax.report._style import menu
from arithmax.results import Results
from arithmax.studies import Verdict, evaluate
from browser import browser as browser
from pages import IMAGE, NASTY, in_browser


def test_a_name_cannot_end_the_data_of_a_plot(trained):
    text = document_of([trained])
    data = re.findall(r'(?s)<script type="application/json">(.*?)</script>', text)
    assert len(data) == len(figures(trained)) + 1  # the overview has one of them
    assert not any("<" in spec for spec in data)


def test_a_menu_shows_one_choice_and_what_belongs_to_all():
    import plotly.graph_objects as go

    drawn = go.Figure([go.Scatter(y=[i]) for i in range(3)])
    menu(drawn, ["<a>", "b", None])
    assert [trace.visible for trace in drawn.select_traces()] == [True, False, True]  # type: ignore[attr-defined]  # traces
    text = drawing("one", "caption", drawn.update_layout(height=300))
    assert "<option value='[false, true, true]'>b</option>" in text
    assert "&lt;a&gt;</option>" in text and '"updatemenus"' not in text


@pytest.mark.slow
@in_browser
def test_pictures(computed, tmp_path):
    files = write_images(computed, tmp_path / "pictures")
    assert [file.name for file in files] == [
        f"computed-{i}.{kind}" for i in (1, 2, 3, 4, 5) for kind in ("png", "svg")
    ]
    for file in files:
        start = b"\x89PNG" if file.suffix == ".png" else b"<svg"
        assert file.read_bytes().startswith(start)
        assert file.stat().st_size > 2000


def test_pictures_without_a_browser_say_what_is_missing(
    computed, tmp_path, monkeypatch
):
    monkeypatch.setenv("BROWSER_PATH", str(tmp_path / "none"))
    with pytest.raises(OSError, match="none was found"):
        write_images(computed, tmp_path)


@pytest.fixture(scope="module")
def document(trained, computed, tmp_path_factory) -> Path:
    missing = replace(trained.study, name="not-run")
    path = tmp_path_factory.mktemp("report") / "report.html"
    evaluations = [trained, computed, evaluate(missing, Results([]))]
    path.write_text(document_of(evaluations), encoding="utf-8")
    return path


@pytest.fixture
def visit(browser, document):
    """Open the page; there must be no error, no dialog and no request but for it."""
    problems, opened = [], []

    def asked(request):
        if request.url != document.as_uri() and not request.url.startswith(
            ("data:", "blob:")
        ):
            problems.append(request.url)

    def heard(message):
        if message.type == "error":
            problems.append(message.text)

    def dialog(shown):
        problems.append(shown.message)
        shown.dismiss()

    def open_page(width=1000, at="trained", **options):
        page = browser.new_page(viewport={"width": width, "height": 800}, **options)
        page.set_default_timeout(10_000)
        page.on("console", heard)
        opened.append(page)
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("request", asked)
        page.on("dialog", dialog)
        page.goto(f"{document.as_uri()}#{at}", wait_until="load")
        return page

    yield open_page
    for page in opened:
        page.close()
    assert problems == []


SHOWN = "main section[id]:not([hidden])"


def show_section(page, name):
    """Go to a section as a link does; without a script all are there."""
    page.evaluate("(name) => { location.hash = name; }", name)
    page.locator(f"#{name}:visible").wait_for()


def draw_all(page, *names):
    """Scroll to every plot of some sections, or of the one that is shown."""
    for name in names or [page.locator(SHOWN).get_attribute("id")]:
        show_section(page, name)
        plots = page.locator(f"#{name} figure.plot")
        for i in range(plots.count()):
            plots.nth(i).scroll_into_view_if_needed()
            plots.nth(i).locator(".js-plotly-plot .main-svg, canvas").first.wait_for()


@pytest.mark.slow
@in_browser
def test_every_plot_draws(visit, trained, computed):
    page = visit()
    assert page.locator(".js-plotly-plot").count() < 4  # those far away wait
    shapes = ".points path, .bars path, .heatmaplayer image, .lines path, canvas"
    for evaluation in (trained, computed):
        name = evaluation.study.name
        draw_all(page, name)
        plots = page.locator(f"#{name} figure.plot")
        assert plots.count() == len(figures(evaluation))
        for i in range(plots.count()):
            plots.nth(i).scroll_into_view_if_needed()
            plots.nth(i).locator(shapes).first.wait_for(state="attached")
    assert page.get_by_label(re.compile("share|cloud", re.I)).count() == 0


@pytest.mark.slow
@in_browser
def test_names_are_text_and_nothing_else(visit):
    page = visit()
    draw_all(page, "overview_", "trained", "computed")
    main = page.locator("main")
    assert main.locator("script:not([type='application/json'])").count() == 0
    assert main.locator("img, svg script, [onerror]").count() == 0
    text = main.evaluate("(main) => main.textContent")
    assert NASTY in text and IMAGE in text
    assert page.locator("#trained em").inner_text() == "this"
    ticks = page.locator("#trained_1 .xtick").all_text_contents()
    assert NASTY in ticks
    for verdict in set(Verdict) - {Verdict.TOO_SHORT}:  # of which there is no arm here
        assert verdict.value in text
    assert page.locator(".notes li").count() >= 2


@pytest.mark.slow
@in_browser
@pytest.mark.parametrize("touch", [False, True])
def test_a_phone_is_wide_enough(visit, touch):
    page = visit(360, has_touch=touch)
    for name in ("overview_", "trained", "computed"):
        draw_all(page, name)
        assert page.evaluate("document.body.scrollWidth") <= 360
        assert page.evaluate("document.documentElement.scrollWidth") <= 360


COLOURS = """() => [
  getComputedStyle(document.body).backgroundColor,
  document.querySelector("#trained_1 .drawing")._fullLayout.font.color,
]"""


@pytest.mark.slow
@in_browser
def test_light_and_dark(visit):
    light, dark = visit(color_scheme="light"), visit(color_scheme="dark")
    for page in (light, dark):
        page.locator("#trained_1").scroll_into_view_if_needed()
        page.locator("#trained_1 .main-svg").first.wait_for()
    bright, dim = light.evaluate(COLOURS), dark.evaluate(COLOURS)
    assert bright[0] == "rgb(255, 255, 255)" and bright[0] != dim[0]
    assert bright[1] != dim[1]
    light.get_by_role("button", name="Dark theme").click()
    assert light.evaluate(COLOURS) == dim
    light.get_by_role("button", name="Light theme").click()
    assert light.evaluate(COLOURS) == bright
    light.emulate_media(color_scheme="dark")  # the button's choice stays
    assert light.evaluate(COLOURS) == bright


FOCUS = """() => {
  const e = document.activeElement;
  return [e.tagName, e.className, e.getAttribute("href") || e.id,
    getComputedStyle(e).outlineStyle];
}"""


def reached(page):
    """What the tabulator reaches, one after the other, from the first on."""
    page.locator(".skip").focus()
    seen = [page.evaluate(FOCUS)]
    for _ in range(200):
        page.keyboard.press("Tab")
        seen.append(page.evaluate(FOCUS))
        if seen[-1][0] == "BODY":
            break
    return seen


@pytest.mark.slow
@in_browser
def test_everything_can_be_reached_with_the_keyboard(visit):
    page, seen = visit(at=""), []
    for name in ("overview_", "trained", "computed"):
        draw_all(page, name)
        page.evaluate("document.querySelectorAll('details').forEach(d => d.open = 1)")
        page.evaluate("scrollTo(0, 0)")
        seen += reached(page)
    names = [(tag, where) for tag, _, where, _ in seen]
    assert ("A", "#main_") in names
    for link in ("#overview_", "#trained", "#computed", "#not-run", "#trained_note1"):
        assert ("A", link) in names
    assert ("BUTTON", "theme_") in names
    assert all(line != "none" for tag, *_, line in seen if tag != "BODY")
    count = page.locator("#trained .scroll, #computed .scroll").count()
    assert sum("scroll" in kind for _, kind, *_ in seen) == count >= 4
    assert sum(tag == "SELECT" for tag, *_ in seen) == 3
    assert sum("drawing" in kind for _, kind, *_ in seen) == 1
    assert sum(tag == "SUMMARY" for tag, *_ in seen) >= 3


SURFACE = """() => {
  const { data, layout } = document.querySelector("#computed_1 .drawing");
  return [data.map((t) => t.visible), layout.scene.camera.eye.x];
}"""


@pytest.mark.slow
@in_browser
def test_a_surface_turns_and_changes_by_keys(visit):
    from playwright.sync_api import expect

    page = visit(at="computed")
    box = page.locator("#computed_1")
    box.scroll_into_view_if_needed()
    box.locator("canvas").first.wait_for()
    before = page.evaluate(SURFACE)
    assert before[0] == [True, False]
    box.locator("select").focus()
    page.keyboard.press("ArrowDown")
    box.locator(".drawing").focus()
    page.keyboard.press("ArrowLeft")
    after = page.evaluate(SURFACE)
    assert after[0] == [False, True] and after[1] != before[1]
    show_section(page, "overview_")  # out of sight it gives back its memory
    expect(box.locator("canvas")).to_have_count(0)
    show_section(page, "computed")
    box.locator("canvas").first.wait_for()
    assert page.evaluate(SURFACE) == after


@in_browser
def test_printing_draws_everything_that_is_shown(visit):
    from playwright.sync_api import expect

    page = visit()
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    count = page.locator("#trained figure.plot").count()
    expect(page.locator(".js-plotly-plot")).to_have_count(count)


def test_the_page_is_small(document):
    assert document.stat().st_size < 8e6

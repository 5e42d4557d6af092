"""The documentation in a real browser: formulas and plots draw, and nothing is fetched.

`make docs` builds the site; without a Chromium these tests are skipped and say so,
except in CI.
"""

import http.server
import threading
from pathlib import Path

import pytest

from arithmax import UNITS
from arithmax.studies import studies
from browser import browser as browser
from browser import needs_browser
from few import a_few_now

SITE = Path(__file__).parents[1] / "site"
DOCS = Path(__file__).parents[1] / "docs"

pytestmark = [
    needs_browser,
    pytest.mark.skipif(
        not (SITE / "index.html").exists(), reason="no site: run `make docs` first"
    ),
    pytest.mark.xdist_group("browser"),
]


@pytest.fixture(scope="module")
def address():
    server = QuietServer(("127.0.0.1", 0), QuietHandler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


class QuietServer(http.server.ThreadingHTTPServer):
    def handle_error(self, request, client_address):
        pass  # a page that closes early is no error


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    def __init__(self, *args):
        super().__init__(*args, directory=str(SITE))

    def log_message(self, format, *args):
        pass


@pytest.fixture
def visit(browser, address):
    """Open a page; afterwards there must have been no error and no outside request."""
    problems = []
    page = browser.new_page(viewport={"width": 390, "height": 800})
    page.on("console", lambda m: problems.append(m.text) if m.type == "error" else None)
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on(
        "request",
        lambda r: (
            None if r.url.startswith((address, "data:")) else problems.append(r.url)
        ),
    )

    def open_page(path):
        page.goto(f"{address}/{path}", wait_until="load")
        return page

    yield open_page
    page.close()
    assert problems == []


def drawn(images) -> list[bool]:
    """Whether each picture is there once it was scrolled to."""
    found = []
    for k in range(images.count()):
        image = images.nth(k)
        image.scroll_into_view_if_needed()
        image.evaluate("image => image.decode()")
        found.append(image.evaluate("image => image.naturalWidth > 0"))
    return found


@pytest.mark.parametrize(
    ("width", "scheme"),
    a_few_now([(390, "dark"), (1400, "light"), (390, "light"), (1400, "dark")]),
)
def test_the_first_screen_has_the_picture(visit, scheme, width):
    """And it is the one for the page's colours; code and both commands follow."""
    page = visit("")
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme)
    page.reload(wait_until="load")  # it heeds the change first, and remembers colours
    page.evaluate("localStorage.clear()")
    page.reload(wait_until="load")
    page.locator(f'figure img[src$="#only-{scheme}"]').wait_for()  # a script chooses
    shown = [i for i in page.locator("figure img").all() if i.is_visible()]
    [image] = shown
    assert image.get_attribute("src").endswith(f"#only-{scheme}")
    box = image.bounding_box()
    assert box["y"] + box["height"] < 900 and box["width"] <= width
    article = page.locator("article").inner_text()
    for text in ("make demo", "make test", "What it cannot do", "-c constraints.txt"):
        assert text in article
    assert page.locator("script[src*=plotly]").count() == 0


@pytest.mark.parametrize("width", [390, 1400])
def test_pictures_are_loaded_when_scrolled_to(visit, width):
    page = visit("units/")  # the size must be there before the page is
    page.set_viewport_size({"width": width, "height": 800})
    asked = []
    page.on("request", lambda r: asked.append(r.url) if "/why/" in r.url else None)
    page = visit("why/")
    images = page.locator("figure img[src$='#only-light']")
    assert images.count() == 12
    at_first = sum(url.endswith(".svg") for url in asked)
    assert at_first < 12
    assert drawn(images) == [True] * 12
    loaded = {url for url in asked if url.endswith(".svg")}
    assert len(loaded) == 12  # none of those for dark pages, none of the other width
    assert all(("-narrow-" in url) == (width == 390) for url in loaded)
    assert page.locator("script[src*=plotly]").count() == 0
    assert page.evaluate("document.body.scrollWidth") <= width


@pytest.mark.parametrize("name", a_few_now(list(UNITS)))
def test_every_unit_has_a_page_that_draws(visit, name):
    page = visit(f"units/{name}/")
    assert drawn(page.locator("figure img[src$='#only-light']")) == [True]
    assert page.locator("script[src*=plotly]").count() == 0
    assert page.locator("math[display=block]").count() >= 1
    assert "$" not in page.locator("article").inner_text()
    assert page.locator("article h2").count() >= 4
    assert page.evaluate("document.body.scrollWidth") <= 390  # a phone


def test_no_page_loads_the_library_for_nothing():
    pages = {path: path.read_text(encoding="utf-8") for path in SITE.rglob("*.html")}
    loads = {path for path, text in pages.items() if "plotly.min.js" in text}
    draws = {path for path, text in pages.items() if "Plotly.newPlot" in text}
    assert loads == draws and draws


@pytest.mark.parametrize("name", a_few_now(list(studies())))
def test_every_study_has_a_page_that_draws(visit, name):
    page = visit(f"studies/{name}/")
    plots = page.locator(".js-plotly-plot")
    page.wait_for_selector(".js-plotly-plot .main-svg")
    assert plots.count() >= 1
    assert page.locator("article table").count() >= 1
    assert f"arithmax reproduce {name}" in page.locator("article").inner_text() or (
        "arithmax demo" in page.locator("article").inner_text()
    )
    assert page.evaluate("document.body.scrollWidth") <= 390  # a phone


def test_a_menu_lies_on_no_name_of_the_legend(visit):
    page = visit("studies/learning-rate/")
    plot = page.locator(".js-plotly-plot").first
    menu = plot.locator(".updatemenu-header-group").bounding_box()
    names = plot.locator(".legend .traces")
    names.first.wait_for()
    boxes = [names.nth(i).bounding_box() for i in range(names.count())]
    assert len(boxes) == 4
    assert all(box["y"] >= menu["y"] + menu["height"] for box in boxes)


PAGES = ["", "why/", "choose/", "units/", "layers/", "own/", "slopes/", "fleet/"]
PAGES += ["cluster/"]
PAGES += ["protocol/", "tasks/", "discover/", "tutorial/", "digits/", "glossary/"]
PAGES += ["performance/", "statistics/", "studies/", "leaderboard/", "benchmark/"]


PAGES += ["torch-digits/", "regressor/", "readout/", "comparison/", "reference/"]
PAGES += [f"reference/{path.stem}/" for path in (DOCS / "reference").glob("[!i]*.md")]


@pytest.mark.parametrize("path", a_few_now(PAGES, 4))
def test_every_other_page(visit, path):
    page = visit(path)
    assert page.locator("article h1").count() == 1
    assert page.evaluate("document.body.scrollWidth") <= 390  # a phone
    height = page.evaluate("document.documentElement.scrollHeight")
    assert height <= 25_000, "split the page: nobody scrolls that far"

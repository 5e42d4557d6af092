"""The report: what it says, and that it works in a real browser without a network.

Without a Chromium the tests that need one are skipped and say so, except in CI.
"""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arithmax import NALU, NMU, Unit
from arithmax._files import write_table
from arithmax.fleet import train_cells
from arithmax.protocol import Cell, published
from arithmax.report import figures, markdown, write_images
from arithmax.report import page as document_of
from arithmax.report._curves import curves
from arithmax.report._draw_measures import places
from arithmax.report._html import drawing
from arithmax.report._style import menu, packed
from arithmax.report._text import count_of_steps, duration, interval, number, value_text
from arithmax.results import Results, read
from arithmax.statistics import Interval, Range
from arithmax.studies import (
    Arm,
    Bars,
    Computed,
    Convergence,
    Evaluation,
    Grid,
    Heat,
    Lines,
    Measured,
    Plot,
    Published,
    Seeds,
    Study,
    Surface,
    Verdict,
    Weights,
    evaluate,
)
from arithmax.tasks import SingleModule
from browser import browser as browser
from browser import needs_browser

NASTY = """<script>alert(1)</script> & "both" 'quotes' | %{x} `*"""
IMAGE = "<img src=x onerror=alert(2)>"


def in_browser(test):
    """A test that needs a browser."""
    return pytest.mark.xdist_group("browser")(needs_browser(test))


def cell(unit: Unit, task: SingleModule | None = None) -> Cell:
    task = task or SingleModule("mul")
    network, protocol = published(unit, task, steps=3000, interval=500, validation=1000)
    return Cell(network, task, protocol, (0, 1, 2))


@pytest.fixture(scope="module")
def trained(tmp_path_factory) -> Evaluation:
    """Three arms: one is solved, one is not, one was not run."""
    theirs = {
        "success": Published(0.5, 0.1, 1.0, note=f"a note {NASTY}"),
        "median": Published(3000.0),
        "sparsity": Published(0.3, 0.2, 0.4, reason=f"a reason {IMAGE}"),
    }
    high = {"success": Published(1.0, 0.99, 1.0), "solved_at": Published(10.0)}
    arms = (
        Arm({"model": NASTY, "size": 2}, cell(NMU()), theirs),
        Arm({"model": "NALU", "size": 2}, cell(NALU()), high),
        Arm({"model": "NALU", "size": 3}, cell(NALU(), SingleModule("add")), theirs),
    )
    study = Study(
        "trained",
        f"Title {NASTY}",
        f"Source {IMAGE}",
        f"About *this*: {NASTY}\n\n{IMAGE}\n\n![fetched](http://example.org/a.png)",
        arms,
        plots=(
            Measured(f"Rates {NASTY}", "success", "model", "size"),
            Measured("Steps.", "solved_at", "size", "model", log=True),
            Measured("Twice at a place: a menu.", "success", "size"),
            Grid("Grid.", "size", "model"),
            Convergence("Curves."),
            Seeds("Seeds.", "model"),
            Weights("Solved.", {"model": NASTY}),
            Weights("Unsolved.", {"model": "NALU"}),
            Weights("No such arm.", {"model": "none"}),
        ),
    )
    out = tmp_path_factory.mktemp("runs")
    train_cells([arm.cell for arm in arms[:2]], out=out)
    told = {"command": f"arithmax study {NASTY}", "version": "9.8.7", "seconds": 75}
    more = {"device": f"a machine {IMAGE}", "when": "2025-11-15", "seeds": 3}
    return evaluate(study, read(out), history=[told | more, {"command": "again"}])


@pytest.fixture(scope="module")
def computed() -> Evaluation:
    """A study of tables alone."""
    grid = [(x, y) for x in range(6) for y in range(5)]
    x, y = (list(column) for column in zip(*grid, strict=True))
    z = [float("nan") if a + b > 7 else float(a * b) for a, b in grid]
    tables = {
        "surface": {
            "x": x + x,
            "y": y + y,
            "z": z + [-v for v in z],
            "unit": ["NAC"] * len(x) + [NASTY] * len(x),
        },
        "bars": {
            "gate": [0.1, 0.5, 0.9] * 3,
            "seeds": [1, 2, 3] * 3,
            "arm": ["a"] * 3 + ["b"] * 3 + [NASTY] * 3,
        },
        "lines": {
            "n": [1, 10, 100] * 2,
            "v": [1.0, 2.0, 4.0] * 2,
            "low": [0.5, 1.0, 2.0] * 2,
            "high": [2.0, 4.0, 8.0] * 2,
            "theory": [1.0, 2.0, None] * 2,
            "unit": ["NAC"] * 3 + [NASTY] * 3,
        },
        "shown": {NASTY: [1, None, True], "b|c": [IMAGE, float("nan"), 1e-9]},
    }
    study = Study(
        "computed",
        "Computed",
        "Somewhere",
        "Nothing is trained.",
        compute=lambda trained: Computed(),
        claims={f"slope {NASTY}": Published(1.0, 0.9, 1.1), "rest": Published(2.0)},
        shown={"shown": f"A table {NASTY}", "absent": "not computed"},
        plots=(
            Surface("Surface.", "surface", choice="unit"),
            Heat("Map.", "surface", choice="unit", log=True),
            Bars("Bars.", "bars", "gate", "seeds", "arm"),
            Lines("L.", "lines", "n", "v", "unit", "low", "high", "theory", True, True),
            Lines("Not computed.", "absent"),
        ),
    )
    figures = {f"slope {NASTY}": Interval(1.0, 0.95, 1.05)}
    told = [{"command": "arithmax study computed", "seconds": 2.0}]
    return Evaluation(study, [], Computed(tables, figures), Results([]), told)


def test_every_plot_with_data_has_a_figure(trained, computed):
    captions = [caption for caption, _ in figures(trained)]
    assert captions == [plot.caption for plot in trained.study.plots[:-1]]
    assert len(figures(computed)) == 4


def test_a_map_is_coloured_by_powers_of_ten(computed):
    (drawn,) = [figure for caption, figure in figures(computed) if caption == "Map."]
    table = computed.computed.tables["surface"]
    values = np.array([z for z in table["z"] if np.isfinite(z) and z > 0])
    maps: Any = list(drawn.select_traces())
    shown = np.concatenate([np.ravel(np.asarray(m.z, float)) for m in maps])
    shown = shown[np.isfinite(shown)]
    np.testing.assert_allclose(np.sort(10**shown), np.sort(values), rtol=1e-3)


@pytest.mark.parametrize(
    "outcomes", [["solved"], ["not solved"], ["solved", "diverged"]]
)
def test_seeds_are_drawn_whatever_became_of_them(trained, outcomes):
    found = trained.found[0]
    rows = [
        row | {"outcome": outcome, "solved_at": 1000 if outcome == "solved" else None}
        for row, outcome in zip(found.rows * 2, outcomes, strict=False)
    ]
    by = next(iter(found.arm.labels))
    own = replace(trained.study, arms=(found.arm,), plots=(Seeds("Seeds.", by),))
    ((_, drawn),) = figures(
        replace(trained, study=own, found=[replace(found, rows=rows)])
    )
    traces: Any = list(drawn.select_traces())
    assert sum(len(trace.x) for trace in traces) == len(outcomes)


def test_without_runs_there_is_nothing_to_draw(trained):
    empty = evaluate(trained.study, Results([]))
    assert figures(empty) == []
    assert "not run" in document_of([empty])


def test_without_a_folder_curves_and_weights_are_left_out(trained):
    bare = evaluate(trained.study, Results(trained.results.rows))
    kinds = [plot.caption for plot in trained.study.plots[:4]] + ["Seeds."]
    assert [caption for caption, _ in figures(bare)] == kinds


def test_curves_are_quartiles_over_the_runs_of_a_series(trained):
    rows = trained.found[0].rows
    found = curves(trained.results, {row["run"]: "all" for row in rows})
    one = [curves(trained.results, {row["run"]: "one"})["one"] for row in rows]
    expected = np.quantile([o[:, 2] for o in one], [0.25, 0.5, 0.75], axis=0)
    assert found["all"][:, 0].tolist() == list(range(0, 3001, 500))
    np.testing.assert_allclose(found["all"][:, 1:].T, expected, rtol=1e-6)


def with_errors(evaluation: Evaluation, folder, errors) -> Results:
    """The rows of an evaluation, and curves of two points with an error for each."""
    runs = [row["run"] for found in evaluation.found for row in found.rows]
    points = {"run": np.repeat(np.array(runs, dtype=object), 2)}
    points["step"] = np.tile([500, 1000], len(runs))
    points["extrapolation"] = np.repeat(np.array(errors, np.float32), 2)
    write_table(folder / "x.curves.parquet", points)
    return Results(evaluation.results.rows, folder)


def test_what_diverged_counts_as_infinite(trained, tmp_path):
    """Quartiles that leave such runs out would show the best of them."""
    nan, inf = np.nan, np.inf
    results = with_errors(trained, tmp_path, [nan, 2.0, 1.0, nan, inf, nan])
    runs = [row["run"] for found in trained.found for row in found.rows]
    found = curves(results, dict(zip(runs, "aaabbb", strict=True)))
    assert found["a"].tolist() == [[500, 1.5, 2, inf], [1000, 1.5, 2, inf]]
    assert np.isinf(found["b"][:, 1:]).all()


def test_an_arm_that_diverged_is_named_in_the_legend(trained, tmp_path):
    results = with_errors(trained, tmp_path, [1.0, 2.0, 1.0, *[np.nan] * 3])
    study = replace(trained.study, plots=(Convergence("Curves."),))
    ((_, drawn),) = figures(replace(trained, study=study, results=results))
    names = [t.get("name") for t in drawn.to_plotly_json()["data"]]
    assert "NALU (diverged)" in names and len(names) == 5
    (tmp_path / "x.curves.parquet").unlink()
    results = with_errors(trained, tmp_path, [np.nan] * 6)
    assert figures(replace(trained, study=study, results=results)) == []


def test_a_plot_of_another_kind_is_refused(computed):
    odd = replace(computed.study, plots=(Plot("odd"),))
    with pytest.raises(ValueError, match=r"'odd'.*no report can draw"):
        figures(replace(computed, study=odd))


def test_data_that_cannot_be_drawn_are_named(computed):
    odd = replace(computed.study, plots=(Surface("odd", "shown", NASTY, "b|c", "b|c"),))
    with pytest.raises(ValueError, match="the plot 'odd' of the study 'computed'"):
        figures(replace(computed, study=odd))


def test_a_plot_without_its_column_is_left_out(computed):
    """The table is of another version of the study, which its remark says."""
    odd = replace(computed.study, plots=(Lines("odd", "lines", "n", "w"),))
    assert figures(replace(computed, study=odd)) == []


def test_seeds_that_diverged_have_a_band_and_a_sentence(trained):
    odd = {"outcome": "diverged", "extrapolation": float("inf"), "diverged_at": 500}
    odd["sentence"] = "diverged at step 500"
    found = trained.found[0]
    rows = [found.rows[0] | odd, *found.rows[1:]]
    study = replace(trained.study, plots=(Seeds("s"),))
    changed = replace(trained, study=study, found=[replace(found, rows=rows)])
    ((_, drawn),) = figures(changed)
    traces = drawn.to_plotly_json()["data"]
    said = [list(row) for trace in traces for row in trace["customdata"]]
    assert [0, "diverged at step 500", "∞"] in [row[:3] for row in said]
    assert "diverged" in drawn.layout.yaxis2.ticktext  # type: ignore[attr-defined]  # Plotly makes it


def test_a_range_has_no_error_bar(trained):
    plot = Measured("Sparsity.", "sparsity", "model")
    assert isinstance(trained.found[0].ours("sparsity"), Range)  # of three seeds
    ((_, drawn),) = figures(
        replace(trained, study=replace(trained.study, plots=(plot,)))
    )
    ours, theirs = (t["error_y"] for t in drawn.to_plotly_json()["data"][:2])
    assert ours["array"] == ours["arrayminus"] == [0.0]
    assert all(length > 0 for length in theirs["array"])


def test_labels_stand_side_by_side_and_numbers_in_order():
    assert places([10, 2, 300, 2]) == {2: 0, 10: 1, 300: 2}
    assert places(["b", "a", "b"]) == {"b": 0, "a": 1}


def test_long_numbers_are_packed_and_short_ones_are_rounded():
    assert packed([1 / 3, np.nan, 2]) == [0.33333, None, 2.0]
    assert packed(np.arange(100)).dtype == np.float32
    assert packed(np.full(30, 1e-50)) == [1e-50] * 30  # single precision has none


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (number(0.0), "0"),
        (number(12345.0), "12,300"),
        (number(-4e-7), "−4·10⁻⁷"),
        (number(float("inf")), "∞"),
        (number(float("nan")), "—"),
        (count_of_steps(999_999.0), "1 M"),
        (count_of_steps(12_345.0), "12.3 k"),
        (interval("success", Interval(0.98, 0.93, 0.9945)), "98 % [93, 99.5]"),
        (interval("median", Published(3000.0)), "3 k"),
        (interval("sparsity", None), "—"),
        (interval("solved_at", Range(6e3, 5e3, 8e3)), "6 k (5 k to 8 k)"),
        (interval("solved_at", Range(6e3, 6e3, 6e3)), "6 k"),
        (value_text(Range(0.2, 0.1, 0.4)), "0.2 (0.1 to 0.4)"),
        (value_text(True), "yes"),
        (value_text(123456), "123,456"),
        (duration(0.031), "0.031 s"),
        (duration(59.6), "1 min"),
        (duration(3661), "1 h 1 min"),
    ],
)
def test_numbers_in_words(said, expected):
    assert said.replace("\N{NO-BREAK SPACE}", " ") == expected


def test_markdown_escapes_what_is_not_its_own(trained, computed):
    for text in (markdown(trained), markdown(computed)):
        own = text[text.index("\n\nSource") :]
        own = re.sub(r"(?s)(`{3,})bash.*?\1", "", own)  # commands stand as they are
        assert "<script" not in own and "<img" not in own
        assert not re.search(r"[`*$]", own)
        widths = [line.count("|") for line in own.splitlines() if line[:1] == "|"]
        tables = re.split(r"\n\n", own)
        assert widths
        for table in tables:
            lines = [line for line in table.splitlines() if line.startswith("|")]
            assert len({line.count("|") for line in lines}) <= 1


def test_markdown_says_everything(trained, computed):
    text = markdown(trained) + markdown(computed)
    for verdict in Verdict:
        assert verdict.value in text
    assert "3 of 3" in text and "0 of 3" in text
    assert "a note" in text and "Why ours differs: a reason" in text
    assert "9.8.7" in text and "a machine" in text and "arithmax study" in text
    assert "&#124;" in text and not text.startswith("#")


def test_markdown_is_a_table_for_the_documentation(trained):
    from markdown import markdown as to_html

    drawn = to_html(markdown(trained), extensions=["tables", "fenced_code"])
    tables = re.findall(r"(?s)<table>.*?</table>", drawn)
    assert len(tables) == 2
    assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;both&quot;" in tables[
        0
    ].replace('"', "&quot;")
    assert len(re.findall("<tr>", tables[0])) == 4


def test_a_name_cannot_end_the_data_of_a_plot(trained):
    text = document_of([trained])
    data = re.findall(r'(?s)<script type="application/json">(.*?)</script>', text)
    assert len(data) == len(figures(trained))
    assert not any("<" in spec for spec in data)


def test_a_menu_shows_one_choice_and_what_belongs_to_all():
    import plotly.graph_objects as go

    drawn = go.Figure([go.Scatter(y=[i]) for i in range(3)])
    menu(drawn, ["<a>", "b", None])
    assert [trace.visible for trace in drawn.select_traces()] == [True, False, True]  # type: ignore[attr-defined]  # traces
    text = drawing("one", "caption", drawn.update_layout(height=300))
    assert "<option value='[false, true, true]'>b</option>" in text
    assert "&lt;a&gt;</option>" in text and '"updatemenus"' not in text


@in_browser
def test_pictures(computed, tmp_path):
    files = write_images(computed, tmp_path / "pictures")
    assert [file.name for file in files] == [
        f"computed-{i}.{kind}" for i in (1, 2, 3, 4) for kind in ("png", "svg")
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

    def open_page(width=1000, **options):
        page = browser.new_page(viewport={"width": width, "height": 800}, **options)
        page.on("console", heard)
        opened.append(page)
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("request", asked)
        page.on("dialog", dialog)
        page.goto(document.as_uri(), wait_until="load")
        return page

    yield open_page
    for page in opened:
        page.close()
    assert problems == []


def draw_all(page):
    """Scroll to every plot and wait until it is there."""
    plots = page.locator("figure.plot")
    for i in range(plots.count()):
        plots.nth(i).scroll_into_view_if_needed()
        plots.nth(i).locator(".js-plotly-plot .main-svg, canvas").first.wait_for()
    return plots


@in_browser
def test_every_plot_draws(visit, trained, computed):
    page = visit()
    assert page.locator(".js-plotly-plot").count() < 4  # those far away wait
    plots = draw_all(page)
    assert plots.count() == len(figures(trained)) + len(figures(computed))
    shapes = ".points path, .bars path, .heatmaplayer image, .lines path, canvas"
    for i in range(plots.count()):
        plots.nth(i).scroll_into_view_if_needed()
        plots.nth(i).locator(shapes).first.wait_for(state="attached")
    assert page.get_by_label(re.compile("share|cloud", re.I)).count() == 0


@in_browser
def test_names_are_text_and_nothing_else(visit):
    page = visit()
    draw_all(page)
    main = page.locator("main")
    assert main.locator("script:not([type='application/json'])").count() == 0
    assert main.locator("img, svg script, [onerror]").count() == 0
    text = main.inner_text()
    assert NASTY in text and IMAGE in text
    assert page.locator("#trained em").inner_text() == "this"
    ticks = page.locator("#trained_1 .xtick").all_text_contents()
    assert NASTY in ticks
    for verdict in Verdict:
        assert verdict.value in text
    assert page.locator(".notes li").count() >= 2


@in_browser
@pytest.mark.parametrize("touch", [False, True])
def test_a_phone_is_wide_enough(visit, touch):
    page = visit(360, has_touch=touch)
    draw_all(page)
    assert page.evaluate("document.body.scrollWidth") <= 360
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


COLOURS = """() => [
  getComputedStyle(document.body).backgroundColor,
  document.querySelector("#trained_1 .drawing")._fullLayout.font.color,
]"""


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


@in_browser
def test_everything_can_be_reached_with_the_keyboard(visit):
    page = visit()
    draw_all(page)
    page.evaluate("scrollTo(0, 0)")
    seen = []
    for _ in range(200):
        page.keyboard.press("Tab")
        seen.append(page.evaluate(FOCUS))
        if seen[-1][0] == "BODY":
            break
    names = [(tag, where) for tag, _, where, _ in seen]
    assert names[0] == ("A", "#main_")
    for link in ("#trained", "#computed", "#not-run", "#trained_note1"):
        assert ("A", link) in names
    assert ("BUTTON", "theme_") in names
    assert all(line != "none" for tag, *_, line in seen if tag != "BODY")
    count = page.locator(".scroll").count()
    assert sum(kind == "scroll" for _, kind, *_ in seen) == count >= 6
    assert sum(tag == "SELECT" for tag, *_ in seen) == 3
    assert sum("drawing" in kind for _, kind, *_ in seen) == 1


SURFACE = """() => {
  const { data, layout } = document.querySelector("#computed_1 .drawing");
  return [data.map((t) => t.visible), layout.scene.camera.eye.x];
}"""


@in_browser
def test_a_surface_turns_and_changes_by_keys(visit):
    from playwright.sync_api import expect  # the page forbids `wait_for_function`

    page = visit()
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
    page.evaluate("scrollTo(0, 0)")  # far away it gives back its memory
    expect(box.locator("canvas")).to_have_count(0)
    box.scroll_into_view_if_needed()
    box.locator("canvas").first.wait_for()
    assert page.evaluate(SURFACE) == after


@in_browser
def test_printing_draws_everything(visit):
    from playwright.sync_api import expect

    page = visit()
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    count = page.locator("figure.plot").count()
    expect(page.locator(".js-plotly-plot")).to_have_count(count)


def test_the_page_is_small(document):
    assert document.stat().st_size < 8e6

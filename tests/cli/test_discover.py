"""`arithmax discover`: a table in, a verified formula out, and honest words if not."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import duckdb
import numpy as np
import pytest
import sympy
from sympy.parsing.sympy_parser import parse_expr

from arithmax import cli
from arithmax import discover as room
from arithmax.cli._discovery_lines import folded_formula
from arithmax.discover import Trust
from arithmax.readout import from_json
from browser import browser as browser
from pages import IMAGE, in_browser

RNG = np.random.default_rng(1)
X = RNG.uniform(1, 5, (120, 3))
NAMES = ("m", "v", "r")
FORCE = X[:, 0] * X[:, 1] ** 2 / X[:, 2]
NOISE = RNG.normal(size=120)


def written(path: Path, y, x=X, names=NAMES, target="F") -> str:
    lines = [",".join((*names, target))]
    lines += [",".join(map(repr, row)) for row in np.column_stack([x, y]).tolist()]
    path.write_text("\n".join(lines), encoding="utf-8")
    return str(path)


def run(capsys, *arguments: str) -> tuple[int, str]:
    """The exit status, and what was printed."""
    try:
        cli.main(["discover", *arguments])
        status = 0
    except SystemExit as ended:
        assert isinstance(ended.code, int)
        status = ended.code
    shown = capsys.readouterr()
    assert status != 2 or shown.err
    return status, shown.out


def as_json(capsys, *arguments: str) -> dict:
    status, out = run(capsys, *arguments, "--json")
    found = json.loads(out)
    assert status == (0 if found["verified"] else 1)
    return found


def values(text: str, x: np.ndarray, names=NAMES) -> np.ndarray:
    """The printed formula, read by another program."""
    expression = parse_expr(text, {n: sympy.Symbol(n) for n in names})
    return sympy.lambdify(names, expression, "numpy")(*x.T)


def test_a_law_is_found_and_right_far_outside(capsys, tmp_path):
    found = as_json(capsys, written(tmp_path / "a.csv", FORCE), "--target", "F")
    assert found["verdict"] == "exact on this data" and found["complexity"] <= 10
    x = RNG.uniform(100, 1000, (50, 3))
    np.testing.assert_allclose(
        values(found["formula"], x), x[:, 0] * x[:, 1] ** 2 / x[:, 2], rtol=1e-12
    )
    assert found["rows"] == {"fitted": 96, "held_out": 24}
    assert found["errors"]["outside"] is None and found["hold_out"] is None
    spans = {c["name"]: c["range"] for c in found["columns"]}
    assert spans == {n: [X[:, i].min(), X[:, i].max()] for i, n in enumerate(NAMES)}


def test_features_choose_columns_and_their_order(capsys, tmp_path):
    path = written(tmp_path / "a.csv", X[:, 0] * X[:, 2])
    chosen = ("--target", "F", "--features", "r", "m")
    found = as_json(capsys, path, *chosen)
    assert [c["name"] for c in found["columns"]] == ["r", "m"]
    assert sympy.sympify(found["formula"]) == sympy.sympify("m*r")


def test_rows_outside_decide_nothing(capsys, tmp_path):
    far = X[:, 0] > 4
    wrong = np.where(far, 1e3 * NOISE, FORCE)
    options = ("--target", "F", "--hold-out", "m > 4")
    right = as_json(capsys, written(tmp_path / "a.csv", FORCE), *options)
    other = as_json(capsys, written(tmp_path / "b.csv", wrong), *options)
    assert right["formula"] == other["formula"] and right["verified"]
    assert right["rows"]["outside"] == other["rows"]["outside"] == far.sum()
    assert right["errors"]["outside"] < 1e-12
    spread = np.std(FORCE[~far])
    off = np.sqrt(np.mean((wrong - FORCE)[far] ** 2))
    assert off / 1.5 < other["errors"]["outside"] * spread < 1.5 * off
    assert right["columns"][0]["outside"] == [X[far, 0].min(), X[far, 0].max()]


def test_a_condition_may_use_a_column_that_is_no_feature(capsys, tmp_path):
    path = written(tmp_path / "a.csv", X[:, 0] * X[:, 1])
    chosen = ("--target", "F", "--features", "m", "v", "--hold-out", "r > 3")
    found = as_json(capsys, path, *chosen)
    assert found["rows"]["outside"] == (X[:, 2] > 3).sum()


def test_the_outermost_rows_are_those_farthest_from_the_mean(capsys, tmp_path):
    path = written(tmp_path / "a.csv", FORCE)
    found = as_json(capsys, path, "--target", "F", "--hold-out", "auto")
    scores = (X - X.mean(0)) / X.std(0)
    far = np.argsort(-(scores**2).sum(1))[:12]
    assert found["rows"] == {"fitted": 87, "held_out": 21, "outside": 12}
    assert found["columns"][0]["outside"] == [X[far, 0].min(), X[far, 0].max()]


def test_parquet_gives_what_csv_gives(capsys, tmp_path):
    csv = as_json(capsys, written(tmp_path / "a.csv", FORCE), "--target", "F")
    columns = {**dict(zip(NAMES, X.T.copy(), strict=True)), "F": FORCE}
    with duckdb.connect() as database:
        database.register("given", columns)
        database.sql("FROM given").write_parquet(str(tmp_path / "a.parquet"))
    parquet = as_json(capsys, str(tmp_path / "a.parquet"), "--target", "F")
    for found in (csv, parquet):
        for entry in (*found["front"], *found["tried"]):
            entry.pop("seconds")
    assert csv == parquet


def test_units_come_with_columns_in_any_order(capsys, tmp_path):
    swing = 2 * np.pi * np.sqrt(X[:, 0] / X[:, 1])
    path = written(tmp_path / "a.csv", swing, names=("l", "g", "m"), target="T")
    units = ("T=s", "m=kg", "g=m/s^2", "l=m")
    found = as_json(capsys, path, "--target", "T", "--units", *units)
    assert found["stage"] == "dimension analysis" and found["verified"]
    x = RNG.uniform(10, 100, (20, 3))
    y = values(found["formula"], x, ("l", "g", "m"))
    np.testing.assert_allclose(y, 2 * np.pi * np.sqrt(x[:, 0] / x[:, 1]), rtol=1e-12)


def test_the_same_seed_finds_the_same(capsys, tmp_path):
    noisy = FORCE + 0.02 * FORCE.std() * NOISE
    path = written(tmp_path / "a.csv", noisy)
    options = ("--target", "F", "--candidates", "6")
    first, second = (as_json(capsys, path, *options)["formula"] for _ in range(2))
    assert first == second


def test_noise_is_within_tolerance_and_constants_have_errors(capsys, tmp_path):
    path = written(tmp_path / "a.csv", 0.7312 * FORCE + 0.1 * NOISE)
    few = "--target", "F", "--candidates", "20"
    found = as_json(capsys, path, *few)
    assert found["verdict"] == "within tolerance"
    [constant] = [c for c in found["constants"] if not c["exact"]]
    error = constant["standard_error"]
    assert abs(constant["value"] - 0.7312) < 4 * error and 1e-4 < error < 1e-2
    assert "≈" in found["equation"]
    status, out = run(capsys, path, *few)
    assert status == 0 and "standard error" in out
    assert f"{constant['value']:.6g}" in out and found["formula"] in out


def test_no_formula_ends_with_status_1_and_what_was_tried(capsys, tmp_path):
    path = written(tmp_path / "a.csv", NOISE)
    status, out = run(capsys, path, "--target", "F", "--candidates", "4")
    assert status == 1
    assert "Not found" in out and "do not trust it" in out.replace("\n", " ")
    assert "What was tried" in out and "monomial" in out
    assert "all 4 candidates of the budget were judged" in out


def test_text_fits_a_terminal_of_80_columns(capsys, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    path = written(tmp_path / "a.csv", FORCE + 0.1 * NOISE)
    few = "--candidates", "20"
    out = run(capsys, path, "--target", "F", "--hold-out", "v > 4", *few)[1]
    assert max(map(len, out.splitlines())) <= 80
    assert "Outside (v > 4)" in out and "× outside" in out
    out = run(capsys, path, "--target", "F", *few)[1]
    assert "Outside: nothing was looked at" in out and "× outside" not in out


def test_an_interrupted_search_shows_the_best_so_far(capsys, tmp_path, monkeypatch):
    path = written(tmp_path / "a.csv", FORCE)

    def interrupted(x, y, *, names, progress, **options):
        whole = search(x, y, names=names, **options)
        progress("monomial", 1, 8, 3, whole.best)
        raise KeyboardInterrupt

    search = room.discover
    monkeypatch.setattr(room, "discover", interrupted)
    status, out = run(capsys, path, "--target", "F", "--quiet")
    assert status == 130 and "it was interrupted" in out and "m*v**2/r" in out


def test_progress_is_shown_where_it_is_asked_for(capsys, tmp_path, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    path = written(tmp_path / "a.csv", FORCE)
    cli.main(["discover", path, "--target", "F"])
    assert "candidates" in capsys.readouterr().err
    cli.main(["discover", path, "--target", "F", "--quiet"])
    assert capsys.readouterr().err == ""


@pytest.fixture
def folder(capsys, tmp_path, monkeypatch) -> Path:
    """The files of a discovery whose columns have odd names."""
    x, names = X[:, :2], (IMAGE, "b & c")
    y = X[:, 0] * X[:, 1] + 0.02 * NOISE
    path = written(tmp_path / "a.csv", y, x, names, '"<script>alert(1)</script>"')
    out = tmp_path / "out"
    options = ("--hold-out", "`b & c` > 4", "--out", str(out), "--quiet")
    options += ("--uncertainty",)
    arguments = ["discover", path, "--target", "<script>alert(1)</script>", *options]
    monkeypatch.setattr(sys, "argv", ["arithmax", *arguments])
    cli.main(arguments)
    capsys.readouterr()
    return out


def test_the_formula_comes_as_a_module_and_as_data(capsys, tmp_path):
    noisy = 0.7312 * FORCE + 0.1 * NOISE
    path, out = written(tmp_path / "a.csv", noisy), tmp_path / "out"
    found = as_json(capsys, path, "--target", "F", "--out", str(out))
    assert sorted(p.name for p in out.iterdir()) == [
        "formula.json",
        "formula.py",
        "formula.tex",
        "index.html",
    ]
    truth = values(found["formula"], X)
    spec = importlib.util.spec_from_file_location("formula", out / "formula.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    np.testing.assert_allclose(module.F(*X.T), truth, rtol=1e-12)
    stored = from_json((out / "formula.json").read_text(encoding="utf-8"))
    np.testing.assert_allclose(stored.evaluate(X), truth, rtol=1e-12)
    assert str(stored) == found["formula"]
    assert "v^{2}" in (out / "formula.tex").read_text(encoding="utf-8")


def test_files_are_there_though_nobody_reads_what_is_printed(capsys, tmp_path):
    """Whoever reads the text may have read enough: `arithmax discover … | head -1`."""
    path, out = written(tmp_path / "a.csv", FORCE), tmp_path / "out"
    command = [sys.executable, "-m", "arithmax", "discover", path, "--target", "F"]
    with subprocess.Popen(
        [*command, "--out", str(out)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout and process.stderr
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 141 and (out / "formula.json").exists()


def test_columns_whose_names_are_no_words_are_explained(capsys, tmp_path):
    names = ("flow (m/s)", "lambda")
    path = written(tmp_path / "a.csv", X[:, 0] * X[:, 1], X[:, :2], names)
    found = as_json(capsys, path, "--target", "F")
    written_as = {c["name"]: c["written"] for c in found["columns"]}
    assert list(written_as) == list(names)
    y = values(found["formula"], X[:, :2], tuple(written_as.values()))
    np.testing.assert_allclose(y, X[:, 0] * X[:, 1], rtol=1e-12)
    shown = run(capsys, path, "--target", "F")[1]
    assert f"{written_as['lambda']} is the column 'lambda'." in shown


def test_long_formulas_are_folded():
    text = "y = " + "*".join(f"x{i}**0.123" for i in range(100)) + " + 1"
    lines = folded_formula(text, 76)
    assert max(map(len, lines)) <= 76 and len(lines) > 10
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    assert not any(line.startswith("*") for line in lines)


def test_a_folder_of_results_is_not_overwritten(capsys, tmp_path):
    path, out = written(tmp_path / "a.csv", FORCE), tmp_path / "out"
    assert run(capsys, path, "--target", "F", "--out", str(out))[0] == 0
    page = (out / "index.html").read_bytes()
    assert run(capsys, path, "--target", "F", "--out", str(out))[0] == 2
    assert (out / "index.html").read_bytes() == page


def test_names_cannot_break_the_page(folder):
    page = (folder / "index.html").read_text(encoding="utf-8")
    body = page[page.index("<main") : page.index("</main>")]
    assert IMAGE not in body and "<script>alert" not in body
    assert "arithmax discover a.csv" in body


@in_browser
@pytest.mark.parametrize("width", [390, 1400])
def test_the_page_draws_and_fetches_nothing(folder, browser, width):
    problems = []
    page = browser.new_page(viewport={"width": width, "height": 800})
    page.on("console", lambda m: problems.append(m.text) if m.type == "error" else None)
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("dialog", lambda shown: problems.append(shown.message))
    address = (folder / "index.html").as_uri()
    page.on("request", lambda r: r.url == address or problems.append(r.url))
    page.goto(address, wait_until="load")
    plots = page.locator("figure.plot")
    assert plots.count() == 6  # with constants, and a band along each column
    for i in range(plots.count()):
        plots.nth(i).scroll_into_view_if_needed()
        marks = plots.nth(i).locator(".scatterlayer path").first
        marks.wait_for(state="attached")  # a line has no area to be seen
    legend = page.locator("#accuracy").locator(".legendtext").all_text_contents()
    counts = [int(text.split("(")[1].split()[0]) for text in legend[1:]]
    assert sum(counts) == len(X) and counts[2] == (X[:, 1] > 4).sum()
    assert page.locator("math").count() == 1
    assert page.evaluate("document.body.scrollWidth") <= width
    page.close()
    assert [p for p in problems if not p.startswith(("data:", "blob:"))] == []


def test_every_verdict_has_its_sentence(capsys, tmp_path):
    """The three verdicts are said in words that differ, and end differently."""
    tables = {"exact": FORCE, "within": FORCE + 0.1 * NOISE, "none": NOISE}
    told = {}
    for name, y in tables.items():
        path = written(tmp_path / f"{name}.csv", y)
        told[name] = as_json(capsys, path, "--target", "F", "--candidates", "8")
    assert [t["verdict"] for t in told.values()] == [str(v) for v in Trust]
    assert {t["sentence"].split(":")[0].lower() for t in told.values()} == {
        str(v) for v in Trust
    }

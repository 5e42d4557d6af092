"""`arithmax discover --uncertainty`: how sure a formula is, in words and as data."""

import json
from pathlib import Path

import numpy as np
import pytest

from arithmax import cli
from arithmax.bayes import _uncertainty, laplace
from arithmax.readout import from_json

RNG = np.random.default_rng(1)
X = RNG.uniform(1, 5, (120, 4))
FORCE = 0.7312 * X[:, 0] * X[:, 1] ** 2 / X[:, 2]
Y = FORCE + RNG.normal(0, 0.1, 120)
FEW = ("--candidates", "20", "--quiet")


@pytest.fixture
def path(tmp_path) -> str:
    lines = ["m,v,r,z,F"]
    lines += [",".join(map(repr, row)) for row in np.column_stack([X, Y]).tolist()]
    file = tmp_path / "a.csv"
    file.write_text("\n".join(lines), encoding="utf-8")
    return str(file)


def run(capsys, *arguments: str) -> tuple[int, str, str]:
    """The exit status, and what was printed on both streams."""
    try:
        cli.main(["discover", *arguments])
        status = 0
    except SystemExit as ended:
        assert isinstance(ended.code, int)
        status = ended.code
    shown = capsys.readouterr()
    return status, shown.out, shown.err


def found(capsys, path: str, *options: str) -> dict:
    out = run(capsys, path, "--target", "F", *FEW, "--json", *options)[1]
    return json.loads(out)


def test_json_has_the_posterior_of_the_rows(capsys, path, tmp_path):
    folder = tmp_path / "out"
    told = found(capsys, path, "--uncertainty", "--out", str(folder))
    formula = from_json((folder / "formula.json").read_text(encoding="utf-8"))
    assert str(formula) == told["formula"]
    posterior = laplace(formula, X, Y)
    sure = told["uncertainty"]
    assert sure["formula"] == str(posterior) and sure["level"] == 0.95
    assert "conditional on the formula" in sure["meaning"]
    for given, marginal in zip(sure["constants"], posterior.marginals, strict=True):
        assert given["name"] == marginal.name and not given["held"]
        assert given["low"] == pytest.approx(marginal.low)
    named = {c["name"]: c["in_formula"] for c in sure["constants"] if c["exact"]}
    assert named == {"exponent of m": 1, "exponent of v": 2, "exponent of r": -1}
    assert sure["noise"]["low"] < 0.1 < sure["noise"]["high"]
    assert [n for n, p in sure["relevance"].items() if p > 0.5] == ["m", "v", "r"]
    assert len(sure["rivals"]) == len(told["front"])
    assert sum(r["probability"] for r in sure["rivals"]) == pytest.approx(1.0)
    best = max(range(len(told["front"])), key=lambda i: sure["rivals"][i]["logarithm"])
    assert told["front"][best]["complexity"] == told["complexity"]


def test_nothing_of_it_is_told_unless_asked_for(capsys, path):
    plain, sure = found(capsys, path), found(capsys, path, "--uncertainty")
    assert "uncertainty" not in plain
    assert plain["formula"] == sure["formula"] and plain.keys() < sure.keys()


def test_rows_outside_infer_nothing(capsys, path):
    told = found(capsys, path, "--uncertainty", "--hold-out", "v > 4")
    inside = X[:, 1] <= 4
    noise = told["uncertainty"]["noise"]["std"]
    whole = found(capsys, path, "--uncertainty")["uncertainty"]["noise"]["std"]
    assert noise / whole == pytest.approx(1 / np.sqrt(inside.mean()), rel=0.3)
    assert noise > whole


def test_a_level_is_that_of_the_intervals(capsys, path):
    wide = found(capsys, path, "--uncertainty")["uncertainty"]["constants"]
    half = found(capsys, path, "--uncertainty", "--uncertainty-level", "0.5")
    for one, other in zip(wide, half["uncertainty"]["constants"], strict=True):
        ratio = (other["high"] - other["low"]) / (one["high"] - one["low"])
        assert ratio == pytest.approx(0.6745 / 1.96, rel=0.05)
    assert "± is half of the 50 % interval" in half["uncertainty"]["meaning"]


@pytest.mark.parametrize("columns", [80, 200])
def test_text_is_complete_and_fits_the_terminal(capsys, path, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    options = (path, "--target", "F", *FEW, "--uncertainty")
    status, out, _ = run(capsys, *options)
    assert status == 0 and max(map(len, out.splitlines())) <= columns
    told = found(capsys, path, "--uncertainty")["uncertainty"]
    flat = " ".join(out.split())
    for text in (told["formula"], told["meaning"], "95 % interval", "exponent of v"):
        assert text in flat
    assert "Does a column matter?" in out and "> 99.9 %" in out
    assert "log evidence" in out and "Noise: a standard deviation of" in out
    assert not any(line.rstrip().endswith("±") for line in out.splitlines()[:50])


def test_a_formula_that_was_not_verified_is_said_to_be(capsys, path, tmp_path):
    text = Path(path).read_text(encoding="utf-8").splitlines()
    rng = np.random.default_rng(0)
    lines = [line.rsplit(",", 1)[0] + f",{rng.normal()!r}" for line in text[1:]]
    noise = tmp_path / "noise.csv"
    noise.write_text("\n".join([text[0], *lines]), encoding="utf-8")
    status, out, _ = run(capsys, str(noise), "--target", "F", *FEW, "--uncertainty")
    assert status == 1 and "That formula was not verified." in out


def test_without_a_posterior_the_formula_is_still_told(
    capsys, path, tmp_path, monkeypatch
):
    def refuse(*given, **options):
        raise ValueError("`x` (with 3 rows) must have at least 4 rows.")

    monkeypatch.setattr(_uncertainty, "laplace", refuse)
    folder = tmp_path / "out"
    options = ("--target", "F", *FEW, "--uncertainty")
    status, out, _ = run(capsys, path, *options, "--out", str(folder))
    assert status == 0 and "m*v**2/r" in out
    assert "There are no intervals: `x` (with 3 rows)" in out
    assert "There are no intervals" in (folder / "index.html").read_text("utf-8")
    told = found(capsys, path, "--uncertainty")
    assert list(told["uncertainty"]) == ["reason"] and told["verified"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--uncertainty", "--uncertainty-level", "95"), "`uncertainty_level` (=95.0)"),
        (("--uncertainty", "--uncertainty-level", "1"), "must lie between 0 and 1"),
        (("--uncertainty-level", "0.9"), "must come with `--uncertainty`"),
    ],
)
def test_bad_levels_are_refused_before_the_search(
    capsys, path, options, said, monkeypatch
):
    from arithmax import discover

    monkeypatch.delattr(discover, "discover")
    status, _, errors = run(capsys, path, "--target", "F", *options)
    assert status == 2 and said in " ".join(errors.split())


def test_the_page_shows_what_is_known(capsys, path, tmp_path):
    folder = tmp_path / "out"
    told = found(capsys, path, "--uncertainty", "--out", str(folder))["uncertainty"]
    page = (folder / "index.html").read_text(encoding="utf-8")
    body = page[page.index("<main") : page.index("</main>")]
    assert 'id="how_sure_it_is_"' in body and told["formula"] in body
    assert body.count('<figure class="plot" id="band_') == 3  # z is no part of it
    assert 'id="constants_known"' in body and "&gt; 99.9 %" in body

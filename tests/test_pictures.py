"""The still pictures of the site show what the stored runs and the units say."""

import json
import re
import statistics
from pathlib import Path

import home_page
import home_picture
import numpy as np
import pictures
import pytest
import run_panels
import unit_pages
import why_page

from arithmax import UNITS
from arithmax.benchmark import shipped
from few import a_few_now

ROOT = Path(__file__).parents[1]
WHY = (ROOT / "docs" / "why.md").read_text(encoding="utf-8")


def texts(svg: str) -> list[str]:
    return re.findall(r"<text[^>]*>([^<]*)</text>", svg)


def line(svg: str, gid: str) -> np.ndarray:
    """The points of a line that was drawn under a name."""
    found = re.search(rf'<g id="{re.escape(gid)}">\s*<path d="([^"]*)"', svg)
    assert found, gid
    return np.array(re.findall(r"-?\d+(?:\.\d+)?", found[1]), float)


@pytest.fixture(scope="module")
def home() -> dict:
    return json.loads(home_picture.DATA.read_text(encoding="utf-8"))


@pytest.mark.parametrize("kind", ["light", "dark"])
def test_the_first_picture_is_that_of_its_data(home, kind):
    light = home_picture.picture(home)
    drawn = pictures.dark(light) if kind == "dark" else light
    path = home_picture.PICTURE.with_name(f"home-{kind}.svg")
    stored = path.read_text(encoding="utf-8")
    assert texts(stored) == texts(drawn)
    assert "trained here" in texts(stored)
    for name in ["truth", *(network["name"] for network in home["networks"])]:
        # Another version of the library may round otherwise.
        np.testing.assert_allclose(line(stored, name), line(drawn, name), atol=0.6)


def test_the_seed_is_the_median_inside_the_range(home):
    assert len(home["networks"]) == 3
    for network in home["networks"]:
        errors = network["errors_inside"]
        assert len(errors) == network["seeds"] == home_picture.SEEDS
        middle = statistics.median(errors.values())
        assert errors[str(network["seed"])] == middle


def test_the_truth_of_the_first_picture(home):
    x = np.array(home["x"])
    np.testing.assert_allclose(home["truth"], 8 * x**2, atol=1e-5)
    unit = home["networks"][-1]
    assert unit["name"] == home_picture.NMU_NAME
    np.testing.assert_allclose(unit["y"], home["truth"], rtol=1e-3, atol=1e-3)
    far = np.abs(np.array(home["networks"][0]["y"]) - home["truth"]).max()
    assert far > 100  # the ordinary network is nowhere near


def test_readme_and_home_page_share_their_parts():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    for name in re.findall(home_page.PART, index):
        assert home_page.part(name).replace("](", "](docs/") in readme.replace(
            "](https", "](docs/https"
        )
    assert "docs/assets/home-dark.svg" in readme
    with pytest.raises(ValueError, match=r"no part 'Nothing'"):
        home_page.part("Nothing")


def test_dark_pictures_have_no_ink_of_light_ones():
    svg = unit_pages.picture(UNITS["npu"]())
    for colour in (pictures.INK, pictures.FAINT):
        assert colour in svg and colour not in pictures.dark(svg)


def test_the_page_has_each_picture_once_and_at_most_twelve():
    asked = re.findall(why_page.MARKER, WHY)
    assert sorted(asked) == sorted(why_page.PICTURES)
    assert len(asked) <= 12
    assert "<!-- plot:" not in WHY


def test_a_picture_is_loaded_late_and_says_its_command():
    shown = why_page.shown("signs", "../")
    assert shown.count('loading="lazy"') == 2  # for light and dark pages
    assert "arithmax reproduce negative-products" in shown
    assert '<a href="../studies/negative-products/">' in shown


@pytest.mark.slow
def test_blue_runs_are_those_that_the_study_calls_solved():
    """Of a task whose threshold is sharp, both rules name the same runs."""
    found = run_panels.lines("simple-mul", {"model": "NMU"}, "", (0.5, 6), 1.5)
    runs = next(
        arm
        for arm in run_panels.evaluation("simple-mul").arm_runs
        if arm.arm.labels["model"] == "NMU"
    )
    solved = [row["outcome"] == "solved" for row in runs.rows]
    assert found.right.tolist() == solved and 0 < sum(solved) < len(solved)
    assert found.trained == (1.0, 2.0)
    sums = (found.x + 1.5) * (found.x + 4.5)
    np.testing.assert_allclose(found.truth, sums)


@pytest.mark.slow
def test_a_run_that_is_wrong_on_the_line_is_not_right():
    """A NALU that divides positive numbers well loses the sign of others."""
    labels = {"network": "2 × 2", "model": "NALU"}
    wide = run_panels.lines("npu-xy", labels, "", (-4, 4), 1.5, 1)
    inside = run_panels.lines("npu-xy", labels, "", (0.5, 4), 1.5, 1)
    assert inside.right.sum() > 0 == wide.right.sum()


@pytest.mark.parametrize("name", a_few_now(list(UNITS), 5))
def test_a_unit_page_has_its_rates_and_no_library(name):
    page = unit_pages.unit_page(name)
    assert "plotly" not in page and f"assets/units/{name}-light.svg" in page
    assert {"input x₁", "output"} <= set(texts(unit_pages.picture(UNITS[name]())))
    board = next(b for b in shipped() if b.name == "single-module-1000")
    for operation in UNITS[name]().operations:
        if operation not in unit_pages.SIGNS:
            continue
        sign = unit_pages.SIGNS[operation]
        score = board.score(UNITS[name].title, sign, board.criteria[0])
        if score is not None:
            share = 100 * score.solved / score.seeds
            symbol = unit_pages.OPERATIONS[operation].symbol
            cell = re.search(rf"\| {re.escape(symbol)} \| ([\d.]+) \[", page)
            assert cell and abs(float(cell[1]) - share) <= 0.51

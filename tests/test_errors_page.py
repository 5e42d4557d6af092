"""The page on errors of the literature says what stored runs and the formulas give."""

import math
import re
from pathlib import Path

import error_formulas as formulas
import error_measures as measures
import error_pictures as drawn
import error_scripts as scripts
import errors_page
import numpy as np
import pytest
from hooks import NOTE
from run_panels import RESULTS

from arithmax.results import Results
from arithmax.units import NALU, NAU, RealNPU
from arithmax.units._inalu import sign_product

PAGE = (Path(__file__).parents[1] / "docs" / "errors.md").read_text(encoding="utf-8")
BARE = NOTE.sub(r"\1", PAGE)


@pytest.fixture(scope="module")
def built() -> str:
    return errors_page.on_page_markdown(BARE, None, None, None)


# The page as a whole


def test_each_error_has_a_section_and_a_line(built):
    headings = re.findall(r"^## (.+)$", PAGE, re.MULTILINE)
    assert headings == [error.title for error in errors_page.ERRORS]
    assert headings == re.findall(errors_page.ERROR, PAGE)
    for error in errors_page.ERRORS:
        [line] = re.findall(rf"^\| \[{error.title}\]\(#.*$", built, re.MULTILINE)
        assert line.count(" | ") == 2  # three cells, none of them cut by a bar
        assert built.count(error.effect()) == 2


def test_all_that_is_made_is_on_the_page(built):
    asked = set(re.findall(errors_page.PART, PAGE)) - {"list"}
    pictures = {f"picture {name}" for name in errors_page.PICTURES}
    assert asked == set(errors_page.TEXTS) | pictures
    assert "<!-- error" not in built
    assert "nan" not in re.sub(r"<[^>]*>", "", built).split()


def test_prose_has_no_figure_of_ours():
    """Rates and counts are computed; what is typed are settings and definitions."""
    prose = re.sub(r"^```.*?^```$", "", PAGE, flags=re.DOTALL | re.MULTILINE)
    assert re.findall(r"\d+ ?%|\d+ of \d+", prose) == []


# Measures of the NAU/NMU paper


def test_means_are_halved_where_the_beta_fit_was_used():
    ratios = measures.sparsity_ratios()
    whole = {"NMU ×", "NAC•,NMU ×", "NAU +"}  # tiny values, which have a t interval
    assert len(ratios) == len(measures.printed_rows()) - len(whole)
    assert not whole & set(ratios)
    assert all(0.33 < ratio < 0.55 for ratio in ratios.values())


@pytest.mark.parametrize(
    ("name", "size"), [("× of 4 inputs", 4), ("× of 10 inputs", 10)]
)
def test_thresholds_are_those_of_a_simulation(name, size):
    """One input too many in each subset, and the right number."""
    rng = np.random.default_rng(0)
    length = size // 4
    overlap = length // 2
    for extra, found in zip((1, 0), measures.thresholds(name), strict=True):
        starts = (0, length - overlap)
        x = rng.uniform(2, 6, (200_000, size))
        ideal = np.zeros((size, 2))
        for k, start in enumerate(starts):
            ideal[start : start + length + extra, k] = 1
        wrong = np.where(ideal == 1, 1 - 1e-5, 1e-5)
        error = (x @ wrong).prod(1) - (x @ ideal).prod(1)
        assert math.isclose(np.mean(error**2), found, rel_tol=0.02)


def test_a_stricter_threshold_solves_no_more():
    counts = measures.four_inputs()
    assert all(used <= right <= runs for used, right, runs in counts.values())
    assert any(used < right for used, right, _ in counts.values())


def test_the_chance_of_the_printed_rate_is_a_sum_of_binomials():
    found = measures.lucky()
    p = found["ours"] / found["of"]
    terms = (
        math.comb(100, k) * p**k * (1 - p) ** (100 - k)
        for k in range(int(found["printed"]) + 1)
    )
    assert math.isclose(found["chance"], sum(terms), rel_tol=1e-9)
    assert found["chance"] < 0.01 and min(measures.other_rates()) > 0.05


# Scripts and texts


def test_rates_of_criteria_are_those_of_the_study():
    rates = scripts.criteria_rates()
    rows = Results([], RESULTS).query('select * from "single-module.totals"')
    for row in rows:
        for name, value in rates.get((row["unit"], row["operation"]), {}).items():
            if name in row:
                assert row[name].startswith(f"{measures.percent(value)} ")
    assert max(rates["NAC•", "÷"].values()) > 10 * min(rates["NAC•", "÷"].values())


def test_the_best_half_is_better_than_all():
    for row in scripts.large_rows():
        assert row["seeds"] == 20 and row["compared"] <= row["median"]


@pytest.fixture
def penalised(monkeypatch):
    """Errors of the large task as if the study had been trained with both penalties."""

    def rows(script: str, printed: str) -> list[dict]:
        ends = {"in": (1.0, 3.0), "out": (3.0, 4.0), "below": (0.0, 1.0)}
        return [
            {"penalty": name, "low": ends[where][0], "high": ends[where][1]}
            | {"published": 2.0, "operation": "×", "model": "NPU"}
            for name, places in (("norms of arrays", script), ("L1", printed))
            for where in places.split()
        ]

    def put(*places: str) -> None:
        monkeypatch.setattr(scripts, "large_errors", lambda: rows(*places))

    return put


def test_runs_with_the_scripts_penalty_are_counted_once_they_are_there(penalised):
    penalised("in in out", "out in below")
    assert "2 of 3 printed" in scripts.array_norms()
    assert scripts.array_norms().endswith("1 of 3 with L1.")
    assert {row["penalty"] for row in scripts.large_rows()} == {"norms of arrays"}
    penalised("", "in out")
    assert "not known yet" in scripts.array_norms()
    assert {row["penalty"] for row in scripts.large_rows()} == {"L1"}


# Formulas


def test_the_script_penalises_a_sum_of_two_norms():
    """Of U(0, 0.1): its mean is 1/20, its root mean square 0.1/√3."""
    found = formulas.norms()
    root = 0.1 / math.sqrt(3)
    assert math.isclose(found["L1"], 10_000 / 20 + 100 / 20 + 100, rel_tol=0.02)
    assert math.isclose(found["arrays"], 100 * root + 10 * root + 10, rel_tol=0.02)
    assert math.isclose(found["slope"], 1 / 20 / (100 * root), rel_tol=0.02)


@pytest.mark.parametrize("x", [3.0, -0.5])
@pytest.mark.parametrize("w", [1, 2, -3])
def test_k_as_meant_is_the_unit_and_as_printed_a_power_of_minus_x(w, x):
    params = {"W": np.array([[float(w)]]), "g": np.array([1.0])}
    assert math.isclose(formulas.power(w, x), RealNPU().apply(params, np.array([x]))[0])
    assert math.isclose(formulas.power(w, x, reversed_k=True), (-x) ** w)


def test_weights_between_0_and_1_do_not_subtract():
    y, answers = formulas.differences(0)
    assert 0.9 < np.mean((answers - y) ** 2) / np.var(y) < 1
    np.testing.assert_allclose(*formulas.differences(-1), atol=1e-12)
    exact = NAU().apply({"W": np.array([[1.0, -1.0]])}, np.array([5.0, 3.0]))
    assert exact.item() == 2.0


def test_a_gate_without_sigmoid_leaves_the_two_paths():
    gates = np.linspace(-6, 6, 13)
    with_it = formulas.gate_output(gates, True)
    assert ((with_it > 5) & (with_it < 6)).all()
    nalu = {"W_hat": np.full((1, 2), 20.0), "M_hat": np.full((1, 2), 20.0)}
    nalu["G"] = np.ones((1, 2))  # Gx is 5
    unit = NALU().apply(nalu, np.array([2.0, 3.0])).item()
    assert math.isclose(formulas.gate_output(5.0, True), unit, rel_tol=1e-6)
    assert formulas.gate_output(5.0, False) == 5 * 5 - 4 * 6


@pytest.mark.parametrize("outputs", [1, 2, 3])
def test_flattened_signs_are_the_formula_for_one_output_only(outputs):
    assert (formulas.wrong_signs(2, outputs) == 0) == (outputs == 1)
    rng = np.random.default_rng(0)
    w, x = rng.uniform(-1, 1, (4, outputs)), rng.normal(size=4)
    unit = sign_product(w.T, x[:, None], np)[:, 0]  # by which `INALU` multiplies
    np.testing.assert_allclose(formulas.product_signs(w, x), unit)


def test_a_weight_leaves_its_bound_with_slope_1_only():
    assert drawn.descend(0)[-1] == 1.0 and drawn.descend(1)[-1] < 0.51


def test_tanh_stops_earlier_in_xla():
    stops, starts = formulas.stops(), formulas.frozen_starts()
    assert 7.5 < stops["XLA"] < 8.1 < 9 < stops["PyTorch"] < 9.1
    assert starts["XLA"] > starts["PyTorch"] > 0
    assert formulas.frozen_gates() > 0.95


# Pictures


@pytest.mark.parametrize("name", errors_page.PICTURES)
def test_pictures_are_drawn_for_desk_and_phone(name):
    wide, narrow = errors_page.svgs(name)
    assert 'width="720pt"' in wide and 'width="380pt"' in narrow


def test_the_orange_points_are_the_moved_steps():
    svg = errors_page.svgs("merge")[0]
    moved = [
        len(drawn.simulated_cell("table", model="NAU", operation=name)["moved"])
        for name in ("add", "sub")
    ]
    assert svg.count("<use ") >= 200
    orange = re.findall(rf"<use [^>]*fill: {drawn.BAD}", svg)
    assert len(orange) == sum(moved)

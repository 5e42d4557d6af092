"""A unit has one colour and one symbol, on every figure of every study."""

import itertools
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arithmax import UNITS as CLASSES
from arithmax.report import _draw_runs, figures
from arithmax.report._looks import (
    ALIASES,
    DOTTED,
    LABELS,
    OPEN,
    TINT,
    UNITS,
    looks,
    tint,
    unit_of,
)
from arithmax.results import Results, summarise
from arithmax.studies import ArmRuns, Computed, Evaluation, Study, studies
from arithmax.studies._run import stored_tables

RESULTS = Path(__file__).parents[2] / "results"
PAPER, DARK = "#ffffff", "#0d1117"


def made_up(study: Study) -> Evaluation:
    """A study with one solved and one unsolved run of each arm, and its tables."""
    found = []
    for arm in study.arms:
        row = {"seed": 0, "outcome": "solved", "solved_at": 1000, "threshold": 1e-5}
        row |= {"extrapolation": 1e-9, "sparsity": 1e-3, "run": arm.name}
        rows = [row, row | {"seed": 1, "outcome": "not solved", "solved_at": None}]
        found.append(ArmRuns(arm, rows, "", summarise(dict(arm.labels), rows)))
    tables = stored_tables(study.name, RESULTS)
    return Evaluation(study, found, Computed(tables), Results([]))


def marked(figure: Any) -> list[tuple[str, dict[str, Any], str]]:
    """The series of a figure that have markers: name, marker, colour of the line."""
    series = []
    for trace in figure.to_plotly_json()["data"]:
        if trace["type"] == "scatter" and "markers" in trace["mode"]:
            ring = trace["marker"]["line"].get("color")
            line = trace.get("line", {}).get("color", ring)
            series.append((trace["name"], trace["marker"], line))
    return series


def quartiles(results: Results, runs: dict[str, str]) -> dict[str, np.ndarray]:
    """Curves of made-up numbers."""
    rows = np.array([[500.0, 0.1, 0.2, 0.3], [1000.0, 0.1, 0.2, 0.3]])
    return {name: rows.copy() for name in dict.fromkeys(runs.values())}


@pytest.fixture(scope="module")
def series():
    """Every series of every figure of every study: study, name, marker, line."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_draw_runs, "quartiles", quartiles)
        return [
            (name, *drawn)
            for name, study in studies().items()
            for _, figure in figures(made_up(study))
            for drawn in marked(figure)
        ]


def shape(marker: dict[str, Any]) -> str:
    """The symbol, whether filled or hollow."""
    return marker["symbol"].replace(OPEN, "").replace(DOTTED, "")


@pytest.mark.slow
def test_a_unit_looks_the_same_on_all_figures_of_all_studies(series):
    seen: dict[str, set[tuple[str, str]]] = {}
    for _, name, marker, line in series:
        if unit := unit_of(name):
            assert marker["line"]["color"] == line
            assert marker["color"] in (line, tint(line, TINT))
            seen.setdefault(unit, set()).add((line, shape(marker)))
    assert len(seen) > 30 and len(series) > 500
    assert seen == {unit: {UNITS[unit]} for unit in seen}


@pytest.mark.slow
def test_what_is_no_unit_has_other_colours(series):
    names = ("published", "ours", "threshold")
    others = {m["color"] for _, n, m, _ in series if not unit_of(n) and n not in names}
    assert others and others <= set(LABELS)
    assert not set(LABELS) & {colour for colour, _ in UNITS.values()}


@pytest.mark.slow
def test_hollow_symbols_are_published_figures(series):
    hollow = {study for study, _, m, _ in series if OPEN in m["symbol"]}
    published = {
        name for name, s in studies().items() if any(a.published for a in s.arms)
    }
    assert hollow and hollow <= published


@pytest.mark.slow
def test_series_of_a_plot_can_be_told_apart(series):
    """Those of one unit by a tint or a dash; of two units by colour or symbol."""
    assert len(set(UNITS.values())) == len(UNITS)
    for a, b in itertools.combinations(looks([*UNITS, *"abcdefghijklmnopqrst"]), 2):
        assert (a.colour, a.symbol) != (b.colour, b.symbol)
    one, two = looks(["NAU, +", "NAU, −"])
    assert one.dash != two.dash and one.marker() != two.marker()
    assert one.marker(published=True)["symbol"] == "cross-open"
    assert two.marker(published=True)["symbol"] == "cross-open-dot"


def test_every_unit_of_the_package_has_a_look():
    assert {cls.title for cls in CLASSES.values()} <= set(UNITS)
    assert set(ALIASES.values()) <= set(UNITS)


@pytest.mark.parametrize(
    ("label", "unit"),
    [
        ("NAC+", "NAC₊"),
        ("NAC•,NMU", "NAC•,NMU"),
        ("NALU separate", "NALU, untied"),
        ("×, NALU shared", "NALU"),
        ("RealNPU, [a] → 1/a", "RealNPU"),
        ("NMU, no R_sparse, no clamp", "NMU, no R_sparse, no clamp"),
        ("SineNMU", ""),
        ("linear, λ = 0.1", ""),
        (3, ""),
    ],
)
def test_units_in_labels(label, unit):
    assert unit_of(label) == unit


def light(colour: str) -> float:
    """The relative luminance of a colour."""
    parts = [int(part, 16) / 255 for part in re.findall("[0-9a-f]{2}", colour)]
    linear = [
        p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts
    ]
    return float(np.dot(linear, (0.2126, 0.7152, 0.0722)))


@pytest.mark.parametrize("page", [PAPER, DARK])
def test_colours_can_be_seen_on_light_and_dark_pages(page):
    for colour in {*LABELS, *(colour for colour, _ in UNITS.values())}:
        low, high = sorted((light(colour), light(page)))
        assert (high + 0.05) / (low + 0.05) >= 3

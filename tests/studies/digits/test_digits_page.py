"""The page on digits asks for plots, which are there as soon as runs are."""

import re
from pathlib import Path

from arithmax.results import Results
from arithmax.studies import Computed, Evaluation, study

PAGE = Path(__file__).parents[3] / "docs" / "digits.md"
ROWS = {
    "images": ["5,000"] * 4,
    "model": ["NMU"] * 2 + ["LSTM"] * 2,
    "step": [1, 2] * 2,
    "result": [3.0, 12.0, 3.1, 5.0],
    "target": [3.0, 12.0] * 2,
}


def asked():
    """The plots that the page asks for: study and table."""
    return re.findall(r"<!-- plot: (\S+) (\S+) -->", PAGE.read_text(encoding="utf-8"))


def test_the_page_asks_for_plots_that_studies_have():
    assert len(asked()) >= 5
    for name, table in asked():
        tables = {getattr(plot, "table", "") for plot in study(name).plots}
        assert table in tables, (name, table)


def test_without_runs_there_are_no_plots_and_no_links():
    from study_pages import with_plots

    shown = with_plots(PAGE.read_text(encoding="utf-8"), [], "../")
    assert "<!--" not in shown and "plotly" not in shown
    assert "`digits-product`" in shown and "studies/digits" not in shown


def test_with_runs_there_are():
    from study_pages import with_plots

    own = study("digits-product")
    stored = Evaluation(own, [], Computed({"sequence": ROWS}), Results([]))
    shown = with_plots(PAGE.read_text(encoding="utf-8"), [stored], "../")
    assert shown.startswith("# Digits in") and "<!--" not in shown
    assert shown.count("assets/plotly.min.js") == 1
    assert shown.count("Plotly.newPlot") == 1 and "trained on two" in shown
    assert "[`digits-product`](studies/digits-product.md)" in shown
    assert "`digits-sum`" in shown and "studies/digits-sum" not in shown

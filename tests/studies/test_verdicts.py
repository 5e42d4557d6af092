"""What a figure of ours says of a published one: points, statements, short runs."""

import math
import re

import numpy as np
import pytest

from arithmax.cli._comparisons import print_study
from arithmax.cli._studies import comparisons_as_json
from arithmax.report import markdown
from arithmax.results import Results
from arithmax.statistics import Interval, Range, success_rate
from arithmax.studies import Arm, Published, Study, Verdict, evaluate
from arithmax.studies._tables import ranked
from arithmax.studies._verdict import compare
from arithmax.tasks import SingleModule
from arithmax.training import Cell, published
from arithmax.units import NAU
from fake_rows import fake

RATE = success_rate(21, 100)  # [0.142, 0.300]


@pytest.mark.parametrize(
    ("figure", "verdict"),
    [
        (Published(0.2), Verdict.WITHIN),
        (Published(RATE.low), Verdict.WITHIN),  # ends belong to an interval
        (Published(0.0), Verdict.NO_INTERVAL),
        (Published(0.0, statement=True), Verdict.CONTRADICTED),
        (Published(0.2, statement=True), Verdict.WITHIN),
        (Published(0.0, 0.0, 0.0), Verdict.DIFFERS),
        (Published(0.0, 0.0, 0.0, statement=True), Verdict.CONTRADICTED),
        (Published(0.025, 0.0, 0.15, statement=True), Verdict.OVERLAPS),
    ],
)
def test_a_point_lies_in_our_interval_or_outside(figure, verdict):
    assert compare({}, "rate", RATE, figure).verdict is verdict


def test_never_is_contradicted_by_one_run_and_not_by_none():
    """Wilson's interval holds 0 if and only if no run is solved."""
    never, always = (Published(v, statement=True) for v in (0.0, 1.0))
    for total in (1, 10, 1000):
        none, one = success_rate(0, total), success_rate(1, total)
        assert compare({}, "rate", none, never).verdict is Verdict.WITHIN
        assert compare({}, "rate", one, never).verdict is Verdict.CONTRADICTED
        most, all_of_them = success_rate(total - 1, total), success_rate(total, total)
        assert compare({}, "rate", most, always).verdict is Verdict.CONTRADICTED
        assert compare({}, "rate", all_of_them, always).verdict is Verdict.WITHIN


def test_a_range_is_no_interval_but_may_contradict():
    ours = Range(21_000.0, 20_000.0, 22_000.0)
    assert compare({}, "step", ours, Published(21_000.0)).sentence == (
        "no interval published (equal)"
    )
    said = [compare({}, "step", ours, Published(v, statement=True)) for v in (2e4, 5e3)]
    assert [c.verdict for c in said] == [Verdict.NO_INTERVAL, Verdict.CONTRADICTED]


@pytest.mark.parametrize(
    ("ours", "theirs", "remark"),
    [
        (3.0, 2.0, "ours × 1.5"),
        (2.0, 3.0, "ours ÷ 1.5"),
        (math.inf, 2.0, "ours × ∞"),
        (1.0003, 1.0, "equal to three digits"),
        (6e-8, 0.0, "ours +6e−08"),
        (-1.0, 2.0, "ours −3"),
    ],
)
def test_by_how_much_ours_is_off(ours, theirs, remark):
    found = compare({}, "x", Interval(ours, ours, ours), Published(theirs))
    assert found.verdict is Verdict.NO_INTERVAL and found.remark == remark
    assert remark in found.sentence


def test_what_was_tried_stands_behind_the_reason_or_that_none_is_known():
    def why(reason: str = "", tried: str = "") -> str:
        figure = Published(0.9, 0.8, 1.0, reason=reason, tried=tried)
        return compare({}, "rate", RATE, figure).why

    assert why(reason="luck", tried="more seeds") == "luck; tried: more seeds"
    assert why(reason="luck") == "luck"
    assert why(tried="more seeds") == "not known; tried: more seeds" and why() == ""
    same = Published(0.2, 0.1, 0.3, reason="luck")
    assert compare({}, "rate", RATE, same).why == ""  # there is nothing to explain


def test_the_interval_of_a_median_holds_it_as_often_as_it_says():
    """Ranks know nothing of the distribution: 95 % at least, of a skewed one too."""
    rng = np.random.default_rng(0)
    for count in (6, 20):
        drawn = np.exp(rng.normal(0.0, 2.0, (2000, count)))
        found = [ranked(values) for values in drawn]
        share = np.mean([f.low <= 1.0 <= f.high for f in found])  # the median is 1
        assert 0.94 < share < 0.99
        assert all(f.low <= f.value <= f.high for f in found)


def own(**figures: Published) -> Study:
    network, protocol = published(NAU(), SingleModule("add"), steps=20_000)
    cell = Cell(network, SingleModule("add"), protocol, tuple(range(10)))
    return Study("own", "Own", "a", "b", (Arm({"model": "NAU"}, cell, figures),))


def test_a_median_has_an_interval_by_ranks():
    study = own(median=Published(1040.0), solved_at=Published(1040.0))
    found = evaluate(study, Results(fake(study, [True] * 10, spread=0.01))).comparisons
    assert found[0].ours == ranked([1000 + 10 * k for k in range(10)])
    assert found[0].verdict is Verdict.WITHIN
    few = evaluate(study, Results(fake(study, [True] * 5, spread=0.01))).arm_runs[0]
    assert few.ours("median") == Range(1020.0, 1000.0, 1040.0)


@pytest.mark.parametrize("figures", [{}, {"success": Published(1.0, 0.9, 1.0)}])
def test_runs_below_a_tenth_of_the_steps_say_no_rate(figures, capsys):
    study = own(**figures)  # of 20,000 steps
    enough = evaluate(study, Results(fake(study, [True] * 10, steps=2000)))
    assert enough.arm_runs[0].summary and not enough.arm_runs[0].too_short
    short = evaluate(study, Results(fake(study, [True] * 10, steps=1000)))
    (runs,) = short.arm_runs
    assert len(runs.rows) == 10 and runs.too_short and runs.ours("success") is None
    assert short.reduced == 0 and enough.reduced == len(figures)
    assert short.tally["too short to compare"] == len(figures)
    print_study(short, {})
    printed = capsys.readouterr().out + markdown(short)
    assert printed.count("1,000 of 20,000 steps") == 2  # in the terminal, on the page
    assert "too short to compare" in printed
    assert not re.search(r"100.?%.*overlaps|10 of 10", printed)
    for entry in comparisons_as_json([short], {}):
        assert entry["ours"] is None and entry["verdict"] == "too short to compare"

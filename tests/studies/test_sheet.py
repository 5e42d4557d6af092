"""Sheets: what they hold, and what is refused."""

import pytest

from arithmax import NAU, Cell, Protocol
from arithmax.statistics import success_rate
from arithmax.studies import Arm, Measured, Published, studies
from arithmax.studies._sheet import parsed
from arithmax.tasks import SingleModule

TEXT = '''+++
title = "A title"
question = "Which of them?"
source = """
Somewhere, in
a table"""

[shown]
counts = "How many."

[claims.rate]
name = "{model}: share of runs"
note = "read from the figure"
figures = [
    {model = ["NAU", "NMU"], solved = 98, runs = 100},
    {model = "NALU", between = [0.0, 0.5], note = "drawn", reason = "one run"},
]

[claims.limit]
name = "the limit"
exact = 2.0

[claims.formula]
name = "by formula, n = {n}"
note = "printed"

[[arms]]
where = {model = "NAU"}
published.median = {value = 5.0}
notes.success = "recomputed"
reasons.success = "few seeds"

[[plots]]
draw = "Measured"
caption = "Success rate."
x = "model"
+++

About
this.
'''


def arms():
    cell = Cell(NAU(), SingleModule("add"), Protocol(), (0,))
    published = {"success": Published(0.5)}
    return [Arm({"model": name}, cell, published) for name in ("NAU", "NMU")]


def test_a_sheet_is_a_study():
    own = parsed("mine", TEXT).study(
        arms(), derived={"formula": [{"n": 2, "value": 1.0}, {"n": 3, "exact": 1.5}]}
    )
    assert (own.name, own.title) == ("mine", "A title")
    assert own.source == "Somewhere, in a table" and own.about == "About\nthis."
    assert own.shown == {"counts": "How many."}
    assert own.plots == (Measured("Success rate.", x="model"),)
    rate = success_rate(98, 100)
    both = Published(rate.value, rate.low, rate.high, "read from the figure")
    assert list(own.claims.items()) == [
        ("NAU: share of runs", both),
        ("NMU: share of runs", both),
        ("NALU: share of runs", Published(0.25, 0.0, 0.5, "drawn", "one run")),
        ("the limit", Published(2.0, 2.0, 2.0)),
        ("by formula, n = 2", Published(1.0, note="printed")),
        ("by formula, n = 3", Published(1.5, 1.5, 1.5, "printed")),
    ]


def test_a_sheet_adds_to_the_arms_that_it_names():
    first, second = parsed("mine", TEXT).study(arms()).arms
    assert first.published == {
        "success": Published(0.5, note="recomputed", reason="few seeds"),
        "median": Published(5.0),
    }
    assert second == arms()[1]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("# A heading", "must begin with TOML between two lines"),
        (f"Words.\n{TEXT}", "must begin with TOML between two lines"),
        ('+++\ntitle = "A title"\n+++\n', "must have `question`"),
        ('+++\ntitle = "t"\nquestion = "q"\n+++\n', "must have `source`"),
        (TEXT.replace('model = "NAU"', 'model = "no"'), "changes no figure of an arm"),
        ('+++\ntitle = "by `fit`"\n+++\n', "has a backquote before its prose"),
    ],
)
def test_what_is_no_sheet_is_refused(text, message):
    with pytest.raises(ValueError, match=message):
        parsed("mine", text).study(arms())


def test_figures_of_a_claim_that_is_not_there_are_refused():
    with pytest.raises(ValueError, match="which has rate, limit, formula"):
        parsed("mine", TEXT).study(arms(), derived={"no": []})


def test_studies_are_made_when_they_are_asked_for():
    listed = studies()
    assert len(listed) == len(list(listed)) == 55 and "no-such-study" not in listed
    assert listed["demo"] is studies()["demo"]


@pytest.mark.parametrize("name", list(studies()))
def test_claims_are_of_studies_that_compute(name):
    own = studies()[name]
    assert bool(own.claims) <= (own.compute is not None)

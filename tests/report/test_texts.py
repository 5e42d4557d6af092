"""Numbers in words, and a study as Markdown."""

import re
from dataclasses import replace

import pytest

from arithmax.report import markdown
from arithmax.report._markdown import folded_table
from arithmax.report._repeated import without_repeated
from arithmax.report._table import Notes, arm_lines
from arithmax.report._text import (
    answer,
    count_of_steps,
    duration,
    interval,
    number_text,
    value_text,
)
from arithmax.statistics import Interval, Range, success_rate
from arithmax.studies import Published, Verdict


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (number_text(0.0), "0"),
        (number_text(12345.0), "12,300"),
        (number_text(-4e-7), "−4·10⁻⁷"),
        (number_text(float("inf")), "∞"),
        (number_text(float("nan")), "—"),
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
    for evaluation in (trained, computed):
        own = markdown(evaluation).replace(evaluation.study.about.strip(), "")
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
    short = [replace(trained.arm_runs[0], summary=None, reduced="1 of 10 steps")]
    text = markdown(trained) + markdown(computed)
    text += markdown(replace(trained, arm_runs=short))
    for verdict in Verdict:
        assert verdict.value in text
    assert "too short to compare: 1 of 10 steps" in text and "(ours ÷ 2)" in text
    brackets = text.replace("&#91;", "[").replace("&#93;", "]")
    for solved in (3, 0):  # how many runs, and how often they were solved
        rate = interval("success", success_rate(solved, 3))
        assert f"| 3 | {rate} |".replace("\N{NO-BREAK SPACE}", " ") in brackets
    assert "a note" in text and "Why ours differs: a reason" in text
    assert "9.8.7" in text and "a machine" in text and "arithmax study" in text
    assert "&#124;" in text and not text.startswith("#")


def test_a_study_opens_with_question_plot_and_answer(computed):
    study = replace(computed.study, question="What is it?")
    text = markdown(replace(computed, study=study), ["PLOT 1", "PLOT 2"])
    parts = [
        "**What is it?**",
        "PLOT 1",
        "Of 5 published figures",
        "Nothing is trained",
    ]
    parts += ["| claim |", "PLOT 2", "## Source, commands and cost", "Somewhere."]
    places = [text.index(part) for part in parts]
    assert places == sorted(places)
    # A title that is a question is not asked twice.
    asking = replace(study, title="Is it?")
    assert "What is it?" not in markdown(replace(computed, study=asking))


def test_what_verdicts_say_in_a_sentence(trained, computed):
    assert answer(computed) == (
        "Of 5 published figures, 1 overlaps ours, 1 is within our interval, 1 is a "
        "statement that our runs contradict, 1 has no interval and 1 was not run."
    )
    everything = {name: Published(1.0, 0.9, 1.1) for name in computed.study.claims}
    figures = {name: Interval(1.0, 0.95, 1.05) for name in everything}
    agreed = replace(
        computed,
        study=replace(computed.study, claims=everything),
        computed=replace(computed.computed, figures=figures),
    )
    assert answer(agreed) == "All 5 published figures overlap ours."
    nothing = replace(computed, study=replace(computed.study, claims={}))
    assert answer(nothing) == "Nothing was published to compare with."
    alone = [
        replace(runs, arm=replace(runs.arm, published={})) for runs in trained.arm_runs
    ]
    assert answer(replace(trained, arm_runs=alone)) == (
        "Nothing was published to compare with. Of 2 settings, training solved 1 with "
        "every seed and 1 with no seed."
    )
    shorter = replace(trained, arm_runs=[replace(trained.arm_runs[1], reduced="few")])
    assert answer(shorter) == (
        "2 published figures are beside reduced runs, which decides nothing."
    )


def test_a_reduced_run_has_a_sign_of_its_own(trained):
    reduced = [replace(runs, reduced="3 of 9 seeds") for runs in trained.arm_runs]
    lines = arm_lines(replace(trained, arm_runs=reduced), Notes())
    compared = [e for line in lines[:2] for e in line.entries if e.verdict]
    assert compared and {e.kind for e in compared} == {"reduced"}
    assert all(e.signed.startswith("◐ ") for e in compared)
    # What was not run at all is not called reduced, and full runs are not either.
    assert {e.kind for e in lines[2].entries if e.verdict} == {"not_run"}
    full = [e for line in arm_lines(trained, Notes()) for e in line.entries]
    assert {"overlaps", "differs"} <= {e.kind for e in full}
    assert not any("◐" in e.signed for e in full)


def test_a_computed_table_does_not_repeat_the_rates_of_arms(trained):
    models = [runs.arm.labels["model"] for runs in trained.arm_runs[:2]]
    table = {
        "model": models,
        "size": [2, 2],
        "seeds": [3, 3],
        "solved": [3, 0],
        "low": [0.4385, 0.0],
        "published, in %": [50.0, 100.0],
        "weight": [0.3, 0.1],
        "note": ["a", "b"],
    }
    told = without_repeated(table, trained)
    assert list(told) == ["model", "size", "weight", "note"]
    # Another table of these labels has other lines than arms, and stays as it is.
    twice = {name: values * 2 for name, values in table.items()}
    assert list(without_repeated(twice, trained)) == list(table)
    labels = {name: table[name] for name in ("model", "size", "seeds")}
    assert without_repeated(labels, trained) == {}


def test_lines_that_are_claims_are_not_shown_twice(computed):
    name = next(iter(computed.study.claims))
    table = {"what": [name, "other"], "value": [1.0, 2.0]}
    assert without_repeated(table, computed) == {"what": ["other"], "value": [2.0]}
    assert without_repeated({"what": [name], "value": [1.0]}, computed) == {}


def test_what_is_long_is_folded():
    assert folded_table("| a |", 40) == "| a |"
    many = folded_table("| a |", 1041)
    assert many.startswith('<details markdown="1"><summary>1,041 lines</summary>\n\n|')


def test_markdown_is_a_table_for_the_documentation(trained):
    from markdown import markdown as to_html

    drawn = to_html(markdown(trained), extensions=["tables", "fenced_code"])
    tables = re.findall(r"(?s)<table>.*?</table>", drawn)
    assert len(tables) == 2
    assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;both&quot;" in tables[
        0
    ].replace('"', "&quot;")
    assert len(re.findall("<tr>", tables[0])) == 4

"""Numbers in words, and a study as Markdown."""

import re

import pytest

from arithmax.report import markdown
from arithmax.report._text import (
    count_of_steps,
    duration,
    interval,
    number_text,
    value_text,
)
from arithmax.statistics import Interval, Range
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

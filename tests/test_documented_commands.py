"""Commands of the README and of the guides run as they stand there."""

import re
import shlex
from pathlib import Path

import pytest
from hooks import NOTE
from run_panels import evaluation

from arithmax import cli

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def commands(page: str) -> list[str]:
    """Every `arithmax` command in a block of a page, on one line."""
    text = (ROOT / page).read_text(encoding="utf-8")
    blocks = [block for kind, block in BLOCK.findall(text) if not kind]
    lines = "\n".join(blocks).replace("\\\n", " ").splitlines()
    plain = (line.split("  #")[0].strip() for line in lines)
    return [" ".join(line.split()) for line in plain if line.startswith("arithmax ")]


def run(command: str, capsys: pytest.CaptureFixture[str]) -> str:
    cli.main(shlex.split(command)[1:])
    return capsys.readouterr().out


@pytest.fixture(autouse=True)
def at_the_root(monkeypatch):
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("COLUMNS", "80")


def test_which_unit_divides(capsys):
    """The question of the README and of `choose.md`, answered by the first line."""
    asked = "arithmax units --operation div"
    assert asked in commands("README.md") and asked in commands("docs/choose.md")
    out = run(asked, capsys)
    first = next(line for line in out.splitlines() if "[" in line)
    assert first.split()[0].rstrip("*") == "NMRU" and "learning" in out


def test_the_law_of_the_planets(capsys):
    """What the README prints is what the command prints."""
    [asked] = [c for c in commands("README.md") if c.startswith("arithmax discover")]
    out = " ".join(run(asked, capsys).split())
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = re.search(r"```\n(  period = .*?)```", text, re.DOTALL)
    assert shown
    for paragraph in shown[1].split("\n\n"):
        assert " ".join(paragraph.split()) in out


def test_the_published_table_is_that_of_the_stored_runs():
    """The three lines that the README has of `arithmax reproduce simple-mul`."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for runs in evaluation("simple-mul").arm_runs:
        name, printed = runs.arm.labels["model"], runs.arm.published["success"]
        found = [percent(runs.ours("success")), percent(printed.interval)]
        [line] = re.findall(rf"^{name} +success +(.*)$", text, re.MULTILINE)
        assert re.findall(r"\d+% \[\d+,\d+\]", line) == found


def percent(interval) -> str:
    value, low, high = (100 * getattr(interval, n) for n in ("value", "low", "high"))
    return f"{value:.0f}% [{low:.0f},{high:.0f}]"


def test_no_rate_is_typed_by_hand():
    text = (ROOT / "docs" / "choose.md").read_text(encoding="utf-8")
    assert "<!-- best -->" in text
    assert not re.search(r"\d+ ?%|\d+ of \d+", text)


def test_tasks_of_ones_own(capsys):
    [asked] = [c for c in commands("docs/tasks.md") if "train table" in c]
    assert "20 of 20" in run(asked, capsys)
    [asked] = [c for c in commands("docs/tasks.md") if "my_task.py" in c]
    assert "7 of 8" in run(asked, capsys)


def test_install_commands_have_the_constraint():
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    for page in pages:
        for line in re.findall(r"pip install.*", page.read_text(encoding="utf-8")):
            assert "-c constraints.txt" in line, (page.name, line)


PAGES = sorted((ROOT / "docs").rglob("*.md"))
PLAIN = ["README.md", "docs/index.md", "docs/why.md", "docs/choose.md", "docs/tasks.md"]


@pytest.mark.parametrize("page", PLAIN)
def test_no_words_of_the_workshop(page):
    """Words that only those who wrote the package know are not on the first pages."""
    text = BLOCK.sub("", (ROOT / page).read_text(encoding="utf-8"))
    found = re.findall(r"\b(doors?|arms?|slopes? at ties?|replicas?|cells?)\b", text)
    assert found == []


def test_the_words_are_explained_once():
    text = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    words = re.findall(r"^\| \*\*(.+?)\*\* \|", text, re.MULTILINE)
    assert len(words) == len(set(words)) >= 15
    assert {"arm", "protocol", "fleet", "slope at a tie"} <= set(words)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_what_a_build_fills_is_named_in_the_file(page):
    """Who reads a page in a clone sees what is missing; the built page has no note."""
    text = page.read_text(encoding="utf-8")
    markers = re.findall(r"^<!-- .+? -->", text, re.MULTILINE)
    assert len(NOTE.findall(text)) == len(markers)
    bare = NOTE.sub(r"\1", text)
    assert re.findall(r"^<!-- .*$", bare, re.MULTILINE) == markers

"""Options have one name everywhere, and advice names options that exist."""

import inspect
import re
import shlex
from pathlib import Path

import pytest

from arithmax import cli
from arithmax.cli._commands import COMMANDS, RENAMED
from arithmax.cli._order import Run
from arithmax.cli._settings import LISTS, REGISTRIES
from arithmax.cli._task_options import options_of, tasks_by_name
from arithmax.report import _leaderboard
from arithmax.training import Protocol

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "arithmax"
OPTION = re.compile(r"(?<![\w-])--([a-z][a-z0-9.-]*)")
COMMAND = re.compile(r"(?<![\w/.-])arithmax ([a-z]+)\b([^`\n]*)")
OTHERS = ("xla", "head", "address", "num-gpus")  # of the compiler, and of `ray start`
NOT_TO_BE_WRITTEN = {"--task", *RENAMED}  # what messages say is wrong


def hyphens(names) -> set[str]:
    return {name.replace("_", "-") for name in names}


def options(command: str) -> set[str]:
    """The options of a command; those of `train` for any task, unit and protocol."""
    if command != "train":
        return hyphens(inspect.signature(COMMANDS[command]).parameters) | {"help"}
    tasks = [options_of(cls).__dataclass_fields__ for cls in tasks_by_name().values()]
    known = set(Run.__dataclass_fields__) | set(Protocol.__dataclass_fields__)
    return hyphens(known.union(*tasks)) | {"help"}


def is_known(option: str, names: set[str]) -> bool:
    """Whether a command has an option, perhaps one of a part: `optimiser.beta1`."""
    part, dot, inner = option.removeprefix("no-").rstrip(".").partition(".")
    if not dot:
        return part in names
    registry = REGISTRIES.get(part) or LISTS.get(part) or {}
    default = getattr(Protocol(), part, None)
    classes = [*registry.values(), *([type(default)] if default is not None else [])]
    fields = {f for cls in classes for f in getattr(cls, "__dataclass_fields__", ())}
    return inner.split(".")[-1].replace("-", "_") in fields


ALL = set().union(*(options(name) for name in COMMANDS))


@pytest.mark.parametrize(
    "file", sorted((SOURCE / "studies").rglob("*.md")), ids=lambda file: file.stem
)
def test_notes_of_studies_name_options_of_reproduce(file):
    """Whoever reads them has run `arithmax reproduce`."""
    text = COMMAND.sub("", file.read_text(encoding="utf-8"))
    for option in OPTION.findall(text):
        assert is_known(option, options("reproduce")), option


def test_messages_name_options_that_exist():
    for file in SOURCE.rglob("*.py"):
        for option in OPTION.findall(file.read_text(encoding="utf-8")):
            if option.startswith(OTHERS) or f"--{option}" in NOT_TO_BE_WRITTEN:
                continue
            assert is_known(option, ALL), f"{file.name}: --{option}"


PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
PAGES += sorted((SOURCE / "studies").rglob("*.md"))
PAGES += sorted(SOURCE.rglob("*.py"))


@pytest.mark.parametrize("file", PAGES, ids=lambda file: file.stem)
def test_commands_in_texts_have_their_options(file):
    for command, rest in COMMAND.findall(file.read_text(encoding="utf-8")):
        if command in COMMANDS:
            for option in OPTION.findall(rest):
                assert is_known(option, options(command)), f"{command} --{option}"


def test_the_search_finds_what_it_looks_for():
    assert not is_known("to", options("report"))
    assert not is_known("precision", options("reproduce"))
    assert is_known("precision", options("train"))
    assert is_known("optimiser.learning-rate", options("train"))
    assert not is_known("optimiser.lerning-rate", options("train"))
    assert COMMAND.findall("see `arithmax report DIR --to x`") == [
        ("report", " DIR --to x")
    ]


def test_what_is_written_goes_to_out():
    for command in ("discover", "reproduce", "report", "leaderboard", "benchmark"):
        assert "out" in options(command) and "to" not in options(command)
    assert {"out"} <= options("train") and "out" in options("demo")


@pytest.mark.parametrize("command", ["report runs --to x.html", "leaderboard --to=x"])
def test_the_old_name_suggests_the_new_one(command, capsys):
    with pytest.raises(SystemExit) as ended:
        cli.main(shlex.split(command))
    assert ended.value.code == 2
    assert "`--to` is called `--out`" in capsys.readouterr().err


def test_a_page_goes_into_a_folder_or_a_file(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(_leaderboard, "leaderboard", lambda boards, own: "page")
    cli.main(["leaderboard", "--out", str(tmp_path)])
    assert (tmp_path / "leaderboard.html").read_text() == "page"
    cli.main(["leaderboard", "--out", str(tmp_path / "mine.html")])
    assert (tmp_path / "mine.html").exists()
    cli.main(["leaderboard", "--out", str(tmp_path / "new" / "folder")])
    assert (tmp_path / "new" / "folder" / "leaderboard.html").exists()
    assert capsys.readouterr().out.count("Wrote ") == 3

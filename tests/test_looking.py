"""Looking at somebody's results runs nothing of theirs, and shows what the data allow.

Nothing is unpickled or evaluated: an audit hook, which Python calls before it opens,
compiles, imports or unpickles anything, watches a whole session in a fresh process.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import duckdb
import numpy as np
import pytest

from arithmax import cli
from arithmax.studies import load
from arithmax.studies._run import stored_tables

EXAMPLE = Path(__file__).parents[1] / "examples" / "my_unit.py"
TOKEN = "__import__('pathlib').Path('marker').touch()"
TRAP = "from pathlib import Path\nPath('marker').touch()\n"
NASTY = "<script>alert(1)</script>"

# A session below a hook. What it must never see is kept in `seen`.
SESSION = """
import contextlib, io, os, sys

results, example, token = sys.argv[1:4]
steps = sys.argv[4:]
seen = []

def inside(path):
    if not isinstance(path, (str, bytes)) or not os.path.isfile(path):
        return False  # such as "<string>"
    return os.path.abspath(os.fsdecode(path)).startswith(results + os.sep)

def hook(event, arguments):
    first = arguments[0] if arguments else None
    if event == "pickle.find_class":
        seen.append(event)
    elif event == "compile":
        text = first if isinstance(first, bytes) else str(first).encode()
        if token.encode() in text or inside(arguments[1]):
            seen.append(event)
    elif event == "exec" and inside(getattr(first, "co_filename", None)):
        seen.append(event)
    elif event == "import" and inside(arguments[1]):
        seen.append(event)
    elif event == "open" and inside(first) and os.fsdecode(first).endswith(".py"):
        seen.append(event)
    elif event in ("os.system", "os.exec", "os.posix_spawn", "subprocess.Popen"):
        seen.append(event)

sys.addaudithook(hook)

import arithmax
from arithmax.cli import main

TRAIN = "train single-module --unit nau --operation add --seeds 1 --steps 1000"
BENCHMARK = f"benchmark {example}:SineNMU --quick --seeds 1 --steps 1000 --quiet"
COMMANDS = {
    "train": f"{TRAIN} --quiet --out {results}",
    "report": f"report {results}",
    "benchmark": f"{BENCHMARK} --out {results}/own --page {results}/own.html",
    "leaderboard": f"leaderboard {results}",
}
out = io.StringIO()
with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
    for step in steps:
        if step in COMMANDS:
            main(COMMANDS[step].split())
        else:
            with contextlib.suppress(Exception):
                exec(compile(step, "a step that breaks the rule", "exec"))
print(*seen)
"""


def parquet(path: Path, columns: dict[str, list]) -> None:
    """A table as somebody else may have written it."""
    given = {name: np.array(values, dtype=object) for name, values in columns.items()}
    with duckdb.connect() as database:
        database.register("given", given)
        database.sql("FROM given").write_parquet(str(path))


def watched(folder: Path, *steps: str) -> list[str]:
    """What a session in a fresh process did of what it must not do."""
    done = subprocess.run(
        [sys.executable, "-P", "-c", SESSION, str(folder), str(EXAMPLE), TOKEN, *steps],
        capture_output=True,
        text=True,
        cwd=folder,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def baited(folder: Path) -> Path:
    """A folder whose every text is code, and whose record names a file to run."""
    folder.mkdir(exist_ok=True)
    trap = folder / "trap.py"
    trap.write_text(TRAP, encoding="utf-8")
    for name in ("random", "plotly", "tyro", "duckdb", "numpy"):
        (folder / f"{name}.py").write_text(TRAP, encoding="utf-8")
    entry = {"command": TOKEN, "version": TOKEN, "device": TOKEN, "seconds": 1.0}
    record = {"format": 1, "history": [entry], "source": TOKEN}
    for name, file in (("trap", str(trap)), ("other", TOKEN)):
        text = json.dumps(record | {"study": name, "file": file})
        (folder / f"{name}.study.json").write_text(text, encoding="utf-8")
    parquet(folder / "trap.bait.table.parquet", {"text": [TOKEN], TOKEN: ["x"]})
    return folder


def test_a_session_runs_nothing_out_of_a_folder(tmp_path):
    folder = baited(tmp_path / "runs")
    assert watched(folder, "train", "report") == []
    assert not (folder / "marker").exists()
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "its file, trap.py, was not named" in page and "SingleModule(" in page


@pytest.mark.slow
def test_nor_does_a_benchmark(tmp_path):
    folder = baited(tmp_path / "runs")
    assert watched(folder, "train", "benchmark", "report") == []
    assert not (folder / "marker").exists()


@pytest.mark.parametrize(
    ("step", "event"),
    [
        ("import pickle; pickle.loads(pickle.dumps(io.StringIO))", "pickle.find_class"),
        ("open('record').read() and eval(open('record').read())", "compile"),
        ("import runpy; runpy.run_path('trap.py')", "exec"),
        ("sys.path.insert(0, results); import trap", "import open"),
        ("os.system('true')", "os.system"),
    ],
)
def test_the_hook_sees_what_it_must(step, event, tmp_path):
    """Each rule is broken once: a test that cannot fail shows nothing."""
    folder = baited(tmp_path / "runs")
    (folder / "record").write_text(TOKEN, encoding="utf-8")
    assert set(event.split()) & set(watched(folder, step))


def test_python_m_does_not_look_into_the_current_folder(tmp_path):
    folder = baited(tmp_path / "runs")
    done = subprocess.run(
        [sys.executable, "-m", "arithmax", "report", "."],
        capture_output=True,
        text=True,
        cwd=folder,
    )
    assert done.returncode == 0, done.stderr
    assert (folder / "report.html").exists() and not (folder / "marker").exists()


def test_a_named_file_is_run_and_no_other(tmp_path, capsys):
    text = (
        "from arithmax.studies import Computed, Study\n"
        "NAME = Study('NAME', 'Title of NAME', 's', 'a', shown={'t': 'A caption.'},\n"
        "             compute=lambda trained: Computed({'t': {'n': [1]}}))\n"
    )
    files = [tmp_path / "one.py", tmp_path / "two.py"]
    for file in files:
        named = text.replace("NAME =", "STUDY =").replace("NAME", file.stem)
        file.write_text(named, encoding="utf-8")
        cli.main(["reproduce", str(file), "--out", str(tmp_path / "runs")])
    files[1].write_text(TRAP + "raise SystemExit", encoding="utf-8")
    one, two = load(tmp_path / "runs", [files[0]])
    assert (one.study.title, one.remark) == ("Title of one", "")
    assert (
        two.study.title == "two"
        and "`arithmax report DIR --study two.py`" in two.remark
    )
    assert two.computed is not None and two.computed.tables["t"] == {"n": [1]}
    os.remove(files[1])  # a file that is gone holds nothing up
    capsys.readouterr()
    cli.main(["report", str(tmp_path / "runs"), "--study", str(files[0])])
    assert "two is shown from its data alone" in capsys.readouterr().err
    page = (tmp_path / "runs" / "report.html").read_text(encoding="utf-8")
    assert "Title of one" in page and "Computed: t." in page


def test_everything_from_a_folder_is_escaped(tmp_path):
    entry = {"command": NASTY, "version": NASTY, "device": f'"{NASTY}', "when": NASTY}
    record = {"format": 1, "study": "x", "history": [entry], "file": f"{NASTY}.py"}
    (tmp_path / "x.study.json").write_text(json.dumps(record), encoding="utf-8")
    parquet(tmp_path / "x.t.table.parquet", {NASTY: [NASTY, '"><b>']})
    cli.main(["report", str(tmp_path)])
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert NASTY not in page and "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert '"><b>' not in page


def test_names_of_files_are_no_patterns(tmp_path):
    for name in ("x.t", "y.t", "x.[a]", "x.<b>", "x.t.more", "[xy].t"):
        parquet(tmp_path / f"{name}.table.parquet", {"n": ["1"]})
    assert list(stored_tables("x", tmp_path)) == ["t"]
    assert stored_tables("*", tmp_path) == stored_tables("[x]", tmp_path) == {}


def test_a_table_of_figures_that_is_none(tmp_path):
    record = {"format": 1, "study": "gradients", "history": []}
    (tmp_path / "gradients.study.json").write_text(json.dumps(record))
    parquet(tmp_path / "gradients.figures.table.parquet", {"name": ["a"]})
    with pytest.raises(ValueError, match="has no column 'value'"):
        load(tmp_path)

"""Python files of one's own: what they may import, and how their errors are told.

Broken files that are plain text are in `bad_inputs/own-code.toml`.
"""

import json
import math
import os
import py_compile
import signal
import sys
from pathlib import Path

import pytest

from arithmax import cli
from arithmax._identity import source_hash
from arithmax._own_code import _finder, load_module, sentence
from arithmax.cli._units import given_unit
from arithmax.results import Results, read
from arithmax.studies import load as stored
from arithmax.studies import reproduce
from arithmax.studies._record import Record, read_record

STUDY = """
from arithmax.statistics import Interval
from arithmax.studies import Computed, Published, Study

def compute(trained):
    return Computed({"counts": {"n": [1, 2]}}, {"one": Interval(1.0, 0.9, 1.1)})

MINE = Study("mine", "Mine", "nowhere", "About.", compute=compute,
             claims={"one": Published(1.0, 1.0, 1.0)}, shown={"counts": "How many."})
"""


def written(path: Path, text: str = STUDY) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("x = 'é'\n".encode("latin-1"), ["mine.py", "SyntaxError", "as UTF-8"]),
        ("x = 1\n".encode("utf-16"), ["mine.py", "Save it as UTF-8"]),
        (b"\x7fELF\x00\x00\x00", ["mine.py", "Save it as UTF-8"]),
        (b"\xff\xfe", ["mine.py", "Save it as UTF-8"]),
    ],
)
def test_files_that_are_no_text(content, words, tmp_path):
    (tmp_path / "mine.py").write_bytes(content)
    with pytest.raises(ValueError) as error:
        load_module(tmp_path / "mine.py", "unit")
    assert all(word in str(error.value) for word in ["`unit`", *words])


def test_other_encodings_that_are_declared(tmp_path):
    text = "# -*- coding: latin-1 -*-\nx = 'é'\n"
    (tmp_path / "a.py").write_bytes(text.encode("latin-1"))
    (tmp_path / "b.py").write_bytes(b"\xef\xbb\xbfx = '\xc3\xa9'\r\n")  # Windows
    assert (
        load_module(tmp_path / "a.py", "unit").x
        == load_module(tmp_path / "b.py", "unit").x
        == "é"
    )
    assert source_hash(tmp_path / "a.py") != source_hash(tmp_path / "b.py")


def test_a_folder_and_a_file_that_cannot_be_read(tmp_path, monkeypatch):
    (tmp_path / "mine.py").mkdir()
    with pytest.raises(IsADirectoryError, match=r"`unit`.*mine.py, which is a folder"):
        load_module(tmp_path / "mine.py", "unit")

    def refused(path: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    closed = written(tmp_path / "closed.py")
    monkeypatch.setattr(Path, "read_bytes", refused)  # root may read everything
    with pytest.raises(OSError, match=r"cannot be read: Permission denied"):
        load_module(closed, "unit")


def test_modules_beside_a_file_are_those_beside_it(tmp_path):
    """Two folders may have modules of one name, and modules change."""
    for name in ("a", "b"):
        written(tmp_path / name / "helper.py", f"NAME = {name!r}")
        written(tmp_path / name / "mine.py", "from helper import NAME")
    assert [load_module(tmp_path / n / "mine.py", "unit").NAME for n in "aba"] == [
        "a",
        "b",
        "a",
    ]
    before = source_hash(tmp_path / "a" / "mine.py")
    written(tmp_path / "a" / "helper.py", "NAME = 'changed'")
    assert load_module(tmp_path / "a" / "mine.py", "unit").NAME == "changed"
    assert source_hash(tmp_path / "a" / "mine.py") != before
    assert not list(tmp_path.glob("*/__pycache__/mine*"))


IMPORTS = {
    "above": "from changed import VALUE\nvalue = lambda: VALUE\n",
    "in a function": "def value():\n    from changed import VALUE\n    return VALUE\n",
    "from a package": "from package.changed import VALUE\nvalue = lambda: VALUE\n",
}


@pytest.mark.parametrize("text", IMPORTS.values(), ids=IMPORTS)
def test_a_module_that_is_changed_within_a_second_is_run_afresh(
    text, tmp_path, monkeypatch
):
    """Though a compiled file would pass for that of the new text, which is as long."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    file = written(tmp_path / "file.py", text)
    written(tmp_path / "package" / "__init__.py", "")
    for value in (1, 2):
        for folder in (tmp_path, tmp_path / "package"):
            beside = written(folder / "changed.py", f"VALUE = {value}\n")
            os.utime(beside, (1e9, 1e9))
            if value == 1:
                py_compile.compile(str(beside))  # as Python does
        assert load_module(file, "file").value() == value


def test_packages_elsewhere_are_compiled(tmp_path):
    """A folder may hold an environment, whose modules are not those of a file."""
    written(tmp_path / "file.py", "")
    load_module(tmp_path / "file.py", "file")
    site = tmp_path / ".venv" / "lib"
    written(site / "package" / "__init__.py", "")
    with pytest.raises(ImportError):
        _finder(str(site / "package"))
    assert _finder(str(tmp_path)).path == str(tmp_path)


def test_an_error_elsewhere_is_not_ones_own(tmp_path):
    written(tmp_path / "mine.py", "def f():\n    return 1 / 0\n")
    module = load_module(tmp_path / "mine.py", "unit")
    with pytest.raises(ZeroDivisionError) as error:
        module.f()
    assert (sentence(error.value) or "").startswith(
        "mine.py, line 2: ZeroDivisionError: division by zero. "
    )
    with pytest.raises(ZeroDivisionError) as error:
        math.fmod(1, 1 / 0)
    assert sentence(error.value) is None


def test_ctrl_c_while_a_file_is_loaded_is_no_error_of_the_file(tmp_path, capsys):
    text = f"import os\nos.kill(os.getpid(), {signal.SIGINT:d})\nx = 1\n"
    path = written(tmp_path / "mine.py", text)
    with pytest.raises(SystemExit) as end:
        cli.main(["reproduce", str(path), "--out", str(tmp_path / "out")])
    assert end.value.code == 130
    assert capsys.readouterr().err.startswith("Interrupted")
    written(path, "raise KeyboardInterrupt")
    with pytest.raises(KeyboardInterrupt):  # without the command line one cannot tell
        load_module(path, "name")


UNIT = """
from arithmax import NMU

class Mine(NMU):
    title = "Mine"

    def compute(self, params, x, *, training=False, noise=None, xp=None):
        if training:
            ERROR
        return super().compute(params, x, training=training, noise=noise, xp=xp)
"""
SHORT = ["--seeds", "1", "--steps", "1000", "--quiet"]


@pytest.mark.parametrize("error", ["return {}['V']", "raise SystemExit(0)"])
def test_an_error_while_it_is_trained(error, tmp_path, capsys):
    path = written(tmp_path / "mine.py", UNIT.replace("ERROR", error))
    kind = "KeyError: 'V'" if "V" in error else "SystemExit: 0"
    for arguments in (
        ["train", "single-module", "--unit", f"{path}:Mine", *SHORT],
        ["benchmark", str(path), "--quick", *SHORT, "--out", str(tmp_path / "out")],
    ):
        with pytest.raises(SystemExit) as end:
            cli.main(arguments)
        shown = capsys.readouterr().err
        assert end.value.code == 2 and "Traceback" not in shown
        assert f"mine.py, line 9: {kind}. Correct it" in shown


def test_train_takes_a_unit_of_ones_own(tmp_path):
    path = written(tmp_path / "mine.py", UNIT.replace("ERROR", "pass"))
    assert repr(given_unit(f"{path}:Mine")[0]).startswith("Mine(")


# Studies.

ARM = """
from arithmax import NAU, Cell, published
from arithmax.studies import Arm
from arithmax.tasks import SingleModule
from dataclasses import replace
NETWORK, PROTOCOL = published(NAU(), SingleModule("add"), steps=1000)
CELL = Cell(NETWORK, SingleModule("add"), PROTOCOL, (0,))
def fails(trained):
    return trained.nonsense
MINE = replace(MINE, arms=(Arm({"model": "NAU"}, CELL),), compute=fails)
"""


def test_what_was_trained_is_kept_when_compute_fails(tmp_path):
    path = written(tmp_path / "mine.py", STUDY + ARM)
    other = written(tmp_path / "other.py", STUDY.replace("mine", "other"))
    with pytest.raises(ValueError, match=r"mine.py, line 18: AttributeError") as error:
        reproduce([str(path), str(other)], out=tmp_path / "runs")
    assert "What was trained is kept" in str(error.value)
    assert len(read(tmp_path / "runs")) == 1
    record = read_record(tmp_path / "runs" / "mine.study.json")
    assert record.history[0]["seconds"] > 0 and record.source == ""
    written(path, STUDY + ARM.replace("trained.nonsense", "compute(trained)"))
    done = stored(tmp_path / "runs", [other])  # the other study was not held up
    assert done[0].computed is not None and done[1].study.name == "mine"
    files = {p: p.stat().st_mtime_ns for p in (tmp_path / "runs").glob("*.rows.*")}
    (again,) = reproduce([str(path)], out=tmp_path / "runs").evaluations
    assert again.computed is not None and len(again.arm_runs[0].rows) == 1
    assert files == {p: p.stat().st_mtime_ns for p in files}  # nor trained again


def test_what_is_no_number_does_not_spoil_the_folder(tmp_path, capsys):
    """NaN stands as a dash in a table, and a figure that is NaN is not there."""
    nan = STUDY.replace("[1, 2]", "[1.0, float('nan')], 'm': [None, None]")
    nan = nan.replace("Interval(1.0,", "Interval(float('nan'),")
    path = written(tmp_path / "mine.py", nan)
    out = tmp_path / "runs"
    cli.main(["reproduce", str(path), "--out", str(out)])
    (own,) = stored(out, [path])
    assert own.computed is not None and own.computed.figures == {}
    assert own.comparisons[0].verdict == "not run"
    values = own.computed.tables["counts"]["n"]
    assert values[0] == 1.0 and (values[1] is None or math.isnan(values[1]))
    cli.main(["report", str(out), "--study", str(path)])
    assert "<td>—</td>" in (out / "report.html").read_text(encoding="utf-8")
    written(path)  # put right
    cli.main(["reproduce", str(path), "--out", str(out)])
    (own,) = stored(out, [path])
    assert own.comparisons[0].verdict == "overlaps"


def test_a_changed_file_is_told_from_the_one_that_computed(tmp_path, capsys):
    path, out = written(tmp_path / "mine.py"), tmp_path / "runs"
    reproduce([str(path)], out=out)
    assert stored(out, [path])[0].remark == ""
    moved = written(tmp_path / "elsewhere" / "moved.py")
    assert stored(out, [moved])[0].remark == ""  # the same, wherever it is
    written(path, STUDY.replace("[1, 2]", "[3, 4]"))
    cli.main(["report", str(out), "--study", str(path)])
    said = "computed by another version of mine.py"
    assert said in capsys.readouterr().err
    assert said in (out / "report.html").read_text(encoding="utf-8")
    (done,) = reproduce([str(path)], out=out).evaluations
    assert done.remark == "" and stored(out, [path])[0].remark == ""


def test_a_record_names_no_folder_of_this_machine(tmp_path, monkeypatch):
    path, out = written(tmp_path / "mine.py"), tmp_path / "runs"
    arguments = ["reproduce", str(path), f"--out={out}"]
    monkeypatch.setattr(sys, "argv", ["arithmax", *arguments])
    cli.main(arguments)
    text = (out / "mine.study.json").read_text(encoding="utf-8")
    assert str(tmp_path) not in text and os.sep not in text.replace("UTC/", "")
    record = read_record(out / "mine.study.json")
    assert record.file == "mine.py" and record.source == source_hash(path)
    assert record.history[0]["command"] == "arithmax reproduce mine.py --out=runs"
    reproduce([str(path)], out=tmp_path / "second")
    assert str(tmp_path) not in (tmp_path / "second/mine.study.json").read_text()


@pytest.mark.parametrize(
    ("file", "shown"),
    [
        ("/home/somebody/mine.py", "mine.py"),
        (r"C:\Users\somebody\mine.py", "mine.py"),
        ("../../../etc/passwd", ""),
        ("<script>.py", ""),
        (7, ""),
    ],
)
def test_old_records_with_paths_are_read(file, shown, tmp_path):
    record = {"format": 1, "study": "mine", "history": [], "file": file}
    path = written(tmp_path / "mine.study.json", json.dumps(record))
    assert read_record(path) == Record("mine", [], shown)


def test_runs_of_unknown_studies_are_counted():
    from arithmax.studies._unknown import RUNS, unknown

    row = {"network": "N()", "task": "T()", "protocol": "P()", "sparsity": 0.0}
    rows = [row | {"outcome": o, "solved_at": 5} for o in ("solved", "not solved")]
    tables = {"long": {"n": list(range(300))}}
    found = unknown(Record("x", [], "x.py"), tables, Results(rows))
    assert found.computed is not None and "x.py" in found.remark
    runs = found.computed.tables[RUNS]
    assert (runs["network"], runs["solved"], runs["runs"]) == (["N()"], [1], [2])
    assert len(found.computed.tables["long"]["n"]) == 100
    assert "the first 100 of 300 rows" in found.study.shown["long"]

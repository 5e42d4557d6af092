"""The command line."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from arithmax import UNITS, __version__, benchmark, cli
from arithmax.benchmark import _cost
from arithmax.cli._show import show, table
from arithmax.studies import studies
from arithmax.tasks import TASKS


def test_units_as_json(capsys):
    cli.main(["units", "--json"])
    listed = json.loads(capsys.readouterr().out)
    assert [unit["name"] for unit in listed] == list(UNITS)
    nmu = next(unit for unit in listed if unit["name"] == "nmu")
    assert nmu["operations"] == {"mul": "all reals"} and nmu["parameters"] == ["W"]


def test_units_as_a_table(capsys):
    cli.main(["units"])
    shown = capsys.readouterr().out
    assert all(name in shown for name in UNITS)


@pytest.mark.slow
def test_studies_are_listed_with_their_cost(capsys, tmp_path, monkeypatch):
    speed = {"fixed": 1e-6, "each": 1e-7}
    monkeypatch.setattr(benchmark, "speed_of_machine", lambda: speed)
    cli.main(["studies", "--cost", "--json"])
    listed = {s["name"]: s for s in json.loads(capsys.readouterr().out)}
    assert listed.keys() == studies().keys()
    assert listed["simple-mul"]["seconds"] > 0 and listed["gradients"]["runs"] == 0
    cli.main(["studies", "--cost"])
    shown = capsys.readouterr().out
    assert all(name in shown for name in studies()) and "time here" in shown


def test_the_speed_of_a_machine_is_measured_once(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(_cost, "_timed", lambda: {"fixed": 1.0, "each": 2.0})
    assert _cost.speed_of_machine() == {"fixed": 1.0, "each": 2.0}
    monkeypatch.setattr(_cost, "_timed", lambda: 1 / 0)
    assert _cost.speed_of_machine() == {"fixed": 1.0, "each": 2.0}


def test_reproduce(capsys, tmp_path):
    arguments = ["reproduce", "simple-mul", "--seeds", "2", "--steps", "1000"]
    arguments += ["--out", str(tmp_path), "--only", "model=NMU"]
    cli.main([*arguments, "--json"])
    found = json.loads(capsys.readouterr().out)
    rate = next(c for c in found if c["labels"] and c["measure"] == "success")
    assert rate["reduced"] == "2 of 100 seeds, 1,000 of 200,000 steps"
    assert rate["verdict"] == "too short to compare" and rate["ours"] is None
    cli.main([*arguments, "--quiet"])
    shown = " ".join(capsys.readouterr().out.split())
    assert "too short to compare (2 of 100 seeds, 1,000 of 200,000 steps)" in shown
    assert "%" not in shown and "reduced run" not in shown
    cli.main(["report", str(tmp_path)])
    assert (tmp_path / "report.html").exists()


def test_the_example_of_ones_own_study(capsys, tmp_path):
    path = Path(__file__).parents[2] / "examples" / "my_study.py"
    arguments = ["reproduce", str(path), "--seeds", "2", "--steps", "5000", "--quiet"]
    cli.main([*arguments, "--out", str(tmp_path)])
    shown = capsys.readouterr().out
    assert "narrow-range" in shown and "reduced: 2 of 25 seeds" in shown
    cli.main(["report", str(tmp_path), "--study", str(path)])
    assert "Ours beside published" in (tmp_path / "report.html").read_text()


def test_an_unknown_study_suggests_the_nearest(capsys, tmp_path):
    with pytest.raises(SystemExit) as ended:
        cli.main(["reproduce", "hiden-size", "--out", str(tmp_path)])
    assert ended.value.code == 2
    assert "Did you mean 'hidden-size'?" in capsys.readouterr().err


def test_names_with_brackets_are_shown_as_they_are(capsys):
    show(table("E[z]", ["[a]"], [["[bold]b"]]))
    shown = capsys.readouterr().out
    assert "E[z]" in shown and "[a]" in shown and "[bold]b" in shown


def test_tasks(capsys):
    cli.main(["tasks", "--json"])
    listed = {task["name"]: task for task in json.loads(capsys.readouterr().out)}
    assert list(listed) == list(TASKS)
    assert listed["subsets"]["options"]["input_size"]["default"] == "100"
    assert all(o["help"] for t in listed.values() for o in t["options"].values())
    cli.main(["tasks"])
    assert "single-module" in capsys.readouterr().out


def test_version(capsys):
    cli.main(["version"])
    assert capsys.readouterr().out.strip() == __version__


@pytest.mark.parametrize("arguments", [[], ["unitz"], ["units", "--jsn"]])
def test_mistakes_end_with_usage(arguments):
    done = subprocess.run(
        [sys.executable, "-m", "arithmax", *arguments], capture_output=True, text=True
    )
    assert done.returncode == 2
    assert "arithmax" in done.stderr + done.stdout and "Traceback" not in done.stderr

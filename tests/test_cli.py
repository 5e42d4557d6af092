"""The command line."""

import json
import subprocess
import sys

import pytest

from arithmax import NALU, UNITS, Dense, __version__, cli
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


def test_demo_trains_every_unit(capsys):
    cli.main(["demo", "--seeds", "2", "--steps", "1000"])
    shown = capsys.readouterr().out
    assert all(UNITS[name].title in shown for name in cli.DEMO)
    assert shown.count("%") >= 17 and "…" not in shown.split("Solved, of")[-1]


def test_tasks(capsys):
    cli.main(["tasks", "--json"])
    listed = {task["name"]: task for task in json.loads(capsys.readouterr().out)}
    assert list(listed) == list(TASKS)
    assert listed["subsets"]["options"]["input_size"]["default"] == "100"
    assert all(o["help"] for t in listed.values() for o in t["options"].values())
    cli.main(["tasks"])
    assert "single-module" in capsys.readouterr().out


def test_train(capsys, tmp_path):
    arguments = ["train", "--unit", "nau", "--task", "single-module", "--operation"]
    arguments += ["add", "--seeds", "3", "--steps", "6000", "--out", str(tmp_path)]
    cli.main([*arguments, "--json"])
    (summary,) = json.loads(capsys.readouterr().out)
    assert summary["total"] == summary["solved"] == 3
    assert summary["success"]["low"] < summary["success"]["value"] == 1.0
    cli.main([*arguments, "--quiet"])
    assert "3 of 3" in capsys.readouterr().out


def test_options_of_units_and_settings():
    assert cli.parse_unit("nalu:tied=false,eps=1e-5") == NALU(tied=False, eps=1e-5)
    assert cli.parse_unit("dense:activation=tanh") == Dense("tanh")
    assert cli.parse_unit("nau:penalty=none").penalty.__repr__() == "None"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--unit", "nmuu"], "Did you mean 'nmu'"),
        (["--task", "subset"], "Did you mean 'subsets'"),
        (["--seeds", "0"], "`seeds` (=0)"),
        (["--steps", "-1"], "`steps` (=-1)"),
        (["--interpolation", "2", "1"], "each low below its high"),
        (["--task", "operands", "--input-size", "3"], "`input_size` is not an option"),
    ],
)
def test_bad_settings_end_with_a_sentence(arguments, message, capsys):
    with pytest.raises(SystemExit) as ended:
        cli.main(["train", *arguments])
    assert ended.value.code == 2
    assert message in capsys.readouterr().err


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

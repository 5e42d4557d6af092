"""The command line."""

import json
import subprocess
import sys

import pytest

from arithmax import UNITS, __version__, cli


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


def test_demo_is_right_far_outside(capsys):
    cli.main(["demo"])
    lines = capsys.readouterr().out.splitlines()
    rows = {line.split()[0]: line for line in lines if line.split()[:1]}
    for name, cls in UNITS.items():
        if cls().operations:
            assert float(rows[name].split()[-1]) < 1e-8, rows[name]


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

"""A new unit is one file and one registry line; all else follows.

The unit of CONTRIBUTING.md is written to a file, entered in the registry, and then is
tested, listed, documented and available in PyTorch and Equinox like any other.
"""

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import jax
import pytest
import torch

import arithmax.equinox
import arithmax.torch
from arithmax import UNITS, cli
from conformance import CHECKS

ROOT = Path(__file__).parents[1]


def load(path: Path, name: str):
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


TEXT = (ROOT / "CONTRIBUTING.md").read_text()
FILE = re.search(r"`src/arithmax/units/(_\w+)\.py`", TEXT)
BLOCK = re.search(r"```python\n(.*?)```", TEXT, re.DOTALL)
LINE = re.search(r'`("([a-z-]+)": "(_\w+)\.(\w+)",)`', TEXT)
assert FILE and BLOCK and LINE and FILE[1] == LINE[3]


@pytest.fixture(scope="module")
def toy(tmp_path_factory):
    """The class, registered in this process."""
    assert BLOCK and LINE
    path = tmp_path_factory.mktemp("toy") / f"{LINE[3]}.py"
    path.write_text(BLOCK[1])
    cls = getattr(load(path, f"arithmax.units.{LINE[3]}"), LINE[4])
    UNITS[LINE[2]] = cls
    yield cls
    del UNITS[LINE[2]]


def test_one_file_and_one_line_are_enough(tmp_path):
    """In a copy of the package, as a contributor would do it."""
    assert BLOCK and LINE
    shutil.copytree(ROOT / "src" / "arithmax", tmp_path / "arithmax")
    units = tmp_path / "arithmax" / "units"
    (units / f"{LINE[3]}.py").write_text(BLOCK[1])
    registry = units / "_registry.py"
    lines = registry.read_text().replace("REGISTRY = {", f"REGISTRY = {{{LINE[1]}")
    registry.write_text(lines)
    code = (
        "import arithmax, arithmax.torch, torch; "
        "assert arithmax.__file__.startswith(r'%s'); "
        "y = arithmax.torch.TanhSum(3, 2)(torch.ones(5, 3)); "
        "print(arithmax.TanhSum(), y.shape)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code % tmp_path],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert done.stdout.strip() == "TanhSum() torch.Size([5, 2])", done.stderr


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_it_passes_the_suite(toy, check):
    check(toy())


def test_it_is_listed(toy, capsys):
    cli.main(["units", "--json"])
    listed = {unit["name"]: unit for unit in json.loads(capsys.readouterr().out)}
    assert listed["tanh-sum"]["operations"] == {"add": "all reals", "sub": "all reals"}
    cli.main(["units"])
    assert "tanh-sum" in capsys.readouterr().out


def test_it_is_documented(toy):
    hooks = load(ROOT / "docs" / "hooks.py", "docs_hooks")
    page = hooks.unit_page("tanh-sum")
    assert "_tanh_sum.TanhSum" in page and "x₁ − x₂" in page and "plotly" in page
    assert "TanhSum" in hooks.units_index() and "TanhSum" in hooks.operations_table()


def test_it_is_available_in_both_doors(toy):
    layer = arithmax.torch.TanhSum(3, 2)
    assert layer(torch.ones(5, 3)).shape == (5, 2)
    layer = arithmax.equinox.TanhSum(3, 2, key=jax.random.key(0))
    assert layer(jax.numpy.ones((5, 3))).shape == (5, 2)


def test_the_guide_is_short():
    assert len((ROOT / "CONTRIBUTING.md").read_text().splitlines()) <= 50

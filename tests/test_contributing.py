"""A new unit is one file and one registry line; a new loss one class and one line.

The unit of CONTRIBUTING.md is written to a file, entered in the registry, and then is
tested, listed, documented and available in PyTorch and Equinox like any other. The loss
is entered in its registry, and then can be trained with and asked for like any other;
so are an optimiser, a penalty and a restart rule.
"""

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import jax
import jax.numpy as jnp
import optax
import pytest
import torch

import arithmax.equinox
import arithmax.torch
from arithmax import NMU, UNITS, cli
from arithmax.cli._train import order
from arithmax.tasks import SingleModule
from arithmax.training import (
    LOSSES,
    OPTIMISERS,
    PENALTIES,
    RESTARTS,
    FirstOrder,
    Measuring,
    Penalty,
    Protocol,
    Restart,
    _losses,
    traced,
    train,
)
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
BLOCK, LOSS = re.finditer(r"```python\n(.*?)```", TEXT, re.DOTALL)
LOSS_LINE = re.search(r'`"([a-z]+)": (\w+),` in its `(\w+)`', TEXT)
LINE = re.search(r'`("([a-z-]+)": "(_\w+)\.(\w+)",)`', TEXT)
assert FILE and LINE and LOSS_LINE and FILE[1] == LINE[3]


@pytest.fixture(scope="module")
def toy(tmp_path_factory):
    """The class, registered in this process."""
    assert LINE
    path = tmp_path_factory.mktemp("toy") / f"{LINE[3]}.py"
    path.write_text(BLOCK[1])
    cls = getattr(load(path, f"arithmax.units.{LINE[3]}"), LINE[4])
    UNITS[LINE[2]] = cls
    yield cls
    del UNITS[LINE[2]]


def test_one_file_and_one_line_are_enough(tmp_path):
    """In a copy of the package, as a contributor would do it."""
    assert LINE
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
    pages = load(ROOT / "docs" / "unit_pages.py", "docs_unit_pages")
    page = pages.unit_page("tanh-sum")
    assert (
        "_tanh_sum.TanhSum" in page and "x₁ − x₂" in page and "tanh-sum-light" in page
    )
    assert "TanhSum" in pages.units_index() and "TanhSum" in pages.operations_table()


def test_it_is_available_as_a_layer_in_both_frameworks(toy):
    layer = arithmax.torch.TanhSum(3, 2)
    assert layer(torch.ones(5, 3)).shape == (5, 2)
    layer = arithmax.equinox.TanhSum(3, 2, key=jax.random.key(0))
    assert layer(jax.numpy.ones((5, 3))).shape == (5, 2)


@pytest.fixture
def quartic():
    """The loss of the guide: its class as in its file, and its line in the registry."""
    assert LOSS_LINE
    name, cls, registry = LOSS_LINE.groups()
    scope = dict(vars(_losses))
    exec(LOSS[1], scope)
    LOSSES[name] = scope[cls]
    assert getattr(_losses, registry) is LOSSES
    yield scope[cls]
    del LOSSES[name]


def errors_of(**parts):
    """The error that two seeds of a short run end with."""
    protocol = Protocol(200, measuring=Measuring(100, 100, window=1), **parts)
    rows = train(NMU(), SingleModule("mul"), protocol, seeds=(0, 1)).rows
    return [row["interpolation"] for row in rows]


def test_a_new_loss_is_one_class_and_one_line(quartic):
    assert errors_of(loss=quartic()) != errors_of()
    assert errors_of(loss=quartic(2.0)) != errors_of(loss=quartic())
    options = ["--unit", "nmu", "--loss", "quartic", "--loss.width", "3"]
    asked = order("single-module", options)
    assert asked.protocol.loss == quartic(3.0)


def test_its_options_are_documented(tmp_path):
    """In a copy of the package: the class before the registry, the line in it."""
    assert LOSS_LINE
    shutil.copytree(ROOT / "src" / "arithmax", tmp_path / "arithmax")
    file = tmp_path / "arithmax" / "training" / "_losses.py"
    before, registry = file.read_text().split("LOSSES: ")
    name, cls, _ = LOSS_LINE.groups()
    entered = registry.replace("{", f'{{"{name}": {cls}, ', 1)
    file.write_text(f"{before}{LOSS[1]}\n\nLOSSES: {entered}")
    command = [sys.executable, "-m", "arithmax", "train", "single-module"]
    done = subprocess.run(
        [*command, "--unit", "nmu", "--loss", name, "--help"],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert "--loss.width" in done.stdout, done.stderr
    assert "The error whose fourth power" in done.stdout


@dataclass(frozen=True)
class Signs(FirstOrder):
    """Steps of one length in the direction of each slope."""

    def transformation(self):
        return optax.scale_by_sign()


@dataclass(frozen=True)
class L2(Penalty):
    """The sum of squares."""

    strength: float = traced(0.1)

    def strength_at(self, moment, loss):
        return self.strength

    def value(self, network, params, moment):
        return sum(jnp.sum(value * value) for value in params.values())


@dataclass(frozen=True)
class Always(Restart):
    """A new start at each look."""

    def remember(self, steps, since, dtype):
        return ()

    def watch(self, memory, loss, moment):
        return ()

    def is_due(self, memory, step):
        return step >= 0


@pytest.mark.parametrize(
    ("registry", "setting", "part"),
    [
        (OPTIMISERS, "optimiser", Signs(0.01)),
        (PENALTIES, "penalties", (L2(),)),
        (RESTARTS, "restart", Always(50)),
    ],
    ids=["optimiser", "penalty", "restart"],
)
def test_a_new_part_is_one_class_and_one_line(monkeypatch, registry, setting, part):
    cls = type(part[0] if isinstance(part, tuple) else part)
    monkeypatch.setitem(registry, "new", cls)
    assert errors_of(**{setting: part}) != errors_of()
    given = order("single-module", ["--unit", "nmu", f"--{setting}", "new"])
    chosen = getattr(given.protocol, setting)
    assert chosen in (cls(), (cls(),))


def test_the_guide_is_short():
    assert len((ROOT / "CONTRIBUTING.md").read_text().splitlines()) < 60

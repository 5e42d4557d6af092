"""`FILE.py:NAME` for tasks, networks and optimisers, and what their runs are called."""

import json
from pathlib import Path

import pytest

from arithmax import cli
from arithmax._identity import code_of, describe
from arithmax.cli._order import order
from arithmax.cli._own_parts import given_optimiser
from arithmax.cli._swept import swept_places
from arithmax.results import read
from arithmax.tasks import Task
from arithmax.training import Adam, _block, from_optax, train_cells
from short_runs import cell, measured

OPTIMISERS = """
import optax
from arithmax.training import Adam
from beside import DECAY

def lion(learning_rate=1e-3, decay=DECAY, steps=10):
    "Lion."
    return optax.chain(optax.clip(1.0), optax.lion(learning_rate, weight_decay=decay))

plain = optax.sgd(0.05)
adabelief = optax.adabelief
MINE = Adam(0.25)

def needs(more, learning_rate=1.0):
    return optax.sgd(learning_rate)
"""
TASK = """
from dataclasses import dataclass, field
from typing import Any
import numpy as np
from arithmax.tasks import Dataset, FormulaTask
from beside import DECAY

@dataclass(frozen=True)
class Bill(FormulaTask):
    "(price + delivery) · pieces."

    interpolation: Any = (1.0, 2.0)
    "The range to train on."
    extrapolation: Any = (2.0, 10.0)
    distribution: str = "uniform"
    in_features = 3
    out_features = 1

    def target(self, replica, x):
        price, delivery, pieces = x
        return ((price + delivery) * pieces)[None]

FAR = Bill(extrapolation=(50.0, 60.0))
X = np.random.default_rng(0).uniform(1, 2, (50, 2))
ROWS = Dataset.from_arrays(X, X[:, 0] * X[:, 1])

@dataclass(frozen=True)
class Derived(Bill):
    "Its width follows from its range."

    width: float = field(init=False)

    def __post_init__(self):
        object.__setattr__(self, "width", self.extrapolation[1])
"""
NETWORK = """
from arithmax import NAU, NMU, Stack
import beside
NET = Stack((NAU(), NMU()), hidden=(2,))
"""
SHORT = ["--steps", "1000", "--measuring.validation", "1000", "--quiet"]
SHORT += ["--seeds", "2"]


@pytest.fixture
def files(tmp_path, monkeypatch) -> Path:
    for name, text in {"opts": OPTIMISERS, "task": TASK, "net": NETWORK}.items():
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
    (tmp_path / "beside.py").write_text("DECAY = 0.0\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def asked(text: str):
    name, *rest = text.split()
    return order(name, rest)


def test_a_task_has_the_options_of_its_fields(files, capsys):
    found = asked("task.py:Bill --interpolation 1 3 --steps 1000")
    assert type(found.task).__name__ == "Bill" and found.task.in_features == 3
    assert describe(found.task) == "Bill(interpolation=(1.0, 3.0))"
    far = asked("task.py:FAR --steps 1000").task
    assert describe(far) == "Bill(extrapolation=(50.0, 60.0))"
    with pytest.raises(SystemExit):
        asked("task.py:Bill --help")
    shown = " ".join(capsys.readouterr().out.split())
    assert "The range to train on. (default: 1.0 2.0)" in shown
    assert "(price + delivery) · pieces." in shown


def test_fields_that_follow_from_others_are_no_options(files, capsys):
    found = asked("task.py:Derived --extrapolation 2 7 --steps 1000").task
    assert isinstance(found, Task) and vars(found)["width"] == 7.0
    with pytest.raises(SystemExit):
        asked("task.py:Derived --help")
    assert "--width" not in capsys.readouterr().out
    known = {s.path for s in swept_places(asked("task.py:Derived --steps 1000"))}
    assert "extrapolation" in known and "width" not in known


def test_a_dataset_of_a_file_is_trained_on_as_it_is(files, capsys):
    command = ["train", "task.py:ROWS", "--json", *SHORT]
    cli.main([*command, "--criterion.threshold", "1e-5"])
    [summary] = json.loads(capsys.readouterr().out)
    assert summary["total"] == 2 and "training_rows=30" in summary["cell"]["task"]


def test_a_network_stands_in_place_of_a_unit(files):
    found = asked("single-module --network net.py:NET --steps 1000")
    assert describe(found.network).startswith("Stack(units=(NAU(), NMU()), hidden=(2,)")
    with pytest.raises(ValueError, match=r"`network` .* in place of `unit`"):
        asked("single-module --network net.py --unit nau --steps 1000")
    with pytest.raises(
        ValueError, match=r"`network` \(='net.py:NET'\)\. Give settings"
    ):
        asked("task.py:Bill --network net.py:NET")


def test_optimisers_have_the_arguments_of_their_functions(files):
    found = asked(
        "single-module --optimiser opts.py:lion --optimiser.learning-rate 0.5"
        " --optimiser.steps 7"
    ).protocol.optimiser
    assert str(found) == "lion(learning_rate=0.5, steps=7)"
    assert str(given_optimiser("opts.py:plain")) == "plain()"
    assert str(given_optimiser("opts.py:adabelief")) == "adabelief()"
    assert given_optimiser("opts.py:MINE") == Adam(0.25)
    assert given_optimiser("adam") == Adam()
    with pytest.raises(TypeError, match=r"`more` of needs must have a default"):
        given_optimiser("opts.py:needs")
    with pytest.raises(ValueError, match=r"`optimiser` .* must say which optimiser"):
        given_optimiser("opts.py")
    with pytest.raises(TypeError, match=r"`given` \(=3\) must be a transformation"):
        from_optax(3, "three")


@pytest.mark.parametrize("name", ["lion", "plain", "adabelief"])
def test_what_is_trained_moves_as_optax_says(name, files, capsys):
    command = ["train", "single-module", "--operation", "add", "--unit", "nau", *SHORT]
    cli.main([*command, "--json", "--optimiser", f"opts.py:{name}"])
    [summary] = json.loads(capsys.readouterr().out)
    assert f"optimiser={name}()" in summary["cell"]["protocol"]
    assert summary["total"] == 2 and summary["diverged"] == 0


def test_a_changed_file_is_another_run(files, capsys):
    """So is a changed module beside it; the same file goes on where it was."""
    command = ["train", "single-module", *SHORT, "--optimiser", "opts.py:lion"]
    cli.main([*command, "--out", "runs"])
    first = read(files / "runs")
    codes = {row["code"] for row in first.rows}
    assert len(first) == 2 and codes == {code_of(given_optimiser("opts.py:lion"))}
    before = {p.name: p.stat().st_mtime_ns for p in (files / "runs").iterdir()}
    cli.main([*command, "--out", "runs"])
    after = {p.name: p.stat().st_mtime_ns for p in (files / "runs").iterdir()}
    assert before == after  # nothing was trained again
    (files / "beside.py").write_text("DECAY = 0.5\n")
    cli.main([*command, "--out", "runs"])
    both = read(files / "runs")
    assert len(both) == 4 and len({row["code"] for row in both.rows}) == 2
    assert measured(both).items() > measured(first).items()
    errors = {row["code"]: row["interpolation"] for row in both.rows}
    assert len(set(errors.values())) == 2


def test_all_of_them_together_and_again_bit_for_bit(files, capsys):
    command = ["train", "task.py:Bill", "--network", "net.py", *SHORT]
    command += ["--optimiser", "opts.py:lion", "--criterion.threshold", "1e-5"]
    for out in ("one", "two"):
        cli.main([*command, "--out", out])
    one, two = (measured(read(files / name)) for name in ("one", "two"))
    assert one == two and len(one) == 2


def test_a_run_that_was_stopped_goes_on_bit_for_bit(files, monkeypatch):
    """The state of any transformation is saved and put back."""
    part = given_optimiser("opts.py:lion")
    chosen = cell(optimiser=part, steps=2000)
    straight = measured(train_cells([chosen]))
    advanced = _block.advance_together

    def stopped(blocks):
        advanced(blocks)
        (block,) = blocks
        if block.step == 1000:
            block.save()
            raise RuntimeError("stop")

    monkeypatch.setattr(_block, "advance_together", stopped)
    with pytest.raises(RuntimeError, match="stop"):
        train_cells([chosen], out=files / "runs")
    assert [*(files / "runs").glob("*.checkpoint")]
    monkeypatch.setattr(_block, "advance_together", advanced)
    # Another process would load the file again, and have a class of its own.
    again = cell(optimiser=given_optimiser("opts.py:lion"), steps=2000)
    assert again.protocol.optimiser is not part
    assert measured(train_cells([again], out=files / "runs")) == straight


UNIT = """
from arithmax import NMU
class Mine(NMU):
    title = "Mine"
    recipe = {"optimiser__learning_rate": 0.5, "project": False}
"""


def test_benchmark_takes_an_optimiser(files, capsys):
    from arithmax.benchmark import user_unit
    from arithmax.tasks import SingleModule

    (files / "unit.py").write_text(UNIT)
    user = user_unit("unit.py:Mine")
    other = user.trained_by(given_optimiser("opts.py:lion"))
    settings = other.recipe(SingleModule())
    assert str(settings["optimiser"]) == "lion()" and settings["project"] is False
    assert set(settings) == {"optimiser", "project"}  # the rate was the other's
    assert other.digest != user.digest
    (files / "beside.py").write_text("DECAY = 0.5\n")
    assert user.trained_by(given_optimiser("opts.py:lion")).digest != other.digest


STUDIES = """
from arithmax.studies import Computed, Study
from beside import DECAY
def compute(trained):
    return Computed({"counts": {"n": [DECAY]}})
ONE = Study("one", "One", "nowhere", "", compute=compute, shown={"counts": "How many."})
TWO = Study("two", "Two", "nowhere", "", compute=compute, shown={"counts": "How many."})
"""


def test_reproduce_takes_a_study_of_a_file_by_name(files, capsys):
    (files / "mine.py").write_text(STUDIES)
    cli.main(["reproduce", "mine.py:TWO", "--out", "runs"])
    assert "two: Two" in capsys.readouterr().out
    assert [p.name for p in (files / "runs").glob("*.json")] == ["two.study.json"]
    cli.main(["report", "runs", "--study", "mine.py:TWO", "--out", "page.html"])
    assert "How many." in (files / "page.html").read_text(encoding="utf-8")
    for text, said in {
        "mine.py": "'one', 'two': write",
        "mine.py:X": "none of",
    }.items():
        with pytest.raises(SystemExit):
            cli.main(["reproduce", text, "--out", "runs"])
        assert said in capsys.readouterr().err

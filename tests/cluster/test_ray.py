"""A study on two nodes of a real cluster is the local one, whatever is lost."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from rich.progress import Progress

from arithmax import cli
from arithmax.cluster import Ray, _running
from arithmax.cluster._connection import check_address
from arithmax.results import read
from arithmax.studies import reproduce, study
from arithmax.training import Cell, bar_columns, train_cells
from ray_nodes import Machines, two_workers
from short_runs import cell

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("ray")]

# All else of a row must be equal, bit for bit.
DIFFERENT = {"seconds", "cpu_seconds", "finished"}
ONLY = {"model": "NMU"}
STEPS = 150_000  # and as many checkpoints by the thousand, where they are not timed


@pytest.fixture(scope="module")
def machines():
    with two_workers() as started:
        yield started


@pytest.fixture
def both(machines: Machines) -> Machines:
    for name in ("one", "two"):
        machines.start(name)
    return machines


def bits(results) -> dict[str, dict[str, Any]]:
    """Every row by its name; NaN as text, since it is not equal to itself."""
    return {
        row["run"]: {k: repr(v) for k, v in row.items() if k not in DIFFERENT}
        for row in results.rows
    }


def same_files(one, other) -> None:
    """Rows, weights and curves of two folders are equal, bit for bit."""
    first, second = read(one), read(other)
    assert first.rows and bits(first) == bits(second)
    for row in first.rows:
        ours, theirs = first.weights(row["run"]), second.weights(row["run"])
        assert ours.keys() == theirs.keys()
        for name, value in ours.items():
            np.testing.assert_array_equal(value, theirs[name])
    query = "SELECT * FROM curves ORDER BY run, step"
    assert [*map(repr, first.query(query))] == [*map(repr, second.query(query))]


def test_a_study_on_two_nodes_is_the_local_one(both, tmp_path):
    """Each node has a block, and a line of progress."""
    wanted: dict[str, Any] = {"seeds": 32, "steps": 10_000, "block": 16, "only": ONLY}
    with Progress(*bar_columns(), disable=True) as bar:
        there = reproduce(
            ["simple-mul"],
            out=tmp_path / "there",
            progress=bar,
            engine=Ray(both.address),
            **wanted,
        )
    reproduce(["simple-mul"], out=tmp_path / "here", **wanted)
    same_files(tmp_path / "there", tmp_path / "here")
    lines = {task.description: task.fields["rate"] for task in bar.tasks}
    assert {"one", "two"} < lines.keys()
    assert all(lines[n].endswith("0 running, 1 finished") for n in ("one", "two"))
    [entry] = there.evaluations[0].history
    assert entry["device"] == "Ray: 2 × CPU, nodes: 2"
    assert not list((tmp_path / "there").glob("*.checkpoint"))


def long_cell() -> Cell:
    """Two blocks of some seconds, one for each node, of the program of the study."""
    [arm] = study("simple-mul").only(ONLY).arms
    return arm.reduced(32, STEPS).cell


def trained(folder, **options):
    """Two blocks of them."""
    return train_cells([long_cell()], out=folder, block=16, **options)


@pytest.fixture(scope="module")
def straight(tmp_path_factory):
    """The folder of a local run that was never stopped."""
    folder = tmp_path_factory.mktemp("straight")
    trained(folder)
    return folder


@pytest.fixture
def shown(monkeypatch) -> list[tuple[str, int, str]]:
    """What the driver learns while blocks run: job, step, node."""
    seen: list[tuple[str, int, str]] = []
    show = _running.Running._show

    def spy(running, job, step, solved, node):
        seen.append((job.name, step, running.names.get(node, node)))
        show(running, job, step, solved, node)

    monkeypatch.setattr(_running.Running, "_show", spy)
    return seen


def saved(folder, ended: Callable[[], bool]) -> None:
    """Wait until both blocks have a checkpoint, before their end."""
    while len(list(folder.glob("*.checkpoint"))) < 2:
        assert not ended(), "it ended too soon"
        time.sleep(0.05)


@pytest.mark.filterwarnings("ignore:the node .* is gone")
def test_a_killed_node_costs_nothing(both, tmp_path, straight, shown):
    """Its block goes on elsewhere, from its checkpoint."""

    ended = threading.Event()

    def kill():
        saved(tmp_path, ended.is_set)
        both.kill("two")

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        trained(tmp_path, checkpoint_seconds=0, engine=Ray(both.address))
    finally:
        ended.set()
        killer.join()
    assert both.running == {"one"}
    same_files(tmp_path, straight)
    [moved] = {job for job, _, node in shown if node == "two"}
    after = [step for job, step, node in shown if job == moved and node == "one"]
    assert 0 < after[0] < STEPS == after[-1]  # it did not begin again
    assert not list(tmp_path.glob("*.checkpoint"))


DRIVER = """
import sys
sys.path.insert(0, "tests/cluster")
from arithmax.cluster import Ray
from test_ray import trained
trained(sys.argv[1], checkpoint_seconds=0, engine=Ray(sys.argv[2]))
"""


def test_a_killed_driver_goes_on(both, tmp_path, straight, shown):
    driver = subprocess.Popen(
        [sys.executable, "-c", DRIVER, str(tmp_path), both.address],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    saved(tmp_path, lambda: driver.poll() is not None)
    driver.send_signal(signal.SIGKILL)
    driver.wait()
    trained(tmp_path, engine=Ray(both.address))
    same_files(tmp_path, straight)
    assert min(step for _, step, _ in shown) > 0


def test_ctrl_c_saves_and_goes_on(both, tmp_path, straight, monkeypatch):
    show, sent = _running.Running._show, []

    def interrupt(running, job, step, solved, node):
        show(running, job, step, solved, node)
        if step and not sent:
            sent.append(step)
            os.kill(os.getpid(), signal.SIGINT)

    with monkeypatch.context() as patched:
        patched.setattr(_running.Running, "_show", interrupt)
        stopped = trained(tmp_path, checkpoint_seconds=0, engine=Ray(both.address))
    assert stopped.interrupted and not stopped.rows
    assert list(tmp_path.glob("*.checkpoint"))
    trained(tmp_path, engine=Ray(both.address))
    same_files(tmp_path, straight)


UNIT = """
from dataclasses import dataclass
from arithmax import NMU
from beside_unit import strength

@dataclass(frozen=True)
class Mine(NMU):
    title = "Mine"

    def penalty(self, params):
        return strength() * NMU.penalty(self, params)
"""


def test_a_unit_of_ones_own_needs_no_file_there(both, tmp_path, capsys, monkeypatch):
    """The command on the cluster prints what it prints here; files are gone by then."""
    (tmp_path / "mine.py").write_text(UNIT)
    (tmp_path / "beside_unit.py").write_text("def strength():\n    return 0.5\n")
    command = ["train", "single-module", "--unit", f"{tmp_path}/mine.py:Mine", "--json"]
    command += ["--operation", "mul", "--steps", "4000", "--seeds", "2"]
    cli.main([*command, "--out", str(tmp_path / "here")])
    here = json.loads(capsys.readouterr().out)
    submit = _running.Running.submit

    def without_files(running, jobs):
        for file in tmp_path.glob("*.py"):
            file.unlink()
        submit(running, jobs)

    monkeypatch.setattr(_running.Running, "submit", without_files)
    cli.main([*command, "--out", str(tmp_path / "there"), "--cluster", both.address])
    assert json.loads(capsys.readouterr().out) == here
    same_files(tmp_path / "there", tmp_path / "here")


def test_what_a_cluster_lacks_is_said(both):
    check_address(both.address)  # it is one
    with pytest.raises(ValueError, match=r"lends no GPU: its nodes are .*one"):
        train_cells([cell()], engine=Ray(both.address, "gpu", patience=0.1))


def test_an_error_on_a_worker_is_raised_here(both, tmp_path, monkeypatch):
    """It is that of the worker, and what else runs is saved."""
    submit = _running.Running.submit

    def other_code(running, jobs):
        running.software = running.software | {"jax": "0.0.1"}
        submit(running, jobs)

    monkeypatch.setattr(_running.Running, "submit", other_code)
    with pytest.raises(ValueError, match=r"node (one|two) has other .* not 0.0.1"):
        train_cells([cell(seeds=range(4))], block=2, engine=Ray(both.address))


@pytest.mark.filterwarnings("ignore:the node .* is gone")
def test_without_workers_a_command_ends(both, tmp_path, monkeypatch):
    """What was saved is there. It is the last test, since no node is left."""
    monkeypatch.setattr(_running, "NODES_SECONDS", 0.2)
    ended = threading.Event()

    def kill():
        saved(tmp_path, ended.is_set)
        both.kill("one")
        both.kill("two")

    killer = threading.Thread(target=kill)
    killer.start()
    engine = Ray(both.address, patience=1.0)
    try:
        with pytest.raises(
            ConnectionError, match=r"lent a CPU for 1 sec.*same command"
        ):
            trained(tmp_path, checkpoint_seconds=0, engine=engine)
    finally:
        ended.set()
        killer.join()
    assert len(list(tmp_path.glob("*.checkpoint"))) == 2
    with pytest.raises(ValueError, match="lends no CPU or GPU"):
        trained(tmp_path, engine=engine)

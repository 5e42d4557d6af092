"""A run that was stopped, by whatever, ends as one that was not."""

import errno
import os
import random
import signal
import subprocess
import sys
import time
from threading import Event

import jax
import pytest
from rich.progress import Progress

from arithmax import NMU, _files, results
from arithmax.tasks import Subsets
from arithmax.training import (
    Cell,
    _block,
    _replicas,
    bar_columns,
    published,
    train_cells,
)
from short_runs import cell, measured

KILLED = """
import sys
from arithmax import NMU
from arithmax.training import Cell, published, train_cells
from arithmax.tasks import Subsets
task = Subsets("mul", input_size=20)
network, protocol = published(
    NMU(), task, steps=50_000, measuring__interval=100, measuring__validation=1000,
    penalties__0__start=1000, penalties__0__end=5000)
if "full" in sys.argv:
    import resource
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))  # as a disk that is full
train_cells([Cell(network, task, protocol, tuple(range(40)))], out=sys.argv[1],
            checkpoint_seconds=0.0)
"""


def killed_cell():
    task = Subsets("mul", input_size=20)
    network, protocol = published(
        NMU(), task, steps=50_000, measuring__interval=100, measuring__validation=1000,
        penalties__0__start=1000, penalties__0__end=5000,
    )  # fmt: skip
    return Cell(network, task, protocol, tuple(range(40)))


def start(folder, *more):
    return subprocess.Popen(
        [sys.executable, "-c", KILLED, str(folder), *more],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def newest_checkpoint(folder):
    return max((p.stat().st_mtime for p in folder.glob("*.checkpoint")), default=0.0)


def kill(processes, folder, moment) -> bool:
    """SIGKILL, a moment after one of them has saved a checkpoint; not if it ended."""
    began = newest_checkpoint(folder)
    while newest_checkpoint(folder) == began:
        if any(process.poll() is not None for process in processes):
            break
        time.sleep(0.005)
    time.sleep(moment)
    for process in processes:
        process.send_signal(signal.SIGKILL)
    return all(process.wait() != 0 for process in processes)


def same_table(folder) -> None:
    """What is trained to its end after all that is what was never stopped."""
    resumed = train_cells([killed_cell()], out=folder)
    assert measured(resumed) == measured(train_cells([killed_cell()]))
    assert measured(results.read(folder)) == measured(resumed)
    assert not list(folder.glob("*.checkpoint")) and not list(folder.glob(".*"))


@pytest.mark.slow
def test_ten_kills_two_processes_and_a_full_disk(tmp_path):
    """Whatever happens to a folder, its table is that of a run that was not stopped."""
    chance, kills = random.Random(0), 0
    while kills < 10:
        if chance.random() < 0.2:
            assert start(tmp_path, "full").wait() == 1  # and nothing is lost
        together = [start(tmp_path) for _ in range(chance.choice((1, 1, 2)))]
        assert kill(together, tmp_path, chance.uniform(0, 0.08)), "ended too soon"
        kills += 1
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    left = tmp_path / f".x.rows.parquet.{_files.HOST}.{gone.pid}.part"
    left.write_bytes(b"half a file")
    same_table(tmp_path)


@pytest.mark.slow
def test_interrupt_ends_cleanly(tmp_path):
    """Ctrl-C: status 130 and a sentence, and the same command goes on."""
    out = tmp_path / "runs"
    command = [sys.executable, "-m", "arithmax", "train", "subsets", "--unit", "nmu"]
    command += ["--input-size", "20", "--steps", "50000", "--seeds", "40", "--quiet"]
    command += ["--measuring.interval", "100", "--measuring.validation", "1000"]
    command += ["--penalties.0.start", "1000", "--penalties.0.end", "5000"]
    command += ["--out", str(out)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    while process.poll() is None and not out.exists():
        time.sleep(0.1)  # until it is about to train
    time.sleep(3)
    process.send_signal(signal.SIGINT)
    _, words = process.communicate(timeout=120)
    assert process.returncode in (130, 0) and "Traceback" not in words
    if process.returncode == 130:
        assert "Run the same command again" in words
    again = train_cells([killed_cell()], out=out)
    assert measured(again) == measured(train_cells([killed_cell()]))


TWO = """
import sys
from arithmax import NMU
from arithmax.training import Cell, published, train_cells
from arithmax.tasks import SingleModule
task = SingleModule("mul")
network, protocol = published(
    NMU(), task, steps=20_000, measuring__interval=500, measuring__validation=1000)
seeds = tuple(range(int(sys.argv[2]), int(sys.argv[3])))
train_cells([Cell(network, task, protocol, seeds)], out=sys.argv[1], block=4)
"""


@pytest.mark.slow
def test_two_processes_in_one_folder(tmp_path):
    """Both finish, and the table is that of one."""
    asked = [("0", "9"), ("3", "12")]
    command = [sys.executable, "-c", TWO, str(tmp_path / "both")]
    both = [subprocess.Popen([*command, *seeds]) for seeds in asked]
    assert [process.wait() for process in both] == [0, 0]
    stored = results.read(tmp_path / "both")
    assert sorted(row["seed"] for row in stored.rows) == list(range(12))
    for seeds in asked:
        subprocess.run([*command[:-1], str(tmp_path / "one"), *seeds], check=True)
    assert measured(stored).keys() == measured(results.read(tmp_path / "one")).keys()
    assert measured(stored) == measured(results.read(tmp_path / "one"))


def test_a_checkpoint_of_other_runs_is_refused(tmp_path):
    """One that was renamed into place has the right shapes and the wrong runs."""
    stopped = Event()
    for folder, seeds in (("a", (0, 1)), ("b", (2, 3))):
        (tmp_path / folder).mkdir()
        [job] = _replicas.jobs(
            _replicas.replicas([cell(seeds=seeds)], None), tmp_path / folder, 0.0
        )
        stopped.clear()
        _block.train_job(job, jax.devices()[0], stopped, lambda *_: stopped.set())
    [one] = (tmp_path / "a").glob("*.checkpoint")
    [other] = (tmp_path / "b").glob("*.checkpoint")
    other.rename(tmp_path / "a" / one.name)
    with pytest.raises(ValueError, match=r"checkpoint .* it is of other runs"):
        train_cells([cell(seeds=(0, 1))], out=tmp_path / "a")


def test_a_corrupt_checkpoint_is_named(tmp_path):
    job = _replicas.jobs(_replicas.replicas([killed_cell()], None), tmp_path, 30)[0]
    path = tmp_path / f"{job.name}.checkpoint"
    path.write_bytes(b"nonsense")
    with pytest.raises(ValueError, match=r"checkpoint .* cannot be read.*Delete it"):
        train_cells([killed_cell()], out=tmp_path)
    assert path.exists()


def test_a_full_disk_is_named_and_loses_nothing(tmp_path, monkeypatch):
    kept = train_cells([cell(seeds=[0])], out=tmp_path)

    def full(*args):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", full)
        with pytest.raises(
            OSError, match=r"`out` .*No space left.*choose another folder"
        ):
            train_cells([cell(seeds=[1])], out=tmp_path)
    assert measured(results.read(tmp_path)) == measured(kept)
    assert len(train_cells([cell(seeds=[0, 1])], out=tmp_path)) == 2


def test_the_bar_of_a_run_that_goes_on_ends_full(tmp_path):
    """It counts what is left to do: 2,500 of 3,000 steps of two replicas."""
    stopped = Event()
    [job] = _replicas.jobs(
        _replicas.replicas([cell(seeds=(0, 1))], None), tmp_path, 30.0
    )
    _block.train_job(job, jax.devices()[0], stopped, lambda *_: stopped.set())
    with Progress(*bar_columns(), disable=True) as bar:
        train_cells([cell(seeds=(0, 1))], out=tmp_path, progress=bar)
    [task] = bar.tasks
    assert task.completed == task.total == 2 * 2500

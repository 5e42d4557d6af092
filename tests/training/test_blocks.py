"""Between two intervals, a block does nothing for each of its replicas in Python."""

from collections import Counter
from threading import Event

import jax
import pytest

from arithmax import _identity
from arithmax.training import _block, _replicas
from short_runs import cell

INTERVALS = 6


def counted(monkeypatch, tmp_path, seeds: int) -> list[Counter]:
    """What was looked up of replicas, and hashed, between any two intervals."""
    one = cell(seeds=range(seeds))
    (job,) = _replicas.jobs(_replicas.replicas([one], 32), tmp_path, 0.0)
    seen: Counter = Counter()
    between: list[Counter] = []

    def lookup(replica, name):
        seen["lookups"] += 1
        return object.__getattribute__(replica, name)

    def spied(module, name):
        function = getattr(module, name)

        def spy(*args, **options):
            seen[name] += 1
            return function(*args, **options)

        monkeypatch.setattr(module, name, spy)

    def advance(name, steps, solved):
        if steps:  # none when a block is finished
            between.append(Counter(seen))
        seen.clear()

    monkeypatch.setattr(_replicas.Replica, "__getattribute__", lookup)
    for module, names in (
        (_replicas, ("digest", "run_name", "describe", "code_of")),
        (_identity, ("digest", "describe")),
    ):
        for name in names:
            spied(module, name)
    rows = _block.train_job(job, jax.devices()[0], Event(), advance)
    assert len(rows) == seeds and len(between) == INTERVALS
    return between[1:]  # before the first one everything is named, once


def test_nothing_is_done_for_each_replica_between_intervals(tmp_path, monkeypatch):
    """As many look-ups for 32 replicas as for 2, and no name is made again.

    Checkpoints are written in all intervals.
    """
    few, many = [], []
    for seeds, found in ((2, few), (32, many)):
        with monkeypatch.context() as patched:
            (tmp_path / str(seeds)).mkdir()
            found += counted(patched, tmp_path / str(seeds), seeds)
    assert few == many
    for each in many:
        assert each.keys() == {"lookups"} and each["lookups"] < 16


def test_a_job_that_named_its_runs_again_would_be_noticed(tmp_path, monkeypatch):
    made = _replicas.Job.name.func

    def again(job):
        return made(job)

    monkeypatch.setattr(_replicas.Job, "name", property(again))
    for each in counted(monkeypatch, tmp_path, 4):
        assert each["digest"] > 0 and each["lookups"] >= 4


def test_a_name_is_made_once():
    (job,) = _replicas.jobs(_replicas.replicas([cell()], None), None, 30)
    assert job.name is job.name
    assert all(r.name is r.name for r in job.replicas)
    described = {id(r.identity[2]) for r in job.replicas}
    assert len(described) == 1  # the replicas of a cell share one text


@pytest.mark.parametrize("block", [1, 4, 64])
def test_blocks_are_of_one_size(block):
    made = _replicas.jobs(_replicas.replicas([cell(seeds=range(9))], block), None, 30)
    assert [len(job.replicas) for job in made] == [
        min(block, 9 - start) for start in range(0, 9, block)
    ]
    assert {job.first.block for job in made} == {block}

"""CPU seconds: of processors, shared by the blocks that run at the same time."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from arithmax.studies import evaluate
from arithmax.studies._shown import CLOCK, spent
from arithmax.training import _block, train_cells
from arithmax.training._meter import Meter
from fake_rows import fake
from short_runs import cell, measured


def test_blocks_that_run_together_share(monkeypatch):
    now = 0.0
    monkeypatch.setattr(time, "process_time", lambda: now)
    meter = Meter()
    now = 5.0  # before anything ran
    with meter.running("first"):
        now = 7.0
        with meter.running("second"):
            now = 11.0
            assert meter.seconds("first") == 2.0 + 2.0
            assert meter.seconds("second") == 2.0
        now = 12.0
        assert meter.seconds("first") == 5.0  # alone again
    with pytest.raises(KeyError):
        meter.seconds("second")


def test_rows_have_seconds_of_the_processor(monkeypatch, tmp_path):
    """Not of the clock: a process that waits uses none."""
    count = iter(range(10**6))
    monkeypatch.setattr(time, "process_time", lambda: 8.0 * next(count))
    rows = train_cells([cell(seeds=(0, 1))], out=tmp_path, workers=1).rows
    # A look when the block begins, and one when it ends: 8 s for two replicas.
    assert [row["cpu_seconds"] for row in rows] == [4.0, 4.0]
    assert all(0 < row["seconds"] != row["cpu_seconds"] for row in rows)


def test_the_same_cells_may_be_trained_twice_at_a_time(monkeypatch):
    """In two threads, as in two cells of a notebook server."""
    meeting, advanced = threading.Barrier(2, timeout=60), _block.advance_together

    def together(blocks):
        if blocks[0].step == 0:
            meeting.wait()  # both of them run
        advanced(blocks)

    monkeypatch.setattr(_block, "advance_together", together)
    with ThreadPoolExecutor(2) as pool:
        both = [pool.submit(train_cells, [cell(seeds=(0, 1))]) for _ in range(2)]
        first, second = (measured(future.result()) for future in both)
    assert first == second and len(first) == 2


def test_what_was_spent_before_a_stop_counts(monkeypatch, tmp_path):
    count = iter(range(10**6))
    monkeypatch.setattr(time, "process_time", lambda: 8.0 * next(count))
    advanced = _block.advance_together

    def stopped(blocks):
        advanced(blocks)
        (block,) = blocks
        if block.step == 1000:
            block.save()
            raise RuntimeError("stop")

    monkeypatch.setattr(_block, "advance_together", stopped)
    with pytest.raises(RuntimeError, match="stop"):
        train_cells([cell(seeds=(0, 1))], out=tmp_path, workers=1)
    monkeypatch.setattr(_block, "advance_together", advanced)
    rows = train_cells([cell(seeds=(0, 1))], out=tmp_path, workers=1).rows
    assert [row["cpu_seconds"] for row in rows] == [8.0, 8.0]


def test_rows_of_earlier_versions_are_called_what_they_are(one_arm):
    rows = fake(one_arm, [True, False])
    assert spent(evaluate(one_arm, results(rows))) == {"CPU": 4.0}
    old = [{k: v for k, v in row.items() if k != "cpu_seconds"} for row in rows]
    assert spent(evaluate(one_arm, results(old))) == {CLOCK: 2.0}


def results(rows):
    from arithmax.results import Results

    return Results(rows)


@pytest.fixture
def one_arm():
    from arithmax.studies import Arm, Study

    return Study("one", "One", "nowhere", "", (Arm({"model": "NMU"}, cell()),))

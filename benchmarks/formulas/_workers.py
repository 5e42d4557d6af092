"""Runs tools on tables in processes of their own, which a tool that hangs cannot stop.

CPU seconds are those of the process (all of its threads and children), between the
moment it has the table and the moment it has the formula; imports are done before.
"""

import math
import multiprocessing
import os
import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from multiprocessing.connection import Connection, wait

from ._judge import judge
from ._tables import Formula, table
from ._tools import TOOLS

LONGEST = 2000  # characters of a formula that are kept


@dataclass(frozen=True)
class Task:
    """A tool, a formula and a table of it; with the CPU seconds that may be spent."""

    tool: str
    formula: Formula
    noise: float
    seed: int
    budget: float

    @property
    def key(self) -> tuple:
        """What a row of results is called."""
        return self.tool, self.formula.set, self.formula.id, self.noise, self.seed


def solve(task: Task) -> dict:
    """The row of one task: what was printed, what it cost and what the judge says."""
    x, y = table(task.formula, task.seed, task.noise)
    started = cpu()
    answer = TOOLS[task.tool](x, y, task.formula.names, task.seed, task.budget)
    seconds = cpu() - started
    found = asdict(judge(answer["text"], task.formula))
    answer["text"] = answer["text"][:LONGEST]
    return labels(task) | answer | {"cpu": round(seconds, 3)} | found


def failure(task: Task, note: str, seconds: float | None = None) -> dict:
    """The row of a task without an answer; it cost its budget if nothing is known."""
    spent = task.budget if seconds is None else round(seconds, 3)
    blank = {"text": "", "cpu": spent, "exact": False, "structure": False}
    return labels(task) | blank | {"error": math.inf, "size": 0, "note": note}


def labels(task: Task) -> dict:
    """What a row is about."""
    names = ("tool", "set", "id", "noise", "seed")
    own = {"kind": task.formula.kind, "budget": task.budget}
    return dict(zip(names, task.key, strict=True)) | own


def cpu() -> float:
    """CPU seconds of this process and of its children."""
    return time.process_time() + sum(os.times()[2:4])


def serve(pipe: Connection) -> None:
    """What a worker does: answer tasks until there are no more."""
    warm: set[str] = set()
    while (task := pipe.recv()) is not None:
        started = cpu()
        try:
            if task.tool not in warm:
                TOOLS[task.tool].warm_up()
                warm.add(task.tool)
            row = solve(task)
        except Exception as error:  # a tool's failure is a result
            note = f"{type(error).__name__}: {error}"[:200]
            row = failure(task, note, cpu() - started)
        pipe.send(row)


class Worker:
    """A process, the task that it works on, and since when."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, far = context.Pipe()
        self.process = context.Process(target=serve, args=(far,), daemon=True)
        self.process.start()
        far.close()
        self.task: Task | None = None

    def begin(self, task: Task) -> None:
        """Hand over a task."""
        self.pipe.send(task)
        self.task, self.since = task, time.monotonic()

    def late(self) -> bool:
        """Whether far more time has passed than a busy machine explains."""
        if self.task is None:
            return False
        return time.monotonic() - self.since > 600 + 30 * self.task.budget

    def stop(self) -> None:
        """End the process."""
        self.process.terminate()
        self.process.join()
        self.pipe.close()


def run(tasks: Iterable[Task], jobs: int) -> Iterator[dict]:
    """The rows of tasks, in the order in which they are done.

    Args:
        tasks: What to run.
        jobs: How many processes.

    Returns:
        An iterator over rows; a task that hangs or whose process dies has one too.
    """
    waiting = iter(tasks)
    workers = [Worker() for _ in range(jobs)]
    for worker in workers:
        begin_next(worker, waiting)
    while busy := [worker for worker in workers if worker.task]:
        wait([worker.pipe for worker in busy], timeout=1.0)
        for worker in busy:
            row = collect(worker)
            if row is None:
                continue
            if not worker.process.is_alive() or worker.late():
                worker.stop()
                workers[workers.index(worker)] = worker = Worker()
            worker.task = None
            begin_next(worker, waiting)
            yield row
    for worker in workers:
        worker.stop()


def begin_next(worker: Worker, waiting: Iterator[Task]) -> None:
    """Give a worker its next task, if there is one."""
    task = next(waiting, None)
    if task is not None:
        worker.begin(task)


def collect(worker: Worker) -> dict | None:
    """The row of a worker, if it has one or will never have one."""
    assert worker.task is not None
    if worker.pipe.poll():
        try:
            return worker.pipe.recv()
        except EOFError:
            worker.process.join(5)
            return failure(worker.task, "the process died")
    return failure(worker.task, "stopped: it took too long") if worker.late() else None

"""The progress bar of a fleet. This file loads no array library."""

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

COMPILING, TRAINING = "compiling", "training"


def bar_columns() -> list[Any]:
    """What a line of progress shows: what is done, how far it is, and a clock."""
    from rich.progress import (
        BarColumn,
        TaskProgressColumn,
        TextColumn,
        TimeElapsedColumn,
    )

    return [
        TextColumn("{task.description:9}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[rate]}"),
    ]


class Bar:
    """A progress bar over replica-steps, or nothing.

    Args:
        show: whether to show one; or somebody's `rich.progress.Progress`, of
            `bar_columns`, which gets a line of it.
        jobs: what is trained.
        saved: the steps of jobs that go on from a checkpoint, by name.
    """

    def __init__(
        self, show: Any, jobs: Sequence[Any], saved: Mapping[str, int] | None = None
    ) -> None:
        self.jobs, self.saved = jobs, saved or {}
        self.total = sum(_left(job, self.saved) for job in jobs)
        self.show, self.is_ours = bool(show) and bool(self.total), show is True
        self.progress: Any = None if self.is_ours else show

    def __enter__(self) -> Callable[..., None]:
        if not self.show:
            return lambda *news: None
        if self.is_ours:
            from rich.console import Console
            from rich.progress import Progress

            self.progress = Progress(*bar_columns(), console=Console(stderr=True))
            self.progress.start()
        self.task = self.progress.add_task(COMPILING, total=self.total, rate="")
        self.began, self.lock, self.right = time.monotonic(), threading.Lock(), {}
        self.done, self.nodes = 0, NodeLines(self.progress, self.jobs, self.saved)
        return self.advance

    def advance(self, job: str, steps: int, solved: int, node: str = "") -> None:
        """Some replicas are so many steps further, and so many of them right.

        Args:
            job: the block that they are in.
            steps: how many steps, of all of them together.
            solved: how many are right.
            node: the machine that trains them; it gets a line of its own.
        """
        with self.lock:
            self.right[job] = solved
            self.done += steps
            told = f"{_rate(self.done, self.began)}, {sum(self.right.values())} solved"
            self.progress.update(
                self.task, description=TRAINING, completed=self.done, rate=told
            )
            if node:
                self.nodes.advance(job, steps, node)

    def __exit__(self, *error: object) -> None:
        if self.show and self.is_ours:
            self.progress.stop()


class NodeLines:
    """A line for each machine of a cluster, below the bar of all.

    Args:
        progress: the `rich.progress.Progress`.
        jobs: what is trained.
        saved: the steps of jobs that go on from a checkpoint, by name.
    """

    def __init__(
        self, progress: Any, jobs: Sequence[Any], saved: Mapping[str, int]
    ) -> None:
        self.progress, self.jobs, self.saved = progress, jobs, saved
        self.left: dict[str, int] = {}  # steps of each job, wherever it is trained
        self.home: dict[str, str] = {}  # where each job is now
        self.lines: dict[str, NodeLine] = {}

    def advance(self, job: str, steps: int, node: str) -> None:
        """Some replicas of a job are so many steps further, on a machine."""
        if not self.left:
            self.left = {j.name: _left(j, self.saved) for j in self.jobs}
        if node not in self.lines:
            self.lines[node] = NodeLine(self.progress.add_task(node, rate=""))
        line, before = self.lines[node], self.lines[self.home.get(job, node)]
        self.home[job] = node
        self.left[job] -= steps
        # What is trained again was trained where it was lost.
        (before if steps < 0 else line).done += steps
        before.running.discard(job)
        if self.left[job] > 0:
            line.running.add(job)
        else:
            line.ended.add(job)
        for changed in {id(before): before, id(line): line}.values():
            self._show(changed)

    def _show(self, line: "NodeLine") -> None:
        told = f"{_rate(line.done, line.began)}, {len(line.running)} running"
        left = sum(self.left[job] for job in line.running)
        self.progress.update(
            line.task,
            completed=line.done,
            total=line.done + left,
            rate=f"{told}, {len(line.ended)} finished",
        )


class NodeLine:
    """What a machine has done, and which jobs it has.

    Args:
        task: what `rich` calls its line.
    """

    def __init__(self, task: Any) -> None:
        self.task, self.began, self.done = task, time.monotonic(), 0
        self.running: set[str] = set()
        self.ended: set[str] = set()


def _left(job: Any, saved: Mapping[str, int]) -> int:
    """The steps that all replicas of a job have before them."""
    return len(job.replicas) * (job.steps - (saved.get(job.name, 0) if saved else 0))


def _rate(steps: int, began: float) -> str:
    return f"{steps / max(time.monotonic() - began, 1e-9):,.0f} steps/s"

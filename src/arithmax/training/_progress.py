"""The progress bar of a fleet. This file loads no array library."""

import threading
import time
from collections.abc import Callable, Sequence
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
    """

    def __init__(self, show: Any, jobs: Sequence[Any]) -> None:
        self.jobs = jobs
        self.total = sum(map(_size, jobs))
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
        self.done, self.nodes = 0, NodeLines(self.progress, self.jobs)
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
    """

    def __init__(self, progress: Any, jobs: Sequence[Any]) -> None:
        self.progress, self.jobs = progress, jobs
        self.sizes: dict[str, int] = {}
        self.lines: dict[str, Any] = {}
        self.steps: dict[str, dict[str, int]] = {}  # by node and job, trained there
        self.home: dict[str, str] = {}  # where each job is now
        self.began: dict[str, float] = {}

    def advance(self, job: str, steps: int, node: str) -> None:
        """Some replicas of a job are so many steps further, on a machine."""
        if not self.sizes:
            self.sizes = {j.name: _size(j) for j in self.jobs}
        if node not in self.lines:
            self.lines[node] = self.progress.add_task(node, total=None, rate="")
            self.steps[node], self.began[node] = {}, time.monotonic()
        before = self.home.get(job, node)
        self.home[job] = node
        mine = self.steps[node]
        mine[job] = max(mine.get(job, 0) + steps, 0)
        self._show(node)
        if before != node:
            self._show(before)

    def _show(self, node: str) -> None:
        here = [job for job, home in self.home.items() if home == node]
        ended = sum(self._at(job) >= self.sizes[job] for job in here)
        done = sum(self.steps[node].values())
        left = sum(self.sizes[job] - self._at(job) for job in here)
        told = f"{_rate(done, self.began[node])}, {len(here) - ended} running"
        self.progress.update(
            self.lines[node],
            completed=done,
            total=done + left,
            rate=f"{told}, {ended} finished",
        )

    def _at(self, job: str) -> int:
        """The steps of a job, wherever they were trained."""
        return sum(mine.get(job, 0) for mine in self.steps.values())


def _size(job: Any) -> int:
    """The steps of all replicas of a job."""
    return len(job.replicas) * job.steps


def _rate(steps: int, began: float) -> str:
    return f"{steps / max(time.monotonic() - began, 1e-9):,.0f} steps/s"

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
        self.total = sum(len(j.replicas) * j.steps for j in jobs)
        self.show, self.is_ours = bool(show) and bool(self.total), show is True
        self.progress: Any = None if self.is_ours else show

    def __enter__(self) -> Callable[[str, int, int], None]:
        if not self.show:
            return lambda job, steps, solved: None
        if self.is_ours:
            from rich.console import Console
            from rich.progress import Progress

            self.progress = Progress(*bar_columns(), console=Console(stderr=True))
            self.progress.start()
        self.task = self.progress.add_task(COMPILING, total=self.total, rate="")
        self.began, self.lock, self.right = time.monotonic(), threading.Lock(), {}
        self.done = 0
        return self.advance

    def advance(self, job: str, steps: int, solved: int) -> None:
        """Some replicas are so many steps further, and so many of them right."""
        with self.lock:
            self.right[job] = solved
            self.done += steps
            rate = self.done / max(time.monotonic() - self.began, 1e-9)
            told = f"{rate:,.0f} steps/s, {sum(self.right.values())} solved"
            self.progress.update(
                self.task, description=TRAINING, completed=self.done, rate=told
            )

    def __exit__(self, *error: object) -> None:
        if self.show and self.is_ours:
            self.progress.stop()

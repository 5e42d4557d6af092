"""The progress bar of a fleet."""

import threading
import time
from collections.abc import Callable, Sequence

from ._replicas import Job


class Bar:
    """A progress bar over replica-steps, or nothing."""

    def __init__(self, show: bool, jobs: Sequence[Job]) -> None:
        self.show, self.total = show, sum(len(j.replicas) * j.steps for j in jobs)

    def __enter__(self) -> Callable[[str, int, int], None]:
        if not self.show or not self.total:
            return lambda job, steps, solved: None
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            Progress,
            TaskProgressColumn,
            TextColumn,
            TimeRemainingColumn,
        )

        self.progress = Progress(
            TextColumn("training"),
            BarColumn(),
            TaskProgressColumn(),
            TextColumn("{task.fields[rate]}"),
            TimeRemainingColumn(),
            TextColumn("{task.fields[solved]} solved"),
            console=Console(stderr=True),
        )
        self.progress.start()
        task = self.progress.add_task("training", total=self.total, rate="", solved=0)
        began, lock, right = time.monotonic(), threading.Lock(), {}

        def advance(job: str, steps: int, solved: int) -> None:
            with lock:
                right[job] = solved
                done = self.progress.tasks[0].completed + steps
                rate = done / max(time.monotonic() - began, 1e-9)
                self.progress.update(
                    task,
                    advance=steps,
                    rate=f"{rate / 1e6:.2f} M replica-steps/s",
                    solved=sum(right.values()),
                )

        return advance

    def __exit__(self, *error: object) -> None:
        if self.show and self.total:
            self.progress.stop()

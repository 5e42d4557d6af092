"""The progress bar of `fit`."""

from collections.abc import Callable

from ._settings import Settings


class FitBar:
    """A bar over the rounds of a fit, with the least error so far; or nothing."""

    def __init__(self, settings: Settings) -> None:
        self.settings, self.progress = settings, None

    def __enter__(self) -> "FitBar":
        if self.settings.progress:
            from rich.console import Console
            from rich.progress import (
                BarColumn,
                Progress,
                TextColumn,
                TimeElapsedColumn,
                TimeRemainingColumn,
            )

            self.progress = Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                TimeElapsedColumn(),
                TextColumn("of about"),
                TimeRemainingColumn(),
                TextColumn("{task.fields[error]}"),
                console=Console(stderr=True),
                transient=True,
            )
            self.progress.start()
        return self

    def round(self, number: int) -> Callable[[float, float], None]:
        """A new bar; it hears the share that is done, and the least loss so far."""
        if self.progress is None:
            return lambda done, loss: None
        seeds = self.settings.seeds
        text = f"round {number} of at most {self.settings.restarts + 1}, {seeds} seeds"
        task = self.progress.add_task(text, total=1.0, error="")

        def watch(done: float, loss: float) -> None:
            assert self.progress is not None
            error = f"error {loss**0.5:.0e}" if loss >= 0 else ""
            self.progress.update(task, completed=done, error=error)

        return watch

    def __exit__(self, *error: object) -> None:
        if self.progress is not None:
            self.progress.stop()

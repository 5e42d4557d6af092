"""A bar for work that goes through a list, such as the studies of a report."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any


@contextmanager
def tracked() -> Iterator[Callable[[Sequence[Any], str], Iterable[Any]]]:
    """A function that gives things one by one, with a bar and the time that is left.

    The bar is drawn on a terminal only, and is gone when the work is done.
    """
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()
    console = Console(stderr=True)
    with Progress(
        *columns,
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    ) as bar:
        yield lambda things, text: bar.track(things, description=text)

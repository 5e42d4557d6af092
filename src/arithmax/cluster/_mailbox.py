"""What workers tell while they train, kept on the machine of the driver.

A block whose worker is lost is started again by Ray, somewhere else. It then finds its
last checkpoint here.
"""

from typing import NamedTuple


class Checkpoint(NamedTuple):
    """A block at some step, as the bytes of its file."""

    step: int
    content: bytes


class News(NamedTuple):
    """How far a block is, and where it is trained."""

    node: str
    step: int
    solved: int


class Mailbox:
    """An actor: workers report to it, the driver looks into it."""

    def __init__(self) -> None:
        self._news: dict[str, News] = {}
        self._saved: dict[str, Checkpoint] = {}
        self._stopping = False

    def resume(self, job: str) -> Checkpoint | None:
        """The last checkpoint of a block, if a worker has sent one."""
        return self._saved.get(job)

    def report(self, job: str, news: News, saved: Checkpoint | None) -> bool:
        """Take the news of a block; True if it shall save and stop."""
        self._news[job] = news
        if saved is not None:
            self._saved[job] = saved
        return self._stopping

    def look(
        self, known: dict[str, int]
    ) -> tuple[dict[str, News], dict[str, Checkpoint]]:
        """All news, and the checkpoints of other steps than are known."""
        new = {n: c for n, c in self._saved.items() if known.get(n) != c.step}
        return self._news, new

    def forget(self, job: str) -> None:
        """A block has ended, and the driver has its results."""
        self._news.pop(job, None)
        self._saved.pop(job, None)

    def stop(self) -> None:
        """Ask all blocks to save and stop."""
        self._stopping = True

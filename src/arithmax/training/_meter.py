"""CPU seconds of blocks that are trained side by side.

A processor's seconds are counted for a whole process, all of its threads included, and
XLA runs a program on threads of its own. Between two looks at that count, the blocks
that run then have used it together: each has an equal share.
"""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple


class Cost(NamedTuple):
    """What a block took: seconds by the clock, and those of the processor."""

    seconds: float
    cpu_seconds: float

    def share(self, count: int) -> "Cost":
        """That of one of so many replicas."""
        return Cost(self.seconds / count, self.cpu_seconds / count)


class Meter:
    """Who is running, and the CPU seconds that each has used."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._spent: dict[object, float] = {}
        self._looked = 0.0

    @contextmanager
    def running(self, who: object) -> Iterator[None]:
        """Count CPU seconds for one of those who run."""
        with self._lock:
            self._look()
            self._spent[who] = 0.0
        try:
            yield
        finally:
            with self._lock:
                self._look()
                del self._spent[who]

    def seconds(self, who: object) -> float:
        """The CPU seconds of one that runs, up to now."""
        with self._lock:
            self._look()
            return self._spent[who]

    def _look(self) -> None:
        now = time.process_time()
        for who in self._spent:
            self._spent[who] += (now - self._looked) / len(self._spent)
        self._looked = now


METER = Meter()

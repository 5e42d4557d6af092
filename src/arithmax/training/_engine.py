"""Where the blocks of a fleet are trained: on this machine, or elsewhere.

An engine decides what runs where and when, and nothing that a result depends on: the
bits of a run are those of its configuration, seed and kind of device.
"""

import math
import os
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any, TypeAlias

import jax

from .._checks import check_whole, plain
from . import _block
from ._memory import memory
from ._replicas import KERNEL, Job

Rows: TypeAlias = list[dict[str, Any]]
WARPS = 1200  # replicas that a GPU trains at a time, about


class FleetEngine(ABC):
    """What trains blocks.

    It is used in a `with` statement, which a connection may need.
    """

    hardware: str = ""  # in a few words, where it is not this machine's
    memory: float = math.inf  # bytes that a block can have, as far as that is known
    devices: int = 1  # how many of its kind it has, as far as that is known

    def __enter__(self) -> "FleetEngine":
        return self

    def __exit__(self, *error: object) -> None:
        return None

    @property
    @abstractmethod
    def platform(self) -> str:
        """The kind of device, as JAX calls it: a part of the name of a run."""

    @abstractmethod
    def run(
        self,
        jobs: Sequence[Job],
        advance: Callable[..., None],
        finished: Callable[[Rows], None],
    ) -> bool:
        """Train blocks to their ends, or until somebody presses Ctrl-C.

        Args:
            jobs: the blocks. A block that has a folder is saved there, and goes on from
                there if it was saved before.
            advance: called with the name of a job, the steps of its replicas since the
                last call, and how many of them are solved.
            finished: called in this thread with the rows of a block at its end.

        Returns:
            Whether it was interrupted; what runs then has been saved.
        """


class Local(FleetEngine):
    """The processor cores or the accelerators of this machine, in one process.

    Args:
        workers: blocks that are trained at a time; one for each core or accelerator if
            None.
    """

    def __init__(self, workers: Any = None) -> None:
        if workers is not None:
            check_whole("workers", workers := plain(workers), 1)
        self.workers: int | None = workers
        self.memory, self.devices = memory(), len(jax.local_devices())

    @property
    def platform(self) -> str:
        return jax.default_backend()

    def run(self, jobs, advance, finished) -> bool:
        stop, devices = threading.Event(), jax.local_devices()
        with ThreadPoolExecutor(self.workers or default_workers()) as pool:
            try:
                pending = {
                    pool.submit(
                        _block.train_jobs,
                        some,
                        devices[i % len(devices)],
                        stop,
                        advance,
                    )
                    for i, some in enumerate(bundles(jobs, len(devices)))
                }
                return _collected(pending, stop, finished)
            except BaseException:
                stop.set()  # the others save what they have
                raise


def bundles(jobs: Sequence[Job], devices: int = 1) -> list[list[Job]]:
    """Blocks that a device trains at a time: several where a kernel trains them.

    A kernel has one warp for each replica, and few replicas do not fill a GPU.

    Args:
        jobs: the blocks.
        devices: how many devices there are, each of which gets some.
    """
    bundled: list[list[Job]] = []
    growing: dict[tuple, list[Job]] = {}
    share = -(-sum(len(job.replicas) for job in jobs) // devices)
    for job in jobs:
        protocol, is_kernel = job.first.protocol, job.first.platform == KERNEL
        alike = job.steps, protocol.measuring.interval, protocol.precision
        beside = growing.get(alike, [])
        count = sum(len(other.replicas) for other in [*beside, job])
        if is_kernel and beside and count <= min(WARPS, share):
            beside.append(job)
            continue
        bundled.append([job])
        if is_kernel:
            growing[alike] = bundled[-1]
    return bundled


def _collected(
    pending: set[Future], stop: threading.Event, finished: Callable[[Rows], None]
) -> bool:
    """Hand on the rows of all blocks; True if it was interrupted."""
    while pending:
        try:
            done, pending = wait(pending, 0.2, return_when=FIRST_COMPLETED)
        except KeyboardInterrupt:
            stop.set()
            continue
        for future in done:
            finished(future.result())
    return stop.is_set()


def default_workers() -> int:
    """Blocks that are trained at a time if nothing else is said."""
    if jax.default_backend() == "cpu":
        return os.cpu_count() or 1
    return len(jax.local_devices())

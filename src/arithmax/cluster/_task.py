"""What a worker does: one block, trained as on any machine, in a folder of its own."""

import tempfile
import threading
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import ray

from ..training._block import train_job
from ..training._checkpoint import checkpoint_of, saved_step
from ..training._replicas import Job
from ._mailbox import Checkpoint, News
from ._nodes import this_node
from ._software import check_alike, this_machine

REPORT_SECONDS = 1.0  # less where checkpoints are wanted more often


class Ended(NamedTuple):
    """What comes of a block: its rows and files, or a checkpoint if it was stopped."""

    node: str
    rows: list[dict[str, Any]]
    files: dict[str, bytes]


class Reporter:
    """Tells the mailbox how far a block is, once in a while.

    Args:
        job: the block, in a folder of this machine.
        mailbox: the actor.
        step: the step from which the block goes on.
    """

    def __init__(self, job: Job, mailbox: Any, step: int) -> None:
        self.job, self.mailbox, self.step = job, mailbox, step
        self.stop = threading.Event()
        self.node = ray.get_runtime_context().get_node_id()
        self.reported, self.sent = 0.0, step
        self.seconds = min(REPORT_SECONDS, job.checkpoint_seconds)

    def advance(self, name: str, steps: int, solved: int) -> None:
        """As the fleet calls it after each interval."""
        self.step += steps // len(self.job.replicas)
        if time.monotonic() - self.reported < self.seconds and steps:
            return
        news = News(self.node, self.step, solved)
        if ray.get(self.mailbox.report.remote(name, news, self._new_checkpoint())):
            self.stop.set()
        self.reported = time.monotonic()

    def _new_checkpoint(self) -> Checkpoint | None:
        """The checkpoint in the folder, if it was not sent before."""
        step = saved_step(self.job)
        if step is None or step == self.sent:
            return None
        self.sent = step
        return Checkpoint(step, checkpoint_of(self.job).read_bytes())


def train_block(
    job: Job, first: Checkpoint | None, software: Mapping[str, str], mailbox: Any
) -> Ended:
    """Train a block to its end, or until the mailbox says to stop.

    Args:
        job: the block; its folder is one of the driver's, and not used.
        first: the checkpoint that the driver has of it.
        software: what the driver has.
        mailbox: the actor that takes news, and has a checkpoint if this is a retry.
    """
    name = this_node()
    check_alike(software, this_machine().software, name)
    device = _device(job, name)
    sent: Any = ray.get(mailbox.resume.remote(job.name))
    last: Checkpoint | None = sent or first
    with tempfile.TemporaryDirectory(prefix="arithmax-") as folder:
        job = replace(job, folder=Path(folder))
        if last is not None:
            checkpoint_of(job).write_bytes(last.content)
        reporter = Reporter(job, mailbox, last.step if last else 0)
        reporter.advance(job.name, 0, 0)  # it has begun, here
        rows = train_job(job, device, reporter.stop, reporter.advance)
        files = {_ending(path): path.read_bytes() for path in Path(folder).iterdir()}
    return Ended(reporter.node, rows, files)


def _ending(path: Path) -> str:
    """The name of a file behind that of its job."""
    return path.name.partition(".")[2]


def _device(job: Job, node: str) -> Any:
    """The device that Ray has given to this task, which JAX must see."""
    import jax

    platform = job.first.platform.partition("-")[0]  # what follows is how, not where
    if (seen := jax.default_backend()) != platform:
        raise ValueError(
            f"the node {node} lends a {platform} by Ray, but JAX there sees "
            f"{seen} only. Install JAX for it on that machine."
        )
    return jax.local_devices()[0]

"""The blocks that a cluster trains, seen from the driver, which writes all files."""

import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import ray
from ray import exceptions
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from .._files import write_whole
from ..training._checkpoint import checkpoint_of, saved_step
from ..training._replicas import Job
from ._connection import answers
from ._mailbox import Checkpoint, Mailbox
from ._nodes import lenders, nodes
from ._software import this_machine
from ._task import Ended, train_block

LOOK_SECONDS = 0.2  # between two looks for news
NODES_SECONDS = 5.0  # and for machines that came or went
HEAD_SECONDS = 20.0  # in which a head may start again; Ray gives up after 60
KEPT_THEN = (
    "What was finished or saved is kept: start Ray again, and the same command goes on."
)
KEPT = "What was finished or saved is kept: run the same command again to go on."


class Running:
    """Blocks that are with the cluster, and what is known of them here.

    Args:
        options: how Ray runs the task of a block.
        advance: called with a job, steps, solved replicas and the name of a node.
        finished: called with the rows of a block at its end.
    """

    def __init__(
        self,
        options: Mapping[str, Any],
        advance: Callable[..., None],
        finished: Callable[..., None],
    ) -> None:
        here = ray.get_runtime_context().get_node_id()
        beside = NodeAffinitySchedulingStrategy(here, soft=False)
        actor = ray.remote(Mailbox).options(num_cpus=0, scheduling_strategy=beside)
        self.mailbox: Any = actor.remote()
        self.task: Any = ray.remote(train_block).options(**options)
        self.software = this_machine().software  # workers must have the same
        self.advance, self.finished = advance, finished
        self.jobs: dict[Any, Job] = {}  # by what Ray calls their results
        self.steps: dict[str, int] = {}  # that are shown of each job
        self.shown: dict[str, tuple[int, int, str]] = {}
        self.saved: dict[str, int] = {}  # the steps of checkpoints in the folder
        self.begun: set[str] = set()
        self.names: dict[str, str] = {}  # of nodes
        self.gone: set[str] = set()  # of these
        self.head = ray.get_runtime_context().gcs_address
        self.head = self.head if answers(self.head) else ""  # not from outside
        self.looked = 0.0
        self.lent = self.heard = time.monotonic()

    def submit(self, jobs: Sequence[Job]) -> None:
        """Hand blocks to Ray, each with the checkpoint that its folder has."""
        for job in jobs:
            first = None
            if (step := saved_step(job)) is not None:
                first = Checkpoint(step, checkpoint_of(job).read_bytes())
            self.steps[job.name] = self.saved[job.name] = step or 0
            sent = replace(job, folder=None)
            result = self.task.remote(sent, first, self.software, self.mailbox)
            self.jobs[result] = job

    def until_all_ended(self, device: str, patience: float) -> bool:
        """Take results as they come; True if it was interrupted.

        Args:
            device: the kind of device that the blocks wait for.
            patience: how many seconds there may be no machine that lends one.
        """
        interrupted = False
        while self.jobs:
            try:
                self._look_once(device, patience)
            except KeyboardInterrupt:
                interrupted = True
                self._stop()
            except BaseException:
                self._save_the_others(device, patience)
                raise
        return interrupted

    def _look_once(self, device: str, patience: float) -> None:
        waiting = list(self.jobs)
        ready, _ = ray.wait(waiting, num_returns=len(waiting), timeout=LOOK_SECONDS)
        self._look_at_nodes(device, patience)
        self._look_into_mailbox()
        for result in ready:
            self._end(result)

    def _look_at_nodes(self, device: str, patience: float) -> None:
        """Learn the names of machines; wait for workers, but not for ever."""
        now = time.monotonic()
        if now - self.looked < NODES_SECONDS:
            return
        self.looked = now
        if not self._has_head(now):
            return  # Ray would wait for it here
        self._look_for_lost({node.id: node.name for node in nodes()})
        if lenders(device):
            self.lent = now
        elif now - self.lent > patience:
            raise ConnectionError(
                f"no machine of the cluster has lent a {device.upper()} for "
                f"{patience:g} seconds. {KEPT}"
            )

    def _has_head(self, now: float) -> bool:
        """Whether the head answers; Ray would end this process without a word."""
        if not self.head or answers(self.head):
            self.heard = now
            return True
        if now - self.heard > HEAD_SECONDS:
            raise ConnectionError(f"the head of the cluster is gone. {KEPT_THEN}")
        return False

    def _look_for_lost(self, there: Mapping[str, str]) -> None:
        """Say once which machines are gone; a machine keeps its first name."""
        self.names = {**there, **self.names}
        for node in self.names.keys() - there.keys() - self.gone:
            self.gone.add(node)
            warnings.warn(
                f"the node {self.names[node]} is gone: its blocks go on elsewhere, "
                "from their last checkpoints.",
                stacklevel=2,
            )

    def _look_into_mailbox(self) -> None:
        try:
            news, saved = ray.get(self.mailbox.look.remote(self.saved))
        except exceptions.RayActorError as error:
            raise ConnectionError(
                f"the machine of this command ended a process of its own. {KEPT}"
            ) from error
        open_jobs = {job.name: job for job in self.jobs.values()}
        for name, checkpoint in saved.items():
            if name in open_jobs:
                self._write(open_jobs[name], {"checkpoint": checkpoint.content})
                self.saved[name] = checkpoint.step
        for name, (node, step, solved) in news.items():
            if name in open_jobs:
                self.begun.add(name)
                self._show(open_jobs[name], step, solved, node)

    def _show(self, job: Job, step: int, solved: int, node: str) -> None:
        """A block is at a step: further, or back where its worker was lost."""
        if self.shown.get(job.name) == (step, solved, node):
            return
        self.shown[job.name] = step, solved, node
        further = (step - self.steps[job.name]) * len(job.replicas)
        self.steps[job.name] = step
        self.advance(job.name, further, solved, self.names.get(node, node[:8]))

    def _end(self, result: Any) -> None:
        """Write what a task gave, and hand its rows on."""
        job = self.jobs[result]
        try:
            ended: Ended | None = ray.get(result)
        except exceptions.TaskCancelledError:
            ended = None  # it had not begun when somebody pressed Ctrl-C
        except exceptions.RayTaskError as error:
            del self.jobs[result]
            raise error.cause from error
        except exceptions.RayError as error:
            del self.jobs[result]
            raise ConnectionError(f"{_lost(error)} {KEPT}") from error
        if ended is not None:
            self._write(job, ended.files)
        del self.jobs[result]
        self.mailbox.forget.remote(job.name)
        if ended is not None and ended.rows:
            if job.folder is not None:
                checkpoint_of(job).unlink(missing_ok=True)
            solved = sum(row["outcome"] == "solved" for row in ended.rows)
            self._show(job, job.steps, solved, ended.node)
            self.finished(ended.rows)

    def _write(self, job: Job, files: Mapping[str, bytes]) -> None:
        """Files as a local run writes them, by their endings: rows come last."""
        if job.folder is None:
            return
        for ending in sorted(files, key=lambda ending: ending.startswith("rows")):
            path = job.folder / f"{job.name}.{ending}"
            content = files[ending]
            write_whole(path, lambda to, content=content: to.write_bytes(content))

    def _stop(self) -> None:
        """Blocks that run save and end, the others do not begin."""
        ray.get(self.mailbox.stop.remote())
        for result, job in self.jobs.items():
            if job.name not in self.begun:
                ray.cancel(result)

    def _save_the_others(self, device: str, patience: float) -> None:
        """After an error: what else runs is saved, as far as that is possible."""
        with suppress(Exception):
            self._stop()
            while self.jobs:
                self._look_once(device, patience)


def _lost(error: Exception) -> str:
    first = next(filter(None, str(error).splitlines()), type(error).__name__)
    return f"a block was lost with its worker again and again: {first.rstrip('.')}."

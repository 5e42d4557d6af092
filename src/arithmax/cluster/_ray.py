"""The engine: what runs where is Ray's business, what it gives is the fleet's."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from .._checks import check_number, choose, shown
from ..training import FleetEngine
from ..training._replicas import Job
from ._connection import connect, leave
from ._nodes import RESOURCES, awaited_device, lenders
from ._own_modules import own_modules_sent
from ._running import Running
from ._software import asked_machines

Device = Literal["cpu", "gpu", "tpu"]
RETRIES = 10  # of a block whose worker is lost; each goes on from a checkpoint
ASKS = {  # what Ray reserves for a block
    "cpu": {"num_cpus": 1},
    "gpu": {"num_cpus": 1, "num_gpus": 1},
    "tpu": {"num_cpus": 1, "resources": {"TPU": 1}},
}


@dataclass
class Ray(FleetEngine):
    """A cluster of Ray: each block is a task on one CPU core or one accelerator.

    Args:
        cluster: `"auto"` for the cluster that this machine belongs to (or that
            `RAY_ADDRESS` names), HOST:PORT, `ray://HOST:PORT`, or `"local"` for a
            cluster that is started on this machine and stopped in the end.
        device: what blocks are trained on; accelerators if the cluster has any, else
            CPU cores, if None.
        patience: how many seconds to wait for a worker where there is none.

    Examples:
        >>> from arithmax.cluster import Ray
        >>> Ray("10.0.0.1:6379", device="cpu")
        Ray(cluster='10.0.0.1:6379', device='cpu', patience=60.0)
    """

    cluster: str = "auto"
    device: Device | None = None
    patience: float = 60.0

    def __post_init__(self) -> None:
        if not isinstance(self.cluster, str):
            raise TypeError(f"`cluster` (={shown(self.cluster)}) must be a string.")
        choose("device", self.device, [None, *RESOURCES])
        check_number("patience", self.patience)
        self._chosen = ""
        self._joined: list[bool] = []  # by each `with` statement that is open

    def __enter__(self) -> "Ray":
        self._joined.append(connect(self.cluster))
        try:
            self._chosen = awaited_device(self.device, self.patience, self.cluster)
            self._look_around()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        if self._joined.pop():
            leave()

    @property
    def platform(self) -> str:
        return self._chosen

    def _look_around(self) -> None:
        """What the workers are; each must have the software of this machine."""
        settings = {"runtime_env": self._environment()}
        there = asked_machines(lenders(self._chosen), self.patience, **settings)
        kind = RESOURCES[self._chosen]
        if not there:
            raise ConnectionError(
                f"`cluster` (={self.cluster!r}) has lost all nodes with a {kind} just "
                "now. Look at `ray status`, and run the command again."
            )
        self.devices = sum(int(node.lends[self._chosen]) for node, _ in there)
        self.hardware = f"Ray: {self.devices} × {kind}, nodes: {len(there)}"
        if self._chosen == "cpu":
            self.memory = float(min(machine.memory for _, machine in there))

    def _environment(self) -> dict[str, Any]:
        """The settings of a process that trains."""
        settings = {k: os.environ[k] for k in ("XLA_FLAGS",) if k in os.environ}
        if self._chosen == "cpu":
            # One core is lent: XLA would start a thread for each core of the machine.
            settings |= {"JAX_PLATFORMS": "cpu", "NPROC": "1", "PJRT_NPROC": "1"}
        return {"env_vars": settings}

    def _options(self) -> dict[str, Any]:
        """How Ray runs the task of a block."""
        return {
            **ASKS[self._chosen],
            "max_retries": RETRIES,
            "scheduling_strategy": "SPREAD",
            "runtime_env": self._environment(),
        }

    def run(
        self,
        jobs: Sequence[Job],
        advance: Callable[..., None],
        finished: Callable[..., None],
    ) -> bool:
        running = Running(self._options(), advance, finished)
        with own_modules_sent(jobs):
            running.submit(jobs)
        return running.until_all_ended(self._chosen, self.patience)

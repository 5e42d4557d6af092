"""A real cluster of Ray on loopback addresses: a head that lends nothing, two workers.

`ray.cluster_utils` starts the processes of each node as `ray start` does. Addresses are
those of 127.0.0.0/8 other than 127.0.0.1, which Ray would replace by the machine's.
"""

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

os.environ["RAY_USAGE_STATS_ENABLED"] = "0"  # before Ray is loaded: nothing is sent

import ray
from ray.cluster_utils import Cluster

STORE = 80 * 2**20  # bytes of shared memory of each node; the least that Ray takes
NAMES = {"one": "127.0.0.3", "two": "127.0.0.4"}


class Machines:
    """The nodes of a cluster, by name."""

    def __init__(self) -> None:
        head = {"num_cpus": 0, "node_ip_address": "127.0.0.2"}
        head |= {"object_store_memory": STORE, "include_dashboard": False}
        self.cluster = Cluster(initialize_head=True, head_node_args=head)
        self.nodes: dict[str, Any] = {}

    @property
    def address(self) -> str:
        assert self.cluster.address is not None
        return self.cluster.address

    def start(self, name: str) -> None:
        """Start a worker with one core, unless it runs."""
        if name not in self.nodes:
            self.nodes[name] = self.cluster.add_node(
                num_cpus=1,
                node_ip_address=NAMES[name],
                node_name=name,
                object_store_memory=STORE,
            )

    def kill(self, name: str) -> None:
        """SIGKILL to all that runs on a worker, as if its power was cut."""
        self.cluster.remove_node(self.nodes.pop(name), allow_graceful=False)


@contextmanager
def two_workers() -> Iterator[Machines]:
    """A cluster that this process has joined; all of it is stopped in the end."""
    machines = Machines()
    try:
        for name in NAMES:
            machines.start(name)
        ray.init(machines.address, log_to_driver=False, logging_level=logging.ERROR)
        yield machines
    finally:
        ray.shutdown()
        machines.cluster.shutdown()

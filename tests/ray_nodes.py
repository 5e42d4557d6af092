"""A real cluster of Ray on loopback addresses: a head that lends nothing, two workers.

`ray.cluster_utils` starts the processes of each node as `ray start` does, by a fork,
which a process in which JAX has run must not do: this file is run as a process of its
own, which starts and kills nodes by the lines that it reads. Addresses are those of
127.0.0.0/8 other than 127.0.0.1, so that each node has its own. Ray then listens on all
addresses of the machine while the tests run.
"""

import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

STORE = (
    80 * 2**20
)  # bytes of shared memory of each node; about the least that Ray takes
HEAD = "127.0.0.2"
# A node that says nothing is taken for dead after a second, not a quarter of a minute.
SOON = {"health_check_period_ms": 500, "health_check_failure_threshold": 2}
NAMES = {"one": "127.0.0.3", "two": "127.0.0.4"}


class Machines:
    """A cluster in another process: its nodes are started and killed by name."""

    def __init__(self) -> None:
        command = [sys.executable, __file__]
        # Nothing is sent to the makers of Ray.
        settings = os.environ | {"RAY_USAGE_STATS_ENABLED": "0"}
        self.process = subprocess.Popen(
            command,
            env=settings,
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self.address = self._answer()
        self.running = {*NAMES}

    def _answer(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def _say(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()
        assert self._answer() == "done"

    def start(self, name: str) -> None:
        """Start a worker with one core, unless it runs."""
        if name not in self.running:
            self._say(f"start {name}")
            self.running.add(name)

    def kill(self, name: str) -> None:
        """SIGKILL to all that runs on a worker, as if its power was cut."""
        self._say(f"kill {name}")
        self.running.remove(name)

    def stop(self) -> None:
        """Stop all of it."""
        self.process.communicate()


@contextmanager
def two_workers() -> Iterator[Machines]:
    """A cluster that this process has joined; all of it is stopped in the end."""
    import ray

    machines = Machines()
    try:
        # It joins by the head, which is never killed.
        quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
        ray.init(machines.address, _node_ip_address=HEAD, **quiet)
        yield machines
    finally:
        ray.shutdown()
        machines.stop()


def _serve() -> None:
    from ray.cluster_utils import Cluster

    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what Ray prints is no answer
    head = {"num_cpus": 0, "node_ip_address": HEAD}
    head |= {"object_store_memory": STORE, "include_dashboard": False}
    head |= {"_system_config": SOON}
    cluster = Cluster(initialize_head=True, head_node_args=head)
    nodes: dict[str, Any] = {}

    def start(name: str) -> None:
        settings: dict[str, Any] = {"node_ip_address": NAMES[name], "node_name": name}
        settings |= {"num_cpus": 1, "object_store_memory": STORE}
        nodes[name] = cluster.add_node(wait=False, **settings)

    def kill(name: str) -> None:
        cluster.remove_node(nodes.pop(name), allow_graceful=False)

    try:
        for name in NAMES:
            start(name)
        cluster.wait_for_nodes()
        print(cluster.address, file=answers, flush=True)
        for line in sys.stdin:  # until the tests have ended, however they did
            command, name = line.split()
            {"start": start, "kill": kill}[command](name)
            cluster.wait_for_nodes()
            print("done", file=answers, flush=True)
    finally:
        cluster.shutdown()


if __name__ == "__main__":
    _serve()

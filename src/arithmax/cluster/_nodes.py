"""The machines of a cluster, and what they lend."""

import math
import time
from collections import Counter
from dataclasses import dataclass

import ray

RESOURCES = {"cpu": "CPU", "gpu": "GPU", "tpu": "TPU"}  # as JAX and as Ray call them
ACCELERATORS = ("tpu", "gpu")


@dataclass(frozen=True)
class ClusterNode:
    """A machine: Ray's id of it, what people call it, and what it lends by device."""

    id: str
    name: str
    lends: dict[str, float]


def nodes() -> list[ClusterNode]:
    """The machines that are alive, each with a name of its own."""
    alive = [n for n in ray.nodes() if n["Alive"]]
    names = Counter(n["NodeName"] for n in alive)
    return [
        ClusterNode(
            n["NodeID"],
            n["NodeName"] + f"-{n['NodeID'][:4]}" * (names[n["NodeName"]] > 1),
            {d: n["Resources"].get(r, 0.0) for d, r in RESOURCES.items()},
        )
        for n in alive
    ]


def lenders(device: str) -> list[ClusterNode]:
    """The machines that lend at least one device of a kind."""
    return [node for node in nodes() if node.lends[device] >= 1]


def awaited_device(wanted: str | None, patience: float, cluster: str) -> str:
    """The kind of device that blocks are trained on: accelerators if there are any.

    Args:
        wanted: the kind that was asked for, if any.
        patience: how many seconds the cluster has to lend one.
        cluster: what was asked for, for messages.
    """
    kinds = [wanted] if wanted else [*ACCELERATORS, "cpu"]
    end = time.monotonic() + patience
    while not (found := [kind for kind in kinds if lenders(kind)]):
        if time.monotonic() > end:
            raise ValueError(_nothing(wanted, patience, cluster))
        time.sleep(min(0.5, patience))
    return found[0]


def _nothing(wanted: str | None, patience: float, cluster: str) -> str:
    there = nodes()
    names = ", ".join(node.name for node in there)
    what = f"no {RESOURCES[wanted]}" if wanted else "neither CPUs nor GPUs"
    return (
        f"`cluster` (={cluster!r}) lends {what}: its nodes are {names}, and "
        f"{math.ceil(patience)} seconds brought no other. Start workers with "
        "`ray start --address=HOST:PORT`."
    )

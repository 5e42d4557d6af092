"""The machines of a cluster, and what they lend."""

import math
import time
import warnings
from collections import Counter
from dataclasses import dataclass

import ray

RESOURCES = {"cpu": "CPU", "gpu": "GPU", "tpu": "TPU"}  # as JAX and as Ray call them
ACCELERATORS = ("tpu", "gpu")
TELL_SECONDS = 2.0  # after which it is said what is waited for


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


def this_node() -> str:
    """What the machine is called that this runs on."""
    here = ray.get_runtime_context().get_node_id()
    return next((node.name for node in nodes() if node.id == here), here[:8])


def awaited_device(wanted: str | None, patience: float, cluster: str) -> str:
    """The kind of device that blocks are trained on: accelerators if there are any.

    Args:
        wanted: the kind that was asked for, if any.
        patience: how many seconds the cluster has to lend one.
        cluster: what was asked for, for messages.
    """
    kinds = [wanted] if wanted else [*ACCELERATORS, "cpu"]
    patience = 0.0 if cluster == "local" else patience  # nobody else can join that
    began = time.monotonic()
    told = False
    while not (found := [kind for kind in kinds if lenders(kind)]):
        waited = time.monotonic() - began
        if waited >= patience:
            raise ValueError(_nothing(wanted, patience, cluster))
        if waited > TELL_SECONDS and not told:
            told = True
            warnings.warn(_awaited(wanted, patience, cluster), stacklevel=2)
        time.sleep(min(0.5, patience))
    return found[0]


def _what(wanted: str | None) -> str:
    return RESOURCES[wanted] if wanted else "CPU or GPU"


def _awaited(wanted: str | None, patience: float, cluster: str) -> str:
    return (
        f"`cluster` (={cluster!r}) lends no {_what(wanted)} yet: waiting up to "
        f"{math.ceil(patience)} seconds for a node that does."
    )


def _nothing(wanted: str | None, patience: float, cluster: str) -> str:
    names = ", ".join(node.name for node in nodes())
    said = f"`cluster` (={cluster!r}) lends no {_what(wanted)}: its nodes are {names}"
    if patience:
        said += f", and {math.ceil(patience)} seconds brought no other"
    return f"{said}. {_remedy(wanted, cluster)}"


def _remedy(wanted: str | None, cluster: str) -> str:
    other = "train on cores with `--cluster-device cpu`"
    if cluster == "local":
        return f"{other[0].upper()}{other[1:]}, or join a cluster that has one."
    start = "Start workers with `ray start --address=HOST:PORT"
    if wanted in ACCELERATORS:
        lend = " --num-gpus=N`" if wanted == "gpu" else "`, on machines with TPUs"
        return f"{start}{lend}, or {other}."
    return f"{start}`."

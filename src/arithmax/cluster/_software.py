"""What all machines of a cluster must have alike: other code gives other results."""

import hashlib
import importlib.metadata
import os
import platform
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import ray
from ray import exceptions
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from ._nodes import ClusterNode

REMEDY = "Install the same on all machines, and start Ray there again."
GONE = (exceptions.TaskUnschedulableError, exceptions.NodeDiedError)
PACKAGES = ("jax", "jaxlib", "numpy", "optax")


class Machine(NamedTuple):
    """What a machine has: versions by name, and bytes of memory."""

    software: dict[str, str]
    memory: int


def this_machine() -> Machine:
    """What the machine has that this runs on."""
    software = {"Python": ".".join(platform.python_version_tuple()[:2])}
    software["the code of arithmax"] = _source()
    software |= {name: importlib.metadata.version(name) for name in PACKAGES}
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return Machine(software, memory)


def _source() -> str:
    """A hash of the package: two clones may have one version and other code."""
    root, found = Path(__file__).parents[1], hashlib.sha256()
    for file in sorted(root.rglob("*.py")):
        found.update(file.relative_to(root).as_posix().encode())
        found.update(file.read_bytes())
    return found.hexdigest()[:16]


def check_alike(ours: Mapping[str, str], theirs: Mapping[str, str], node: str) -> None:
    """A node must have what this machine has."""
    for name, version in ours.items():
        if (other := theirs.get(name, "none")) != version:
            raise ValueError(
                f"the node {node} has other software than this machine: {name} "
                f"{other}, not {version}. {REMEDY}"
            )


def asked_machines(
    there: Sequence[ClusterNode], patience: float, **options: Any
) -> list[tuple[ClusterNode, Machine]]:
    """What machines have, which must be alike; those that have just died are left out.

    Args:
        there: the machines.
        patience: how many seconds they have to answer.
        options: how Ray starts the process that answers; it may train a block then.
    """
    ask = ray.remote(this_machine)
    answers = [
        ask.options(
            **options,
            num_cpus=0,  # it is answered on a machine that is busy, too
            scheduling_strategy=NodeAffinitySchedulingStrategy(node.id, soft=False),
        ).remote()
        for node in there
    ]
    end, ours = time.monotonic() + patience, this_machine().software
    machines = []
    for node, answer in zip(there, answers, strict=True):
        machine = _answered(node, answer, max(end - time.monotonic(), 0.0))
        if machine is not None:
            check_alike(ours, machine.software, node.name)
            machines.append((node, machine))
    return machines


def _answered(
    node: ClusterNode, answer: ray.ObjectRef, seconds: float
) -> Machine | None:
    """What a machine answers; None if it is gone."""
    try:
        return ray.get(answer, timeout=seconds)
    except exceptions.GetTimeoutError:
        raise TimeoutError(
            f"the node {node.name} does not answer. Look at `ray status`, or stop that "
            "node."
        ) from None
    except GONE:
        return None
    except exceptions.RayError as error:
        last = str(error).strip().splitlines()[-1]
        raise ValueError(
            f"the node {node.name} cannot load arithmax: {last} {REMEDY}"
        ) from None

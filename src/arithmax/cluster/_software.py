"""What all machines of a cluster must have alike: other code gives other results."""

from collections.abc import Callable, Mapping
from typing import Any

from ._nodes import Node

MISSING = "none"
REMEDY = "Install the same on all machines, and start Ray there again."


def asked_of_a_machine() -> Callable[[], dict[str, Any]]:
    """A function that tells what a machine has.

    It is sent to workers as it is, and so needs nothing of this package there: a
    machine without the package must be able to say so.
    """

    def have() -> dict[str, Any]:
        import hashlib
        import importlib.metadata
        import importlib.util
        import os
        import platform
        from pathlib import Path

        def version(name: str) -> str:
            try:
                return importlib.metadata.version(name)
            except importlib.metadata.PackageNotFoundError:
                return "none"

        def source(name: str) -> str:
            spec = importlib.util.find_spec(name)
            folders = spec.submodule_search_locations if spec else None
            if not folders:
                return "none"
            root, found = Path(folders[0]), hashlib.sha256()
            for file in sorted(root.rglob("*.py")):
                found.update(file.relative_to(root).as_posix().encode())
                found.update(file.read_bytes())
            return found.hexdigest()[:16]

        software = {
            "Python": platform.python_version().rpartition(".")[0],
            "arithmax": source("arithmax"),
            "jax": version("jax"),
            "jaxlib": version("jaxlib"),
            "optax": version("optax"),
        }
        memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        return {"software": software, "memory": memory}

    return have


def check_alike(ours: Mapping[str, str], theirs: Mapping[str, str], node: Node) -> None:
    """A node must have what this machine has."""
    for name, version in ours.items():
        if (other := theirs[name]) == version:
            continue
        if other == MISSING:
            raise ValueError(f"the node {node.name} has no {name}. {REMEDY}")
        if name == "arithmax":
            raise ValueError(
                f"the node {node.name} has other code of arithmax than this machine "
                f"(source {other}, not {version}). {REMEDY}"
            )
        raise ValueError(
            f"the node {node.name} has {name} {other}, but this machine has {version}: "
            f"results could differ. {REMEDY}"
        )

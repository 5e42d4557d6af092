"""How much memory there is, and what to say of a size that does not fit."""

import math
import os
from pathlib import Path

CGROUP = Path("/sys/fs/cgroup/memory.max")  # what a container may use


def memory() -> float:
    """Bytes that arrays can have: the accelerator's, or the machine's."""
    import jax

    stats = [device.memory_stats() for device in jax.local_devices()]
    limits = [s["bytes_limit"] for s in stats if s and "bytes_limit" in s]
    if limits:
        return min(limits)
    try:
        pages, page = os.sysconf("SC_PHYS_PAGES"), os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):  # not every system says
        return math.inf
    limit = CGROUP.read_text().strip() if CGROUP.is_file() else ""
    return min(pages * page, int(limit) if limit.isdigit() else math.inf)


def check_fits(size: float, what: str, remedy: str, there: float | None = None) -> None:
    """So many bytes must fit into memory, this machine's if none is given."""
    there = memory() if there is None else there
    if size > there:
        raise ValueError(
            f"{what} needs {gigabytes(size)} of memory at the least, but there are "
            f"{gigabytes(there)}. {remedy}"
        )


def gigabytes(size: float) -> str:
    """Bytes as a person says them."""
    return f"{size / 2**30:,.3g} GiB"

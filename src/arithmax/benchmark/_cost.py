"""What a study costs on this machine: measured once, remembered, then estimated."""

import json
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .. import __version__
from .._files import cache_folder, write_whole
from .._network import Network
from ..studies import Study
from ..tasks import Subsets
from ..training import Cell, published
from ..units import NMU

SIZES = (4, 100)  # inputs of the two programs that are timed


def parameters(network: Network, cell: Cell) -> int:
    """How many numbers a network learns, by which its cost grows."""
    import math

    declared = network.parameters(cell.task.in_features, cell.task.out_features)
    return sum(math.prod(p.shape) for p in declared.values())


def seconds_of_study(study: Study, speed: dict[str, float]) -> float:
    """The seconds that a study takes on all cores or accelerators of this machine."""
    return sum(
        len(arm.cell.seeds) * arm.cell.protocol.steps * seconds(arm.cell, speed)
        for arm in study.arms
    )


def seconds(cell: Cell, speed: dict[str, float]) -> float:
    """The seconds of one step of one replica."""
    share = cell.protocol.batches.size / 128
    numbers = parameters(cell.network, cell)
    return share * (speed["fixed"] + speed["each"] * numbers)


def speed_of_machine() -> dict[str, float]:
    """The speed of this machine: from its cache, or timed now."""
    path = _cache()
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        print("Measuring how fast this machine is, once…", file=sys.stderr)
        speed = _timed()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps(speed)
        write_whole(path, lambda p: p.write_text(text, encoding="utf-8"))
    except OSError:
        pass  # a home that cannot be written to is timed again
    return speed


def _cache() -> Path:
    import jax

    kind = jax.devices()[0].device_kind.replace(" ", "-").replace("/", "-")
    name = f"speed-{__version__}-{kind}-{os.cpu_count()}.json"
    return cache_folder() / name


def _timed() -> dict[str, float]:
    """Two small fleets, timed after they were compiled."""
    points = []
    for size in SIZES:
        task = Subsets("mul", simple=size == 4, input_size=size)
        changes = {"steps": 1000, "measuring__interval": 500}
        network, protocol = published(NMU(), task, **changes)
        cell = Cell(network, task, protocol, (0,))
        points.append((parameters(network, cell), _seconds(cell)))
    (few, quick), (many, slow) = points
    each = max((slow - quick) / (many - few), 0.0)
    return {"fixed": max(quick - each * few, 0.1 * quick), "each": each}


def _seconds(cell: Cell) -> float:
    from dataclasses import replace

    from ..training import block_size, default_workers, train_cells

    count = 2 * default_workers() * block_size(cell.task, 1000, _platform())
    seeds: Sequence[int] = range(count)
    longer = replace(cell.protocol, steps=2 * cell.protocol.steps)
    times: list[Any] = []
    for protocol in (cell.protocol, cell.protocol, longer):
        began = time.perf_counter()
        train_cells([replace(cell, protocol=protocol, seeds=tuple(seeds))])
        times.append(time.perf_counter() - began)
    # The first compiles; the others differ by the steps of one.
    return max(times[2] - times[1], 1e-6) / (count * cell.protocol.steps)


def _platform() -> str:
    import jax

    return jax.default_backend()
